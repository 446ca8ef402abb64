import * as z from 'zod';

/** What `xihe lint --json` prints. */
export const lintJson = z.object({
  findings: z.array(
    z.object({
      rule: z.string().describe('规则编号，如 XL201，不会改作别用'),
      level: z.enum(['error', 'warning', 'note']),
      layer: z.enum(['general', 'project']),
      file: z.string().describe('通用层的文件相对羲和的安装目录，项目的相对项目根目录'),
      line: z.number(),
      message: z.string(),
      entry_id: z.string().optional().describe('条目的 id；读不了的文件没有'),
    }),
  ),
  summary: z.object({ errors: z.number(), warnings: z.number(), notes: z.number() }),
  checked: z
    .object({
      terms: z.number(),
      warnings: z.number(),
      playbooks: z.number(),
      documents: z.number(),
      chunks: z.number(),
      lexicon_groups: z.number(),
    })
    .describe('检查了多少条'),
});
