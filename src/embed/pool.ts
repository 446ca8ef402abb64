import type { Worker } from 'node:worker_threads';
import { abortError, closedError, computeTimeout, unavailable, workerFailed } from './errors.js';
import type { RuntimeKind } from './runtime.js';
import type { FromWorker, ToWorker } from './worker.js';

export interface PoolOptions {
  launch: () => Worker;
  /** Workers at most, ≥ 1. */
  size: number;
  /** Longest time for one text, in milliseconds. 512 tokens take 2–3 s on a slow busy core. */
  jobTimeoutMs?: number;
  /** Longest time for loading the model, in milliseconds. */
  startTimeoutMs?: number;
  /** A worker beyond the first ends after this time without work, in milliseconds: it holds about 150 MB. */
  idleMs?: number;
}

/** A query goes before all passages that wait. */
export const PRIORITY = { query: 0, passage: 1 } as const;
type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

const JOB_TIMEOUT_MS = 60_000;
const START_TIMEOUT_MS = 120_000;
const IDLE_MS = 30_000;
/** Loading costs a second worker as much as this many texts, so a short queue is left to the first. */
const WAITING_FOR_ANOTHER = 4;
/** A text that two workers died of is not given to a third. */
const MAX_TRIES = 2;

interface Job {
  id: number;
  text: string;
  priority: Priority;
  tries: number;
  done: boolean;
  resolve(vector: Float32Array): void;
  reject(e: unknown): void;
}

interface Slot {
  worker: Worker;
  state: 'starting' | 'idle' | 'busy' | 'dead';
  job?: Job;
  timer?: NodeJS.Timeout;
}

/**
 * Worker threads that each hold one model.
 *
 * They start when there is work, keep the process alive only while they have some, and are replaced when they die. One text at a
 * time goes to a worker, so a query waits for one passage at most.
 */
export class WorkerPool {
  private readonly slots: Slot[] = [];
  private readonly queues: [Job[], Job[]] = [[], []];
  private nextId = 1;
  private closed = false;
  /** What computes, once a worker has said so. */
  runtime: RuntimeKind | undefined;

  constructor(private readonly options: PoolOptions) {}

  /** Workers that are alive. */
  get workers(): number {
    return this.slots.length;
  }

  /**
   * @param text with its prefix
   * @throws XiheError EMBED_UNAVAILABLE, EMBED_FAILED, EMBED_TIMEOUT, CANCELLED
   */
  run(text: string, priority: Priority, signal?: AbortSignal): Promise<Float32Array> {
    if (this.closed) return Promise.reject(closedError());
    if (signal?.aborted) return Promise.reject(abortError(signal));
    return new Promise((resolve, reject) => {
      const settle = <T>(f: (value: T) => void) => {
        return (value: T) => {
          if (job.done) return;
          job.done = true;
          signal?.removeEventListener('abort', onAbort);
          f(value);
        };
      };
      const job: Job = {
        id: this.nextId++,
        text,
        priority,
        tries: 0,
        done: false,
        resolve: settle(resolve),
        reject: settle(reject),
      };
      const onAbort = () => {
        job.reject(abortError(signal));
        // A computation can't be stopped halfway; it ends in the background and keeps nobody waiting.
        for (const slot of this.slots) if (slot.job === job) slot.worker.unref();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.queues[priority].push(job);
      this.pump();
    });
  }

  /** Ends all workers; what is under way or waits fails with CANCELLED. */
  async close(): Promise<void> {
    this.closed = true;
    this.failWaiting(closedError());
    const slots = this.slots.splice(0);
    for (const slot of slots) {
      clearTimeout(slot.timer);
      slot.state = 'dead';
      slot.job?.reject(closedError());
    }
    await Promise.all(slots.map((slot) => slot.worker.terminate()));
  }

  private take(): Job | undefined {
    for (const queue of this.queues) {
      for (let job = queue.shift(); job !== undefined; job = queue.shift()) if (!job.done) return job;
    }
    return undefined;
  }

  private get waiting(): number {
    return this.queues[0].length + this.queues[1].length;
  }

  private pump(): void {
    if (this.closed) return;
    for (const slot of this.slots) if (slot.state === 'idle') this.give(slot);
    const starting = this.slots.some((slot) => slot.state === 'starting');
    const enough = this.slots.length === 0 ? 1 : WAITING_FOR_ANOTHER;
    if (!starting && this.slots.length < this.options.size && this.waiting >= enough) this.start();
  }

  private give(slot: Slot): void {
    clearTimeout(slot.timer);
    const job = this.take();
    if (job === undefined) {
      slot.worker.unref();
      if (this.slots.length > 1) this.endWhenIdle(slot);
      return;
    }
    slot.state = 'busy';
    slot.job = job;
    job.tries++;
    slot.worker.ref();
    const limit = this.options.jobTimeoutMs ?? JOB_TIMEOUT_MS;
    slot.timer = setTimeout(() => {
      job.reject(computeTimeout(limit / 1000));
      this.lose(slot, '超时');
    }, limit);
    slot.worker.postMessage({ job: job.id, text: job.text } satisfies ToWorker);
  }

  private endWhenIdle(slot: Slot): void {
    slot.timer = setTimeout(() => {
      if (slot.state === 'idle' && this.slots.length > 1) this.remove(slot);
    }, this.options.idleMs ?? IDLE_MS).unref();
  }

  private start(): void {
    const slot: Slot = { worker: this.options.launch(), state: 'starting' };
    this.slots.push(slot);
    const limit = this.options.startTimeoutMs ?? START_TIMEOUT_MS;
    slot.timer = setTimeout(() => this.startFailed(slot, `${limit / 1000} 秒没有加载完`), limit);
    slot.worker.on('message', (message: FromWorker) => this.hear(slot, message));
    slot.worker.on('error', (e) => this.lose(slot, e instanceof Error ? e.message : String(e)));
    slot.worker.on('exit', (code) => this.lose(slot, `线程退出（${code}）`));
  }

  private hear(slot: Slot, message: FromWorker): void {
    if (slot.state === 'dead') return;
    if (message.type === 'unavailable') {
      this.startFailed(slot, message.why);
      return;
    }
    if (message.type === 'ready') {
      this.runtime = message.runtime;
    } else if (message.job === slot.job?.id) {
      if (message.type === 'vector') slot.job.resolve(message.vector);
      else slot.job.reject(workerFailed(message.why));
      slot.job = undefined;
    }
    clearTimeout(slot.timer);
    slot.state = 'idle';
    this.pump();
  }

  /** The model does not load: what waits would wait for ever, unless another worker has loaded it. */
  private startFailed(slot: Slot, why: string): void {
    if (slot.state === 'dead') return;
    this.remove(slot);
    if (this.slots.length === 0) this.failWaiting(unavailable(why));
  }

  /** A worker has died: its text goes to another one, once. */
  private lose(slot: Slot, why: string): void {
    if (slot.state === 'dead') return;
    if (slot.state === 'starting') {
      this.startFailed(slot, why);
      return;
    }
    const job = slot.job;
    this.remove(slot);
    if (job !== undefined && !job.done) {
      if (job.tries < MAX_TRIES && !this.closed) this.queues[job.priority].unshift(job);
      else job.reject(workerFailed(why));
    }
    this.pump();
  }

  private remove(slot: Slot): void {
    clearTimeout(slot.timer);
    slot.state = 'dead';
    const at = this.slots.indexOf(slot);
    if (at >= 0) this.slots.splice(at, 1);
    void slot.worker.terminate();
  }

  private failWaiting(error: Error): void {
    for (const queue of this.queues) for (const job of queue.splice(0)) job.reject(error);
  }
}
