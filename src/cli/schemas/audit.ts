import * as z from 'zod';

/** `xihe audit --json`. */
export const auditJson = z.object({
  entries: z
    .array(
      z.object({
        at: z.string().describe('时间，ISO 8601'),
        who: z.string().describe('谁'),
        what: z.string().describe('做了什么：工具名，或 changeset.apply 这样的动作'),
        args: z.unknown().describe('参数，密钥和个人信息已遮住，过长的截断'),
        result: z.string().describe('ok，或错误代码'),
        duration_ms: z.number().describe('毫秒'),
        thread: z.string().nullable().describe('会话'),
        trace: z.string().nullable().describe('追踪号：哪一次运行'),
      }),
    )
    .describe('旧的在前'),
});

/** `xihe audit --check --json`. */
export const auditCheckJson = z.object({
  ok: z.boolean().describe('链是完整的；不完整时以 1 退出'),
  links: z.number().describe('首尾相接的条数，到断开的地方为止'),
  unchained: z.number().describe('有链之前写的行数，查不出改没改过'),
  broken: z
    .object({
      kind: z
        .enum(['changed', 'removed', 'inserted', 'moved', 'cut', 'head', 'anchor'])
        .describe('cut 是末尾少了，head 是链尾记录不见了，anchor 是和留底的不一样'),
      file: z.string(),
      line: z.number(),
      reason: z.string(),
    })
    .nullable()
    .describe('第一处断开的地方'),
  notes: z.array(z.string()).describe('进程中断留下的痕迹，不算断开'),
  end: z.object({ seq: z.number(), hash: z.string() }).nullable().describe('链尾，记在别处以后可以比对'),
});
