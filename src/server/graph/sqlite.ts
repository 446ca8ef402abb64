import { type Database, openSqlite } from '../../sqlite.js';
import type { Sql, SqlDatabase, Value } from './sql.js';

/** The tables come from the migrations; the file itself has one version for ever. */
const FILE_SCHEMA = { version: 1, sql: 'PRAGMA user_version = 1' };

/** Statements kept ready: about what the store has, and some that are put together from conditions. */
const MAX_STATEMENTS = 200;

interface Statement {
  all(...values: Value[]): unknown[];
  run(...values: Value[]): { changes: number };
}

/**
 * One SQLite file for the processes of one machine.
 *
 * @param file absolute path; its folder is made
 * @throws XiheError STATE_CORRUPT, and what the driver throws
 */
export function openSqliteStore(file: string): SqlDatabase {
  const db = openSqlite(file, FILE_SCHEMA);
  const ready = new Map<string, Statement>();
  const statement = (text: string): Statement => {
    const known = ready.get(text);
    if (known) return known;
    if (ready.size >= MAX_STATEMENTS) ready.clear();
    const made = db.prepare(text) as unknown as Statement;
    ready.set(text, made);
    return made;
  };
  const inside: Sql = {
    dialect: 'sqlite',
    all: async <T>(text: string, ...values: Value[]) => statement(text).all(...values) as T[],
    run: async (text: string, ...values: Value[]) => statement(text).run(...values).changes,
    tx: (work) => work(inside),
  };
  // One connection: while a transaction waits for its own next step, nobody else's statement may slip into it.
  let last: Promise<unknown> = Promise.resolve();
  const alone = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    dialect: 'sqlite',
    all: <T>(text: string, ...values: Value[]) => alone(() => inside.all<T>(text, ...values)),
    run: (text: string, ...values: Value[]) => alone(() => inside.run(text, ...values)),
    tx: (work) => alone(() => transaction(db, () => work(inside))),
    close: () =>
      alone(async () => {
        db.close();
      }),
  };
}

async function transaction<T>(db: Database, work: () => Promise<T>): Promise<T> {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = await work();
    db.exec('COMMIT');
    return result;
  } catch (e) {
    db.exec('ROLLBACK');
    throw e;
  }
}
