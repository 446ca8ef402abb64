import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
} from '@langchain/langgraph-checkpoint';
import { XiheError } from '../../errors.js';
import { LibsqlSaver } from '../checkpoint/libsql-saver.js';
import type { Fence } from './types.js';

/** Where the checkpoints of a server lie. */
export interface CheckpointStore {
  saver: BaseCheckpointSaver;
  /** The same for one run: it writes only while that run is its worker's. */
  fenced(fence: Fence): FencedSaver;
  /** Drops what a thread's checkpoints hold since `checkpointId`; all of it when that is `''`. */
  rollback(threadId: string, checkpointId: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * A saver that asks first, and remembers that storing failed: then the run is not at fault, and somebody else may go on with it.
 */
export class FencedSaver extends BaseCheckpointSaver {
  /** What the first failed read or write threw. */
  failure: unknown;
  readonly #inner: BaseCheckpointSaver;
  readonly #check: () => Promise<void>;
  readonly #underWay = new Set<Promise<unknown>>();
  #isSealed = false;

  constructor(inner: BaseCheckpointSaver, check: () => Promise<void>) {
    super(inner.serde);
    this.#inner = inner;
    this.#check = check;
  }

  override getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#noted(() => this.#inner.getTuple(config));
  }

  override list(config: RunnableConfig, options?: CheckpointListOptions): AsyncGenerator<CheckpointTuple> {
    return this.#inner.list(config, options);
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.#noted(async () => {
      await this.#check();
      return this.#inner.put(config, checkpoint, metadata, newVersions);
    });
  }

  override putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    return this.#noted(async () => {
      await this.#check();
      return this.#inner.putWrites(config, writes, taskId);
    });
  }

  override deleteThread(threadId: string): Promise<void> {
    return this.#inner.deleteThread(threadId);
  }

  /**
   * The run has ended: what is being written gets done, and nothing follows. A stopped graph may still have a step to store, which would
   * otherwise come after the rollback.
   */
  async seal(): Promise<void> {
    this.#isSealed = true;
    await Promise.allSettled(this.#underWay);
  }

  async #noted<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isSealed) throw new XiheError('LEASE_LOST', '这次运行已经结束', { hint: '不用做什么。' });
    const doing = work();
    this.#underWay.add(doing);
    try {
      return await doing;
    } catch (e) {
      this.failure ??= e;
      throw e;
    } finally {
      this.#underWay.delete(doing);
    }
  }
}

/** Checkpoints in one SQLite file, for the processes of one machine. @param file absolute path */
export function sqliteCheckpoints(file: string): CheckpointStore {
  const saver = LibsqlSaver.open(file);
  return {
    saver,
    fenced: (fence) => new FencedSaver(saver, () => fence.check()),
    rollback: (threadId, checkpointId) => saver.rollback(threadId, checkpointId),
    close: async () => saver.close(),
  };
}
