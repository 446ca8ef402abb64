export { callersOf, GraphEngine, type HistoryQuery, type StateQuery, servedGraphs } from './engine.js';
export { type CheckpointStore, sqliteCheckpoints } from './savers.js';
export type { Fence, GraphCommand, GraphEvent, GraphJob, RunUser, ThreadOutcome } from './types.js';
