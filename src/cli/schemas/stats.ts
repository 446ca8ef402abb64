import * as z from 'zod';

const named = z.object({
  type: z.enum(['term', 'knowledge', 'playbook', 'warning']),
  id: z.string(),
  title: z.string(),
  layer: z.enum(['general', 'project']),
  file: z.string(),
  line: z.number(),
});

const hits = z.object({ total: z.number(), hits: z.number(), misses: z.number(), hit_rate: z.number() });

/** What `xihe stats --json` prints. */
export const statsJson = z.object({
  days: z.number(),
  records: z.number().describe('查询日志里这些天的条数；0 表示下面都不作数'),
  queries: hits
    .extend({ gate_open: z.number(), gate_closed: z.number(), gate_rate: z.number() })
    .describe('核心被查询的次数；没放行的不算命中也不算落空'),
  lookups: hits.describe('xihe lookup 和模型查阅知识'),
  phases: z.array(
    z.object({
      phase: z.enum(['plan', 'execute', 'postcheck', 'answer']),
      queries: z.number(),
      injections: z.number(),
      tokens: z.number(),
    }),
  ),
  tokens: z.number().describe('注入、查阅、打印出来的内容合计，估算'),
  entries: z
    .array(named.extend({ uses: z.number(), tokens: z.number(), share: z.number(), last_used: z.string() }))
    .describe('花 token 最多的在前；share 是占全部的比例'),
  never_hit: z.array(named).describe('生效但这些天没有命中过的条目'),
  latency_ms: z.object({ count: z.number(), p50: z.number(), p95: z.number() }).nullable(),
  missed: z.array(z.object({ word: z.string(), times: z.number() })).describe('落空的查询里的词'),
});
