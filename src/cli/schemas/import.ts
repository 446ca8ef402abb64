import * as z from 'zod';

/** The document of `xihe import --json`. */
export const importJson = z.object({
  kind: z.enum(['terms', 'playbooks', 'knowledge']).describe('当作什么导入：术语、流程模板、知识文档'),
  written: z.boolean().describe('false 表示只是预览，什么都没写；加 --write 才写'),
  files: z
    .array(
      z.object({
        path: z.string().describe('相对项目根目录'),
        entries: z.number().describe('文件里有几条'),
        state: z
          .enum(['new', 'same', 'kept'])
          .describe('new 新文件（--write 时写入）；same 已有同样的内容；kept 已有不同的内容，没有动'),
      }),
    )
    .describe('会写的和已有的文件'),
  imported: z.number().describe('新文件里一共几条'),
  left_out: z
    .array(
      z.object({
        where: z.string().describe('文件，带工作表和行：术语.xlsx#订单!12'),
        reason: z.string().describe('为什么没有导入，或改动了什么'),
        text: z.string().describe('原文的开头；没有可说的就是空的'),
      }),
    )
    .describe('没有导入的和为什么'),
  guessed: z
    .array(z.object({ where: z.string(), what: z.string().describe('猜了什么'), text: z.string() }))
    .describe('来源没有写明、由程序判断的，请人看一遍'),
});
