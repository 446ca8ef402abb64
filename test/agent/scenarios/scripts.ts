import { type Matcher, type Rule, systemText } from '../../support/model-server.js';

/** Which of our prompts a request carries, by the first words of its file. */
export const asks: Record<'execute' | 'review' | 'answer' | 'fill' | 'chat', Matcher> = {
  execute: { test: (req) => systemText(req).includes('做一次修改') },
  review: { test: (req) => systemText(req).includes('你在审查一份代码改动') },
  answer: { test: (req) => systemText(req).includes('回答关于这个代码仓库') },
  fill: { test: (req) => systemText(req).includes('取出一个工具的参数') },
  chat: { test: (req) => systemText(req).includes('自然地回应') },
};

/** A reviewer that has nothing to say. */
export const calmReview: Rule = { name: 'review', when: asks.review, reply: '{"findings":[]}' };

const RELEASE_OLD = `    let released = true;
    try {
      await this.deps.stock.release(orderNo);
    } catch (error) {
      released = false;
      this.deps.logger.error('释放库存失败', error, { order_no: orderNo });
    }`;

const RELEASE_NEW = `    const released = await this.releaseStock(orderNo);`;

const METHOD_OLD = `  private buildLines(`;

const METHOD_NEW = `  /** 释放库存，失败时再试一次：仓储接口偶尔超时，重试一次多半就好了。 */
  private async releaseStock(orderNo: string): Promise<boolean> {
    for (const attempt of [1, 2]) {
      try {
        await this.deps.stock.release(orderNo);
        return true;
      } catch (error) {
        this.deps.logger.error('释放库存失败', error, { order_no: orderNo, attempt });
      }
    }
    return false;
  }

  private buildLines(`;

/** The edit of the demo request: closing an expired order tries twice to release its stock. */
export const retryEdit = {
  path: 'src/order/order-service.ts',
  edits: [
    { search: RELEASE_OLD, replace: RELEASE_NEW },
    { search: METHOD_OLD, replace: METHOD_NEW },
  ],
};

/** A careful model for the demo request: reads, edits, runs the tests, sums up. */
export const retryRules: Rule[] = [
  calmReview,
  {
    name: 'execute',
    when: asks.execute,
    reply: [
      {
        toolCalls: [
          { name: 'read_file', args: { path: 'src/order/order-service.ts', start_line: 130, line_count: 90 } },
        ],
      },
      { toolCalls: [{ name: 'edit_file', args: retryEdit }] },
      { toolCalls: [{ name: 'run_tests', args: {} }] },
      '关单释放库存失败时会再试一次，测试通过。',
    ],
  },
];

/** The request of the demo and the README. */
export const RETRY_REQUEST = '下单超时没付款的单子，关单时加一次重试';
