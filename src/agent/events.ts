import * as z from 'zod';

/**
 * Typed events of a run: one stream, on LangGraph's custom stream, that the command line's own progress reads and any other client
 * may. `docs/events.md` is made from these schemas. New kinds and fields may be added; what is there is never renamed and never
 * changes its meaning: that would be version 2.
 */
export const EVENT_VERSION = 1;

const place = {
  thread: z.string().describe('会话'),
  run: z.number().describe('这个会话的第几次运行，从 1 起'),
};
const ms = z.number().describe('毫秒');

function event<T extends string, F extends z.ZodRawShape>(type: T, when: string, fields: F) {
  return z
    .strictObject({
      type: z.literal(type),
      ...fields,
      agent: z.string().optional().describe('哪个子智能体；主流程没有'),
    })
    .describe(when);
}

/** An event as a node tells it. */
export const eventSchema = z.discriminatedUnion('type', [
  event('run.started', '一次运行开始，请求已经读懂', {
    ...place,
    request: z.string().describe('请求原文'),
  }),
  event('run.resumed', '接着跑一个会话：中断的、回答了问题的，或从别的会话分出来的', {
    ...place,
    origin: z.string().optional().describe('从哪个会话的哪一步分出来，写作 会话@步'),
  }),
  event('run.finished', '一次运行结束，请求里的每件事都有了报告', {
    ...place,
    ok: z.boolean().describe('每件事都成了'),
    reports: z.array(z.string()).describe('每件事的结果：changes、answer、brief、rejected、failed……'),
  }),
  event('run.stopped', '用户停下了运行；做到哪里、改了什么都留着', {
    ...place,
    staged: z.number().describe('留在暂存区的文件数'),
    resume: z.string().describe('接着跑的命令'),
  }),
  event('error', '运行没能开始或没能继续；之后没有别的事件', {
    code: z.string().describe('稳定的错误码'),
    message: z.string(),
    hint: z.string().describe('怎么办'),
  }),
  event('node.started', '进入工作流的一步', { node: z.string() }),
  event('node.finished', '这一步做完了', { node: z.string(), ms }),
  event('node.failed', '这一步出错，运行停在这里，可以接着跑', {
    node: z.string(),
    code: z.string().describe('错误码，CANCELLED 是被停下'),
    message: z.string(),
  }),
  event('route.decided', '判定了请求是什么', {
    intents: z.array(
      z.object({
        kind: z.string().describe('edit、qa、tool、chat'),
        text: z.string(),
        layer: z.string().describe('哪一层定的：rule、similar、learned、refused'),
        evidence: z.string().describe('根据'),
      }),
    ),
  }),
  event('run.reduced', '对照用的运行：去掉了几层，或把全部路径给了模型', {
    without: z.array(z.string()).describe('去掉的层'),
    context: z.string().describe('路径怎么给：tree 是全部路径'),
  }),
  event('core.queried', '查了中文数据核心', {
    asked: z.boolean().describe('真的查了；false 是没有必要查'),
    why: z.string(),
    terms: z.number().describe('命中的条数'),
    knowledge: z.number(),
    playbooks: z.number(),
    warnings: z.number(),
  }),
  event('identifiers.named', '模型猜了改动会涉及的标识符，用来找文件（core.nameIdentifiers）', {
    names: z.array(z.string()),
    cached: z.boolean().describe('同一个请求在同一个提交上问过'),
    failed: z.string().optional().describe('为什么没有'),
  }),
  event('plan.made', '计划定了', {
    steps: z.number(),
    focus: z.array(z.string()).describe('从哪些文件开始'),
    playbook: z.string().nullable().describe('流程模板的标题'),
  }),
  event('work.split', '工作分成了几份，由几个子智能体同时做', {
    parts: z.array(
      z.object({
        agent: z.string().describe('子智能体的名字，它的事件带着这个名字'),
        title: z.string(),
        files: z.array(z.string()).describe('从哪些文件开始'),
      }),
    ),
  }),
  event('agent.finished', '一个子智能体结束了', {
    title: z.string(),
    state: z.string().describe('done 做完了，stopped 没有做完，failed 出错'),
    turns: z.number().describe('用了几轮'),
    ms,
  }),
  event('work.merged', '几份改动合到了一起', {
    files: z.array(z.string()).describe('合好的文件'),
    conflicts: z.array(z.string()).describe('有冲突的文件，交给其中一个子智能体，解决不了再问人'),
  }),
  event('entry.injected', '一条条目放到了模型或用户面前', {
    id: z.string(),
    entryType: z.string().describe('term、knowledge、playbook、warning'),
    phase: z.string().describe('哪个阶段'),
    source: z.string().describe('来源'),
  }),
  event('model.started', '开始问模型', { turn: z.number().describe('第几轮，从 1 起') }),
  event('model.token', '模型的回答来了一段', { text: z.string() }),
  event('model.finished', '模型答完了', {
    turn: z.number(),
    input: z.number().describe('读入的 token'),
    output: z.number().describe('写出的 token'),
    ms,
  }),
  event('model.retry', '模型没有答完，再问一次；这一轮已经来的段落作废', {
    attempt: z.number().describe('第几次重试'),
    reason: z.string(),
  }),
  event('model.fallback', '换下一个模型；这一轮已经来的段落作废', {
    from: z.string(),
    to: z.string(),
    reason: z.string(),
  }),
  event('tool.started', '开始一次工具调用', {
    name: z.string(),
    args: z.string().describe('参数，一行，过长的截断'),
  }),
  event('tool.finished', '工具调用有了结果', {
    name: z.string(),
    ok: z.boolean(),
    ms,
    summary: z.string().describe('结果的第一行'),
  }),
  event('edit.staged', '一处修改放进了暂存区；工作区没有变', {
    path: z.string(),
    change: z.string().describe('edit、write、delete、move'),
    to: z.string().optional().describe('移到哪里'),
    call: z.string().describe('哪次工具调用；人在确认时自己改的是 user'),
  }),
  event('user.said', '用户中途说的话交给了模型', { text: z.string() }),
  event('finding', '检查发现一个问题', {
    severity: z.string().describe('block 必须改，warn 提醒'),
    text: z.string(),
  }),
  event('tests.finished', '项目的测试跑完了', { command: z.string(), ok: z.boolean(), ms }),
  event('question.asked', '停下来等人决定；之后没有别的事件', {
    kind: z.string().describe('ask、fill、approve、confirm'),
    text: z.string().describe('问的是什么'),
  }),
  event('changes.applied', '改动写入了工作区', {
    receipt: z.string().describe('写入凭据，xihe undo 用它'),
    files: z.array(z.string()),
  }),
  event('progress', '久一点的事做到哪里了，给人看', { text: z.string() }),
]);

/** What stands on every event of the stream beside its own fields. */
export const envelopeSchema = z.object({
  v: z.literal(EVENT_VERSION).describe('格式的版本'),
  at: z.string().describe('发生的时间，ISO 8601'),
});

/** An event as a node tells it. */
export type EventBody = z.infer<typeof eventSchema>;
/** An event as it is on the stream. */
export type RunEvent = EventBody & z.infer<typeof envelopeSchema>;

export type Emit = (event: EventBody) => void;

/** Puts version and time on an event. */
export function stamped(event: EventBody): RunEvent {
  return { v: EVENT_VERSION, at: new Date().toISOString(), ...event };
}

/**
 * Reads an event strictly: no field that is not documented.
 *
 * @throws ZodError
 */
export function parseEvent(value: unknown): RunEvent {
  const { v, at, ...body } = value as RunEvent;
  return { ...envelopeSchema.parse({ v, at }), ...eventSchema.parse(body) };
}
