import { XiheError } from '../../errors.js';
import { now, type Sql, type SqlDatabase } from './sql.js';

/**
 * The tables, version by version. Forward only: what was once released is never changed, a change is a new entry at the end.
 * Times are milliseconds since 1970, JSON is text; both databases read the same statements.
 *
 * - threads.interrupts: what the thread asks, by task id. threads.expires_at: when a thread made for one run is dropped.
 * - runs.worker, lease_until, attempt: whose the run is, until when, and which try of it; what a worker writes names all three.
 * - runs.start_checkpoint: the thread's newest checkpoint when the run began, `''` for none, null before it began.
 * - runs_one_a_thread: two runs of one thread never run at once, whatever the processes think.
 */
export const MIGRATIONS: readonly string[][] = [
  [
    `CREATE TABLE threads (
      thread_id TEXT PRIMARY KEY,
      owner TEXT NOT NULL,
      graph_id TEXT,
      metadata TEXT NOT NULL,
      status TEXT NOT NULL,
      interrupts TEXT NOT NULL,
      error TEXT,
      is_temporary INTEGER NOT NULL,
      expires_at DOUBLE PRECISION,
      created_at DOUBLE PRECISION NOT NULL,
      updated_at DOUBLE PRECISION NOT NULL
    )`,
    'CREATE INDEX threads_by_owner ON threads (owner, created_at)',
    `CREATE TABLE runs (
      run_id TEXT PRIMARY KEY,
      thread_id TEXT NOT NULL REFERENCES threads (thread_id) ON DELETE CASCADE,
      graph_id TEXT NOT NULL,
      status TEXT NOT NULL,
      kwargs TEXT NOT NULL,
      metadata TEXT NOT NULL,
      multitask_strategy TEXT NOT NULL,
      run_at DOUBLE PRECISION NOT NULL,
      start_checkpoint TEXT,
      attempt INTEGER NOT NULL,
      worker TEXT,
      lease_until DOUBLE PRECISION,
      cancel TEXT,
      error TEXT,
      created_at DOUBLE PRECISION NOT NULL,
      updated_at DOUBLE PRECISION NOT NULL
    )`,
    'CREATE INDEX runs_by_thread ON runs (thread_id, created_at)',
    "CREATE INDEX runs_open ON runs (status, created_at) WHERE status IN ('pending', 'running')",
    "CREATE UNIQUE INDEX runs_one_a_thread ON runs (thread_id) WHERE status = 'running'",
    `CREATE TABLE run_events (
      run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      event TEXT NOT NULL,
      data TEXT NOT NULL,
      PRIMARY KEY (run_id, seq)
    )`,
  ],
];

/** Number of the advisory lock under which one process migrates: any number that nothing else uses. */
const MIGRATION_LOCK = 728_119_462;

/**
 * Brings the tables to the newest version. Several processes may do so at once: one does it, the others wait.
 *
 * @param target a version to stop at; for tests
 * @throws XiheError STATE_CORRUPT when the tables are of a newer version
 */
export async function migrate(database: SqlDatabase, target: number = MIGRATIONS.length): Promise<void> {
  await database.tx(async (sql) => {
    if (sql.dialect === 'postgres') await sql.all('SELECT pg_advisory_xact_lock(?::bigint)', MIGRATION_LOCK);
    await sql.run('CREATE TABLE IF NOT EXISTS xihe_schema (version INTEGER PRIMARY KEY, at DOUBLE PRECISION NOT NULL)');
    const version = await versionOf(sql);
    if (version > MIGRATIONS.length) {
      throw new XiheError('STATE_CORRUPT', `会话库是更新版本的羲和写的（格式 ${version}）`, {
        hint: '升级羲和，或换一个数据库。',
        details: { version, known: MIGRATIONS.length },
      });
    }
    for (let next = version; next < target; next++) {
      for (const statement of MIGRATIONS[next]!) await sql.run(statement);
      await sql.run(`INSERT INTO xihe_schema (version, at) VALUES (?, ${now(sql)})`, next + 1);
    }
  });
}

/** Version of the tables; 0 when there are none. */
async function versionOf(sql: Sql): Promise<number> {
  const [row] = await sql.all<{ version: number | null }>('SELECT MAX(version) AS version FROM xihe_schema');
  return row?.version ?? 0;
}
