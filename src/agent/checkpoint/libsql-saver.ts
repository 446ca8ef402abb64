import { isDeepStrictEqual } from 'node:util';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  copyCheckpoint,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint';
import { type Database, openDatabase, stateError } from './database.js';
import { type Address, type Body, CheckpointReader, type LoadedTuple } from './reader.js';
import { deleteThreadRows, rollbackRows, selectThreads, shrink, type ThreadInfo } from './threads.js';
import { BlobStore, type Loaded, pack, prepare, type Ref, revive } from './values.js';

export type { ThreadInfo } from './threads.js';

/** What {@link LibsqlSaver.prune} did. */
export interface PruneResult {
  /** Thread ids, oldest first. */
  deleted: string[];
  /** How much smaller the database got, in bytes; 0 when too little was freed to be worth giving back. */
  freedBytes: number;
}

/**
 * LangGraph checkpoints in one SQLite file, for many processes at once.
 *
 * Each value is stored once per content and thread, lists item by item, deflated: 24 turns of a growing conversation cost
 * about what the conversation itself weighs. Opened by {@link LibsqlSaver.open}; throws XiheError STATE_CORRUPT or
 * STATE_UNWRITABLE from any method when the file can't be read or written.
 */
export class LibsqlSaver extends BaseCheckpointSaver {
  readonly #db: Database;
  readonly #file: string;
  readonly #blobs: BlobStore;
  readonly #reader: CheckpointReader;
  #closed = false;

  private constructor(db: Database, file: string, serde?: SerializerProtocol) {
    super(serde);
    this.#db = db;
    this.#file = file;
    this.#blobs = new BlobStore(db);
    this.#reader = new CheckpointReader(db, this.#blobs);
  }

  /** @param file absolute path of the database; made with its folder when it is not there */
  static open(file: string, serde?: SerializerProtocol): LibsqlSaver {
    return new LibsqlSaver(openDatabase(file), file, serde);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    if (config.configurable?.thread_id === undefined) return undefined;
    const loaded = this.#read(() => this.#reader.tuple(addressOf(config)));
    return loaded && this.#toTuple(loaded);
  }

  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    const filter = Object.entries(options.filter ?? {}).filter(([, value]) => value !== undefined);
    for (const address of this.#read(() => this.#reader.addresses(config, options.before))) {
      if (left <= 0) return;
      // Read one by one: a consumer that stops early costs nothing, and a thread deleted meanwhile is skipped.
      const loaded = this.#read(() => this.#reader.tuple(address));
      if (!loaded) continue;
      const tuple = await this.#toTuple(loaded);
      const metadata = tuple.metadata as Record<string, unknown> | undefined;
      if (!filter.every(([key, value]) => isDeepStrictEqual(metadata?.[key], value))) continue;
      left--;
      yield tuple;
    }
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const address = addressOf(config);
    const { channel_values: values, ...rest } = copyCheckpoint(checkpoint);
    const meta = await prepare(this.serde, metadata);
    const storeUnnamed = address.id !== undefined || metadata?.source === 'fork';
    for (;;) {
      const parent = this.#read(() => this.#reader.body(address));
      const { refs, changed } = divide(values, rest.channel_versions, newVersions, parent, storeUnnamed);
      const prepared = await Promise.all(changed.map((channel) => prepare(this.serde, values[channel])));
      for (const [i, channel] of changed.entries()) refs[channel] = prepared[i]!.ref;
      const body: Body = { checkpoint: rest, refs, metadata: meta.ref };
      const blobs = [meta, ...prepared].flatMap((one) => one.blobs);
      const stored = this.#write(() => {
        // Inherited references hold only while the parent does; it may have been deleted since it was read.
        if (parent && !this.#reader.body(address)) return false;
        this.#blobs.save(address.threadId, blobs);
        this.#insertCheckpoint(address, checkpoint, body);
        return true;
      });
      if (stored) return configOf(address.threadId, address.ns, checkpoint.id);
    }
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    const { threadId, ns, id } = addressOf(config);
    if (id === undefined) throw new Error('putWrites: "checkpoint_id" is missing in config.configurable');
    const prepared = await Promise.all(writes.map(([, value]) => prepare(this.serde, value)));
    this.#write(() => {
      for (const [i, [channel]] of writes.entries()) {
        const { ref, blobs } = prepared[i]!;
        const idx = WRITES_IDX_MAP[channel] ?? i;
        this.#blobs.save(threadId, blobs);
        // Errors, interrupts and resume values (negative index) replace what was there; a task's own writes stay the first.
        this.#db
          .prepare(
            `INSERT OR ${idx < 0 ? 'REPLACE' : 'IGNORE'} INTO writes
             (thread_id, ns, checkpoint_id, task_id, idx, task_path, channel, ref) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(threadId, ns, id, taskId, idx, taskPath, channel, JSON.stringify(ref));
      }
    });
  }

  override async deleteThread(threadId: string): Promise<void> {
    this.#write(() => deleteThreadRows(this.#db, threadId));
  }

  /** Drops what a thread holds since a checkpoint: later checkpoints, and what was written on that one but for its questions. */
  async rollback(threadId: string, checkpointId: string): Promise<void> {
    this.#write(() => rollbackRows(this.#db, threadId, checkpointId));
  }

  /** The threads, the one with the newest checkpoint first. */
  async listThreads(limit = 50): Promise<ThreadInfo[]> {
    return this.#read(() => selectThreads(this.#db, limit));
  }

  /**
   * Deletes whole threads, oldest first, until `keepThreads` are left, and shrinks the file when much was freed.
   *
   * @param keepThreads how many of the newest threads stay
   * @param protectedThreads ids that stay whatever their age (waiting for a person, running); they do not use up the number
   */
  async prune(keepThreads: number, protectedThreads: Iterable<string> = []): Promise<PruneResult> {
    const keep = new Set(protectedThreads);
    const others = (await this.listThreads(-1)).filter((t) => !keep.has(t.threadId));
    const deleted = others
      .slice(Math.max(0, keepThreads))
      .map((t) => t.threadId)
      .reverse();
    // One transaction a thread: a run in another process never waits long.
    for (const threadId of deleted) await this.deleteThread(threadId);
    return { deleted, freedBytes: deleted.length > 0 ? this.#guard(() => shrink(this.#db)) : 0 };
  }

  /** Closes the file. Further calls throw; a second close does nothing. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      // Leaves one tidy file behind; where another process still reads, its own close does it.
      this.#db.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      this.#db.close();
    }
  }

  #insertCheckpoint({ threadId, ns, id: parentId }: Address, { id, ts }: Checkpoint, body: Body): void {
    this.#db
      .prepare('INSERT OR REPLACE INTO checkpoints (thread_id, ns, id, parent_id, ts, body) VALUES (?, ?, ?, ?, ?, ?)')
      .run(threadId, ns, id, parentId ?? null, ts, pack(Buffer.from(JSON.stringify(body), 'utf8')));
  }

  #read<T>(fn: () => T): T {
    return this.#guard(() => this.#db.transaction(fn).deferred());
  }

  /** Immediate: the lock is taken (and waited for) at the start, because a reader that turns writer is refused at once. */
  #write<T>(fn: () => T): T {
    return this.#guard(() => this.#db.transaction(fn).immediate());
  }

  #guard<T>(fn: () => T): T {
    if (this.#closed) throw new Error('the checkpoint database is closed');
    try {
      return fn();
    } catch (e) {
      throw stateError(e, this.#file);
    }
  }

  async #toTuple(loaded: LoadedTuple): Promise<CheckpointTuple> {
    const { threadId, ns, id, parentId, sends } = loaded;
    const value = (one: Loaded) => revive(this.serde, one);
    const entries = loaded.values.map(async ([channel, one]) => [channel, await value(one)] as const);
    const writes = loaded.writes.map(
      async ([task, channel, one]): Promise<CheckpointPendingWrite> => [task, channel, await value(one)],
    );
    const checkpoint: Checkpoint = {
      ...loaded.checkpoint,
      channel_values: Object.fromEntries(await Promise.all(entries)),
    };
    if (sends) {
      const versions = Object.values(checkpoint.channel_versions);
      checkpoint.channel_values[TASKS] = await Promise.all(sends.map(value));
      checkpoint.channel_versions[TASKS] =
        versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
    }
    return {
      config: configOf(threadId, ns, id),
      checkpoint,
      metadata: (await value(loaded.metadata)) as CheckpointMetadata,
      ...(parentId === null ? {} : { parentConfig: configOf(threadId, ns, parentId) }),
      pendingWrites: await Promise.all(writes),
    };
  }
}

function configOf(threadId: string, ns: string, id: string): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id } };
}

function addressOf(config: RunnableConfig): Address {
  const { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: id } = config.configurable ?? {};
  if (!threadId) throw new Error('"thread_id" is missing in config.configurable');
  return { threadId, ns: ns ?? '', id: id || undefined };
}

/**
 * Tells which channels must be serialised and which keep the parent's value.
 *
 * A channel whose version the parent has too holds the parent's value: that is LangGraph's contract. `newVersions` names
 * those that changed. A channel in neither is stored when `storeUnnamed` (there is a parent to differ from, or this is a
 * copied checkpoint, which comes with empty `newVersions`), else dropped, as the savers' common specification asks.
 */
function divide(
  values: Record<string, unknown>,
  versions: ChannelVersions,
  newVersions: ChannelVersions,
  parent: Body | undefined,
  storeUnnamed: boolean,
): { refs: Record<string, Ref>; changed: string[] } {
  const refs: Record<string, Ref> = {};
  const changed: string[] = [];
  for (const channel of Object.keys(values)) {
    const inherited = parent?.refs[channel];
    const isSame = parent?.checkpoint.channel_versions[channel] === versions[channel];
    if (Object.hasOwn(newVersions, channel)) changed.push(channel);
    else if (inherited && isSame) refs[channel] = inherited;
    else if (storeUnnamed) changed.push(channel);
  }
  return { refs, changed };
}
