import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/assets.js';
import { openZhCore, tryPatterns } from '../../src/zhcore/index.js';
import { warningsOf } from './entries.js';
import { WARNING_LINES } from './warning-lines.js';

const core = openZhCore({ generalDir: packageRoot() });

/** Ids of warnings that fire when `text` is added to `path`. */
function firing(text: string, path: string): string[] {
  return core.warningsForDiff([{ path, addedLines: [{ line: 1, text }] }]).map((hit) => hit.warning.id);
}

describe('warnings that ship', () => {
  it('all have lines that prove them', () => {
    expect(Object.keys(WARNING_LINES).sort()).toEqual(
      warningsOf()
        .map((warning) => warning.id)
        .sort(),
    );
  });

  it('have enough of them: three that must fire, four beside them that must not', () => {
    expect(warningsOf().length).toBeGreaterThanOrEqual(68);
    const thin = Object.entries(WARNING_LINES).filter(([, { bad, good }]) => bad.length < 3 || good.length < 4);
    expect(thin.map(([id]) => id)).toEqual([]);
  });

  it('prove each of their patterns', () => {
    const idle = warningsOf().flatMap(({ id, when }) =>
      (when.added ?? [])
        .filter((pattern) => tryPatterns(WARNING_LINES[id]?.bad ?? [], [pattern]).matches.size === 0)
        .map((pattern) => [id, pattern]),
    );
    expect(idle).toEqual([]);
  });

  it('are quick on long lines of anything', () => {
    const parts = [
      'a',
      '0',
      ' ',
      '_',
      '(',
      '"',
      "'",
      '=',
      '中',
      'aA0_ ',
      'a.',
      '${',
      '%',
      'log.info(',
      'select a from ',
    ];
    const lines = parts.map((part) => part.repeat(Math.floor(1900 / part.length)));
    const slow = warningsOf().flatMap(({ id, when }) => tryPatterns(lines, when.added ?? []).slow.map((p) => [id, p]));
    expect(slow).toEqual([]);
  });

  it('only advise: what blocks is for the project to say', () => {
    expect(warningsOf().filter((warning) => warning.severity !== 'warn')).toEqual([]);
  });

  describe.each(Object.entries(WARNING_LINES))('%s', (id, { path = 'src/a.ts', bad, good }) => {
    it.each(bad)('fires on: %s', (line) => expect(firing(line, path)).toContain(id));
    it.each(good)('is quiet on: %s', (line) => expect(firing(line, path)).not.toContain(id));
  });

  it('with paths look only there', () => {
    expect(firing('account.balance += notice.amount;', 'src/account/service.ts')).toEqual([]);
    expect(firing('select * from orders', 'src/order/repo.ts')).toEqual([]);
  });

  it('are quiet on ordinary lines', () => {
    const lines = [
      'export function shanghaiDate(ms: number): string {',
      'const total = rows.reduce((sum, row) => sum + row.amountFen, 0);',
      'await orders.update(id, { state: OrderState.PAID });',
      "import { readFileSync } from 'node:fs';",
      'public Result<List<OrderVO>> list(@RequestParam int page) {',
      'def handle(self, request):',
      '<el-button type="primary" @click="submit">提交</el-button>',
      '// 金额一律用分，时间用毫秒',
      'SELECT id, state FROM orders WHERE id = ?',
      'logger.info("order {} closed", orderNo);',
    ];
    for (const line of lines) expect([line, firing(line, 'src/a.ts')]).toEqual([line, []]);
  });
});
