import { messageOf, quoted, XiheError } from '../../errors.js';
import { openServed, type ServedProject } from './project.js';

/** A project that nobody asked for so long is closed: its indexes and its embedder take up to 200 MB. In milliseconds. */
const IDLE_MS = 15 * 60_000;
/** A project that could not be opened is tried again after this long: in between everybody is told at once. In milliseconds. */
const RETRY_MS = 5_000;
/**
 * Requests of one project that may be at work at a time: what one project asks must not keep the others waiting. Work is done in turn
 * anyway, so more would only wait here.
 */
const AT_ONCE = 64;
/** Letters that need no escape in an address, a label of a metric, or a command line. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u;

export interface ProjectsOptions {
  /** Name → folder of the project. */
  roots: Readonly<Record<string, string>>;
  idleMs?: number;
  retryMs?: number;
  /** Requests of one project at a time. */
  atOnce?: number;
  env?: NodeJS.ProcessEnv;
  /** Told what became of a project, for logs. */
  onEvent?(event: ProjectEvent): void;
}

export interface ProjectEvent {
  project: string;
  what: 'opened' | 'closed' | 'failed' | 'reloaded';
  /** Milliseconds that it took. */
  ms?: number;
  dataVersion?: string;
  /** In Chinese. */
  error?: string;
}

/** One project as monitoring sees it. */
export interface ProjectState {
  name: string;
  state: 'closed' | 'opening' | 'open' | 'failed';
  /** Requests at work. */
  running: number;
  dataVersion?: string;
}

interface Slot {
  name: string;
  root: string;
  opening?: Promise<ServedProject>;
  open?: ServedProject;
  failed?: { error: XiheError; until: number };
  running: number;
  usedAt: number;
}

/**
 * The projects of one process, each with its own layer, indexes and share of the work. A project is opened when it is first asked for, and
 * closed when nobody has asked for a while. One that can't be opened says so to those who ask for it, and to nobody else.
 */
export class Projects {
  readonly #slots: Map<string, Slot>;
  readonly #options: ProjectsOptions;
  readonly #sweep: NodeJS.Timeout;
  #closed = false;

  /** @see openProjects */
  constructor(options: ProjectsOptions) {
    this.#options = options;
    this.#slots = new Map(
      Object.entries(options.roots).map(([name, root]) => [name, { name, root, running: 0, usedAt: 0 }]),
    );
    const { idleMs = IDLE_MS } = options;
    this.#sweep = setInterval(() => void this.#closeIdle(idleMs), Math.max(20, Math.min(idleMs / 2, 60_000)));
    this.#sweep.unref();
  }

  /** Names of all, in the order in which they were given. */
  get names(): string[] {
    return [...this.#slots.keys()];
  }

  has(name: string): boolean {
    return this.#slots.has(name);
  }

  /** The folders of all. */
  get roots(): string[] {
    return [...this.#slots.values()].map(({ root }) => root);
  }

  states(): ProjectState[] {
    return [...this.#slots.values()].map(({ name, open, opening, failed, running }) => ({
      name,
      state: open ? 'open' : opening ? 'opening' : failed ? 'failed' : 'closed',
      running,
      ...(open ? { dataVersion: open.dataVersion } : {}),
    }));
  }

  /**
   * Does something with a project, which stays open meanwhile; it is opened first where it is not.
   *
   * @throws XiheError PROJECT_UNKNOWN, PROJECT_UNAVAILABLE (`details.retryAfter` in seconds), PROJECT_BUSY, SHUTTING_DOWN, and what
   *   `work` throws
   */
  async use<T>(name: string, work: (project: ServedProject) => T | Promise<T>): Promise<T> {
    const slot = this.#slots.get(name);
    if (slot === undefined)
      throw new XiheError('PROJECT_UNKNOWN', `没有项目「${quoted(name)}」`, {
        hint: '看启动时 --project 写了哪些名字。',
      });
    if (this.#closed) throw new XiheError('SHUTTING_DOWN', '服务正在关闭', { hint: '稍后再试。' });
    if (slot.running >= (this.#options.atOnce ?? AT_ONCE))
      throw new XiheError('PROJECT_BUSY', `项目「${name}」的请求太多，排不下了`, {
        hint: '稍等再试，或减少同时发出的请求。',
        details: { retryAfter: 1 },
      });
    slot.running += 1;
    try {
      return await work(slot.open ?? (await this.#opened(slot)));
    } finally {
      slot.running -= 1;
      slot.usedAt = Date.now();
    }
  }

  /** Closes all; nothing can be asked afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    await Promise.all([...this.#slots.values()].map((slot) => this.#shut(slot)));
  }

  #opened(slot: Slot): Promise<ServedProject> {
    const { failed } = slot;
    if (failed !== undefined && Date.now() < failed.until) return Promise.reject(failed.error);
    slot.opening ??= this.#open(slot).finally(() => {
      slot.opening = undefined;
    });
    return slot.opening;
  }

  async #open(slot: Slot): Promise<ServedProject> {
    const { name, root } = slot;
    const started = performance.now();
    try {
      const project = await openServed(name, root, this.#options.env);
      slot.failed = undefined;
      slot.open = project;
      const told = { project: name, dataVersion: project.dataVersion };
      this.#tell({ ...told, what: 'opened', ms: Math.round(performance.now() - started) });
      project.onReload(({ dataVersion, ms, moved }) => {
        if (moved) this.#tell({ project: name, what: 'reloaded', dataVersion, ms: Math.round(ms) });
      });
      return project;
    } catch (cause) {
      const { retryMs = RETRY_MS } = this.#options;
      const error = unavailable(name, cause, retryMs);
      slot.failed = { error, until: Date.now() + retryMs };
      this.#tell({ project: name, what: 'failed', error: messageOf(cause) });
      throw error;
    }
  }

  async #closeIdle(idleMs: number): Promise<void> {
    const since = Date.now() - idleMs;
    const idle = [...this.#slots.values()].filter(({ open, running, usedAt }) => open && !running && usedAt <= since);
    await Promise.all(idle.map((slot) => this.#shut(slot)));
  }

  async #shut(slot: Slot): Promise<void> {
    const project = slot.open ?? (await slot.opening?.catch(() => undefined));
    if (project === undefined) return;
    // Before anything is waited for: who comes now opens it anew.
    slot.open = undefined;
    await project.close();
    this.#tell({ project: slot.name, what: 'closed' });
  }

  #tell(event: ProjectEvent): void {
    this.#options.onEvent?.(event);
  }
}

function unavailable(name: string, cause: unknown, retryMs: number): XiheError {
  const why = XiheError.is(cause) ? `${cause.message}（${cause.code}）` : messageOf(cause);
  return new XiheError('PROJECT_UNAVAILABLE', `项目「${name}」打不开：${why}`, {
    hint: XiheError.is(cause)
      ? `${cause.hint}其他项目不受影响，修好后自动重试。`
      : '其他项目不受影响，修好后自动重试。',
    cause,
    details: { retryAfter: Math.ceil(retryMs / 1000) },
  });
}

/**
 * The projects that a server offers. Opens none yet.
 *
 * @throws XiheError USAGE for a name that can't be one
 */
export function openProjects(options: ProjectsOptions): Projects {
  for (const name of Object.keys(options.roots))
    if (!NAME.test(name))
      throw new XiheError('USAGE', `「${quoted(name)}」不能当项目的名字`, {
        hint: '用文字、数字、点、横线和下划线，不超过 64 个字。',
      });
  return new Projects(options);
}
