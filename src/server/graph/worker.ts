import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import type { Fence, GraphEngine, GraphJob } from '../../agent/deploy/index.js';
import { messageOf, XiheError } from '../../errors.js';
import type { Bus } from './bus.js';
import { EventWriter } from './events.js';
import {
  type Claim,
  claimHolds,
  claimRun,
  dropThread,
  finishRun,
  noteStart,
  type RunEnd,
  releaseRun,
  renewLeases,
  sweep,
} from './queue.js';
import type { RunError, RunKwargs, RunRow } from './rows.js';
import type { Sql } from './sql.js';

export interface WorkerOptions {
  /** Runs that this process works on at once. */
  concurrency: number;
  /** How long a worker that says nothing keeps its runs, in milliseconds. */
  leaseMs: number;
  log: (event: string, facts: Record<string, unknown>) => void;
}

/** How often a run may be begun: one that takes its process down each time must end some day. */
const MAX_ATTEMPTS = 10;
/** A third of the lease, so that two lost calls do not cost the run. */
const BEATS_A_LEASE = 3;
/** How often what is over is cleaned up, in milliseconds. */
const SWEEP_MS = 30_000;
/** How long to leave a store alone that did not answer, in milliseconds. */
const STORE_PAUSE_MS = 500;

/** Why a run in this process is to stop. */
type Stop = 'interrupt' | 'rollback' | 'shutdown' | 'lost';

interface Active {
  row: RunRow;
  claim: Claim;
  abort: AbortController;
  stop: Stop | undefined;
  done: Promise<void>;
}

/** Takes runs from the queue and works on them, as many at once as it may. */
export class Worker {
  readonly name = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  readonly #sql: Sql;
  readonly #bus: Bus;
  readonly #engine: GraphEngine;
  readonly #options: WorkerOptions;
  readonly #active = new Map<string, Active>();
  readonly #closing = new AbortController();
  #loops: Promise<void>[] = [];

  constructor(sql: Sql, bus: Bus, engine: GraphEngine, options: WorkerOptions) {
    this.#sql = sql;
    this.#bus = bus;
    this.#engine = engine;
    this.#options = options;
  }

  start(): void {
    setMaxListeners(0, this.#closing.signal);
    this.#loops = [this.#loop(() => this.#takeRuns()), this.#loop(() => this.#beat()), this.#loop(() => this.#sweep())];
  }

  /** Runs that this process works on now. */
  get busy(): number {
    return this.#active.size;
  }

  /**
   * Takes no more runs, waits for those under way, and gives back what is not done by then: others go on from the newest checkpoint.
   *
   * @param graceMs how long to wait
   */
  async stop(graceMs: number): Promise<void> {
    this.#closing.abort();
    const all = Promise.all([...this.#active.values()].map((one) => one.done));
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([all, patience]);
    clearTimeout(timer);
    for (const one of this.#active.values()) this.#halt(one, 'shutdown');
    await all;
    await Promise.all(this.#loops);
  }

  /** Repeats a step until the worker closes; a store that does not answer is asked again later. */
  async #loop(step: () => Promise<void>): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await step();
      } catch (e) {
        this.#options.log('store.failed', { error: messageOf(e) });
        await this.#pause(STORE_PAUSE_MS);
      }
    }
  }

  async #takeRuns(): Promise<void> {
    const news = this.#bus.wait('work', this.#closing.signal);
    while (this.#active.size < this.#options.concurrency && !this.#closing.signal.aborted) {
      const row = await claimRun(this.#sql, this.name, this.#options.leaseMs);
      if (!row) break;
      this.#begin(row);
    }
    await news;
  }

  #begin(row: RunRow): void {
    const claim = { runId: row.run_id, worker: this.name, attempt: row.attempt };
    const active: Active = { row, claim, abort: new AbortController(), stop: undefined, done: Promise.resolve() };
    // The engine listens anew in each step of a run.
    setMaxListeners(0, active.abort.signal);
    this.#active.set(row.run_id, active);
    active.done = this.#work(active).finally(() => {
      this.#active.delete(row.run_id);
      // The next run of the thread may start, and here is room again.
      this.#bus.tell('work');
      this.#bus.tell(`run:${row.run_id}`);
    });
  }

  async #beat(): Promise<void> {
    // When a run is told to stop, and else often enough to keep the lease.
    await Promise.race([
      this.#bus.wait('cancel', this.#closing.signal),
      this.#pause(this.#options.leaseMs / BEATS_A_LEASE),
    ]);
    if (this.#active.size > 0) await this.#renew();
  }

  async #renew(): Promise<void> {
    const asked = [...this.#active.values()];
    const mine = new Map(
      (await renewLeases(this.#sql, this.name, this.#options.leaseMs)).map((row) => [row.run_id, row]),
    );
    for (const one of asked) {
      const row = mine.get(one.row.run_id);
      if (row?.attempt !== one.claim.attempt) this.#halt(one, 'lost');
      else if (row.cancel) this.#halt(one, row.cancel);
    }
  }

  #halt(active: Active, why: Stop): void {
    active.stop ??= why;
    active.abort.abort(why);
  }

  async #sweep(): Promise<void> {
    await this.#pause(SWEEP_MS);
    if (this.#closing.signal.aborted) return;
    for (const threadId of await sweep(this.#sql)) {
      await this.#engine.deleteThread(threadId);
      await dropThread(this.#sql, threadId);
    }
  }

  /** Works on one run to whatever end; never throws. */
  async #work(active: Active): Promise<void> {
    const { row, claim } = active;
    const facts = { run: row.run_id, thread: row.thread_id, attempt: row.attempt };
    this.#options.log('run.started', facts);
    try {
      const end = row.cancel ? stopped(row.cancel) : await this.#run(active);
      if (end.isRolledBack && row.start_checkpoint !== null)
        await this.#engine.rollback(row.thread_id, row.start_checkpoint);
      const outcome = await this.#engine.outcome(row.graph_id, row.thread_id);
      const isClosed = await finishRun(this.#sql, row, claim, { ...end, outcome });
      this.#options.log('run.finished', { ...facts, status: isClosed ? end.status : 'lost', ...end.error });
    } catch (e) {
      // Taken over, or the store is away: whoever holds the run next goes on with it.
      this.#options.log('run.released', { ...facts, error: messageOf(e) });
      await releaseRun(this.#sql, claim).catch(() => undefined);
    }
  }

  /** @throws when the run is to go on elsewhere */
  async #run(active: Active): Promise<RunEnd> {
    const { row, claim } = active;
    if (row.attempt > MAX_ATTEMPTS) {
      const message = `试了 ${MAX_ATTEMPTS} 次都没有跑完，每次运行它的进程都没了`;
      return this.#failed(row, { error: 'RUN_GIVEN_UP', message });
    }
    if (row.start_checkpoint === null) {
      row.start_checkpoint = await this.#engine.newestCheckpoint(row.thread_id);
      if (!(await noteStart(this.#sql, claim, row.start_checkpoint))) throw lost(row.run_id);
    }
    const events = await EventWriter.open(this.#sql, this.#bus, row.run_id);
    try {
      for await (const event of this.#engine.run(jobOf(row), this.#fence(claim), active.abort.signal))
        await events.write(event);
    } catch (e) {
      if (active.stop === 'interrupt' || active.stop === 'rollback') {
        await events.flush();
        return stopped(active.stop);
      }
      if (active.stop || XiheError.is(e, 'LEASE_LOST') || XiheError.is(e, 'STORE_FAILED')) throw e;
      await events.flush();
      return this.#failed(row, errorOf(e));
    }
    await events.flush();
    return { status: 'success' };
  }

  async #failed(row: RunRow, error: RunError): Promise<RunEnd> {
    const events = await EventWriter.open(this.#sql, this.#bus, row.run_id);
    await events.write({ event: 'error', data: JSON.stringify(error) });
    await events.flush();
    return { status: 'error', error };
  }

  #fence(claim: Claim): Fence {
    const query = claimHolds(claim);
    let n = 0;
    return {
      sql: { text: `${query.text.replace(/\?/g, () => `$${++n}`)} FOR SHARE`, values: query.values },
      check: async () => {
        const rows = await this.#sql.all(query.text, ...query.values);
        if (rows.length === 0) throw lost(claim.runId);
      },
    };
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      const { signal } = this.#closing;
      function done() {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    });
  }
}

function stopped(action: 'interrupt' | 'rollback'): RunEnd {
  return action === 'rollback' ? { status: 'interrupted', isRolledBack: true } : { status: 'interrupted' };
}

function lost(runId: string): XiheError {
  return new XiheError('LEASE_LOST', `运行 ${runId} 已经由别的进程接手`, { hint: '不用做什么，它会在那里跑完。' });
}

function errorOf(e: unknown): RunError {
  if (XiheError.is(e)) return { error: e.code, message: `${e.message}。${e.hint}` };
  return { error: e instanceof Error ? e.name : 'Error', message: messageOf(e) };
}

function jobOf(row: RunRow): GraphJob {
  const kwargs = JSON.parse(row.kwargs) as RunKwargs;
  return {
    runId: row.run_id,
    threadId: row.thread_id,
    graphId: row.graph_id,
    attempt: row.attempt,
    startCheckpoint: row.start_checkpoint ?? '',
    input: kwargs.input,
    command: kwargs.command,
    checkpointId: kwargs.checkpoint_id,
    configurable: kwargs.configurable,
    recursionLimit: kwargs.recursion_limit,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    tags: kwargs.tags,
    streamModes: kwargs.stream_mode,
    subgraphs: kwargs.stream_subgraphs,
    interruptBefore: kwargs.interrupt_before,
    interruptAfter: kwargs.interrupt_after,
    user: kwargs.user,
  };
}
