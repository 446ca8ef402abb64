import { join } from 'node:path';
import { Command, isGraphInterrupt } from '@langchain/langgraph';
import { messageOf, quoted, XiheError } from '../errors.js';
import { commandsEnded, pruneSandboxState, withAsyncFileLock } from '../sandbox/index.js';
import { makeBranch, stepsOfThread, type ThreadStep } from './branch.js';
import { LibsqlSaver } from './checkpoint/libsql-saver.js';
import { type RunEvent, stamped } from './events.js';
import { buildGraph, type XiheGraph } from './graph.js';
import type { PendingRequest } from './human.js';
import { openInbox, sayTo } from './inbox.js';
import { keptOf } from './kept.js';
import { localDeps } from './local-deps.js';
import { openModel } from './model.js';
import { sideChangesets } from './parallel/split.js';
import { openProject, type Project } from './project.js';
import type { RunOptions, RunState } from './state.js';
import { fileName, notFound } from './thread-names.js';

/**
 * Steps of one run at most: 24 model turns of two steps each, three rounds of checks, and room for several intents. It is a
 * fuse against a loop in our own edges; the real bounds are the settings under `run`.
 */
export const RECURSION_LIMIT = 500;

/** Where a thread stands. `interrupted` means that a process died or was stopped in the middle. */
export type ThreadStatus = 'done' | 'failed' | 'rejected' | 'waiting' | 'interrupted' | 'empty';

export interface ThreadView {
  thread: string;
  status: ThreadStatus;
  state: RunState;
  /** What the thread waits for, when it waits. */
  pending: PendingRequest | null;
  updatedAt: string;
}

/** One project's threads on this machine: run, resume, look. Close it when done. */
export class Session {
  private constructor(
    readonly project: Project,
    readonly graph: XiheGraph,
    readonly saver: LibsqlSaver,
    private readonly nodes: ReadonlySet<Promise<unknown>>,
  ) {}

  /**
   * Opens a project with its checkpoints.
   *
   * @param repo the project root
   * @param env where settings come from
   * @throws XiheError REPO_NOT_FOUND, STATE_UNWRITABLE, STATE_CORRUPT, CONFIG_INVALID
   */
  static async open(repo: string, env: NodeJS.ProcessEnv = process.env): Promise<Session> {
    const project = await openProject(repo, env);
    const saver = LibsqlSaver.open(join(project.layout.stateDir, 'checkpoints.sqlite'));
    const nodes = new Set<Promise<unknown>>();
    const running = (node: Promise<unknown>) => {
      const ended = node.catch(() => {}).finally(() => nodes.delete(ended));
      nodes.add(ended);
    };
    return new Session(project, buildGraph({ ...localDeps(project.layout.root, env), running }, saver), saver, nodes);
  }

  /**
   * Starts a run and follows it to its end or to a question.
   *
   * @param text the request
   * @param options of the run; they travel with the thread
   * @param thread name of the thread; a new one is made when it is missing
   * @param onEvent called for each event as it happens
   * @param signal stops the run; what is done stays, and `resume` goes on
   * @throws XiheError THREAD_BUSY when another process works on the thread, UNTRUSTED_ADDRESS, CANCELLED, and what nodes throw
   */
  async run(
    text: string,
    options: RunOptions,
    thread: string,
    onEvent: (e: RunEvent) => void,
    signal?: AbortSignal,
  ): Promise<ThreadView> {
    const input = { request: { text, repo: this.project.layout.root, options } };
    return this.locked(thread, async () => {
      const view = await this.view(thread);
      this.assertModelUsable(options.noModel);
      if (view.status === 'waiting' || view.status === 'interrupted') {
        throw new XiheError('THREAD_BUSY', `会话 ${quoted(thread)} 还有没做完的事`, {
          hint: `先用 xihe resume ${thread} 了结它，或换一个 --thread 名字。`,
        });
      }
      return this.follow(thread, input, onEvent, signal);
    });
  }

  /** The steps of a thread, first to last. @throws XiheError THREAD_NOT_FOUND */
  steps(thread: string): Promise<ThreadStep[]> {
    return stepsOfThread(this.graph, thread);
  }

  /**
   * Runs a new thread from where another one stood at a step; the other one stays as it is.
   *
   * @param words what the user says beside, for the model's next turn
   * @throws XiheError as {@link makeBranch} and {@link run}; THREAD_BUSY where the new name is taken
   */
  async branch(
    from: { thread: string; step: number },
    thread: string,
    { options, words }: { options: RunOptions; words?: string | undefined },
    onEvent: (e: RunEvent) => void,
    signal?: AbortSignal,
  ): Promise<ThreadView> {
    return this.locked(thread, async () => {
      if ((await this.view(thread)).status !== 'empty')
        throw new XiheError('THREAD_BUSY', `已经有会话 ${quoted(thread)}`, { hint: '换一个 --thread 名字，或不写。' });
      this.assertModelUsable(options.noModel);
      const { moved } = await makeBranch(this, from, thread, options);
      openInbox(this.project.layout.stateDir, thread);
      if (words) sayTo(this.project.layout.stateDir, thread, words);
      const { run } = (await this.view(thread)).state;
      onEvent(stamped({ type: 'run.resumed', thread, run, origin: `${from.thread}@${from.step}` }));
      if (moved.length > 0)
        onEvent(stamped({ type: 'progress', text: `这些文件后来改过，写入时会拒绝：${moved.join('、')}` }));
      return this.follow(thread, null, onEvent, signal);
    });
  }

  /**
   * Goes on with a thread: with an answer to its question, or from where a process died.
   *
   * @param answer what the user decided; undefined where nothing is asked
   * @throws XiheError THREAD_NOT_FOUND, THREAD_NOT_WAITING, THREAD_BUSY, RESUME_INVALID
   */
  async resume(
    thread: string,
    answer: unknown,
    onEvent: (e: RunEvent) => void,
    signal?: AbortSignal,
  ): Promise<ThreadView> {
    return this.locked(thread, async () => {
      const view = await this.view(thread);
      if (view.status === 'empty') throw notFound(thread);
      this.assertModelUsable(view.state.request?.options.noModel ?? false);
      const resumed = () => onEvent(stamped({ type: 'run.resumed', thread, run: view.state.run ?? 0 }));
      if (view.status === 'interrupted') {
        resumed();
        return this.follow(thread, null, onEvent, signal);
      }
      if (view.status !== 'waiting') {
        throw new XiheError('THREAD_NOT_WAITING', `会话 ${quoted(thread)} 已经结束，没有在等什么`, {
          hint: '用 xihe run --thread 接着说新的请求。',
        });
      }
      if (answer === undefined) return view;
      resumed();
      return this.follow(thread, new Command({ resume: answer }), onEvent, signal);
    });
  }

  /**
   * Leaves a word for a run that is under way; its model hears it before its next turn.
   *
   * @returns the word's number, and whether some process runs the thread just now (of a server's thread that is not known: true)
   * @throws XiheError THREAD_NOT_FOUND, THREAD_NOT_WAITING when it is over or waits for an answer, USAGE, STATE_UNWRITABLE
   */
  async say(thread: string, words: string): Promise<{ n: number; running: boolean }> {
    const { status, pending } = await this.view(thread);
    if (status === 'waiting') {
      const how = pending?.kind === 'confirm' ? '--comment "…"' : '--answer "…"';
      throw new XiheError('THREAD_NOT_WAITING', `会话 ${quoted(thread)} 停下来在等你决定`, {
        hint: `把话写进答复：xihe resume ${thread} ${how}`,
      });
    }
    const n = sayTo(this.project.layout.stateDir, thread, words);
    return { n, running: status === 'empty' || (await this.isLocked(thread)) };
  }

  private async isLocked(thread: string): Promise<boolean> {
    try {
      await this.locked(thread, async () => {});
      return false;
    } catch {
      return true;
    }
  }

  /** Where a thread stands now; `empty` when it was never run. */
  async view(thread: string): Promise<ThreadView> {
    const snapshot = await this.graph.getState(configOf(thread));
    const state = snapshot.values as RunState;
    const interrupts = snapshot.tasks.flatMap((task) => task.interrupts ?? []);
    const pending = (interrupts[0]?.value as PendingRequest | undefined) ?? null;
    const base = { thread, state, pending, updatedAt: snapshot.createdAt ?? '' };
    // Not `next`: a node that was answered and then failed is no longer listed there, but its task is still open.
    const isOpen = snapshot.tasks.length > 0;
    if (!state?.request) return { ...base, status: isOpen ? 'interrupted' : 'empty' };
    if (pending) return { ...base, status: 'waiting' };
    if (isOpen) return { ...base, status: 'interrupted' };
    const report = state.reported;
    if (report?.kind === 'rejected') return { ...base, status: 'rejected' };
    return { ...base, status: report && state.reports.every((r) => r.ok) ? 'done' : 'failed' };
  }

  /** The newest threads first. */
  async threads(limit: number): Promise<ThreadView[]> {
    const views: ThreadView[] = [];
    for (const info of await this.saver.listThreads(limit)) {
      const view = await this.view(info.threadId);
      views.push({ ...view, updatedAt: info.updatedAt });
    }
    return views;
  }

  /** Closes the database. */
  close(): void {
    this.saver.close();
  }

  /** Before anything is done: a node that finds its model's address untrusted would leave a run half way. */
  private assertModelUsable(noModel: boolean): void {
    if (!noModel) openModel(this.project.config.model);
  }

  private async locked<T>(thread: string, work: () => Promise<T>): Promise<T> {
    const file = join(this.project.layout.stateDir, 'locks', `${fileName(thread)}.lock`);
    let entered = false;
    const enter = () => {
      entered = true;
      return work();
    };
    try {
      return await withAsyncFileLock(file, enter, { waitMs: 0 });
    } catch (e) {
      // A lock that was busy inside the run is another one, and says so itself.
      if (entered || !XiheError.is(e, 'LOCK_BUSY')) throw e;
      throw new XiheError('THREAD_BUSY', `会话 ${quoted(thread)} 正在另一个进程里运行`, {
        hint: '等它结束，或换一个 --thread 名字。',
        cause: e,
      });
    }
  }

  /** Streams the graph until it ends or asks; then drops old threads. */
  private async follow(
    thread: string,
    input: unknown,
    onEvent: (e: RunEvent) => void,
    signal?: AbortSignal,
  ): Promise<ThreadView> {
    const config = {
      ...configOf(thread),
      recursionLimit: RECURSION_LIMIT,
      streamMode: ['custom'] as 'custom'[],
      durability: 'sync' as const,
      ...(signal ? { signal } : {}),
    };
    try {
      for await (const [, event] of await this.graph.stream(input as never, config)) onEvent(event as RunEvent);
    } catch (e) {
      if (signal?.aborted) return this.stopped(thread, onEvent, e);
      if (!isGraphInterrupt(e)) throw e;
    }
    await this.prune(thread);
    return this.view(thread);
  }

  /**
   * Waits until nothing of a cancelled run is left: its node may be writing the tree (which is never left half), its commands die.
   * Only then may the lock go to the next process.
   */
  private async stopped(thread: string, onEvent: (e: RunEvent) => void, cause: unknown): Promise<never> {
    while (this.nodes.size > 0) await Promise.all(this.nodes);
    await commandsEnded();
    const view = await this.view(thread);
    const resume = `xihe resume ${thread}`;
    const { staged } = keptOf(view, this.project);
    const { run = 0 } = view.state;
    onEvent(stamped({ type: 'run.stopped', thread, run, staged: staged.length, resume }));
    throw new XiheError('CANCELLED', `已停下，会话是 ${thread}`, { hint: `用 ${resume} 接着跑。`, cause });
  }

  /** Old threads go, together with their changesets; a thread that waits for an answer stays. */
  private async prune(current: string): Promise<void> {
    const keep = this.project.config.state.keepThreads;
    const known = await this.saver.listThreads(-1);
    if (known.length <= keep) return;
    const open: ThreadView[] = [];
    // Young threads too: one thread may own many changesets, and push those of another beyond the number.
    for (const info of known) {
      const view = await this.view(info.threadId);
      if (view.status === 'waiting' || view.status === 'interrupted') open.push(view);
    }
    // The current thread is one of those kept, whatever its age among them.
    await this.saver.prune(keep - 1, [current, ...open.map((v) => v.thread)]);
    const protect = open.flatMap((v) => [
      ...(v.state.changesetId ? [v.state.changesetId] : []),
      ...sideChangesets(v.state),
    ]);
    try {
      pruneSandboxState(this.project.layout.stateDir, { keep, protect });
    } catch (e) {
      // Old receipts that can't be removed cost disk space, not correctness.
      this.project.audit.append({
        at: new Date().toISOString(),
        who: 'xihe',
        what: 'state.prune',
        args: {},
        result: messageOf(e),
        durationMs: 0,
      });
    }
  }
}

function configOf(thread: string) {
  return { configurable: { thread_id: thread } };
}
