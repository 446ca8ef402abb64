import { XiheError } from '../../errors.js';
import type { ThreadRow, ThreadStatus } from './rows.js';
import { forUpdate, jsonHas, now, type Sql, type Value } from './sql.js';

export interface NewThread {
  threadId: string;
  owner: string;
  metadata: Record<string, unknown>;
  graphId?: string | undefined;
  isTemporary?: boolean;
}

/** Which threads are asked for; all conditions hold at once. */
export interface ThreadFilter {
  owner: string;
  metadata?: Record<string, unknown> | undefined;
  status?: ThreadStatus | undefined;
  ids?: string[] | undefined;
}

export interface ThreadPage extends ThreadFilter {
  limit: number;
  offset: number;
  sortBy: 'thread_id' | 'status' | 'created_at' | 'updated_at';
  sortOrder: 'asc' | 'desc';
}

/** @throws XiheError THREAD_NOT_FOUND; the same for a thread of somebody else, so that nobody learns which there are */
export async function requireThread(sql: Sql, threadId: string, owner: string, lock = false): Promise<ThreadRow> {
  const [row] = await sql.all<ThreadRow>(
    `SELECT * FROM threads WHERE thread_id = ? AND owner = ?${lock ? forUpdate(sql) : ''}`,
    threadId,
    owner,
  );
  if (row) return row;
  throw new XiheError('THREAD_NOT_FOUND', `没有会话 ${threadId}`, { hint: '先用 POST /threads 建一个，或检查 id。' });
}

/**
 * Makes a thread.
 *
 * @param ifExists what to do where its id is taken: `do_nothing` gives the one that is there
 * @throws XiheError THREAD_BUSY when the id is taken, by whomever
 */
export async function createThread(
  sql: Sql,
  thread: NewThread,
  ifExists: 'raise' | 'do_nothing' = 'raise',
): Promise<ThreadRow> {
  const metadata = { ...thread.metadata, ...(thread.graphId ? graphMetadata(thread.graphId) : {}) };
  const added = await sql.run(
    `INSERT INTO threads (thread_id, owner, graph_id, metadata, status, interrupts, is_temporary, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'idle', '{}', ?, ${now(sql)}, ${now(sql)}) ON CONFLICT (thread_id) DO NOTHING`,
    thread.threadId,
    thread.owner,
    thread.graphId ?? null,
    JSON.stringify(metadata),
    thread.isTemporary ? 1 : 0,
  );
  if (added > 0) return requireThread(sql, thread.threadId, thread.owner);
  if (ifExists === 'do_nothing') {
    const known = await requireThread(sql, thread.threadId, thread.owner).catch(() => undefined);
    if (known) return known;
  }
  throw new XiheError('THREAD_BUSY', `会话 ${thread.threadId} 已经有了`, {
    hint: '换一个 id，或带上 if_exists: "do_nothing" 接着用它。',
  });
}

/** What a thread's metadata say of the graph that it runs. */
export function graphMetadata(graphId: string): Record<string, unknown> {
  return { graph_id: graphId, assistant_id: graphId };
}

/** Adds to a thread's metadata. @throws XiheError THREAD_NOT_FOUND */
export function patchThread(
  sql: Sql,
  threadId: string,
  owner: string,
  metadata: Record<string, unknown>,
): Promise<ThreadRow> {
  return sql.tx(async (tx) => {
    const row = await requireThread(tx, threadId, owner, true);
    const merged = { ...(JSON.parse(row.metadata) as object), ...metadata };
    await tx.run(
      `UPDATE threads SET metadata = ?, updated_at = ${now(tx)} WHERE thread_id = ?`,
      JSON.stringify(merged),
      threadId,
    );
    return requireThread(tx, threadId, owner);
  });
}

/**
 * Deletes a thread with its runs and their events.
 *
 * @throws XiheError THREAD_NOT_FOUND, THREAD_BUSY while a run works on it
 */
export function deleteThread(sql: Sql, threadId: string, owner: string): Promise<void> {
  return sql.tx(async (tx) => {
    await requireThread(tx, threadId, owner, true);
    const running = await tx.all("SELECT 1 FROM runs WHERE thread_id = ? AND status = 'running'", threadId);
    if (running.length > 0) throw busy(threadId);
    await deleteThreadRows(tx, threadId);
  });
}

/** Deletes a thread's rows, children first: SQLite keeps no foreign keys unless it is told to. */
export async function deleteThreadRows(tx: Sql, threadId: string): Promise<void> {
  await tx.run('DELETE FROM run_events WHERE run_id IN (SELECT run_id FROM runs WHERE thread_id = ?)', threadId);
  await tx.run('DELETE FROM runs WHERE thread_id = ?', threadId);
  await tx.run('DELETE FROM threads WHERE thread_id = ?', threadId);
}

export function busy(threadId: string): XiheError {
  return new XiheError('THREAD_BUSY', `会话 ${threadId} 正在运行`, {
    hint: '等它结束，先取消它，或选 multitask_strategy：enqueue、interrupt、rollback。',
  });
}

/** Threads of one owner; those made for a single run are not shown. */
export async function searchThreads(sql: Sql, page: ThreadPage): Promise<ThreadRow[]> {
  const { text, values } = conditionsOf(sql, page);
  // The sort key is one of four names that the request's schema lets through.
  return sql.all<ThreadRow>(
    `SELECT * FROM threads WHERE ${text} ORDER BY ${page.sortBy} ${page.sortOrder}, thread_id LIMIT ? OFFSET ?`,
    ...values,
    page.limit,
    page.offset,
  );
}

export async function countThreads(sql: Sql, filter: ThreadFilter): Promise<number> {
  const { text, values } = conditionsOf(sql, filter);
  const [row] = await sql.all<{ n: number | string }>(`SELECT COUNT(*) AS n FROM threads WHERE ${text}`, ...values);
  return Number(row?.n ?? 0);
}

function conditionsOf(sql: Sql, filter: ThreadFilter): { text: string; values: Value[] } {
  const parts: Array<{ text: string; values: Value[] }> = [
    { text: 'owner = ? AND is_temporary = 0', values: [filter.owner] },
  ];
  if (filter.status) parts.push({ text: 'status = ?', values: [filter.status] });
  if (filter.metadata) parts.push(jsonHas(sql, 'metadata', filter.metadata));
  if (filter.ids)
    parts.push({ text: `thread_id IN (${filter.ids.map(() => '?').join(', ') || 'NULL'})`, values: filter.ids });
  return { text: parts.map((p) => p.text).join(' AND '), values: parts.flatMap((p) => p.values) };
}
