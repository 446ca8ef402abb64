import * as z from 'zod';

/** `xihe index --json`. */
export const indexJson = z.object({
  provider: z.enum(['embedded', 'endpoint', 'langchain', 'none']).describe('谁来算向量；none 表示没有开'),
  model: z.string().optional().describe('模型、修订和维数；不同的模型不共用索引'),
  chunks: z.number().describe('知识片段数'),
  ready: z.number().describe('已经有向量的片段数（在本机的）'),
  made: z.number().describe('这次算或写了多少条文字的向量；一个片段有两条：全文和首行'),
  seconds: z.number(),
  server: z.string().optional().describe('Milvus 的地址；没有设置时索引在本机。--status 不问它，ready 只说本机的'),
});
