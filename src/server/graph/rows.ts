import type { GraphCommand, RunUser } from '../../agent/deploy/index.js';

export type RunStatus = 'pending' | 'running' | 'success' | 'error' | 'timeout' | 'interrupted';
export type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error';
export type MultitaskStrategy = 'reject' | 'enqueue' | 'interrupt' | 'rollback';
export type CancelAction = 'interrupt' | 'rollback';

/** What a run was asked to do; it lies in the store, so that any process can do it. */
export interface RunKwargs {
  input?: unknown;
  command?: GraphCommand | undefined;
  configurable: Record<string, unknown>;
  recursion_limit?: number | undefined;
  tags?: string[] | undefined;
  checkpoint_id?: string | undefined;
  stream_mode: string[];
  stream_subgraphs: boolean;
  stream_resumable: boolean;
  interrupt_before?: string[] | '*' | undefined;
  interrupt_after?: string[] | '*' | undefined;
  user?: RunUser | undefined;
}

export interface ThreadRow {
  thread_id: string;
  owner: string;
  graph_id: string | null;
  metadata: string;
  status: ThreadStatus;
  interrupts: string;
  error: string | null;
  is_temporary: number;
  expires_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface RunRow {
  run_id: string;
  thread_id: string;
  graph_id: string;
  status: RunStatus;
  kwargs: string;
  metadata: string;
  multitask_strategy: MultitaskStrategy;
  run_at: number;
  start_checkpoint: string | null;
  attempt: number;
  worker: string | null;
  lease_until: number | null;
  cancel: CancelAction | null;
  error: string | null;
  created_at: number;
  updated_at: number;
}

/** What went wrong, as clients read it. */
export interface RunError {
  error: string;
  message: string;
}

const ACTIVE: readonly RunStatus[] = ['pending', 'running'];

/** Whether a run has not ended yet. */
export function isActive(run: Pick<RunRow, 'status'>): boolean {
  return ACTIVE.includes(run.status);
}

/** A run as the protocol shows it. What the server itself put in (who it works for) stays inside. */
export function wireRun(row: RunRow, assistantId: string): Record<string, unknown> {
  const { user: _, ...kwargs } = JSON.parse(row.kwargs) as RunKwargs;
  return {
    run_id: row.run_id,
    thread_id: row.thread_id,
    assistant_id: assistantId,
    status: row.status,
    metadata: JSON.parse(row.metadata),
    kwargs,
    multitask_strategy: row.multitask_strategy,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
  };
}

/** A thread as the protocol shows it. @param values JSON text of its newest state */
export function wireThread(row: ThreadRow, values: string | null): Record<string, unknown> {
  return {
    thread_id: row.thread_id,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(row.updated_at),
    state_updated_at: isoOf(row.updated_at),
    metadata: JSON.parse(row.metadata),
    status: row.status,
    config: {},
    values: values === null ? null : JSON.parse(values),
    interrupts: JSON.parse(row.interrupts),
    ...(row.error ? { error: JSON.parse(row.error) } : {}),
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
