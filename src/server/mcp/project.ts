import { defaultConfig, loadConfig, type XiheConfig } from '../../config.js';
import { messageOf, XiheError } from '../../errors.js';
import type { LookupResult } from '../../knowledge/index.js';
import { openLayoutToRead, type ProjectLayout } from '../../layout.js';
import { Hotspots, type PathContext } from '../../paths/index.js';
import { Policy } from '../../tools/policy.js';
import {
  type CoreResult,
  type InjectedEntry,
  openZhCore,
  QueryLog,
  type ReloadEvent,
  recordOf,
  recordOfInjection,
  recordOfLookup,
  type ZhCore,
} from '../../zhcore/index.js';

/** How far something long is. */
export type Progress = (done: number, total: number, what: string) => void;

/** A client's first question comes within a second of its greeting, if at once; what can wait begins after that. Milliseconds. */
const AFTER_FIRST_MS = 1_000;

/** What a client is served from: one project, kept fresh while it is open. Sessions share it. */
export interface McpProject {
  readonly layout: ProjectLayout;
  readonly core: ZhCore;
  readonly hotspots: Hotspots;
  /** The rules as their files are now: a tool that is denied there is denied here. */
  policy(): Policy;
  /** The path index, fresh as of this call. Who stops waiting does not stop it for others. */
  paths(signal?: AbortSignal, progress?: Progress): Promise<PathContext>;
  /** The same where it is there already. */
  readonly pathsNow: PathContext | undefined;
  /** Called after each reload; what files are broken is in the event. @returns ends it */
  onReload(listener: (event: ReloadEvent) => void): () => void;
  /** Notes a question and what of the answer was given, for `xihe stats` and `xihe stale`. Never throws. */
  record(question: Question): void;
  /** Frees what is open, at most a few hundred milliseconds. */
  close(): Promise<void>;
}

/** A question that was answered. */
export interface Question {
  kind: 'query' | 'lookup';
  text: string;
  /** The answer as the rooms gave it. */
  result: unknown;
  given?: InjectedEntry[];
  thread: string;
  /** Milliseconds. */
  ms: number;
}

/**
 * Opens a project for serving: the core at once, hot reload and the path index a moment later.
 *
 * @param repo the project root
 * @param log told what is worth a line, in Chinese
 * @throws XiheError REPO_NOT_FOUND
 */
export async function openMcpProject(repo: string, log: (text: string) => void): Promise<McpProject> {
  const layout = openLayoutToRead(repo);
  if (layout.withoutState !== undefined) log(`${layout.withoutState}；照常回答，不留缓存和记录`);
  const config = configOf(layout, log);
  const core = openZhCore({ projectDir: layout.layerDir, cacheDir: layout.stateDir, vectors: config });
  const project = new OpenProject(layout, config, core, new Hotspots(layout.stateDir), new QueryLog(layout.stateDir));
  project.start(log);
  return project;
}

/** Settings that can't be read are told and replaced by the defaults: an answer by words is better than none. */
function configOf({ layerDir }: ProjectLayout, log: (text: string) => void): XiheConfig {
  try {
    return loadConfig(layerDir);
  } catch (e) {
    log(`设置有误，这次按默认的来：${messageOf(e)}`);
    return defaultConfig();
  }
}

class OpenProject implements McpProject {
  pathsNow: PathContext | undefined;
  private opening: Promise<PathContext> | undefined;
  private readonly progress = new Set<Progress>();
  private readonly listeners = new Set<(event: ReloadEvent) => void>();
  private readonly ending = new AbortController();
  private later: NodeJS.Timeout | undefined;

  constructor(
    readonly layout: ProjectLayout,
    private readonly config: XiheConfig,
    readonly core: ZhCore,
    readonly hotspots: Hotspots,
    private readonly log: QueryLog,
  ) {}

  /** Begins what the first answer needs; the rest once that had its chance, as they would take the processor from each other. */
  start(log: (text: string) => void): void {
    this.core.vectors?.warm();
    this.later = setTimeout(() => this.startRest(log), AFTER_FIRST_MS);
  }

  /** The watch, which sees what changed until then as well; the path index; vectors of new passages. */
  private startRest(log: (text: string) => void): void {
    const { signal } = this.ending;
    const onReload = (event: ReloadEvent) => {
      for (const listener of this.listeners) listener(event);
      this.core.vectors?.buildInBackground();
    };
    void this.core
      .watch({ onReload, onPolling: (why) => log(`${why}，改为每秒看一次`), signal })
      .catch((e) => log(`文件改了不会自动生效：${messageOf(e)}`));
    void this.open()
      .then(() => this.core.vectors?.buildInBackground())
      .catch(() => undefined);
  }

  policy(): Policy {
    return Policy.load({ layerDir: this.layout.layerDir });
  }

  async paths(signal?: AbortSignal, progress?: Progress): Promise<PathContext> {
    if (progress) this.progress.add(progress);
    try {
      const paths = await unlessAborted(this.open(), signal);
      await paths.refresh();
      return paths;
    } finally {
      if (progress) this.progress.delete(progress);
    }
  }

  onReload(listener: (event: ReloadEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  record(question: Question): void {
    noteQuestion(this.log, this.core.dataVersion, question);
  }

  async close(): Promise<void> {
    clearTimeout(this.later);
    this.ending.abort();
    this.listeners.clear();
    this.pathsNow?.close();
    this.hotspots.close();
    await this.core.close();
  }

  private open(): Promise<PathContext> {
    this.opening ??= this.openPaths().catch((e) => {
      // Tried afresh by the next question.
      this.opening = undefined;
      throw e;
    });
    return this.opening;
  }

  private async openPaths(): Promise<PathContext> {
    const { root, stateDir } = this.layout;
    const [{ openPaths }, { openHistory }] = await Promise.all([
      import('../../paths/index.js'),
      import('../../history/index.js'),
    ]);
    const history = await openHistory(root, stateDir, this.config.history);
    const paths = await openPaths({
      root,
      stateDir,
      terms: this.core.termLookup(),
      history,
      signal: this.ending.signal,
      onProgress: ({ done, total }) => {
        for (const tell of this.progress) tell(done, total, '正在读文件');
      },
    });
    paths.watch();
    this.pathsNow = paths;
    return paths;
  }
}

/** Notes a question in the log that `xihe stats` and `xihe stale` read. Never throws. */
export function noteQuestion(log: QueryLog, dataVersion: string, question: Question): void {
  const { kind, text, result, given = [], thread, ms } = question;
  const context = { text, thread, ms, dataVersion };
  if (kind === 'lookup') log.append(recordOfLookup(result as LookupResult, context));
  else log.append(recordOf(result as CoreResult, context));
  if (given.length > 0) log.append(recordOfInjection(given, { ...context, phase: 'answer' }));
}

/** The same, but for a caller who does not wait any longer. @throws XiheError CANCELLED */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop: () => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new XiheError('CANCELLED', '已取消', { hint: '需要时再查一次。' }));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, stopped]).finally(() => signal.removeEventListener('abort', stop));
}
