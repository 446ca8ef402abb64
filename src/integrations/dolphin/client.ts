import { XiheError } from '../../errors.js';
import { type CreateRequest, createWorkflow } from './create.js';
import { type Dialect, detectDialect } from './dialect.js';
import { DolphinHttp, type Params } from './http.js';
import { type LogRange, readLog, tailLog } from './log.js';
import { instanceOf, pageOf, projectOf, taskOf, workflowOf } from './replies.js';
import { type RunRequest, startWorkflow } from './run.js';
import { createSchedule, type ScheduleRequest, scheduleOfWorkflow, setSchedule } from './schedule.js';
import { actThenLook, findWorkflow, mustFind, newestInstances, pathOf, type Site } from './site.js';
import type {
  CallOptions,
  Created,
  DolphinInstance,
  DolphinLog,
  DolphinProject,
  DolphinSchedule,
  DolphinSettings,
  DolphinTask,
  DolphinWorkflow,
  ReleaseState,
} from './types.js';

/** Rows of one page of a listing; the server's own pages ask for at most 100. */
const PAGE = 100;
/** Pages of a listing that are read at most. */
const MAX_PAGES = 50;

/**
 * DolphinScheduler 3.1 to 3.3 over HTTP, one client for all of them: which version it is shows when a project is first used.
 *
 * Reads are tried again; what changes something is sent once. Where its answer gets lost, the client looks up what became of it, and says
 * DOLPHIN_OUTCOME_UNKNOWN where it can't.
 *
 * All methods throw XiheError: UNTRUSTED_ADDRESS and DOLPHIN_NOT_CONFIGURED from the constructor on, DOLPHIN_UNREACHABLE,
 * DOLPHIN_TIMEOUT, DOLPHIN_AUTH, DOLPHIN_FORBIDDEN, DOLPHIN_NOT_FOUND, DOLPHIN_REFUSED, DOLPHIN_BAD_REPLY, CANCELLED; what else is said
 * at each.
 */
export class DolphinClient {
  private readonly http: DolphinHttp;
  private readonly sites = new Map<string, Promise<Site>>();

  /** @param tuning tests shorten the waits between tries */
  constructor(
    private readonly settings: DolphinSettings,
    tuning: { backoffMs?: number } = {},
  ) {
    this.http = new DolphinHttp(settings, tuning.backoffMs);
  }

  /** The projects that the token's user may see. */
  async projects({ signal }: CallOptions = {}): Promise<DolphinProject[]> {
    return (await this.all('/projects', {}, signal)).map(projectOf);
  }

  /**
   * A project by its name, exactly.
   *
   * @param name the settings' project when not given
   */
  async project(name?: string, options: CallOptions = {}): Promise<DolphinProject> {
    const wanted = name ?? this.settings.project;
    if (!wanted) {
      throw new XiheError('DOLPHIN_NOT_CONFIGURED', '没有说是哪个项目', {
        hint: '写进 .xihe/config.yaml 的 dolphin.project，或设置 XIHE_DOLPHIN_PROJECT。',
      });
    }
    const found = (await this.all('/projects', { searchVal: wanted }, options.signal)).map(projectOf);
    const exact = found.find((project) => project.name === wanted);
    if (exact) return exact;
    const near = found.slice(0, 3).map((project) => project.name);
    throw new XiheError('DOLPHIN_NOT_FOUND', `DolphinScheduler 里没有项目 ${wanted}，或令牌的用户看不到它`, {
      hint: near.length > 0 ? `名字相近的：${near.join('、')}。` : '检查 dolphin.project，或请管理员授权。',
    });
  }

  /** What the server calls things: `workflow` from the 3.3 line on, `process` before. */
  async version(project?: string, options: CallOptions = {}): Promise<Dialect['name']> {
    return (await this.site(project, options)).dialect.name;
  }

  async workflows(project?: string, options: CallOptions = {}): Promise<DolphinWorkflow[]> {
    const site = await this.site(project, options);
    const rows = await this.all(pathOf(site, site.dialect.definitions), {}, options.signal);
    return rows.map((row) => workflowOf(row, site.dialect, this.http.where));
  }

  /** A workflow by its name; undefined when there is none. */
  async workflow(name: string, project?: string, options: CallOptions = {}): Promise<DolphinWorkflow | undefined> {
    return findWorkflow(await this.site(project, options), name, options);
  }

  /**
   * Makes a workflow of one task out of a script.
   *
   * @throws XiheError DOLPHIN_EXISTS when the name is taken, SCRIPT_INVALID for an empty script, DOLPHIN_OUTCOME_UNKNOWN
   */
  async create(request: CreateRequest, project?: string, options: CallOptions = {}): Promise<Created<DolphinWorkflow>> {
    return createWorkflow(await this.site(project, options), request, options);
  }

  /**
   * Takes a workflow online or offline. Where the answer gets lost, its state is read.
   *
   * @returns the workflow as it is then, and whether it was so before
   * @throws XiheError DOLPHIN_OUTCOME_UNKNOWN
   */
  async release(
    name: string,
    state: ReleaseState,
    project?: string,
    options: CallOptions = {},
  ): Promise<{ workflow: DolphinWorkflow; changed: boolean }> {
    const site = await this.site(project, options);
    const workflow = await mustFind(site, name, options);
    if (workflow.releaseState === state) return { workflow, changed: false };
    const path = `${pathOf(site, site.dialect.definitions)}/${workflow.code}/release`;
    await actThenLook(
      () => this.http.send({ method: 'POST', path, params: { name, releaseState: state }, signal: options.signal }),
      async () => (await findWorkflow(site, name, {}))?.releaseState === state,
      `把工作流 ${name} ${state === 'ONLINE' ? '上线' : '下线'}`,
      '到 DolphinScheduler 的「工作流定义」里看它的状态，再决定。',
      site,
    );
    return { workflow: { ...workflow, releaseState: state }, changed: true };
  }

  /**
   * Starts a run. It is never sent twice.
   *
   * @returns ids of the runs; none where the server (3.1) does not tell and none shows yet
   * @throws XiheError DOLPHIN_NOT_ONLINE, DOLPHIN_OUTCOME_UNKNOWN
   */
  async run(
    name: string,
    request: RunRequest = {},
    project?: string,
    options: CallOptions = {},
  ): Promise<{ instanceIds: string[] }> {
    const site = await this.site(project, options);
    return startWorkflow(site, await mustFind(site, name, options), request, options);
  }

  /** A run and its tasks. */
  async instance(
    id: string,
    project?: string,
    options: CallOptions = {},
  ): Promise<{ instance: DolphinInstance; tasks: DolphinTask[] }> {
    const site = await this.site(project, options);
    const { where } = this.http;
    const data = await this.http.read(`${pathOf(site, site.dialect.instances)}/${idOf(id)}`, {}, options.signal);
    const rows = await this.all(
      pathOf(site, 'task-instances'),
      { [site.dialect.instanceId]: idOf(id) },
      options.signal,
    );
    return { instance: instanceOf(data, where), tasks: rows.map(taskOf) };
  }

  /** The newest runs of a workflow, newest first. */
  async instances(name: string, count = 10, project?: string, options: CallOptions = {}): Promise<DolphinInstance[]> {
    const site = await this.site(project, options);
    return newestInstances(site, await mustFind(site, name, options), count, options);
  }

  /** A part of a task's log. */
  log(taskId: string, range: LogRange = {}, options: CallOptions = {}): Promise<DolphinLog> {
    return readLog(this.http, idOf(taskId), range, options);
  }

  /** The last lines of a task's log, as far as it is written. */
  tail(taskId: string, lines?: number, options: CallOptions = {}): Promise<DolphinLog> {
    return tailLog(this.http, idOf(taskId), lines, options);
  }

  /**
   * Gives a workflow that is online a schedule. It starts nothing before it is taken online itself.
   *
   * @throws XiheError CRON_INVALID, DOLPHIN_EXISTS when it has one, DOLPHIN_NOT_ONLINE, DOLPHIN_OUTCOME_UNKNOWN
   */
  async createSchedule(
    name: string,
    request: ScheduleRequest,
    project?: string,
    options: CallOptions = {},
  ): Promise<Created<DolphinSchedule>> {
    const site = await this.site(project, options);
    return createSchedule(site, await mustFind(site, name, options), request, options);
  }

  /** The schedule of a workflow; undefined when it has none. */
  async schedule(name: string, project?: string, options: CallOptions = {}): Promise<DolphinSchedule | undefined> {
    const site = await this.site(project, options);
    return scheduleOfWorkflow(site, await mustFind(site, name, options), options);
  }

  /** Takes a workflow's schedule online (from then on it starts runs) or offline. */
  async releaseSchedule(
    name: string,
    state: ReleaseState,
    project?: string,
    options: CallOptions = {},
  ): Promise<DolphinSchedule> {
    const site = await this.site(project, options);
    return setSchedule(site, await mustFind(site, name, options), state, options);
  }

  /** The project and what its server calls things, found once. What failed is asked anew. */
  private site(project: string | undefined, options: CallOptions): Promise<Site> {
    const key = project ?? this.settings.project ?? '';
    const known = this.sites.get(key);
    if (known) return known;
    const opening = this.openSite(project, options);
    this.sites.set(key, opening);
    opening.catch(() => this.sites.delete(key));
    return opening;
  }

  private async openSite(name: string | undefined, options: CallOptions): Promise<Site> {
    const project = await this.project(name, options);
    const dialect = await detectDialect(this.http, project.code, options.signal);
    return { http: this.http, dialect, project, settings: this.settings };
  }

  /** Every page of a listing, up to a bound. */
  private async all(path: string, params: Params, signal?: AbortSignal): Promise<Record<string, unknown>[]> {
    const found: Record<string, unknown>[] = [];
    for (let pageNo = 1; pageNo <= MAX_PAGES; pageNo++) {
      const data = await this.http.read(path, { ...params, pageNo, pageSize: PAGE }, signal);
      const { rows, total } = pageOf(data, this.http.where);
      found.push(...rows);
      if (rows.length < PAGE || found.length >= total) break;
    }
    return found;
  }
}

/** Ids go into paths: digits only. */
function idOf(id: string): string {
  if (/^\d{1,19}$/.test(id)) return id;
  throw new XiheError('USAGE', `编号只有数字：${id.slice(0, 40)}`, {
    hint: '运行工作流时会给出实例编号，实例的状态里有任务编号。',
  });
}
