import type { ThreadOutcome } from '../../agent/deploy/index.js';
import type { RunError, RunRow, RunStatus } from './rows.js';
import { deleteRunRows, settleThread } from './runs.js';
import { forUpdate, isDuplicate, now, type Sql } from './sql.js';
import { deleteThreadRows } from './threads.js';

/**
 * How long events of a run that is over can still be read, in milliseconds: a client that lost its connection comes back within
 * seconds, one that asked for a resumable stream may take its time.
 */
const EVENTS_KEPT_MS = 60_000;
const RESUMABLE_EVENTS_KEPT_MS = 10 * 60_000;

/** A run in a worker's hands: what it writes must name all of this, so that who lost it writes nothing. */
export interface Claim {
  runId: string;
  worker: string;
  attempt: number;
}

/**
 * Takes the oldest run that may start, or one whose worker has died.
 *
 * A queue of our own and not pg-boss: its versions that notice a dead worker by heartbeats want Node 22, older ones wait for a time limit
 * that must be longer than the longest run; and SQLite needs the same order, one run a thread and takeover anyway.
 *
 * @param leaseMs how long the run is this worker's unless it says that it still lives
 * @returns undefined when there is nothing to do
 */
export async function claimRun(sql: Sql, worker: string, leaseMs: number): Promise<RunRow | undefined> {
  try {
    return await sql.tx(async (tx) => {
      const [next] = await tx.all<{ run_id: string }>(
        `SELECT r.run_id FROM runs r WHERE
           (r.status = 'pending' AND r.run_at <= ${now(tx)} AND NOT EXISTS (
             SELECT 1 FROM runs o WHERE o.thread_id = r.thread_id AND (o.status = 'running' OR
               (o.status = 'pending' AND o.run_at <= ${now(tx)} AND (o.created_at, o.run_id) < (r.created_at, r.run_id)))))
           OR (r.status = 'running' AND r.lease_until < ${now(tx)})
         ORDER BY r.created_at, r.run_id LIMIT 1${forUpdate(tx, ' OF r SKIP LOCKED')}`,
      );
      if (!next) return undefined;
      const [row] = await tx.all<RunRow>(
        `UPDATE runs SET status = 'running', worker = ?, lease_until = ${now(tx)} + ?, attempt = attempt + 1,
           updated_at = ${now(tx)} WHERE run_id = ? RETURNING *`,
        worker,
        leaseMs,
        next.run_id,
      );
      return row;
    });
  } catch (e) {
    // Another worker took a run of the same thread in this very moment: the index lets one of them.
    if (isDuplicate(e)) return undefined;
    throw e;
  }
}

/** Says that a worker lives. @returns the runs that are still its own, with what was asked of them meanwhile */
export function renewLeases(
  sql: Sql,
  worker: string,
  leaseMs: number,
): Promise<Array<Pick<RunRow, 'run_id' | 'attempt' | 'cancel'>>> {
  return sql.all(
    `UPDATE runs SET lease_until = ${now(sql)} + ? WHERE worker = ? AND status = 'running'
     RETURNING run_id, attempt, cancel`,
    leaseMs,
    worker,
  );
}

const MINE = "run_id = ? AND worker = ? AND attempt = ? AND status = 'running'";

/** A query that gives a row while a run is its worker's. */
export function claimHolds({ runId, worker, attempt }: Claim) {
  return { text: `SELECT 1 FROM runs WHERE ${MINE}`, values: [runId, worker, attempt] };
}

/** Notes where a run begins, before it writes anything. @returns false when the run is not this worker's any more */
export async function noteStart(sql: Sql, claim: Claim, checkpoint: string): Promise<boolean> {
  const { runId, worker, attempt } = claim;
  const text = `UPDATE runs SET start_checkpoint = ? WHERE ${MINE}`;
  return (await sql.run(text, checkpoint, runId, worker, attempt)) > 0;
}

/** How a run ended. */
export interface RunEnd {
  status: RunStatus;
  /** Where the thread stands; absent when that could not be read. */
  outcome?: ThreadOutcome | undefined;
  error?: RunError | undefined;
  /** The run and what it wrote are gone. */
  isRolledBack?: boolean;
}

/** Closes a run. @returns false when it is not this worker's any more: then nothing was written */
export function finishRun(sql: Sql, run: RunRow, claim: Claim, end: RunEnd): Promise<boolean> {
  return sql.tx(async (tx) => {
    // The thread first, as everybody else: two that hold each one and want the other would wait for ever.
    await tx.all(`SELECT 1 FROM threads WHERE thread_id = ?${forUpdate(tx)}`, run.thread_id);
    const closed = await tx.run(
      `UPDATE runs SET status = ?, error = ?, worker = NULL, lease_until = NULL, updated_at = ${now(tx)} WHERE ${MINE}`,
      end.status,
      end.error ? JSON.stringify(end.error) : null,
      claim.runId,
      claim.worker,
      claim.attempt,
    );
    if (closed === 0) return false;
    if (end.isRolledBack) await deleteRunRows(tx, run.run_id);
    await tx.run(
      `UPDATE threads SET error = ?, interrupts = COALESCE(?, interrupts),
         expires_at = CASE WHEN is_temporary = 1 THEN ${now(tx)} + ? ELSE expires_at END WHERE thread_id = ?`,
      end.error ? JSON.stringify(end.error) : null,
      end.outcome ? JSON.stringify(end.outcome.interrupts) : null,
      EVENTS_KEPT_MS,
      run.thread_id,
    );
    await settleThread(tx, run.thread_id);
    return true;
  });
}

/** Gives a run back to the queue unfinished: another worker goes on with it from its newest checkpoint. */
export async function releaseRun(sql: Sql, { runId, worker, attempt }: Claim): Promise<void> {
  await sql.run(`UPDATE runs SET lease_until = 0, worker = NULL WHERE ${MINE}`, runId, worker, attempt);
}

/** Writes where a thread stands after its state was changed by hand. */
export function noteOutcome(sql: Sql, threadId: string, outcome: ThreadOutcome): Promise<void> {
  return sql.tx(async (tx) => {
    await tx.run(
      'UPDATE threads SET interrupts = ?, error = NULL WHERE thread_id = ?',
      JSON.stringify(outcome.interrupts),
      threadId,
    );
    await settleThread(tx, threadId);
  });
}

/** Drops events that nobody will read any more. @returns threads whose time is over; their checkpoints are the caller's to delete */
export async function sweep(sql: Sql): Promise<string[]> {
  await sql.run(
    `DELETE FROM run_events WHERE run_id IN (SELECT run_id FROM runs WHERE status NOT IN ('pending', 'running')
       AND updated_at < ${now(sql)} - (CASE WHEN kwargs LIKE '%"stream_resumable":true%' THEN ? ELSE ? END))`,
    RESUMABLE_EVENTS_KEPT_MS,
    EVENTS_KEPT_MS,
  );
  const rows = await sql.all<{ thread_id: string }>(
    `SELECT thread_id FROM threads WHERE expires_at < ${now(sql)} LIMIT 100`,
  );
  return rows.map((row) => row.thread_id);
}

/** Deletes a thread whose time is over. */
export function dropThread(sql: Sql, threadId: string): Promise<void> {
  return sql.tx((tx) => deleteThreadRows(tx, threadId));
}
