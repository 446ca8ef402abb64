import { type Database, numberPragma } from './database.js';

/** The channel in which LangGraph keeps what a node asks (its constant is not exported). */
const INTERRUPT = '__interrupt__';

/** One thread in the database. */
export interface ThreadInfo {
  threadId: string;
  /** Time of its newest checkpoint, ISO 8601. */
  updatedAt: string;
  /** Checkpoints of all its namespaces. */
  checkpoints: number;
}

/** Free space is given back once it is a fifth of the file and 256 KiB: less would be used again by the next run. */
const VACUUM_SHARE = 0.2;
const VACUUM_MIN_BYTES = 256 * 1024;

/** The threads, the one with the newest checkpoint first; all of them when `limit` is negative. */
export function selectThreads(db: Database, limit: number): ThreadInfo[] {
  const rows = db
    .prepare(
      `SELECT thread_id, MAX(ts) AS ts, COUNT(*) AS n FROM checkpoints
       GROUP BY thread_id ORDER BY MAX(ts) DESC, MAX(id) DESC LIMIT ?`,
    )
    .all(limit) as Array<{ thread_id: string; ts: string; n: number }>;
  return rows.map((row) => ({ threadId: row.thread_id, updatedAt: row.ts, checkpoints: row.n }));
}

/** Deletes everything of one thread; to be called inside a transaction. */
export function deleteThreadRows(db: Database, threadId: string): void {
  for (const table of ['checkpoints', 'writes', 'blobs']) {
    db.prepare(`DELETE FROM ${table} WHERE thread_id = ?`).run(threadId);
  }
}

/**
 * Drops what a thread holds since a checkpoint; to be called inside a transaction. Ids of checkpoints are UUIDs of version 6, which sort
 * by time. Of what was written on that checkpoint itself its questions stay: it was waiting for their answers.
 */
export function rollbackRows(db: Database, threadId: string, checkpointId: string): void {
  db.prepare('DELETE FROM checkpoints WHERE thread_id = ? AND id > ?').run(threadId, checkpointId);
  db.prepare(
    `DELETE FROM writes WHERE thread_id = ? AND (checkpoint_id > ? OR checkpoint_id = ? AND channel <> '${INTERRUPT}')`,
  ).run(threadId, checkpointId, checkpointId);
}

/** Gives free pages back to the file system when there are many. @returns bytes that the database got smaller by */
export function shrink(db: Database): number {
  const pageSize = numberPragma(db, 'page_size');
  const free = numberPragma(db, 'freelist_count');
  const all = numberPragma(db, 'page_count');
  if (free * pageSize < VACUUM_MIN_BYTES || free < all * VACUUM_SHARE) return 0;
  db.exec('PRAGMA incremental_vacuum');
  const left = numberPragma(db, 'page_count');
  // The file itself shrinks when the log is written back; where another process still reads, a later checkpoint does it.
  db.pragma('wal_checkpoint(TRUNCATE)');
  return (all - left) * pageSize;
}
