import { XiheError } from '../../errors.js';
import { groupOf, tenantOf } from './create.js';
import { checkedCron, checkedStamp, checkedTimezone } from './cron.js';
import { unknownOutcome } from './failures.js';
import { CallFailed } from './http.js';
import { pageOf, scheduleOf } from './replies.js';
import { actThenLook, pathOf, type Site } from './site.js';
import type { CallOptions, Created, DolphinSchedule, DolphinWorkflow, ReleaseState } from './types.js';

export interface ScheduleRequest {
  /** Quartz: second minute hour day month weekday. */
  crontab: string;
  /** IANA name; `Asia/Shanghai` when not given. */
  timezone?: string;
  /** From when it holds, `2026-12-01` or with a time; today when not given. */
  start?: string;
  /** Until when; a hundred years on, as the server's own page proposes, when not given. */
  end?: string;
}

const TIMEZONE = 'Asia/Shanghai';
const YEARS = 100;

/** What is sent, checked. */
interface Checked {
  crontab: string;
  timezoneId: string;
  startTime: string;
  endTime: string;
}

/**
 * Checks a schedule before anything is sent.
 *
 * @throws XiheError CRON_INVALID
 */
export function checkedSchedule(request: ScheduleRequest, today = new Date()): Checked {
  const timezoneId = checkedTimezone(request.timezone ?? TIMEZONE);
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone: timezoneId }).format(today);
  const startTime = checkedStamp(request.start ?? date, '开始时间');
  const endTime = checkedStamp(request.end ?? `${Number(startTime.slice(0, 4)) + YEARS}-01-01`, '结束时间');
  if (startTime >= endTime) {
    throw new XiheError('CRON_INVALID', `开始时间 ${startTime} 不早于结束时间 ${endTime}`, {
      hint: '把结束时间改晚。',
    });
  }
  return { crontab: checkedCron(request.crontab), timezoneId, startTime, endTime };
}

/** See `DolphinClient.createSchedule`. A workflow has one schedule at most, so that a lost creation is found by its workflow. */
export async function createSchedule(
  site: Site,
  workflow: DolphinWorkflow,
  request: ScheduleRequest,
  { signal }: CallOptions,
): Promise<Created<DolphinSchedule>> {
  const schedule = checkedSchedule(request);
  if (workflow.releaseState !== 'ONLINE') {
    throw new XiheError('DOLPHIN_NOT_ONLINE', `工作流 ${workflow.name} 没有上线，不能定时`, {
      hint: '先让它上线，再定时。',
    });
  }
  const known = await scheduleOfWorkflow(site, workflow, { signal });
  if (known) throw exists(workflow, known);
  let recovered = false;
  try {
    const params = paramsOf(site, workflow, schedule);
    await site.http.send({ method: 'POST', path: pathOf(site, 'schedules'), params, signal });
  } catch (e) {
    if (!(e instanceof CallFailed)) throw e;
    if (!e.failure.unsure) throw e.failure.error;
    recovered = true;
    const found = await scheduleOfWorkflow(site, workflow, {}).catch(() => undefined);
    if (found?.crontab !== schedule.crontab) throw lost(site, workflow, e.failure.error);
    return { made: found, recovered };
  }
  // Versions answer with the schedule, its id or nothing: what is there now is what counts.
  const made = await scheduleOfWorkflow(site, workflow, { signal });
  if (made) return { made, recovered };
  throw new XiheError('DOLPHIN_BAD_REPLY', `DolphinScheduler 说定时建好了，却查不到它（${workflow.name}）`, {
    hint: '到「工作流定义 → 定时管理」里看一眼。',
  });
}

/** The schedule of a workflow; undefined when it has none. */
export async function scheduleOfWorkflow(
  site: Site,
  workflow: DolphinWorkflow,
  { signal }: CallOptions,
): Promise<DolphinSchedule | undefined> {
  const params = { [site.dialect.definitionCode]: workflow.code, pageNo: 1, pageSize: 10 };
  const data = await site.http.read(pathOf(site, 'schedules'), params, signal);
  return pageOf(data, site.http.where)
    .rows.map((row) => scheduleOf(row, site.dialect, site.http.where))
    .find(({ workflowCode }) => workflowCode === workflow.code);
}

/** See `DolphinClient.releaseSchedule`. */
export async function setSchedule(
  site: Site,
  workflow: DolphinWorkflow,
  state: ReleaseState,
  options: CallOptions,
): Promise<DolphinSchedule> {
  const found = await scheduleOfWorkflow(site, workflow, options);
  if (!found) {
    throw new XiheError('DOLPHIN_NOT_FOUND', `工作流 ${workflow.name} 没有定时`, { hint: '先给它建一个定时。' });
  }
  if (found.releaseState === state) return found;
  const path = pathOf(site, `schedules/${found.id}/${state === 'ONLINE' ? 'online' : 'offline'}`);
  await actThenLook(
    () => site.http.send({ method: 'POST', path, signal: options.signal }),
    async () => (await scheduleOfWorkflow(site, workflow, {}))?.releaseState === state,
    `把 ${workflow.name} 的定时${state === 'ONLINE' ? '上线' : '下线'}`,
    '到「工作流定义 → 定时管理」里看它的状态，再决定。',
    site,
  );
  return { ...found, releaseState: state };
}

function paramsOf(site: Site, workflow: DolphinWorkflow, schedule: Checked) {
  return {
    [site.dialect.definitionCode]: workflow.code,
    schedule: JSON.stringify(schedule),
    warningType: 'NONE',
    failureStrategy: 'CONTINUE',
    [site.dialect.priority]: 'MEDIUM',
    workerGroup: groupOf(site),
    tenantCode: tenantOf(site),
    environmentCode: -1,
  };
}

function exists(workflow: DolphinWorkflow, known: DolphinSchedule): XiheError {
  return new XiheError('DOLPHIN_EXISTS', `工作流 ${workflow.name} 已经有定时：${known.crontab}（${known.timezone}）`, {
    hint: '一个工作流只能有一个定时；要改它，请在 DolphinScheduler 的「定时管理」里改。',
  });
}

function lost(site: Site, workflow: DolphinWorkflow, cause: XiheError): XiheError {
  return unknownOutcome(
    `给 ${workflow.name} 建定时`,
    '到「工作流定义 → 定时管理」里看有没有，没有再重新建。',
    cause,
    site.http.where,
  );
}
