import { setTimeout as sleep } from 'node:timers/promises';
import { XiheError } from '../../errors.js';
import { groupOf, tenantOf } from './create.js';
import { unknownOutcome } from './failures.js';
import { CallFailed } from './http.js';
import { tableOf, textOf } from './json.js';
import { newestInstances, pathOf, type Site } from './site.js';
import type { CallOptions, DolphinInstance, DolphinWorkflow } from './types.js';

export interface RunRequest {
  /** Start parameters, name → value. */
  params?: Record<string, string>;
  /** Goes through the workflow without running its tasks. */
  dryRun?: boolean;
}

/** Looks for a run that has been ordered, and the wait between them in ms: the master takes orders about once a second. */
const LOOKS = 6;
const LOOK_MS = 500;
/** Newest runs among which it is looked for. */
const NEWEST = 10;

/** See `DolphinClient.run`. */
export async function startWorkflow(
  site: Site,
  workflow: DolphinWorkflow,
  request: RunRequest,
  { signal }: CallOptions,
): Promise<{ instanceIds: string[] }> {
  if (workflow.releaseState !== 'ONLINE') {
    throw new XiheError('DOLPHIN_NOT_ONLINE', `工作流 ${workflow.name} 没有上线，不能运行`, {
      hint: '先让它上线，再运行。',
    });
  }
  const before = await newestIds(site, workflow, signal);
  let data: unknown;
  try {
    const path = pathOf(site, `executors/${site.dialect.start}`);
    data = await site.http.send({ method: 'POST', path, params: paramsOf(site, workflow, request), signal });
  } catch (e) {
    if (!(e instanceof CallFailed)) throw e;
    if (!e.failure.unsure) throw e.failure.error;
    throw await lost(site, workflow, before, e.failure.error);
  }
  return { instanceIds: idsIn(data) ?? (await idsOf(site, workflow, before, data, signal)) };
}

function paramsOf(site: Site, workflow: DolphinWorkflow, { params, dryRun }: RunRequest) {
  const { dialect } = site;
  return {
    [dialect.definitionCode]: workflow.code,
    scheduleTime: '',
    failureStrategy: 'CONTINUE',
    warningType: 'NONE',
    [dialect.priority]: 'MEDIUM',
    workerGroup: groupOf(site),
    tenantCode: tenantOf(site),
    environmentCode: -1,
    execType: 'START_PROCESS',
    dryRun: dryRun ? 1 : 0,
    startParams: params && Object.keys(params).length > 0 ? JSON.stringify(params) : undefined,
  };
}

/** 3.3 gives the ids themselves. */
function idsIn(data: unknown): string[] | undefined {
  return Array.isArray(data) ? data.flatMap((id) => textOf(id) ?? []) : undefined;
}

/** 3.2 gives the code of an order, by which the run is found once the master took it; 3.1 gives nothing: the run that is new is ours. */
async function idsOf(
  site: Site,
  workflow: DolphinWorkflow,
  before: ReadonlySet<string>,
  trigger: unknown,
  signal?: AbortSignal,
): Promise<string[]> {
  const code = textOf(trigger);
  for (let look = 0; look < LOOKS; look++) {
    const ids = code === undefined ? await newIds(site, workflow, before, signal) : await triggered(site, code, signal);
    if (ids.length > 0) return ids;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  return [];
}

async function triggered(site: Site, triggerCode: string, signal?: AbortSignal): Promise<string[]> {
  const path = pathOf(site, `${site.dialect.instances}/trigger`);
  const data = await site.http.read(path, { triggerCode }, signal);
  return Array.isArray(data) ? data.flatMap((row) => textOf(tableOf(row).id) ?? []) : [];
}

async function newestIds(site: Site, workflow: DolphinWorkflow, signal?: AbortSignal): Promise<ReadonlySet<string>> {
  const runs: DolphinInstance[] = await newestInstances(site, workflow, NEWEST, { signal });
  return new Set(runs.map(({ id }) => id));
}

async function newIds(site: Site, workflow: DolphinWorkflow, before: ReadonlySet<string>, signal?: AbortSignal) {
  return [...(await newestIds(site, workflow, signal))].filter((id) => !before.has(id));
}

/** A new run may be ours or a schedule's, so it is named and left to people. */
async function lost(site: Site, workflow: DolphinWorkflow, before: ReadonlySet<string>, cause: XiheError) {
  const fresh = await newIds(site, workflow, before).catch(() => []);
  const seen = fresh.length > 0 ? `之后多了实例 ${fresh.join('、')}，多半就是它。` : '现在还没有新的实例。';
  return unknownOutcome(
    `运行 ${workflow.name} `,
    `${seen}到「工作流实例」里核对，再决定要不要重新运行。`,
    cause,
    site.http.where,
  );
}
