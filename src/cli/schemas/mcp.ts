import * as z from 'zod';

/** `xihe mcp --print-config --json`. */
export const mcpConfigJson = z.object({
  client: z.enum(['claude', 'cursor', 'cline', 'qwen', 'vscode']),
  where: z.string().describe('写在哪里'),
  config: z.record(z.string(), z.record(z.string(), z.unknown())).describe('要贴的内容'),
  notes: z.array(z.string()).describe('还要知道的'),
  page: z.string().describe('官方说明的地址'),
  written: z
    .object({ file: z.string(), outcome: z.enum(['created', 'added', 'replaced', 'unchanged']) })
    .nullable()
    .describe('加了 --write 时写到了哪里、怎么写的；没写是空'),
});
