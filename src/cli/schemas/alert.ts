import * as z from 'zod';

/** `xihe alert test --json` and `xihe alert flush --json`. */
export const alertJson = z.object({
  ok: z.boolean().describe('都发出去了'),
  target: z.string().describe('发到哪里；地址里的密钥盖住了'),
  message: z.string().optional().describe('test 发的内容'),
  messages: z.number().describe('平台收下了几条消息，等着的告警也算在内'),
  waiting: z.number().describe('还有几条告警在排队'),
  until: z.string().optional().describe('受条数限制时，什么时候可以再发'),
  error: z
    .object({ code: z.string(), message: z.string(), hint: z.string(), details: z.record(z.string(), z.unknown()) })
    .optional()
    .describe('没有发出去，或不知道有没有送到的原因'),
});
