import { join } from 'node:path';
import * as z from 'zod';
import type {
  DolphinClient,
  DolphinInstance,
  DolphinSchedule,
  DolphinTask,
  DolphinWorkflow,
} from '../../integrations/index.js';
import { maskText, plainBlock, plainLine } from '../../text/index.js';
import { builtIn } from '../contract.js';
import { toolCeilingMs } from '../limits.js';
import { locate } from '../locate.js';
import type { ToolContext } from '../types.js';
import { creation, paramsLine, scheduling, standing } from './dolphin-preview.js';
import { LOOKS } from './presets.js';

/** Longest time of one tool, in ms: a few requests of 15 s, and their retries; all that a tool may take. */
const CALL_MS = toolCeilingMs();
/** Rows of a listing that are shown. */
const SHOWN = 50;
/** Last lines of a log, and the most that a result has room for. */
const [LOG_LINES, MAX_LOG_LINES] = [50, 400];

/** What every act on the server has in common; it is done once, see the side-effect ledger. */
const ACTS = {
  readOnly: false,
  idempotent: false,
  aclRole: 'developer',
  timeoutMs: CALL_MS,
  effect: 'outside',
} as const;

/** What is lost while something does not run. */
const MISSED = '停着的时候错过的运行补不回来';

const project = z.string().optional().describe('DolphinScheduler 的项目名；默认用设置里的');
const workflow = z.string().min(1).describe('工作流的名字');

/** A client for one call; the module is loaded when it is first needed. */
async function clientOf(ctx: ToolContext): Promise<DolphinClient> {
  const { DolphinClient } = await import('../../integrations/index.js');
  return new DolphinClient(ctx.dolphin ?? {});
}

const listInput = z.object({ project });

/** The workflows of a project. */
export const listWorkflows = builtIn<z.infer<typeof listInput>, DolphinWorkflow[]>({
  ...LOOKS,
  timeoutMs: CALL_MS,
  name: 'list_workflows',
  description: '列出 DolphinScheduler 项目里的工作流和是否上线',
  input: listInput,
  examples: [{}],
  run: async ({ project }, ctx) => (await clientOf(ctx)).workflows(project, ctx),
  render(found) {
    if (found.length === 0) return '项目里还没有工作流。';
    const rows = found.slice(0, SHOWN).map((one) => `${plainLine(one.name)}　${STATES[one.releaseState]}`);
    return [`共 ${found.length} 个工作流`, ...rows, ...(found.length > SHOWN ? ['（只列了前面的）'] : [])].join('\n');
  },
});

const statusInput = z.object({
  workflow: workflow.optional().describe('工作流的名字，看它最近的几次运行'),
  instance_id: z.string().optional().describe('实例编号，看这一次运行和它的任务'),
  project,
});

interface Status {
  instances: DolphinInstance[];
  tasks: DolphinTask[];
}

/** How runs went: one run with its tasks, or the newest of a workflow. */
export const workflowStatus = builtIn<z.infer<typeof statusInput>, Status>({
  ...LOOKS,
  timeoutMs: CALL_MS,
  name: 'workflow_status',
  description: '看工作流最近的运行，或一次运行的状态和任务',
  input: statusInput.refine(({ workflow, instance_id }) => workflow !== undefined || instance_id !== undefined, {
    message: '工作流的名字和实例编号至少给一个',
  }),
  examples: [{ instance_id: '12' }, { workflow: '每日对账' }],
  async run({ workflow, instance_id: id, project }, ctx) {
    const client = await clientOf(ctx);
    if (id === undefined) return { instances: await client.instances(workflow ?? '', 5, project, ctx), tasks: [] };
    const { instance, tasks } = await client.instance(id, project, ctx);
    return { instances: [instance], tasks };
  },
  render({ instances, tasks }) {
    if (instances.length === 0) return '还没有运行过。';
    const rows = instances.map((one) => `实例 ${one.id}　${one.state}　${plainLine(one.name)}${timesOf(one)}`);
    return [
      ...rows,
      ...tasks.map((one) => `  任务 ${one.id}　${one.state}　${plainLine(one.name)}${timesOf(one)}`),
    ].join('\n');
  },
});

const logInput = z.object({
  task_id: z.string().min(1).describe('任务编号，workflow_status 里有'),
  lines: z.number().int().min(1).max(MAX_LOG_LINES).default(LOG_LINES).describe(`看最后多少行，默认 ${LOG_LINES}`),
});

/** The end of a task's log, secrets masked. */
export const workflowLog = builtIn<z.infer<typeof logInput>, { lines: string[]; from: number }>({
  ...LOOKS,
  timeoutMs: CALL_MS,
  name: 'workflow_log',
  description: '看 DolphinScheduler 一个任务的日志的最后几行',
  input: logInput,
  examples: [{ task_id: '120', lines: 20 }],
  run: async ({ task_id, lines }, ctx) => (await clientOf(ctx)).tail(task_id, lines, ctx),
  render({ lines, from }) {
    if (lines.length === 0) return '还没有日志。';
    return `第 ${from + 1}–${from + lines.length} 行\n${maskText(plainBlock(lines.join('\n')))}`;
  },
});

const createInput = z.object({
  name: workflow,
  script: z.string().min(1).describe('脚本的路径（.sh 或 .py），相对项目根目录'),
  confirmed: z.array(z.string()).default([]).describe('脚本用到、用户确认 worker 上有的文件、命令、模块的名字'),
  retries: z.number().int().min(0).max(10).default(0).describe('失败后重跑几次，默认不重跑'),
  project,
});

interface Made {
  workflow: DolphinWorkflow;
  recovered: boolean;
  notes: string[];
}

/** The script of a workflow, checked, and with all that it needs confirmed. */
async function readyScript({ script, confirmed }: { script: string; confirmed: string[] }, ctx: ToolContext) {
  const { assertNeeds, checkScript } = await import('../../integrations/index.js');
  const { path, note } = locate(ctx, script);
  const checked = await checkScript(join(ctx.root, path), ctx.root, ctx);
  assertNeeds(checked, confirmed);
  return { path, note, checked };
}

/** Makes a workflow out of a script that was checked first. It is offline, so that nothing runs yet. */
export const createWorkflow = builtIn<z.infer<typeof createInput>, Made>({
  ...ACTS,
  name: 'create_workflow',
  description: '用一个脚本在 DolphinScheduler 建工作流，先查语法和依赖',
  input: createInput,
  examples: [{ name: '每日对账', script: 'jobs/reconcile.sh' }],
  danger: 'medium',
  async preview(input, ctx) {
    await clientOf(ctx);
    const { path, checked } = await readyScript(input, ctx);
    return creation(ctx, input, path, checked);
  },
  async run({ name, script, confirmed, retries, project }, ctx) {
    const client = await clientOf(ctx);
    const { path: _path, note, checked } = await readyScript({ script, confirmed }, ctx);
    const { kind, text, syntax, notes } = checked;
    const { made, recovered } = await client.create({ name, kind, script: text, retries }, project, ctx);
    const unchecked = syntax.state === 'skipped' ? [syntax.why] : [];
    return { workflow: made, recovered, notes: [...(note ? [note] : []), ...notes, ...unchecked] };
  },
  render({ workflow, recovered, notes }) {
    const lost = recovered ? '（回答丢了，按名字查到它已经建好）' : '';
    return [`建好了工作流 ${workflow.name}${lost}，还没有上线。`, ...notes.map((note) => `注意：${note}`)].join('\n');
  },
});

const releaseInput = z.object({
  workflow,
  state: z.enum(['online', 'offline']).describe('online 上线，offline 下线'),
  project,
});

/** Takes a workflow online or offline; offline also ends its schedule. */
export const releaseWorkflow = builtIn<z.infer<typeof releaseInput>, { workflow: DolphinWorkflow; changed: boolean }>({
  ...ACTS,
  name: 'release_workflow',
  description: '让 DolphinScheduler 的工作流上线或下线',
  input: releaseInput,
  examples: [{ workflow: '每日对账', state: 'online' }],
  danger: 'high',
  dangerOf: ({ state }) =>
    state === 'online'
      ? { danger: 'medium', why: '上线之后可以运行和定时，本身不运行什么' }
      : { danger: 'high', why: '下线之后定时也停，该跑的不会跑' },
  irreversible: ({ state }) => (state === 'offline' ? MISSED : undefined),
  preview: (input, ctx) => standing(ctx, input, [`操作：${input.state === 'online' ? '上线' : '下线，它的定时也停'}`]),
  run: async ({ workflow, state, project }, ctx) =>
    (await clientOf(ctx)).release(workflow, state === 'online' ? 'ONLINE' : 'OFFLINE', project, ctx),
  render: ({ workflow, changed }) =>
    `工作流 ${workflow.name} ${changed ? '' : '本来就'}${STATES[workflow.releaseState]}。`,
});

const runInput = z.object({
  workflow,
  params: z.record(z.string(), z.string()).default({}).describe('启动参数，名字 → 值；没有就不写'),
  project,
});

/** Starts a run; what it does can't be taken back. */
export const runWorkflow = builtIn<z.infer<typeof runInput>, { instanceIds: string[] }>({
  ...ACTS,
  name: 'run_workflow',
  description: '马上运行一次 DolphinScheduler 的工作流',
  input: runInput,
  examples: [{ workflow: '每日对账', params: { 日期: '2026-12-01' } }],
  danger: 'high',
  irreversible: '运行了就收不回来',
  preview: (input, ctx) => standing(ctx, input, ['操作：马上运行一次', paramsLine(input.params)]),
  run: async ({ workflow, params, project }, ctx) => (await clientOf(ctx)).run(workflow, { params }, project, ctx),
  render: ({ instanceIds }) =>
    instanceIds.length > 0
      ? `已经开始，实例 ${instanceIds.join('、')}。用 workflow_status 看它跑得怎么样。`
      : '已经交给服务器，实例还没有出现；过一会儿用 workflow_status 按工作流的名字看。',
});

const scheduleInput = z.object({
  workflow,
  cron: z.string().min(1).describe('Quartz 表达式，六段：秒 分 时 日 月 周，例如每天 3 点是 0 0 3 * * ?'),
  timezone: z.string().default('Asia/Shanghai').describe('时区，默认 Asia/Shanghai'),
  start: z.string().optional().describe('从哪天起，例如 2026-12-01；默认今天'),
  end: z.string().optional().describe('到哪天止；默认一直有效'),
  online: z.boolean().default(true).describe('真：建好就生效，到点运行；假：只建好，不生效'),
  project,
});

/** Gives a workflow a schedule. */
export const createSchedule = builtIn<z.infer<typeof scheduleInput>, { schedule: DolphinSchedule; name: string }>({
  ...ACTS,
  name: 'create_schedule',
  description: '给 DolphinScheduler 的工作流建定时，到点自动运行',
  input: scheduleInput,
  examples: [{ workflow: '每日对账', cron: '0 0 3 * * ?' }],
  danger: 'high',
  dangerOf: ({ online }) =>
    online
      ? { danger: 'high', why: '生效之后每到时间就运行，没有人再看' }
      : { danger: 'medium', why: '只建好，不生效' },
  preview: (input, ctx) => scheduling(ctx, input),
  async run({ workflow, cron, timezone, start, end, online, project }, ctx) {
    const client = await clientOf(ctx);
    const times = { ...(start ? { start } : {}), ...(end ? { end } : {}) };
    const { made } = await client.createSchedule(workflow, { crontab: cron, timezone, ...times }, project, ctx);
    const schedule = online ? await client.releaseSchedule(workflow, 'ONLINE', project, ctx) : made;
    return { schedule, name: workflow };
  },
  render: renderSchedule,
});

const switchInput = z.object({
  workflow,
  state: z.enum(['online', 'offline']).describe('online 生效，offline 停用'),
  project,
});

/** Takes a schedule that is there online or offline. */
export const releaseSchedule = builtIn<z.infer<typeof switchInput>, { schedule: DolphinSchedule; name: string }>({
  ...ACTS,
  name: 'release_schedule',
  description: '让 DolphinScheduler 工作流的定时生效或停用',
  input: switchInput,
  examples: [{ workflow: '每日对账', state: 'offline' }],
  danger: 'high',
  irreversible: ({ state }) => (state === 'offline' ? MISSED : undefined),
  preview: (input, ctx) =>
    standing(ctx, input, [`操作：让它的定时${input.state === 'online' ? '生效，到点就运行' : '停用'}`]),
  async run({ workflow, state, project }, ctx) {
    const client = await clientOf(ctx);
    const wanted = state === 'online' ? 'ONLINE' : 'OFFLINE';
    return { schedule: await client.releaseSchedule(workflow, wanted, project, ctx), name: workflow };
  },
  render: renderSchedule,
});

function renderSchedule({ schedule, name }: { schedule: DolphinSchedule; name: string }): string {
  const state = schedule.releaseState === 'ONLINE' ? '已生效' : '没有生效';
  return `${name} 的定时：${schedule.crontab}（${schedule.timezone}），${state}。`;
}

const STATES = { ONLINE: '已上线', OFFLINE: '已下线' } as const;

function timesOf({ startTime, endTime }: { startTime?: string; endTime?: string }): string {
  return startTime === undefined ? '' : `　${startTime} → ${endTime ?? '还没结束'}`;
}
