import { randomBytes } from 'node:crypto';
import { quoted, XiheError } from '../errors.js';
import { Changeset, copyChangeset, listReceipts, movedFiles } from '../sandbox/index.js';
import type { LibsqlSaver } from './checkpoint/libsql-saver.js';
import type { XiheGraph } from './graph.js';
import type { Project } from './project.js';
import type { RunOptions, RunState } from './state.js';
import { notFound } from './thread-names.js';
import { NO_USAGE } from './usage.js';

/** A checkpoint of a thread, for people who look for the step to branch off from. */
export interface ThreadStep {
  step: number;
  /** The node that ran before it; null at the start. */
  after: string | null;
  /** The node that comes next; null where the run was over. */
  next: string | null;
  /** ISO time. */
  at: string;
  run: number;
  /** Turns of the model in the execute phase by then. */
  turn: number;
}

interface Found extends ThreadStep {
  checkpoint: string;
  state: RunState;
}

/** Branches begin behind these only with a new yes: what was agreed to in one thread is not agreed to in another. */
const AGREED = new Set(['apply', 'act']);
/** Where the yes is asked for. */
const ASKS = new Set(['confirm', 'approve']);

/**
 * The steps of a thread, first to last.
 *
 * @throws XiheError THREAD_NOT_FOUND
 */
export async function stepsOfThread(graph: XiheGraph, thread: string): Promise<ThreadStep[]> {
  return (await historyOf(graph, thread)).map(({ checkpoint: _c, state: _s, ...step }) => step);
}

async function historyOf(graph: XiheGraph, thread: string): Promise<Found[]> {
  const found: Found[] = [];
  for await (const snapshot of graph.getStateHistory({ configurable: { thread_id: thread } })) {
    const state = snapshot.values as RunState;
    found.unshift({
      step: snapshot.metadata?.step ?? 0,
      after: null,
      next: snapshot.next[0] ?? null,
      at: snapshot.createdAt ?? '',
      run: state.run ?? 0,
      turn: state.turn ?? 0,
      checkpoint: String(snapshot.config.configurable?.checkpoint_id ?? ''),
      state,
    });
  }
  if (found.length === 0) throw notFound(thread);
  for (const [i, one] of found.entries()) one.after = found[i - 1]?.next ?? null;
  // Before its first node a run is only its request.
  return found.filter(({ next }) => next !== '__start__');
}

/** Where a branch begins, as the user wrote it: `会话@步`. @throws XiheError USAGE */
export function readOrigin(text: string): { thread: string; step: number } {
  const [, thread = '', step = ''] = /^(.+)@(\d+)$/.exec(text) ?? [];
  if (thread !== '') return { thread, step: Number(step) };
  throw new XiheError('USAGE', `${quoted(text)} 不是「会话@步」`, {
    hint: '例：--from t20261105-ab12c@7；xihe threads 会话 列出每一步。',
  });
}

/**
 * Makes a new thread that stands where another one stood at a step: its conversation, and a copy of what was staged then. The other
 * thread is only read. What the branch may use is counted anew.
 *
 * @param options of the branch, in place of those of the other thread
 * @returns files that were changed in the tree since they were first staged: writing them will be refused
 * @throws XiheError THREAD_NOT_FOUND, USAGE where no branch can begin there, CHANGESET_NOT_FOUND, STATE_UNWRITABLE
 */
export async function makeBranch(
  { graph, saver, project }: { graph: XiheGraph; saver: LibsqlSaver; project: Project },
  from: { thread: string; step: number },
  to: string,
  options: RunOptions,
): Promise<{ moved: string[] }> {
  const history = await historyOf(graph, from.thread);
  const found = history.findLast(({ step }) => step === from.step);
  if (!found)
    throw refused(`会话 ${quoted(from.thread)} 没有第 ${from.step} 步`, `xihe threads ${from.thread} 列出每一步。`);
  assertBranchable(found, history, from.thread, project);
  const tuple = await saver.getTuple({
    configurable: { thread_id: from.thread, checkpoint_ns: '', checkpoint_id: found.checkpoint },
  });
  if (!tuple) throw notFound(from.thread);
  const { state } = found;
  const intent = state.routed?.index ?? 0;
  const runId = randomBytes(8).toString('hex');
  const { stateDir, root } = project.layout;
  const changesetId = state.changesetId ? `${runId}-${intent}` : null;
  let moved: string[] = [];
  if (state.changesetId && changesetId) {
    copyChangeset(stateDir, state.changesetId, changesetId, stagedAt(state, from.step));
    moved = movedFiles(Changeset.open(stateDir, root, changesetId));
  }
  const values: Partial<RunState> = {
    runId,
    changesetId,
    staged: changesetId && state.staged ? { id: changesetId, bytes: state.staged.bytes } : null,
    origin: { ...from, run: state.run ?? 0, intent, turn: state.turn ?? 0 },
    usage: { ...NO_USAGE },
    elapsedMs: 0,
    ...(state.request ? { request: { ...state.request, options } } : {}),
  };
  const checkpoint = { ...tuple.checkpoint, channel_values: { ...tuple.checkpoint.channel_values, ...values } };
  const metadata = { source: 'fork' as const, step: from.step, parents: {} };
  await saver.put(
    { configurable: { thread_id: to, checkpoint_ns: '' } },
    checkpoint,
    metadata,
    checkpoint.channel_versions,
  );
  return { moved };
}

function stagedAt({ changesetId, staged }: RunState, step: number): number {
  if (staged?.id === changesetId) return staged.bytes;
  // A changeset that no node has left anything in yet, or a thread from before this was noted.
  if (!staged) throw refused(`第 ${step} 步没有记下当时暂存了什么`, '这个会话是旧版本的羲和跑的；重新发起请求。');
  return 0;
}

function assertBranchable(found: Found, history: Found[], thread: string, { layout }: Project): void {
  const { state, next, run } = found;
  const before = history.findLast((one) => one.run === run && one.next !== null && ASKS.has(one.next));
  const place = before ? `xihe run --from ${thread}@${before.step}` : '重新发起请求';
  const written = listReceipts(layout.stateDir, layout.root).find(
    (one) => one.state === 'applied' && state.runId && one.changesetId.startsWith(`${state.runId}-`),
  );
  if (written)
    throw refused('这次运行的修改已经写入工作区，那一步之后文件变了', `先撤销：xihe undo ${written.id}，再 ${place}。`);
  if (next === null)
    throw refused('会话在那一步已经结束', `接着说：xihe run "…" --thread ${thread}；要重来就选前面的一步。`);
  if (state.split) {
    const whole = history.findLast((one) => one.run === run && !one.state.split && one.step < found.step);
    throw refused('那一步是子智能体分头做的', `从分头之前分：xihe run --from ${thread}@${whole?.step ?? 0}。`);
  }
  if (AGREED.has(next) || state.receipt || state.tool?.outcome)
    throw refused('那一步已经同意过，分出来的会话要重新问你', `从问你的那一步分：${place}。`);
}

function refused(message: string, hint: string): XiheError {
  return new XiheError('USAGE', message, { hint });
}
