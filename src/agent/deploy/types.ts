/** The words between the graphs and whoever serves them: plain data, so that the server needs no LangChain. */

/** Who a run works for, as the server found out. */
export interface RunUser {
  identity: string;
  roles: string[];
}

export interface GraphCommand {
  goto?: unknown;
  update?: unknown;
  resume?: unknown;
}

/** What one run is given. */
export interface GraphJob {
  runId: string;
  threadId: string;
  graphId: string;
  /** From 1; more than 1 when a dead worker's run goes on. */
  attempt: number;
  /** Newest checkpoint of the thread when the run began; `''` when there was none. */
  startCheckpoint: string;
  input: unknown;
  command?: GraphCommand | undefined;
  /** A checkpoint to go on from that is not the newest. */
  checkpointId?: string | undefined;
  configurable: Record<string, unknown>;
  recursionLimit?: number | undefined;
  metadata: Record<string, unknown>;
  tags?: string[] | undefined;
  streamModes: string[];
  subgraphs: boolean;
  interruptBefore?: string[] | '*' | undefined;
  interruptAfter?: string[] | '*' | undefined;
  user?: RunUser | undefined;
}

/** One event of a run: the name as the protocol has it (`values`, `updates|子图`), the data as JSON text. */
export interface GraphEvent {
  event: string;
  data: string;
}

/** Where a thread stands. */
export interface ThreadOutcome {
  /** Something is left to do. */
  isOpen: boolean;
  /** What it asks, by task id; empty when it asks nothing. */
  interrupts: Record<string, unknown[]>;
}

/**
 * Keeps a worker that lost its run from writing: asked before each write of a checkpoint.
 * `sql` is for Postgres, where the check goes into the very transaction that writes.
 */
export interface Fence {
  /** @throws XiheError LEASE_LOST */
  check(): Promise<void>;
  /** A statement that gives a row only while the run is still this worker's; it locks that row against a takeover. */
  sql?: { text: string; values: unknown[] };
}
