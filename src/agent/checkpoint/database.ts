import { messageOf, XiheError } from '../../errors.js';
import { type Database, isBroken, isBusy, openSqlite } from '../../sqlite.js';

export { type Database, numberPragma } from '../../sqlite.js';

/** The layout of the file; a newer Xihe that changes it counts this up and migrates. */
const SCHEMA_VERSION = 1;

/**
 * - checkpoints.body: packed JSON `{ checkpoint, refs, metadata }` (see saver); the values lie in blobs.
 * - blobs: what channels and writes hold, once per content and thread, so that deleting a thread needs no counting.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS checkpoints (
  thread_id TEXT NOT NULL,
  ns TEXT NOT NULL,
  id TEXT NOT NULL,
  parent_id TEXT,
  ts TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (thread_id, ns, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS writes (
  thread_id TEXT NOT NULL,
  ns TEXT NOT NULL,
  checkpoint_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  idx INTEGER NOT NULL,
  task_path TEXT NOT NULL,
  channel TEXT NOT NULL,
  ref TEXT NOT NULL,
  PRIMARY KEY (thread_id, ns, checkpoint_id, task_id, idx)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS blobs (
  thread_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  type TEXT NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (thread_id, hash)
);
PRAGMA user_version = ${SCHEMA_VERSION};`;

/**
 * Opens (and makes, when it is not there) the checkpoint database. Several processes may do so at once.
 *
 * @param file absolute path; its folder is made
 * @throws XiheError STATE_UNWRITABLE when it can't be opened, STATE_CORRUPT when it is no such database or a newer one
 */
export function openDatabase(file: string): Database {
  try {
    return openSqlite(file, { version: SCHEMA_VERSION, sql: SCHEMA });
  } catch (cause) {
    throw stateError(cause, file);
  }
}

/** Codes of SQLite and of the file system that mean: not here, not now. */
const UNWRITABLE = /^(SQLITE_(CANTOPEN|READONLY|FULL|IOERR|PERM|AUTH)|EACCES|EPERM|EROFS|ENOTDIR|EEXIST|ENOSPC)/;

/**
 * Turns what the driver threw into an error that a user understands; anything else stays what it is.
 *
 * @param file the database file, for the message
 */
export function stateError(cause: unknown, file: string): unknown {
  if (XiheError.is(cause)) return cause;
  const code = String((cause as { code?: unknown } | null)?.code ?? '');
  const details = { file, reason: messageOf(cause) };
  if (isBroken(cause)) {
    return new XiheError('STATE_CORRUPT', `运行状态文件损坏，读不出来：${file}`, {
      hint: '把这个文件（和旁边的 -wal、-shm）改名或删掉再运行：只会丢掉旧会话的断点，代码不受影响。',
      cause,
      details,
    });
  }
  if (isBusy(cause)) {
    return new XiheError('STATE_UNWRITABLE', `运行状态文件一直被别的进程占用：${file}`, {
      hint: '等另一个 xihe 进程结束后再试一次。',
      cause,
      details,
    });
  }
  if (UNWRITABLE.test(code) || /open connection/i.test(messageOf(cause))) {
    return new XiheError('STATE_UNWRITABLE', `运行状态写不进去：${file}（${messageOf(cause)}）`, {
      hint: '检查磁盘空间和目录权限，或用 XIHE_STATE_DIR 指定一个可写目录。',
      cause,
      details,
    });
  }
  if (code === 'MODULE_NOT_FOUND') {
    return new XiheError('STATE_UNWRITABLE', '这台机器上没有装好 libsql 的预编译文件，断点存不了', {
      hint: '重新 npm ci（不要加 --omit=optional）；仍不行就说明平台和 Node 版本。',
      cause,
      details,
    });
  }
  return cause;
}
