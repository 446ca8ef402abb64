import * as z from 'zod';

/** `xihe doctor --model --json`. */
export const doctorModelJson = z.object({
  ok: z.boolean().describe('至少有一个模型能改代码'),
  models: z
    .array(
      z.object({
        model: z.string(),
        baseUrl: z.string(),
        preset: z.string().nullable().describe('认得的服务，见 docs/data.md「模型」'),
        verdict: z.string().describe('什么能用，一句中文'),
        tools: z.enum(['native', 'json']).nullable().describe('工具怎么调用；null 表示不会调用，不能改代码'),
        window: z.number().nullable().describe('端点说的、或已知的上下文窗口，token'),
        probes: z.array(
          z.object({
            id: z.enum(['stream', 'chinese', 'tools', 'json', 'usage', 'window']),
            name: z.string(),
            state: z.enum(['ok', 'warn', 'fail']),
            detail: z.string(),
            hint: z.string(),
          }),
        ),
      }),
    )
    .describe('模型和 fallbacks，按顺序'),
});
