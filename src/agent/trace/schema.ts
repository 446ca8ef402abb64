import * as z from 'zod';

const agent = z.string().optional().describe('哪个子智能体；主流程没有');

/** What `xihe trace --json` prints. */
export const traceJson = z.object({
  thread: z.string(),
  request: z.string(),
  runs: z.number(),
  origin: z.string().nullable().describe('从哪个会话的哪一步分出来，写作 会话@步'),
  said: z
    .array(z.object({ run: z.number(), turn: z.number(), text: z.string(), at: z.string() }))
    .describe('用户中途说的话，和哪一轮听到'),
  arm: z
    .object({ without: z.array(z.string()), context: z.string() })
    .describe('对照用：最近一次运行去掉了哪些层，目录怎么给'),
  injections: z.array(
    z.object({
      run: z.number(),
      phase: z.string(),
      turn: z.number(),
      type: z.string(),
      id: z.string(),
      version: z.string(),
      source: z.string(),
      confidence: z.number(),
      tokens: z.number(),
      why: z.string(),
      agent,
    }),
  ),
  fed: z.array(
    z.object({ run: z.number(), turn: z.number(), form: z.string(), path: z.string(), tokens: z.number(), agent }),
  ),
  edits: z.array(
    z.object({ turn: z.number(), tool: z.string(), path: z.string(), call: z.string(), ok: z.boolean(), agent }),
  ),
  acts: z
    .array(
      z.object({
        tool: z.string(),
        args: z.record(z.string(), z.unknown()),
        danger: z.string().nullable(),
        approved: z.boolean().nullable(),
        ok: z.boolean().nullable(),
      }),
    )
    .describe('最近一次运行里的操作；ok 为 null 表示没有执行'),
  findings: z.array(z.string()),
  receipt: z.string().nullable(),
  usage: z.object({ input: z.number(), output: z.number(), calls: z.number() }),
  steps: z
    .array(
      z.object({
        step: z.number(),
        agent,
        said: z.string().describe('模型在调用之外说的话'),
        calls: z.array(z.object({ id: z.string(), tool: z.string(), args: z.string(), result: z.string() })),
        prompt: z
          .object({
            messages: z.number().describe('这一步之前的消息条数'),
            added: z.array(z.object({ role: z.enum(['task', 'user', 'tool']), text: z.string() })),
          })
          .describe('这一步新给模型的消息；更早的在前面各步里'),
        entries: z.array(
          z.object({
            id: z.string(),
            type: z.string(),
            version: z.string(),
            source: z.string(),
            confidence: z.number(),
            why: z.string(),
          }),
        ),
        files: z.array(z.object({ path: z.string(), form: z.string() })).describe('到这一步为止给模型看过的文件'),
      }),
    )
    .describe('最近一次修改的每一步'),
  lines: z
    .array(
      z.object({
        path: z.string(),
        line: z.number(),
        text: z.string(),
        call: z.string().nullable(),
        step: z.number().nullable().describe('空表示是人在确认时自己改的'),
      }),
    )
    .describe('变更集里加上或改过的每一行'),
});
