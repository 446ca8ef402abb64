import * as z from 'zod';
import { ERROR_KINDS, FEEDBACK_ABOUT, proposedEntrySchema } from '../../zhcore/index.js';

const proposal = z.object({
  id: z.string(),
  source: z.string().describe('说这句话的那次运行，run://会话/运行'),
  t: z.string(),
  remark: z.string().describe('原话，密钥和个人信息已遮住'),
  entry: proposedEntrySchema,
});

/** What `xihe feedback --json` prints. */
export const feedbackJson = z.object({
  thread: z.string(),
  run: z.string(),
  verdict: z.enum(['good', 'bad']),
  about: z.enum(FEEDBACK_ABOUT).nullable().describe('不好在哪里；说好时是空'),
  why: z.string().nullable(),
  proposals: z.array(proposal).describe('从原因里看出的建议，采纳后才生效'),
});

/** What `xihe proposals --json` prints. */
export const proposalsJson = z.object({
  proposals: z.array(proposal.extend({ state: z.enum(['open', 'accepted', 'dismissed']) })),
});

/** What `xihe proposals accept|dismiss --json` prints. */
export const settledJson = z.object({
  id: z.string(),
  state: z.enum(['accepted', 'dismissed']),
  path: z.string().nullable().describe('写进了哪个文件'),
  added: z.string().nullable().describe('加上的内容'),
});

const perKind = z.object({ intent: z.number(), parameter: z.number(), failed: z.number(), answer: z.number() });

/** What `xihe errors --json` prints. */
export const errorsJson = z.object({
  weeks: z.array(
    z.object({
      week: z.string().describe('周一的日期，按本机时钟'),
      runs: z.number(),
      good: z.number().describe('有人说好的'),
      counts: perKind,
      shares: perKind.describe('占这一周运行次数的比例'),
    }),
  ),
  examples: z.array(z.object({ kind: z.enum(ERROR_KINDS), t: z.string(), thread: z.string(), why: z.string() })),
});
