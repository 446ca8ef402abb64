import * as z from 'zod';
import { evalRunSchema } from '../../evals/result.js';

const share = (what: string) => z.number().describe(`${what}，0–1`);
const difference = z.object({
  mean: z.number(),
  low: z.number().describe('95% 区间的下端'),
  high: z.number(),
  n: z.number().describe('成对的任务数'),
  real: z.boolean().describe('区间不含 0，而且够多'),
});

/** `xihe eval --json`. */
export const evalJson = z.object({
  tasks: z.number(),
  repeats: z.number(),
  model: z.string().nullable().describe('没用模型时是 null'),
  arms: z
    .record(
      z.string(),
      z.object({
        title: z.string(),
        runs: z.number(),
        support: share('决定成败的东西有多少摆在了模型面前；不是任务成功率'),
        whole: share('全部摆出的任务'),
        by_kind: z.record(z.string(), z.number()),
        by_class: z.record(z.string(), z.number()),
        mrr: z.number(),
        tokens: z.number().describe('预案平均多少 token'),
        model: z
          .object({
            success: share('隐藏测试全过、该有的事实都有、没有错误的事实'),
            wrong_facts: share('有错误事实'),
            violated: share('违反了任务所考的警示'),
            unneeded: share('改了不该改的文件'),
            input: z.number(),
            output: z.number(),
            opened: z.number().describe('平均打开几个文件'),
            turns: z.number(),
            seconds: z.number(),
            success_by_class: z.record(z.string(), z.number()),
          })
          .optional()
          .describe('用了模型才有'),
        injected: z.record(z.string(), z.number()).describe('注入的条目平均多少 token，按种类'),
      }),
    )
    .describe('每组的结果，按名字'),
  comparisons: z
    .array(
      z.object({
        arm: z.string(),
        against: z.string().describe('第一组'),
        support: difference,
        tokens: difference,
        success: z
          .object({
            difference,
            mcnemar: z.object({ onlyA: z.number(), onlyB: z.number(), p: z.number() }),
          })
          .optional(),
      }),
    )
    .describe('第一组减其余各组'),
  stopped: z.string().nullable().describe('为什么没有跑完'),
  runs: z.array(evalRunSchema).describe('每一次'),
});

/** `xihe eval lint --json`. */
export const evalLintJson = z.object({
  tasks: z.number(),
  skipped: z.array(z.object({ task: z.string(), why: z.string() })).describe('这台机器验证不了的'),
  problems: z.array(z.object({ task: z.string(), text: z.string() })),
});
