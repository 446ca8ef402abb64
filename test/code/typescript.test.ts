import { describe, expect, it } from 'vitest';
import { outline } from '../../src/code/index.js';
import { lines, names, symbol } from './support.js';

const SERVICE = lines(
  '/**', // 1
  ' * 订单服务：下单、取消、超时关单。',
  ' * @author 张三',
  ' */',
  "import type { Order, State as OrderState } from './model.js';", // 5
  "import db, * as tools from '../db/index.js';",
  "export * from './events.js';",
  '',
  '/** 下单之后多少分钟没付款就关单。 */',
  'export const TIMEOUT_MINUTES = 30;', // 10
  '',
  '// 订单的增删改查',
  '// 以及关单',
  'export class OrderService<T> extends Base implements Service {',
  '  /** 仓储 */', // 15
  '  private readonly repo: Repository;',
  '',
  '  /**',
  '   * 关闭超时未付款的订单。',
  '   * @param now 当前时间', // 20
  '   */',
  '  async cancelExpired(now: Date): Promise<number> {',
  "    throw new Error(t('order.cancel.failed', '关单失败'));",
  '  }',
  '', // 25
  '  // 重试一次',
  '  static retry = async (times = 1) => {',
  '    const inner = () => times;',
  '    return inner();',
  '  };', // 30
  '}',
  '',
  'function helper() {}',
  'const local = 1;',
  'const DEFAULT_LIMIT = 20; // 每页条数', // 35
  'export default helper;',
);

describe('a TypeScript file', async () => {
  const o = await outline('src/order/service.ts', SERVICE);

  it('is read by the parser and names its symbols', () => {
    expect(o).toMatchObject({ language: 'typescript', by: 'ast' });
    expect(names(o)).toEqual([
      'constant TIMEOUT_MINUTES',
      'class OrderService',
      'field OrderService.repo',
      'method OrderService.cancelExpired',
      'method OrderService.retry',
      'function retry.inner',
      'function helper',
      'constant DEFAULT_LIMIT',
    ]);
  });

  it('knows lines, signatures, docs and what is exported', () => {
    expect(symbol(o, 'cancelExpired')).toEqual({
      name: 'cancelExpired',
      kind: 'method',
      container: 'OrderService',
      line: 22,
      endLine: 24,
      exported: true,
      signature: 'cancelExpired(now: Date): Promise<number>',
      doc: '关闭超时未付款的订单。\n@param now 当前时间',
    });
    expect(symbol(o, 'TIMEOUT_MINUTES')).toMatchObject({
      line: 10,
      exported: true,
      doc: '下单之后多少分钟没付款就关单。',
    });
    expect(symbol(o, 'OrderService')).toMatchObject({ line: 14, endLine: 31, doc: '订单的增删改查\n以及关单' });
    expect(symbol(o, 'repo')).toMatchObject({ exported: false, doc: '仓储' });
    expect(symbol(o, 'retry')).toMatchObject({ doc: '重试一次', signature: 'retry = async (times = 1)' });
    expect(symbol(o, 'helper').exported).toBe(true);
    expect(symbol(o, 'DEFAULT_LIMIT')).toMatchObject({ exported: false, doc: '每页条数' });
  });

  it('lists imports with lines and original names', () => {
    expect(o.imports).toEqual([
      { source: './model.js', names: ['Order', 'State'], line: 5 },
      { source: '../db/index.js', names: ['db', 'tools'], line: 6 },
      { source: './events.js', names: ['*'], line: 7 },
    ]);
  });

  it('keeps Chinese comments, Chinese literals and translation keys with their lines', () => {
    expect(o.comments).toContainEqual({ line: 12, text: '订单的增删改查' });
    expect(o.comments).toContainEqual({ line: 35, text: '每页条数' });
    expect(o.strings).toEqual([
      { line: 23, text: 'order.cancel.failed' },
      { line: 23, text: '关单失败' },
    ]);
  });

  it('has a head comment and a summary of one line', () => {
    expect(o.headComment).toBe('订单服务：下单、取消、超时关单。\n@author 张三');
    expect(o.summary).toBe('订单服务：下单、取消、超时关单');
  });
});

describe('TypeScript declarations', () => {
  it('reads enums with trailing comments, interfaces, types and namespaces', async () => {
    const o = await outline(
      'state.ts',
      lines(
        'export enum OrderState {',
        "  Paid = 'PAID', // 已支付",
        '  /** 已取消 */',
        '  Cancelled,',
        '}',
        'export interface Cancel { reason: string; run(by: User): void }',
        "export type Kind = 'normal' | 'refund';",
        'export namespace money { export function round(x: number) { return x } }',
        'declare function overload(a: string): void;',
      ),
    );
    expect(names(o)).toEqual([
      'enum OrderState',
      'enum-member OrderState.Paid',
      'enum-member OrderState.Cancelled',
      'interface Cancel',
      'field Cancel.reason',
      'method Cancel.run',
      'type Kind',
      'function money.round',
      'function overload',
    ]);
    expect(symbol(o, 'Paid')).toMatchObject({ doc: '已支付', signature: "Paid = 'PAID'", line: 2 });
    expect(symbol(o, 'Cancelled')).toMatchObject({ doc: '已取消', exported: true });
    expect(symbol(o, 'round').exported).toBe(true);
    expect(symbol(o, 'Kind').signature).toBe("type Kind = 'normal' | 'refund'");
  });

  it('marks what a later export list names, but not private members', async () => {
    const o = await outline(
      'a.ts',
      lines(
        'class A { run() {} private hide() {} }',
        'const b = () => 1;',
        'function c() {}',
        'export { A, b as bee };',
      ),
    );
    expect(o.symbols.filter((s) => s.exported).map((s) => s.name)).toEqual(['A', 'run', 'b']);
  });

  it('takes no trailing comment of a neighbour on the same line', async () => {
    const o = await outline('a.ts', 'interface I { x: number; /** 方法 */ m(): void }\n');
    expect(symbol(o, 'x').doc).toBeUndefined();
  });

  it('reads functions in objects and components, and leaves plain locals alone', async () => {
    const o = await outline(
      'useOrder.tsx',
      lines(
        '/** 订单操作 */',
        'export const api = { list() {}, cancel: async (id: string) => 1, title: "x" };',
        'export function OrderPage() {',
        '  const rows = load();',
        '  const onCancel = async () => {};',
        '  return <Button title="取消">取消订单</Button>;',
        '}',
      ),
    );
    expect(names(o)).toEqual([
      'constant api',
      'method api.list',
      'method api.cancel',
      'function OrderPage',
      'function OrderPage.onCancel',
    ]);
    expect(o.strings.map((s) => s.text)).toEqual(['取消', '取消订单']);
  });

  it('reads CommonJS', async () => {
    const o = await outline(
      'legacy.js',
      lines(
        "const { pay, refund: back } = require('./pay');",
        'exports.cancel = async function (id) {};',
        'function close() {}',
        'module.exports = { close };',
      ),
    );
    expect(o.imports).toEqual([{ source: './pay', names: ['pay', 'refund'], line: 1 }]);
    expect(names(o)).toEqual(['function cancel', 'function close']);
    expect(o.symbols.every((s) => s.exported)).toBe(true);
  });

  it('reads routes of NestJS and Express, and takes no client call for one', async () => {
    const o = await outline(
      'order.controller.ts',
      lines(
        "@Controller('orders')",
        'export class OrderController {',
        '  // 取消订单',
        "  @Post(':id/cancel')",
        '  cancel(@Param() id: string) {}',
        '}',
        "router.get('/health', ok);",
        "axios.get('/orders', {});",
        "// router.get('/old', gone)",
      ),
    );
    const routes = o.symbols.filter((s) => s.kind === 'route');
    expect(routes.map((s) => s.name)).toEqual(['POST /orders/:id/cancel', 'GET /health']);
    expect(routes[0]).toMatchObject({ line: 5, container: 'OrderController', doc: '取消订单' });
  });

  it('uses Chinese of decorators as doc when there is no comment', async () => {
    const o = await outline(
      'dto.ts',
      lines('export class RefundDto {', "  @ApiProperty({ description: '退款金额' })", '  amount: number;', '}'),
    );
    expect(symbol(o, 'amount').doc).toBe('退款金额');
  });

  it('does not take a licence for the head comment', async () => {
    const o = await outline(
      'a.ts',
      lines(
        '// Copyright 2024 商城公司',
        '// eslint-disable',
        '',
        '// 支付回调验签',
        '',
        "import x from 'x';",
        'export const y = x;',
      ),
    );
    expect(o.headComment).toBe('支付回调验签');
  });

  it('reads files with CRLF and BOM-less Chinese names', async () => {
    const o = await outline('a.ts', 'export const 超时 = 1;\r\n// 备注\r\nexport function 关单() {}\r\n');
    expect(symbol(o, '关单')).toMatchObject({ line: 3, doc: '备注' });
  });
});
