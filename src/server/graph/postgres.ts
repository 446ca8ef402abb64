import type { Pool, PoolClient } from 'pg';
import { messageOf, quoted, XiheError } from '../../errors.js';
import type { Topic } from './bus.js';
import type { Sql, SqlDatabase, Value } from './sql.js';

/** Connections of one process for its queue. A request holds one for some milliseconds. */
const QUEUE_CONNECTIONS = 8;
/** Connections of one process for checkpoints: a run holds one while it writes a step. */
const CHECKPOINT_CONNECTIONS = 8;
/** How long a connection may take to come, in milliseconds. */
const CONNECT_MS = 5_000;
/** The channel on which processes call each other. */
const CHANNEL = 'xihe_server';
/** How long after a lost connection the listener tries again, in milliseconds. */
const LISTEN_AGAIN_MS = 500;

export interface PostgresPools {
  queue: Pool;
  checkpoints: Pool;
}

/**
 * Connects to Postgres; one pool for the queue and one for checkpoints, so that a transaction of the queue that waits for a checkpoint never
 * waits for a connection.
 *
 * @throws XiheError STORE_FAILED when it can't be reached
 */
export async function openPools(url: string, onError: (e: Error) => void): Promise<PostgresPools> {
  const { default: pg } = await import('pg');
  const open = (max: number) => {
    const pool = new pg.Pool({
      connectionString: url,
      max,
      connectionTimeoutMillis: CONNECT_MS,
      application_name: 'xihe',
    });
    // A connection that breaks while nobody uses it would otherwise end the process.
    pool.on('error', onError);
    return pool;
  };
  const pools = { queue: open(QUEUE_CONNECTIONS), checkpoints: open(CHECKPOINT_CONNECTIONS) };
  try {
    await pools.queue.query('SELECT 1');
    return pools;
  } catch (cause) {
    await Promise.all([pools.queue.end(), pools.checkpoints.end()]);
    throw new XiheError('STORE_FAILED', `连不上 Postgres：${quoted(messageOf(cause))}`, {
      hint: '检查 XIHE_DATABASE_URL 的地址、用户和密码，以及数据库有没有在运行。',
      cause,
    });
  }
}

/** The queue's statements on Postgres. */
export function postgresSql(pool: Pool): SqlDatabase {
  const over = (query: (text: string, values: Value[]) => Promise<{ rows: unknown[]; rowCount: number | null }>) => ({
    dialect: 'postgres' as const,
    all: async <T>(text: string, ...values: Value[]) => (await query(numbered(text), values)).rows as T[],
    run: async (text: string, ...values: Value[]) => (await query(numbered(text), values)).rowCount ?? 0,
  });
  const inside = (client: PoolClient): Sql => {
    const sql: Sql = { ...over((text, values) => client.query(text, values)), tx: (work) => work(sql) };
    return sql;
  };
  return {
    ...over((text, values) => pool.query(text, values)),
    async tx(work) {
      const client = await pool.connect();
      let broken: Error | undefined;
      try {
        await client.query('BEGIN');
        const result = await work(inside(client));
        await client.query('COMMIT');
        return result;
      } catch (e) {
        await client.query('ROLLBACK').catch((lost: Error) => {
          broken = lost;
        });
        throw e;
      } finally {
        // A connection that could not even roll back is not given to anybody else.
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

const numberings = new Map<string, string>();

/** `?` as Postgres counts them. No statement of ours has a question mark of its own. */
function numbered(text: string): string {
  const known = numberings.get(text);
  if (known !== undefined) return known;
  let n = 0;
  const made = text.replace(/\?/g, () => `$${++n}`);
  // Those of batches differ in their length: few enough, but bounded all the same.
  if (numberings.size > 1000) numberings.clear();
  numberings.set(text, made);
  return made;
}

/** Calls between processes. */
export interface Listener {
  tell(topic: Topic): void;
  close(): Promise<void>;
}

/**
 * Hears what other processes tell, by LISTEN on a connection of its own, which is made anew when it breaks.
 *
 * @param hear called with each topic; also with `work` after a lost connection, when calls may have been missed
 */
export async function listen(url: string, pool: Pool, hear: (topic: Topic) => void): Promise<Listener> {
  const { default: pg } = await import('pg');
  let isClosed = false;
  let client: InstanceType<typeof pg.Client> | undefined;
  let again: NodeJS.Timeout | undefined;
  const later = () => {
    if (!isClosed) again = setTimeout(() => void connect(), LISTEN_AGAIN_MS);
  };
  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MS,
      application_name: 'xihe',
    });
    let isLost = false;
    const lost = () => {
      if (isLost) return;
      isLost = true;
      next.end().catch(() => undefined);
      later();
    };
    next.on('error', lost);
    next.on('end', lost);
    next.on('notification', ({ payload }) => payload && hear(payload as Topic));
    try {
      await next.connect();
      await next.query(`LISTEN ${CHANNEL}`);
      client = next;
      hear('work');
    } catch {
      lost();
    }
  };
  await connect();
  return {
    // A call that gets lost costs time only.
    tell: (topic) => void pool.query('SELECT pg_notify($1, $2)', [CHANNEL, topic]).catch(() => undefined),
    async close() {
      isClosed = true;
      clearTimeout(again);
      await client?.end().catch(() => undefined);
    },
  };
}
