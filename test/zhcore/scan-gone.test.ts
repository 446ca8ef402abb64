import { describe, expect, it } from 'vitest';
import { commits, ownTerm, scanTexts } from './scan-support.js';

const term = ownTerm(
  { id: 'close', keyword_ch: '超时关单', code_symbols: ['OrderService.cancelExpired'] },
  'repo://src/order.ts',
);

describe('symbols that are gone', () => {
  it('are none while they are defined, inherited, spelled the other way, or of a library', async () => {
    const known = [
      term,
      ownTerm({ id: 'b', keyword_ch: '基类方法', code_symbols: ['OrderService.reload'] }),
      ownTerm({
        id: 'c',
        keyword_ch: '创建',
        code_symbols: ['gmt_create', 'PAY_TIMEOUT', 'order.title', '/orders/close', 'RedisTemplate.opsForValue'],
      }),
    ];
    const { gone } = await scanTexts(
      {
        'src/order.ts': 'export class OrderService extends BaseService {\n  cancelExpired() {}\n}\n',
        'src/base.ts': 'export class BaseService {\n  reload() {}\n}\n',
        'src/row.ts':
          "export interface Row { gmtCreate: string }\nexport const PAY_TIMEOUT = 1;\nroute('/orders/close');\nredis.opsForValue();\nconst x: RedisTemplate = y;\n",
        'src/i18n/zh-CN.json': '{ "order": { "title": "订单" } }',
      },
      { known },
    );
    expect(gone).toEqual([]);
  });

  it('that moved to another class are named with their new place, for certain where there is only one', async () => {
    const { gone } = await scanTexts(
      {
        'src/order.ts':
          'import { OrderCloser } from "./closer.js";\nexport class OrderService {\n  run(c: OrderCloser) { c.cancelExpired(); }\n}\n',
        'src/closer.ts': 'export class OrderCloser {\n  cancelExpired() {}\n}\n',
      },
      { known: [term] },
    );
    expect(gone).toMatchObject([
      {
        termId: 'close',
        symbol: 'OrderService.cancelExpired',
        movedTo: [{ symbol: 'OrderCloser.cancelExpired', file: 'src/closer.ts', line: 2, certain: true }],
      },
    ]);
  });

  it('that were renamed are found by the same word, and by the most similar name in their file', async () => {
    const { gone } = await scanTexts(
      {
        'src/order.ts':
          '// cancelExpired 以前在这里\nexport class OrderService {\n  cancelOverdue() {}\n  /** 超时关单 */\n  closeTimeout() {}\n}\n',
      },
      { known: [term] },
    );
    expect(gone[0]?.movedTo?.map(({ symbol, certain }) => [symbol, certain])).toEqual([
      ['OrderService.closeTimeout', false],
      ['OrderService.cancelOverdue', false],
    ]);
    expect(gone[0]?.movedTo?.[0]?.why).toContain('超时关单');
  });

  it('are looked for in the file that theirs was renamed to', async () => {
    const history = { ...commits(), nowCalled: (path: string) => (path === 'src/order.ts' ? 'src/trade.ts' : path) };
    const { gone } = await scanTexts(
      { 'src/trade.ts': 'export class TradeService {\n  cancelExpiredOrders() {}\n}\n' },
      { known: [term], history },
    );
    expect(gone[0]?.movedTo?.[0]).toMatchObject({ symbol: 'TradeService.cancelExpiredOrders', file: 'src/trade.ts' });
    expect(gone[0]?.movedTo?.[0]?.why).toContain('OrderService 像是改成了 TradeService（文件改名）');
  });

  it('without anything like them say so, and terms of the general layer are never asked', async () => {
    const general = { ...term, id: 'g', provenance: { ...term.provenance, layer: 'general' as const } };
    const { gone } = await scanTexts({ 'src/a.ts': 'export const unrelated = 1;\n' }, { known: [term, general] });
    expect(gone).toEqual([
      {
        termId: 'close',
        keyword_ch: '超时关单',
        symbol: 'OrderService.cancelExpired',
        file: 'knowledge/terms/own.yaml',
        line: 1,
      },
    ]);
  });

  it('are asked of the whole repository, also when proposals are for one folder', async () => {
    const { gone } = await scanTexts(
      { 'src/order.ts': 'export class OrderService {\n  cancelExpired() {}\n}\n', 'web/a.ts': 'export const a = 1;\n' },
      { known: [term], only: ['web'] },
    );
    expect(gone).toEqual([]);
  });
});
