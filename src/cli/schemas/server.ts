import * as z from 'zod';

/** What `xihe server --json` prints when it is ready; it then runs until it is stopped. */
export const serverJson = z.object({
  url: z.string().describe('服务的地址；之后一直运行，事情记在标准错误，一行一个 JSON'),
});
