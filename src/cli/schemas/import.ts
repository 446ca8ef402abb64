import * as z from 'zod';
import { FIELDS } from '../../zhcore/import/headers.js';

/** The document of `xihe import --json`. */
export const importJson = z.object({
  kind: z.enum(['terms', 'playbooks', 'knowledge']).describe('当作什么导入：术语、流程模板、知识文档'),
  written: z.boolean().describe('false 表示只是预览，什么都没写；加 --write 才写'),
  files: z
    .array(
      z.object({
        path: z.string().describe('相对项目根目录'),
        kind: z
          .enum(['terms', 'playbooks', 'knowledge'])
          .describe('里面是什么；技能的参考资料（references/*.md）作为知识文档一起导入'),
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
  columns: z
    .array(
      z.object({
        where: z.string().describe('文件，带工作表'),
        used: z.array(
          z.object({
            column: z.string().describe('列名；没有表头时是「第 2 列」'),
            field: z.enum([...FIELDS, 'mixed']).describe('当作哪个字段；mixed 是一格里中文和代码符号都有'),
            by: z.enum(['header', 'content']).describe('按列名，还是按这一列的内容'),
          }),
        ),
        ignored: z.array(z.string()).describe('没用到的列'),
      }),
    )
    .describe('每张表的哪一列当作什么'),
  remarks: z
    .array(z.object({ where: z.string(), what: z.string() }))
    .describe('导入了、但要知道的：补了日期、模块没登记、和 scan 写的候选同词'),
});
