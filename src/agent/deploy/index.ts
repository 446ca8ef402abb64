import type { CheckpointStore } from './savers.js';

export {
  callersOf,
  type GraphBuilders,
  GraphEngine,
  type HistoryQuery,
  type ServedGraph,
  type StateQuery,
  servedGraphs,
} from './engine.js';
/** Loaded apart: with it comes the Postgres driver. */
export const postgresCheckpoints = async (pool: import('pg').Pool): Promise<CheckpointStore> =>
  (await import('./postgres-checkpoints.js')).postgresCheckpoints(pool);
export { type CheckpointStore, sqliteCheckpoints } from './savers.js';
export type { Fence, GraphCommand, GraphEvent, GraphJob, RunUser, ThreadOutcome } from './types.js';
