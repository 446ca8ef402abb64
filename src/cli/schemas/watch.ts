import * as z from 'zod';

/** One line of `xihe watch --json`; it prints one a reload, not one document. */
export const watchJson = z.object({
  files: z.array(z.string()).describe('变了的文件，相对 .xihe/'),
  moved: z.boolean().describe('生效的内容有没有变'),
  data_version: z.string(),
  problems: z.array(
    z.object({
      file: z.string(),
      line: z.number(),
      reason: z.string(),
      kept_last_good: z.boolean().describe('true 表示上一个可用的版本还在生效'),
    }),
  ),
  ms: z.number().describe('重新加载用的毫秒数'),
});
