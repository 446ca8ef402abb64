import { describe, expect, it } from 'vitest';
import { type SlowPattern, slowPatternText } from '../../src/zhcore/index.js';
import { shop } from './shop.js';

const added = (path: string, ...lines: string[]) => ({
  path,
  addedLines: lines.map((text, i) => ({ line: 10 + i, text })),
});

describe('warningsForDiff', () => {
  it('fires on an added line that matches, in a file that matches', () => {
    const { core } = shop();
    const found = core.warningsForDiff([added('src/order/state.ts', 'PAID,', '  REFUND_ONLY = 9,')]);
    expect(found).toMatchObject([
      {
        warning: { id: 'no_refund_state', severity: 'block' },
        path: 'src/order/state.ts',
        line: 11,
        text: 'REFUND_ONLY = 9,',
      },
    ]);
    expect(found[0]?.why).toContain('REFUND_ONLY');
  });

  it('needs both path and pattern, and is not fooled by a keyword', () => {
    const { core } = shop();
    expect(core.warningsForDiff([added('docs/order.md', 'REFUND_ONLY')])).toEqual([]);
    expect(core.warningsForDiff([added('src/order/state.ts', '// 仅退款用 initiator_type 区分')])).toEqual([]);
    expect(core.warningsForDiff([added('src/order/state.ts', 'NOT_REFUND_ONLY_AT_ALL')])).toEqual([]);
  });

  it('takes symbols and keywords on the added line only where there is no pattern', () => {
    const { core } = shop();
    const ids = (text: string) =>
      core.warningsForDiff([added('src/a.ts', text)]).map(({ warning, why }) => [warning.id, why]);
    expect(ids('await this.orders.cancelExpired(now);')).toEqual([
      ['close_once', '新增的行用到 OrderService.cancelExpired'],
    ]);
    expect(ids('// 关单之后通知')).toEqual([['close_once', '新增的行提到「关单」']]);
    expect(ids('cancelExpiredAll()')).toEqual([]);
  });

  it('fires once for a path alone, and at most three times a file', () => {
    const { core } = shop();
    expect(core.warningsForDiff([added('legacy/a.csv', 'x', 'y')])).toMatchObject([
      { warning: { id: 'legacy_encoding' }, line: 10 },
    ]);
    const many = Array.from({ length: 9 }, () => 'REFUND_ONLY');
    expect(core.warningsForDiff([added('src/a.ts', ...many), added('src/b.ts', 'REFUND_ONLY')])).toHaveLength(4);
  });

  it('reads (?i) and patterns that are only legal without the u flag', () => {
    const { core } = shop({
      '.xihe/knowledge/warnings/more.yaml':
        "- {id: w, danger: 不要, when: {added: ['(?i)select \\*', '\\_x']}, source: s}\n",
    });
    expect(core.problems).toEqual([]);
    const lines = core.warningsForDiff([added('a.sql', 'SELECT * FROM t', 'a_x', 'b')]).map(({ line }) => line);
    expect(lines).toEqual([10, 11]);
  });

  it('leaves out a pattern that backtracks without end, says which, and goes on', () => {
    const { core } = shop({
      '.xihe/knowledge/warnings/slow.yaml':
        "- {id: slow, danger: 不要, when: {added: ['(a+)+$', 'TODO_LATER']}, source: s}\n" +
        "- {id: quick, danger: 也不要, when: {added: ['aaa!']}, source: s}\n",
    });
    const slow: SlowPattern[] = [];
    const bad = `// ${'a'.repeat(60)}!`;
    const diffs = [added('src/a.ts', bad), added('src/b.ts', bad, 'TODO_LATER')];
    const found = core.warningsForDiff(diffs, (pattern) => slow.push(pattern));
    expect(found.map(({ warning, path }) => [warning.id, path])).toEqual([
      ['slow', 'src/b.ts'],
      ['quick', 'src/a.ts'],
      ['quick', 'src/b.ts'],
    ]);
    expect(slow).toEqual([{ entryId: 'slow', file: 'knowledge/warnings/slow.yaml', line: 1, pattern: '(a+)+$' }]);
    expect(slowPatternText(slow[0]!)).toMatch(/slow（knowledge\/warnings\/slow\.yaml:1）.*\(a\+\)\+\$/);
  });
});
