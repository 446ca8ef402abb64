import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import type { Pool, PoolClient } from 'pg';
import { XiheError } from '../../errors.js';
import { type CheckpointStore, FencedSaver } from './savers.js';
import type { Fence } from './types.js';

/** Number of the advisory lock under which one process makes the tables: two at once would collide. */
const SETUP_LOCK = 728_119_463;
/** What LangGraph keeps questions under (its constant is not exported). */
const INTERRUPT = '__interrupt__';

/**
 * Checkpoints in Postgres, for processes on any number of machines.
 *
 * @param pool connections for nothing else; it is closed with the store
 */
export async function postgresCheckpoints(pool: Pool): Promise<CheckpointStore> {
  const saver = new PostgresSaver(pool as never);
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [SETUP_LOCK]);
    await saver.setup();
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [SETUP_LOCK]).catch(() => undefined);
    client.release();
  }
  return {
    saver,
    fenced(fence) {
      const inner = new PostgresSaver(fencedPool(pool, fence) as never);
      return new FencedSaver(inner, async () => {});
    },
    async rollback(threadId, checkpointId) {
      const values = [threadId, checkpointId];
      await pool.query('DELETE FROM checkpoints WHERE thread_id = $1 AND checkpoint_id > $2', values);
      await pool.query(
        `DELETE FROM checkpoint_writes WHERE thread_id = $1
           AND (checkpoint_id > $2 OR checkpoint_id = $2 AND channel <> '${INTERRUPT}')`,
        values,
      );
      // The next run counts on from the same versions, and a value that is there already would not be written.
      await pool.query(
        `DELETE FROM checkpoint_blobs b WHERE b.thread_id = $1 AND NOT EXISTS (
           SELECT 1 FROM checkpoints c WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = b.checkpoint_ns
             AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version)`,
        [threadId],
      );
    },
    close: () => pool.end(),
  };
}

/**
 * The pool as one run may use it: each transaction begins with the question whether the run is still its worker's, and holds that row until
 * it ends, so that nobody takes the run over in between.
 */
function fencedPool(pool: Pool, fence: Fence): object {
  return {
    query: (text: string, values?: unknown[]) => pool.query(text, values),
    connect: async () => fencedClient(await pool.connect(), fence),
  };
}

function fencedClient(client: PoolClient, fence: Fence): object {
  let broken: Error | undefined;
  return {
    async query(text: string, values?: unknown[]) {
      const result = await client.query(text, values).catch((e: Error) => {
        if (text === 'ROLLBACK') broken = e;
        throw e;
      });
      if (text !== 'BEGIN' || !fence.sql) return result;
      const held = await client.query(fence.sql.text, fence.sql.values);
      if (held.rows.length > 0) return result;
      throw new XiheError('LEASE_LOST', '这次运行已经由别的进程接手', { hint: '不用做什么，它会在那里跑完。' });
    },
    release: () => client.release(broken),
  };
}
