import { join } from 'node:path';
import {
  type GraphBuilders,
  GraphEngine,
  postgresCheckpoints,
  servedGraphs,
  sqliteCheckpoints,
} from '../../agent/deploy/index.js';
import { Bus, type Topic } from './bus.js';
import { listen, openPools, postgresSql } from './postgres.js';
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
 * @param graphs which graphs are served; default: ours
 * @throws XiheError STATE_CORRUPT, STATE_UNWRITABLE, CONFIG_INVALID
 */
export async function openLocalStore(
  dir: string,
  env: NodeJS.ProcessEnv,
  graphs: GraphBuilders = servedGraphs(env),
): Promise<Store> {
  const sql = openSqliteStore(join(dir, 'server.sqlite'));
  await migrate(sql);
  const engine = new GraphEngine(graphs, sqliteCheckpoints(join(dir, 'server-checkpoints.sqlite')));
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

/** On Postgres processes call each other; who waits looks by himself this often all the same, in milliseconds. */
const POSTGRES_POLL_MS = 1_000;

/**
 * Opens a store in Postgres, for processes on any number of machines.
 *
 * @param url `postgres://user:password@host:5432/database`
 * @param onError told what breaks while nobody waits for it
 * @throws XiheError STORE_FAILED, STATE_CORRUPT, CONFIG_INVALID
 */
export async function openPostgresStore(
  url: string,
  env: NodeJS.ProcessEnv,
  onError: (e: Error) => void,
  graphs: GraphBuilders = servedGraphs(env),
): Promise<Store> {
  const pools = await openPools(url, onError);
  const sql = postgresSql(pools.queue);
  await migrate(sql);
  const engine = new GraphEngine(graphs, await postgresCheckpoints(pools.checkpoints));
  let tell: (topic: Topic) => void = () => {};
  const bus = new Bus(POSTGRES_POLL_MS, (topic) => tell(topic));
  const listener = await listen(url, pools.queue, (topic) => bus.hear(topic));
  tell = listener.tell;
  return {
    sql,
    bus,
    engine,
    async close() {
      await listener.close();
      await engine.close();
      await sql.close();
    },
  };
}
