import { XiheError } from '../../errors.js';
import {
  type CancelAction,
  isActive,
  type MultitaskStrategy,
  type RunKwargs,
  type RunRow,
  type RunStatus,
  type ThreadRow,
} from './rows.js';
import { now, type Sql } from './sql.js';
import { busy, createThread, graphMetadata, requireThread } from './threads.js';

/** Runs that may wait on one thread: whoever queues more is a loop that got out of hand. */
const MAX_WAITING_A_THREAD = 50;

export interface NewRun {
  runId: string;
  threadId: string;
  owner: string;
  graphId: string;
  kwargs: RunKwargs;
  metadata: Record<string, unknown>;
  strategy: MultitaskStrategy;
  /** Seconds until it may start. */
  afterSeconds: number;
  /** The thread is made when it is not there. */
  createsThread: boolean;
  /** The thread is for this run only, and goes when it is over. */
  isTemporary?: boolean;
}

/**
 * Puts a run into the queue, as the thread's state and its strategy allow. All of it in one transaction that holds the thread, so that of two
 * answers to one question one is taken.
 *
 * @returns the run, and the runs that were told to stop for it
 * @throws XiheError THREAD_NOT_FOUND, GRAPH_NOT_FOUND for a thread of another graph, THREAD_BUSY, THREAD_NOT_WAITING
 */
export function createRun(sql: Sql, run: NewRun): Promise<{ run: RunRow; stopped: string[] }> {
  return sql.tx(async (tx) => {
    const thread = await threadFor(tx, run);
    const open = await openRuns(tx, run.threadId);
    const stopped = await makeRoom(tx, run, thread, open);
    await tx.run(
      `INSERT INTO runs (run_id, thread_id, graph_id, status, kwargs, metadata, multitask_strategy, run_at, attempt,
         created_at, updated_at)
       VALUES (?, ?, ?, 'pending', ?, ?, ?, ${now(tx)} + ?, 0, ${now(tx)}, ${now(tx)})`,
      run.runId,
      run.threadId,
      run.graphId,
      JSON.stringify(run.kwargs),
      JSON.stringify(run.metadata),
      run.strategy,
      run.afterSeconds * 1000,
    );
    const metadata = { ...(JSON.parse(thread.metadata) as object), ...graphMetadata(run.graphId) };
    await tx.run(
      `UPDATE threads SET status = 'busy', graph_id = ?, metadata = ?, updated_at = ${now(tx)} WHERE thread_id = ?`,
      run.graphId,
      JSON.stringify(metadata),
      run.threadId,
    );
    return { run: (await findRun(tx, run.runId))!, stopped };
  });
}

async function threadFor(tx: Sql, run: NewRun): Promise<ThreadRow> {
  if (run.createsThread) {
    const thread = { threadId: run.threadId, owner: run.owner, metadata: {}, isTemporary: run.isTemporary ?? false };
    await createThread(tx, thread, 'do_nothing');
  }
  const thread = await requireThread(tx, run.threadId, run.owner, true);
  if (thread.graph_id !== null && thread.graph_id !== run.graphId) {
    throw new XiheError(
      'GRAPH_NOT_FOUND',
      `会话 ${run.threadId} 属于图 ${thread.graph_id}，不能用 ${run.graphId} 接着跑`,
      {
        hint: '换一个会话，或用它原来的图。',
      },
    );
  }
  return thread;
}

async function openRuns(tx: Sql, threadId: string): Promise<RunRow[]> {
  return tx.all<RunRow>(
    "SELECT * FROM runs WHERE thread_id = ? AND status IN ('pending', 'running') ORDER BY created_at, run_id",
    threadId,
  );
}

/** Decides what becomes of the runs that are there. @returns the ids of those that were told to stop */
async function makeRoom(tx: Sql, run: NewRun, thread: ThreadRow, open: RunRow[]): Promise<string[]> {
  if (run.kwargs.command && 'resume' in run.kwargs.command) {
    if (open.length > 0) throw busy(run.threadId);
    if (thread.interrupts === '{}') {
      throw new XiheError('THREAD_NOT_WAITING', `会话 ${run.threadId} 没有在等答复`, {
        hint: '它的问题可能已经有人答复了：看 GET /threads/…/state。',
      });
    }
    return [];
  }
  const staying = open.filter((one) => one.cancel === null);
  if (staying.length === 0) return [];
  if (run.strategy === 'reject' || open.length >= MAX_WAITING_A_THREAD) throw busy(run.threadId);
  if (run.strategy === 'enqueue') return [];
  for (const one of staying) await stopRun(tx, one, run.strategy);
  return staying.map((one) => one.run_id);
}

/** A waiting run ends at once; a running one is told, and its worker ends it. */
async function stopRun(tx: Sql, run: RunRow, action: CancelAction): Promise<void> {
  if (run.status === 'running') {
    await tx.run(`UPDATE runs SET cancel = ?, updated_at = ${now(tx)} WHERE run_id = ?`, action, run.run_id);
  } else if (action === 'rollback') {
    await deleteRunRows(tx, run.run_id);
  } else {
    await tx.run(`UPDATE runs SET status = 'interrupted', updated_at = ${now(tx)} WHERE run_id = ?`, run.run_id);
  }
}

export async function findRun(sql: Sql, runId: string): Promise<RunRow | undefined> {
  const [row] = await sql.all<RunRow>('SELECT * FROM runs WHERE run_id = ?', runId);
  return row;
}

/** @throws XiheError THREAD_NOT_FOUND, RUN_NOT_FOUND; the same for what is somebody else's */
export async function requireRun(sql: Sql, threadId: string, runId: string, owner: string): Promise<RunRow> {
  await requireThread(sql, threadId, owner);
  const run = await findRun(sql, runId);
  if (run?.thread_id === threadId) return run;
  throw new XiheError('RUN_NOT_FOUND', `会话 ${threadId} 里没有运行 ${runId}`, {
    hint: '用 GET /threads/…/runs 看有哪些。',
  });
}

export interface RunPage {
  limit: number;
  offset: number;
  status?: RunStatus | undefined;
}

/** A thread's runs, newest first. @throws XiheError THREAD_NOT_FOUND */
export async function listRuns(sql: Sql, threadId: string, owner: string, page: RunPage): Promise<RunRow[]> {
  await requireThread(sql, threadId, owner);
  return sql.all<RunRow>(
    `SELECT * FROM runs WHERE thread_id = ? ${page.status ? 'AND status = ?' : ''}
     ORDER BY created_at DESC, run_id DESC LIMIT ? OFFSET ?`,
    ...[threadId, ...(page.status ? [page.status] : []), page.limit, page.offset],
  );
}

/**
 * Tells a run to stop. One that is over stays as it is.
 *
 * @param action `rollback` also takes back what it wrote, and the run itself
 * @throws XiheError THREAD_NOT_FOUND, RUN_NOT_FOUND
 */
export function cancelRun(
  sql: Sql,
  threadId: string,
  runId: string,
  owner: string,
  action: CancelAction,
): Promise<void> {
  return sql.tx(async (tx) => {
    await requireThread(tx, threadId, owner, true);
    const run = await requireRun(tx, threadId, runId, owner);
    if (!isActive(run)) return;
    await stopRun(tx, run, action);
    await settleThread(tx, threadId);
  });
}

/** Deletes a run that is over. @throws XiheError THREAD_NOT_FOUND, RUN_NOT_FOUND, THREAD_BUSY */
export function deleteRun(sql: Sql, threadId: string, runId: string, owner: string): Promise<void> {
  return sql.tx(async (tx) => {
    await requireThread(tx, threadId, owner, true);
    if (isActive(await requireRun(tx, threadId, runId, owner))) throw busy(threadId);
    await deleteRunRows(tx, runId);
  });
}

export async function deleteRunRows(tx: Sql, runId: string): Promise<void> {
  await tx.run('DELETE FROM run_events WHERE run_id = ?', runId);
  await tx.run('DELETE FROM runs WHERE run_id = ?', runId);
}

/** A thread that nothing works on any more is idle, waits for an answer, or has failed. */
export async function settleThread(tx: Sql, threadId: string): Promise<void> {
  await tx.run(
    `UPDATE threads SET updated_at = ${now(tx)}, status = CASE
       WHEN EXISTS (SELECT 1 FROM runs WHERE thread_id = ? AND status IN ('pending', 'running')) THEN 'busy'
       WHEN error IS NOT NULL THEN 'error'
       WHEN interrupts <> '{}' THEN 'interrupted'
       ELSE 'idle' END
     WHERE thread_id = ?`,
    threadId,
    threadId,
  );
}
