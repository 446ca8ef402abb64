import { join } from 'node:path';
import { XiheError } from '../../errors.js';
import type { CheckedScript } from '../../integrations/index.js';
import { maskText, plainBlock, plainLine } from '../../text/index.js';
import { shownAddress } from '../../trust.js';
import { factsOf, fingerprintOf, sizeOf } from '../file-facts.js';
import type { Preview, ToolContext } from '../types.js';

/** Lines of a script that are shown, and characters of one of them. */
const [SCRIPT_LINES, LINE_CHARS] = [12, 160];

/** Which server, which project, which workflow: what every act on DolphinScheduler is about. */
function target({ dolphin }: ToolContext, workflow: string, project: string | undefined): string[] {
  return [
    `服务器：${shownAddress(dolphin?.address ?? '')}`,
    `项目：${plainLine(project ?? dolphin?.project ?? '（没有设置）')}`,
    `工作流：${plainLine(workflow)}`,
  ];
}

/**
 * How a workflow stands on the server now. A server that does not answer is no reason not to ask.
 *
 * @throws XiheError UNTRUSTED_ADDRESS, DOLPHIN_NOT_CONFIGURED: nothing can be done at all
 */
async function stateNow(ctx: ToolContext, workflow: string, project: string | undefined): Promise<string[]> {
  const { DolphinClient } = await import('../../integrations/index.js');
  const client = new DolphinClient(ctx.dolphin ?? {});
  try {
    const found = (await client.workflows(project, ctx)).find(({ name }) => name === workflow);
    if (found === undefined) return ['服务器上没有这个名字的工作流'];
    return [`工作流${found.releaseState === 'ONLINE' ? '已上线' : '没有上线'}，第 ${found.version} 版`];
  } catch (e) {
    if (!XiheError.is(e) || e.code === 'CANCELLED') throw e;
    return [`查不到服务器上的状态：${e.message}`];
  }
}

/** A script as it would be sent: where it lies, how it begins, and what its content is known by. */
function scriptLines(path: string, { kind, text, encoding, notes, syntax }: CheckedScript): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const begin = lines.slice(0, SCRIPT_LINES).map((line) => `  ${line.slice(0, LINE_CHARS)}`);
  const rest = lines.length - begin.length;
  return [
    `脚本：${plainLine(path)}（${kind === 'python' ? 'Python' : 'shell'}，${lines.length} 行，${sizeOf(Buffer.byteLength(text))}，${encoding}，指纹 ${fingerprintOf(text)}）`,
    ...maskText(plainBlock(begin.join('\n'))).split('\n'),
    ...(rest > 0 ? [`  …（还有 ${rest} 行）`] : []),
    ...[...notes, ...(syntax.state === 'skipped' ? [syntax.why] : [])].map((note) => `注意：${note}`),
  ];
}

/** What would be made of a script, and what would not. */
export function creation(
  ctx: ToolContext,
  input: { name: string; project?: string | undefined; retries: number },
  path: string,
  script: CheckedScript,
): Preview {
  const { workerGroup, tenant } = ctx.dolphin ?? {};
  const facts = factsOf(join(ctx.root, path));
  return {
    lines: [
      ...target(ctx, input.name, input.project),
      ...scriptLines(path, script),
      `运行它的：worker 组 ${workerGroup || 'default'}，租户 ${tenant || 'default'}；失败后重跑 ${input.retries} 次`,
      '定时：不建。建好没有上线，这一步什么都不运行',
    ],
    now: facts === undefined ? [] : [`${plainLine(path)}：${facts}`],
  };
}

/** An act on a workflow that is there: what is done to it, and how it stands. */
export async function standing(
  ctx: ToolContext,
  { workflow, project }: { workflow: string; project?: string | undefined },
  act: string[],
): Promise<Preview> {
  return { lines: [...target(ctx, workflow, project), ...act], now: await stateNow(ctx, workflow, project) };
}

/** What a run is started with. */
export function paramsLine(params: Record<string, string>): string {
  const pairs = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  return `启动参数：${plainLine(maskText(pairs.join('，'))) || '没有'}`;
}

/** @throws XiheError CRON_INVALID */
export async function scheduling(
  ctx: ToolContext,
  input: {
    workflow: string;
    project?: string | undefined;
    cron: string;
    timezone: string;
    start?: string | undefined;
    end?: string | undefined;
    online: boolean;
  },
): Promise<Preview> {
  const { checkedCron, checkedTimezone } = await import('../../integrations/index.js');
  const { cron, timezone, start = '今天', end = '一直有效', online } = input;
  return standing(ctx, input, [
    `操作：建定时，${online ? '马上生效，到点就运行' : '先不生效'}`,
    `定时：${checkedCron(cron)}（${checkedTimezone(timezone)}），从 ${plainLine(start)} 到 ${plainLine(end)}`,
  ]);
}
