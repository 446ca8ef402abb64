import * as z from 'zod';

const key = z.object({
  name: z.string(),
  projects: z.array(z.string()).describe('能用的项目；* 是全部'),
  roles: z.array(z.string()),
  created: z.string().optional(),
});

export const serveJson = z.object({
  url: z.string().describe('服务的地址；它开始听时就打印，日志一行一个 JSON，在标准错误'),
  projects: z.array(z.string()),
  keys: z.boolean().describe('要不要密钥'),
});

export const keysListJson = z.object({ file: z.string().describe('密钥清单；里面只有哈希'), keys: z.array(key) });

export const keysAddJson = key.extend({ key: z.string().describe('密钥，只显示这一次') });

export const keysRemoveJson = z.object({ removed: z.string() });
