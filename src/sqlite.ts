import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type Libsql from 'libsql';
import { XiheError } from './errors.js';
import { removeStrange } from './stateFile.js';

export type Database = Libsql.Database;

/** How long a writer waits for another process, in milliseconds; libsql's own default is not to wait at all. */
const BUSY_TIMEOUT_MS = 5000;
/** Switching a new file to WAL does not honour the busy timeout: processes that start together try again. */
const OPEN_ATTEMPTS = 50;
const OPEN_PAUSE_MS = 20;

/** A database's layout; a newer Xihe that changes it counts the version up and migrates. */
export interface Schema {
  version: number;
  /** Statements that make the tables; they set `user_version`. */
  sql: string;
}

/**
 * Opens (and makes, when it is not there) a database of the state. Several processes may do so at once; each waits for the others.
 *
 * @param file absolute path; its folder is made
 * @throws what the driver and the file system throw; MODULE_NOT_FOUND where libsql has no binary; XiheError STATE_CORRUPT when the
 *   file is of a newer version
 */
export function openSqlite(file: string, schema: Schema): Database {
  mkdirSync(dirname(file), { recursive: true });
  for (const part of ['', '-wal', '-shm']) removeStrange(file + part);
  return withRetries(() => connect(file, schema));
}

/** A database that only this process has, for as long as it is open. @throws MODULE_NOT_FOUND */
export function openInMemory(schema: Schema): Database {
  return connect(':memory:', schema);
}

function connect(file: string, schema: Schema): Database {
  // Loaded here and not at the top: its native part costs a start that never touches a database.
  const Driver = createRequire(import.meta.url)('libsql') as Libsql.Database & (new (path: string) => Database);
  const db = new Driver(file);
  try {
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // Only works on an empty file, and lets rows that go give space back without rewriting the whole file.
    db.exec('PRAGMA auto_vacuum = INCREMENTAL');
    db.pragma('journal_mode = WAL');
    // In WAL mode a killed process loses nothing with NORMAL; only a power cut may lose the last commits, never the file.
    db.exec('PRAGMA synchronous = NORMAL');
    const version = numberPragma(db, 'user_version');
    if (version > schema.version) {
      throw new XiheError('STATE_CORRUPT', `运行状态是更新版本的羲和写的（格式 ${version}）：${file}`, {
        hint: '升级羲和，或用 XIHE_STATE_DIR 换一个状态目录。',
        details: { file, version },
      });
    }
    if (version < schema.version) db.transaction(() => db.exec(schema.sql)).immediate();
    return db;
  } catch (e) {
    db.close();
    throw e;
  }
}

function withRetries<T>(open: () => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return open();
    } catch (e) {
      if (!isBusy(e) || attempt === OPEN_ATTEMPTS) throw e;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPEN_PAUSE_MS);
    }
  }
}

/** The value of a pragma that gives one number. */
export function numberPragma(db: Database, name: string): number {
  const rows = db.pragma(name) as Array<Record<string, number>>;
  return rows[0]?.[name] ?? 0;
}

/** Whether another process holds the database. */
export function isBusy(e: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(String((e as { code?: unknown } | null)?.code ?? ''));
}

/** Whether a file is no database, or a damaged one. */
export function isBroken(e: unknown): boolean {
  return /^SQLITE_(NOTADB|CORRUPT)/.test(String((e as { code?: unknown } | null)?.code ?? ''));
}
