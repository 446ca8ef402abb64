import { join } from 'node:path';
import { GraphEngine, servedGraphs, sqliteCheckpoints } from '../../agent/deploy/index.js';
import { Bus } from './bus.js';
import { migrate } from './schema.js';
import type { SqlDatabase } from './sql.js';
import { openSqliteStore } from './sqlite.js';

/** Everything that a server keeps: its queue, and the graphs with their checkpoints. */
export interface Store {
  sql: SqlDatabase;
  bus: Bus;
  engine: GraphEngine;
  close(): Promise<void>;
}

/** On SQLite processes can't call each other: who waits looks this often, in milliseconds. */
const SQLITE_POLL_MS = 250;

/**
 * Opens a store in a folder of this machine; several processes may share it.
 *
 * @param dir absolute path; made when it is not there
 * @throws XiheError STATE_CORRUPT, STATE_UNWRITABLE, CONFIG_INVALID
 */
export async function openLocalStore(dir: string, env: NodeJS.ProcessEnv): Promise<Store> {
  const sql = openSqliteStore(join(dir, 'server.sqlite'));
  await migrate(sql);
  const engine = new GraphEngine(servedGraphs(env), sqliteCheckpoints(join(dir, 'server-checkpoints.sqlite')));
  return {
    sql,
    bus: new Bus(SQLITE_POLL_MS),
    engine,
    async close() {
      await engine.close();
      await sql.close();
    },
  };
}
