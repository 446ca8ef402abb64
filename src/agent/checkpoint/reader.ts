import type { RunnableConfig } from '@langchain/core/runnables';
import { type Checkpoint, compareWritesSortKeys, TASKS, writesSortKey } from '@langchain/langgraph-checkpoint';
import type { Database } from './database.js';
import type { BlobStore, Loaded, Ref } from './values.js';
import { unpack } from './values.js';

/** Checkpoints below this format keep the sends of a step in the parent's writes (LangGraph's own migration rule). */
const SENDS_IN_CHANNEL_SINCE = 4;

/** Which checkpoint: thread, namespace, and id where one is meant. */
export interface Address {
  threadId: string;
  ns: string;
  id: string | undefined;
}

/** What lies in checkpoints.body: the checkpoint without its values, and where those are. */
export interface Body {
  checkpoint: Omit<Checkpoint, 'channel_values'>;
  refs: Record<string, Ref>;
  metadata: Ref;
}

interface CheckpointRow {
  thread_id: string;
  ns: string;
  id: string;
  parent_id: string | null;
  body: Buffer;
}

interface WriteRow {
  task_id: string;
  idx: number;
  task_path: string;
  channel: string;
  ref: string;
}

/** Everything of one checkpoint as read in one transaction, not yet deserialised. */
export interface LoadedTuple {
  threadId: string;
  ns: string;
  id: string;
  parentId: string | null;
  checkpoint: Body['checkpoint'];
  metadata: Loaded;
  values: Array<[channel: string, value: Loaded]>;
  writes: Array<[taskId: string, channel: string, value: Loaded]>;
  /** Only for checkpoints of an old format. */
  sends: Loaded[] | undefined;
}

const ROW = 'SELECT thread_id, ns, id, parent_id, body FROM checkpoints WHERE thread_id = ? AND ns = ?';

/** Reads checkpoints and their writes. All methods are synchronous, to be called inside one transaction. */
export class CheckpointReader {
  readonly #db: Database;
  readonly #blobs: BlobStore;
  readonly #byId;
  readonly #newest;
  readonly #writesOf;

  constructor(db: Database, blobs: BlobStore) {
    this.#db = db;
    this.#blobs = blobs;
    this.#byId = db.prepare(`${ROW} AND id = ?`);
    this.#newest = db.prepare(`${ROW} ORDER BY id DESC LIMIT 1`);
    this.#writesOf = db.prepare(
      `SELECT task_id, idx, task_path, channel, ref FROM writes
       WHERE thread_id = ? AND ns = ? AND checkpoint_id = ?`,
    );
  }

  /** @returns the checkpoint of that id, or the newest of the namespace when there is no id; undefined when none */
  tuple(address: Address): LoadedTuple | undefined {
    const row = this.#row(address);
    if (!row) return undefined;
    const body = bodyOf(row);
    const load = (ref: Ref) => this.#blobs.load(row.thread_id, ref);
    const isOld = body.checkpoint.v < SENDS_IN_CHANNEL_SINCE && row.parent_id !== null;
    const parentWrites = isOld ? this.#writes(row.thread_id, row.ns, row.parent_id!) : undefined;
    return {
      threadId: row.thread_id,
      ns: row.ns,
      id: row.id,
      parentId: row.parent_id,
      checkpoint: body.checkpoint,
      metadata: load(body.metadata),
      values: Object.entries(body.refs).map(([channel, ref]) => [channel, load(ref)]),
      writes: this.#writes(row.thread_id, row.ns, row.id).map((w) => [w.task_id, w.channel, load(JSON.parse(w.ref))]),
      sends: parentWrites?.filter((w) => w.channel === TASKS).map((w) => load(JSON.parse(w.ref))),
    };
  }

  /** The body of one checkpoint without its values; undefined when there is no id or no such checkpoint. */
  body(address: Address): Body | undefined {
    const row = address.id === undefined ? undefined : this.#row(address);
    return row && bodyOf(row);
  }

  /** The checkpoints that a list() asks for, newest first. */
  addresses(config: RunnableConfig, before?: RunnableConfig): Address[] {
    const { thread_id, checkpoint_ns, checkpoint_id } = config.configurable ?? {};
    const conditions: Array<[sql: string, value: unknown]> = [
      ['thread_id = ?', thread_id],
      ['ns = ?', checkpoint_ns],
      ['id = ?', checkpoint_id],
      ['id < ?', before?.configurable?.checkpoint_id],
    ];
    const given = conditions.filter(([, value]) => value !== undefined && value !== null);
    const where = given.length > 0 ? `WHERE ${given.map(([sql]) => sql).join(' AND ')}` : '';
    const rows = this.#db
      .prepare(`SELECT thread_id, ns, id FROM checkpoints ${where} ORDER BY id DESC`)
      .all(...given.map(([, value]) => value)) as Array<Pick<CheckpointRow, 'thread_id' | 'ns' | 'id'>>;
    return rows.map(({ thread_id: threadId, ns, id }) => ({ threadId, ns, id }));
  }

  #row({ threadId, ns, id }: Address): CheckpointRow | undefined {
    const row = id === undefined ? this.#newest.get(threadId, ns) : this.#byId.get(threadId, ns, id);
    return row as CheckpointRow | undefined;
  }

  /** The writes of a checkpoint in the order in which a live run applies them. */
  #writes(threadId: string, ns: string, id: string): WriteRow[] {
    const key = (w: WriteRow) => writesSortKey(w.task_path, w.task_id, w.idx);
    const rows = this.#writesOf.all(threadId, ns, id) as WriteRow[];
    return rows.sort((a, b) => compareWritesSortKeys(key(a), key(b)));
  }
}

function bodyOf(row: CheckpointRow): Body {
  return JSON.parse(unpack(row.body).toString('utf8')) as Body;
}
