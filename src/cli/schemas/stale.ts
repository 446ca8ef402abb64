import * as z from 'zod';

const named = z.object({
  type: z.enum(['term', 'knowledge', 'playbook', 'warning']),
  id: z.string(),
  title: z.string(),
  layer: z.enum(['general', 'project']),
  file: z.string(),
  line: z.number(),
});

export const staleListJson = z.object({
  entries: z.array(
    named.extend({
      state: z
        .enum(['expired', 'gone', 'changed', 'overdue', 'never', 'soon'])
        .describe('写明失效、符号没了、来源的文件改过、过了复核日期、从没复核、快到日期'),
      kind: z
        .enum(['official', 'experience', 'symbol'])
        .describe('复核周期：官方 91 天，经验 182 天，代码符号每次现查'),
      candidate: z.boolean(),
      reviewed_at: z.string().optional(),
      due: z.string().optional().describe('该复核的日子'),
      days_left: z.number().optional().describe('负数是已经晚了几天'),
      valid_until: z.string().optional(),
      gone: z.array(z.string()).optional().describe('代码里找不到的符号'),
      changed: z.object({ file: z.string(), day: z.string() }).optional().describe('复核之后又有提交的来源文件'),
      uses: z.number().describe('最近 90 天真正用到的次数'),
      last_used: z.string().optional(),
    }),
  ),
  looked_at: z.number().describe('看了多少条'),
  log_records: z.number().describe('查询日志的条数；0 表示不知道哪些在用'),
});

const due = named.extend({
  due: z.string(),
  uses: z.number().describe('这个月用到的次数'),
  tokens: z.number(),
});

export const monthJson = z.object({
  month: z.string(),
  records: z.number().describe('这个月查询日志的条数；0 表示使用情况不作数'),
  queries: z.number(),
  due: z.array(due).describe('这个月到期，还没复核'),
  waiting: z.array(due).describe('以前到期，还在等'),
  expired: z.array(named),
  never_reviewed: z.array(named),
  unused: z.array(named).describe('月底前 90 天没有用到'),
  misses: z
    .array(z.object({ text: z.string(), words: z.array(z.string()), times: z.number() }))
    .describe('没有找到内容的查询，词相同的算一组'),
});

/** What `xihe stale --json` prints, and with `--month` the report. */
export const staleJson = z.union([staleListJson, monthJson]);
