import * as z from 'zod';

const placeJson = { file: z.string().describe('相对项目根目录'), line: z.number() };

/** What `xihe scan --json` prints. */
export const scanJson = z.object({
  proposals: z
    .array(
      z.object({
        id: z.string().describe('由符号得来，符号不改名就不变'),
        keyword_ch: z.string(),
        aliases: z.array(z.string()),
        code_symbols: z.array(z.string()).describe('最核心的在前'),
        module: z
          .string()
          .optional()
          .describe('modules.yaml 里的模块；没有 modules.yaml 时，只在一个词有几种意思时用目录名区分'),
        note: z.string().optional().describe('注释里除了这个词还说了什么'),
        score: z.number().describe('0–1，多大把握团队说的就是这个符号'),
        confidence: z.enum(['low', 'medium']).describe('写进术语时的可信度'),
        evidence: z.array(
          z.object({
            ...placeJson,
            kind: z
              .enum(['doc', 'annotation', 'sql', 'i18n', 'enum', 'route', 'menu', 'form', 'message', 'commit'])
              .describe('注释、注解、建表注释、界面文字、枚举说明、路由标题、菜单数据、表单标签、结果提示、提交记录'),
            text: z.string().describe('那里的原文，最多 80 字'),
          }),
        ),
      }),
    )
    .describe('还没写过的建议，分数高的在前'),
  found: z.number().describe('一共找到多少条，不限于 --top'),
  wanted: z
    .number()
    .describe(
      '--write 会写（或已写）的条数：--top 个，不写 --top 时是分数 0.2 以上的全部；不写入时 proposals 只列前 50 条',
    ),
  rest: z.number().describe('没写过也不在 wanted 里的条数'),
  gone: z
    .array(
      z.object({
        term_id: z.string(),
        keyword_ch: z.string(),
        symbol: z.string(),
        file: z.string().describe('术语所在的文件'),
        line: z.number(),
        moved_to: z.array(
          z.object({
            symbol: z.string(),
            ...placeJson,
            why: z.string(),
            certain: z.boolean().describe('只有这一种可能'),
          }),
        ),
      }),
    )
    .describe('项目术语里的符号，代码里已经没有了'),
  written: z
    .object({
      file: z.string(),
      record: z.string(),
      added: z.array(z.string()),
      updated: z.array(z.object({ id: z.string(), from: z.string(), to: z.string() })).describe('换成新符号的候选条目'),
    })
    .nullable()
    .describe('没有 --write 时为 null'),
  stats: z.object({
    files: z.number().describe('读了多少个文件'),
    skipped: z.array(
      z.object({
        reason: z.enum(['tests', 'vendored', 'generated', 'docs', 'data', 'large', 'unreadable', 'other-language']),
        files: z.number(),
        example: z.string().describe('其中一个的路径'),
      }),
    ),
    unreadable: z.array(z.string()).describe('没有权限、读不了的目录和文件；空串是项目根目录'),
    unchecked: z.number().describe('可能在读不了的地方的符号，不算不见了'),
    mentions: z.number().describe('有多少处中文写在符号旁边'),
    known: z.number().describe('项目术语里已经有的'),
    already_written: z.number().describe('以前写进 scanned.yaml、还在的'),
    declined: z.number().describe('以前写过、被人删掉的'),
    ignored: z.number().describe('scan.yaml 的 ignore 里的'),
    ms: z.number(),
  }),
});
