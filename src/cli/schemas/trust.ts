import * as z from 'zod';

/** `xihe trust --json`. */
export const trustJson = z.object({
  project: z.string().describe('项目的真实路径'),
  destinations: z
    .array(
      z.object({
        setting: z.string().describe('是哪一项设置，或团队的操作的文件'),
        address: z.string().describe('地址；LangChain 是包、类和参数，操作是危险等级、环境变量和命令'),
        sends: z.string().describe('会把什么发过去'),
        variables: z.array(z.string()).describe('会用到的环境变量，其中有密钥'),
        chosen: z.enum(['local', 'trusted', 'untrusted']).describe('local 是本机，不用信任'),
      }),
    )
    .describe('项目自己写的地址和操作；环境变量和你自己的设置里的不在内'),
  file: z.string().optional().describe('信任记在哪个文件里；没有改动时没有'),
});
