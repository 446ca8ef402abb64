import { XiheError } from '../../errors.js';
import type { Dialect } from './dialect.js';
import { unknownOutcome } from './failures.js';
import { CallFailed, type DolphinHttp } from './http.js';
import { instanceOf, pageOf, workflowOf } from './replies.js';
import type { CallOptions, DolphinInstance, DolphinProject, DolphinSettings, DolphinWorkflow } from './types.js';

/** One project of one server: what the functions of this folder need. */
export interface Site {
  http: DolphinHttp;
  dialect: Dialect;
  project: DolphinProject;
  settings: DolphinSettings;
}

/** A path below the project. */
export function pathOf(site: Site, below: string): string {
  return `/projects/${site.project.code}/${below}`;
}

/** A workflow by its name, with the codes of its tasks; undefined when there is none. */
export async function findWorkflow(
  site: Site,
  name: string,
  { signal }: CallOptions,
): Promise<DolphinWorkflow | undefined> {
  try {
    const path = `${pathOf(site, site.dialect.definitions)}/query-by-name`;
    return workflowOf(await site.http.read(path, { name }, signal), site.dialect, site.http.where);
  } catch (e) {
    if (XiheError.is(e, 'DOLPHIN_NOT_FOUND')) return undefined;
    throw e;
  }
}

export async function mustFind(site: Site, name: string, options: CallOptions): Promise<DolphinWorkflow> {
  const found = await findWorkflow(site, name, options);
  if (found) return found;
  throw new XiheError('DOLPHIN_NOT_FOUND', `项目 ${site.project.name} 里没有工作流 ${name}`, {
    hint: '检查名字；先用脚本建好工作流，再上线、运行或定时。',
  });
}

export async function newestInstances(
  site: Site,
  workflow: DolphinWorkflow,
  count: number,
  { signal }: CallOptions,
): Promise<DolphinInstance[]> {
  const params = { [site.dialect.instancesOf]: workflow.code, pageNo: 1, pageSize: count };
  const data = await site.http.read(pathOf(site, site.dialect.instances), params, signal);
  return pageOf(data, site.http.where).rows.map((row) => instanceOf(row, site.http.where));
}

/**
 * Sends an act once. When its answer gets lost, looks whether it was done.
 *
 * @param done a read; it must not depend on the caller's signal, which may be what broke the act off
 * @throws XiheError DOLPHIN_OUTCOME_UNKNOWN when the look-up does not show it, what the act itself met when that is certain
 */
export async function actThenLook(
  act: () => Promise<unknown>,
  done: () => Promise<boolean>,
  what: string,
  look: string,
  site: Site,
): Promise<void> {
  try {
    await act();
  } catch (e) {
    if (!(e instanceof CallFailed)) throw e;
    const { error, unsure } = e.failure;
    if (!unsure) throw error;
    if (await done().catch(() => false)) return;
    throw unknownOutcome(what, look, error, site.http.where);
  }
}
