import type { Dialect } from './dialect.js';
import { strangeReply, type Where } from './failures.js';
import { listOf, tableOf, textOf } from './json.js';
import type { DolphinInstance, DolphinProject, DolphinSchedule, DolphinTask, DolphinWorkflow } from './types.js';

/** States that a run stays in by itself (3.1 to 3.3: `WorkflowExecutionStatus`, and `TaskExecutionStatus` for tasks). */
const ENDED = new Set(['SUCCESS', 'FAILURE', 'STOP', 'PAUSE', 'KILL', 'FORCED_SUCCESS']);

/** The rows of one page of a listing. */
export function pageOf(data: unknown, where: Where): { rows: Record<string, unknown>[]; total: number } {
  const { totalList, total } = tableOf(data);
  if (!Array.isArray(totalList)) throw strangeReply('列表', where);
  return { rows: totalList.map(tableOf), total: Number(total ?? totalList.length) };
}

export function projectOf(row: Record<string, unknown>): DolphinProject {
  return { code: textOf(row.code) ?? '', name: textOf(row.name) ?? '' };
}

/**
 * A definition: bare in listings and answers to a creation, with its tasks beside it where one was asked for by name or code.
 *
 * @throws XiheError DOLPHIN_BAD_REPLY without a code
 */
export function workflowOf(data: unknown, dialect: Dialect, where: Where): DolphinWorkflow {
  const whole = tableOf(data);
  const row = tableOf(whole[dialect.definition] ?? whole);
  const code = textOf(row.code);
  if (code === undefined) throw strangeReply('工作流的编号', where);
  return {
    code,
    name: textOf(row.name) ?? '',
    // The answer to a creation says 0, and everything after it 1.
    version: Math.max(1, Number(row.version ?? 1)),
    releaseState: row.releaseState === 'ONLINE' ? 'ONLINE' : 'OFFLINE',
    taskCodes: listOf(whole.taskDefinitionList).flatMap((task) => textOf(tableOf(task).code) ?? []),
  };
}

/** @throws XiheError DOLPHIN_BAD_REPLY without an id */
export function instanceOf(data: unknown, where: Where): DolphinInstance {
  const row = tableOf(data);
  const [id, state] = [textOf(row.id), textOf(row.state)];
  if (id === undefined || state === undefined) throw strangeReply('实例的状态', where);
  return { id, name: textOf(row.name) ?? '', state, ended: ENDED.has(state), ...timesOf(row) };
}

export function taskOf(row: Record<string, unknown>): DolphinTask {
  const host = textOf(row.host);
  return {
    id: textOf(row.id) ?? '',
    name: textOf(row.name) ?? '',
    state: textOf(row.state) ?? '',
    ...timesOf(row),
    ...(host === undefined ? {} : { host }),
  };
}

/** @throws XiheError DOLPHIN_BAD_REPLY without an id */
export function scheduleOf(data: unknown, dialect: Dialect, where: Where): DolphinSchedule {
  const row = tableOf(data);
  const id = textOf(row.id);
  if (id === undefined) throw strangeReply('定时的编号', where);
  return {
    id,
    workflowCode: textOf(row[dialect.definitionCode]) ?? '',
    crontab: textOf(row.crontab) ?? '',
    timezone: textOf(row.timezoneId) ?? '',
    releaseState: row.releaseState === 'ONLINE' ? 'ONLINE' : 'OFFLINE',
    ...timesOf(row),
  };
}

function timesOf(row: Record<string, unknown>): { startTime?: string; endTime?: string } {
  const [startTime, endTime] = [textOf(row.startTime), textOf(row.endTime)];
  return { ...(startTime === undefined ? {} : { startTime }), ...(endTime === undefined ? {} : { endTime }) };
}
