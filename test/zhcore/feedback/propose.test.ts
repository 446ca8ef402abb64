import { describe, expect, it } from 'vitest';
import { type ProposedEntry, proposalsFrom } from '../../../src/zhcore/index.js';

const context = { thread: 't1', run: 'r1', paths: ['src/order/order-service.ts', 'src/order/index.ts', 'README.md'] };
const entries = (remark: string, more = {}): ProposedEntry[] =>
  proposalsFrom(remark, { ...context, ...more }).map(({ entry }) => entry);

describe('what a remark would teach the core', () => {
  it.each([
    ['超时关单指的是 OrderService.cancelExpired', '超时关单', 'OrderService.cancelExpired'],
    ['我们说的「对账单」就是 `ReconciliationBill`，不是账单', '对账单', 'ReconciliationBill'],
    ['这里的结算对应 settle_order', '结算', 'settle_order'],
  ])('a word and its name in code: %s', (remark, keyword_ch, symbol) => {
    expect(entries(remark)).toEqual([{ type: 'term', keyword_ch, code_symbols: [symbol] }]);
  });

  it.each([
    '仅退款不要新增状态，用 RefundType 区分',
    '金额必须用分存，不能用浮点',
    '日志一律走 logger.error，别直接 console',
    '关单以后改状态都要带版本号',
  ])('a rule: %s', (remark) => {
    expect(entries(remark)).toMatchObject([{ type: 'warning', danger: remark }]);
  });

  it('a rule speaks up in the folders that were changed, and at the names that it says', () => {
    const [rule] = entries('仅退款不要新增状态，用 RefundType 区分');
    expect(rule).toMatchObject({ when: { paths: ['src/order/**', 'README.md'], symbols: ['RefundType'] } });
  });

  it('a step goes into the playbook that was followed; without one it is a rule', () => {
    const remark = '改完要先跑一遍对账';
    expect(entries(remark, { playbook: 'create-report-api' })).toEqual([
      { type: 'step', playbook: 'create-report-api', step: remark },
    ]);
    expect(entries(remark)).toMatchObject([{ type: 'warning', danger: remark }]);
  });

  it.each(['把变量名改短一点', '为什么不用缓存？', '不能用缓存吗', '好的', '这里是 a', '订单是 order', '测试没过', ''])(
    'nothing: %s',
    (remark) => expect(entries(remark)).toEqual([]),
  );

  it('masks what must not be kept, and takes three sentences at most', () => {
    const [one] = proposalsFrom('不要把 password=hunter2secret 写进日志，手机号 13812345678 也不行', context);
    expect(JSON.stringify(one)).not.toMatch(/hunter2secret|13812345678/);
    expect(entries('不要用甲做法。不要用乙做法。不要用丙做法。不要用丁做法。')).toHaveLength(3);
  });

  it('the same remark on the same run has the same id, on another run another', () => {
    const id = (run: string) => proposalsFrom('金额必须用分存', { ...context, run })[0]?.id;
    expect(id('r1')).toBe(id('r1'));
    expect(id('r1')).not.toBe(id('r2'));
  });
});
