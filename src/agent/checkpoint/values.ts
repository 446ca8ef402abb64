import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { XiheError } from '../../errors.js';
import type { Database } from './database.js';

/**
 * Where a stored value is. Small JSON lies in the reference itself (`s`); the rest lies in a blob named by its content
 * (`h`). A list is a blob of references to its items (`l`): a list that only grows, as messages do, costs its new items
 * and not the whole list again at each step. Of a long list, every {@link CHUNK} references lie in a blob of their own (`c`, inside
 * lists only): otherwise the references alone grow with the square of a run's length.
 */
export type Ref = { s: string } | { h: string } | { l: string };

export interface Blob {
  hash: string;
  type: string;
  bytes: Uint8Array;
}

/** A value made ready outside the transaction: its reference, and the blobs that must be there for it. */
export interface Prepared {
  ref: Ref;
  blobs: Blob[];
}

/** References in one piece of a long list: a list costs a reference for each piece, and at most so many more. */
const CHUNK = 16;

/** JSON up to so many bytes stays in the row: a blob row of its own costs about 100 bytes. */
const INLINE_BYTES = 256;
/** Below this many bytes deflate gains nothing. */
const PACK_MIN_BYTES = 256;
/** Measured on 8–40 KB of Chinese and English JSON: 3 % larger than level 6, in two thirds of its time. */
const DEFLATE_LEVEL = 3;
const RAW = 0;
const DEFLATED = 1;

/** Bytes with one byte before them that says whether they are deflated. */
export function pack(bytes: Uint8Array): Buffer {
  if (bytes.length >= PACK_MIN_BYTES) {
    const small = deflateRawSync(bytes, { level: DEFLATE_LEVEL });
    if (small.length < bytes.length) return Buffer.concat([Buffer.of(DEFLATED), small]);
  }
  return Buffer.concat([Buffer.of(RAW), bytes]);
}

export function unpack(data: Uint8Array): Buffer {
  const body = Buffer.from(data.buffer, data.byteOffset + 1, data.byteLength - 1);
  return data[0] === DEFLATED ? inflateRawSync(body) : body;
}

function blobOf(type: string, bytes: Uint8Array): Blob {
  // 120 bits of SHA-256: no two values of one thread will ever share it.
  const hash = createHash('sha256').update(type).update('\0').update(bytes).digest().subarray(0, 15);
  return { hash: hash.toString('base64url'), type, bytes };
}

function single(type: string, bytes: Uint8Array): Prepared {
  if (type === 'json' && bytes.length <= INLINE_BYTES)
    return { ref: { s: Buffer.from(bytes).toString('utf8') }, blobs: [] };
  const blob = blobOf(type, bytes);
  return { ref: { h: blob.hash }, blobs: [blob] };
}

/** Serialises a value; lists item by item. */
export async function prepare(serde: SerializerProtocol, value: unknown): Promise<Prepared> {
  if (!Array.isArray(value) || value.length === 0) return single(...(await serde.dumpsTyped(value)));
  const dumped = await Promise.all(value.map((item) => serde.dumpsTyped(item)));
  const items = dumped.map(([type, bytes]) => single(type, bytes.length === 0 ? Buffer.from('null') : bytes));
  const inline = items.map(({ ref }) => ('s' in ref ? ref.s : undefined));
  const whole = `[${inline.join(',')}]`;
  if (!inline.includes(undefined) && whole.length <= INLINE_BYTES) return { ref: { s: whole }, blobs: [] };
  // In the list an inline item is its JSON text, any other is its reference.
  const list = items.map(({ ref }) => ('s' in ref ? ref.s : ref));
  const chunks: Blob[] = [];
  const cut = list.length - (list.length % CHUNK);
  for (let at = 0; at < cut; at += CHUNK) chunks.push(listBlob(list.slice(at, at + CHUNK)));
  const blob = listBlob([...chunks.map(({ hash }) => ({ c: hash })), ...list.slice(cut)]);
  return { ref: { l: blob.hash }, blobs: [...items.flatMap((item) => item.blobs), ...chunks, blob] };
}

/** What stands in a stored list: the JSON of a small item, the reference of another, or a piece of the list itself. */
type Listed = string | Ref | { c: string };

function listBlob(list: readonly Listed[]): Blob {
  return blobOf('list', Buffer.from(JSON.stringify(list), 'utf8'));
}

/** A value read from the database, not yet deserialised. */
export type Loaded = { type: string; bytes: Uint8Array | string } | { items: Loaded[] };

export async function revive(serde: SerializerProtocol, loaded: Loaded): Promise<unknown> {
  if ('items' in loaded) return Promise.all(loaded.items.map((item) => revive(serde, item)));
  return serde.loadsTyped(loaded.type, loaded.bytes);
}

/** The blobs table. All methods are synchronous, to be called inside one transaction. */
export class BlobStore {
  readonly #has;
  readonly #insert;
  readonly #get;

  constructor(db: Database) {
    this.#has = db.prepare('SELECT 1 FROM blobs WHERE thread_id = ? AND hash = ?');
    this.#insert = db.prepare('INSERT OR IGNORE INTO blobs (thread_id, hash, type, data) VALUES (?, ?, ?, ?)');
    this.#get = db.prepare('SELECT type, data FROM blobs WHERE thread_id = ? AND hash = ?');
  }

  save(threadId: string, blobs: readonly Blob[]): void {
    for (const { hash, type, bytes } of blobs) {
      if (this.#has.get(threadId, hash) === undefined) this.#insert.run(threadId, hash, type, pack(bytes));
    }
  }

  load(threadId: string, ref: Ref): Loaded {
    if ('s' in ref) return { type: 'json', bytes: ref.s };
    if ('l' in ref) return { items: this.#listed(threadId, ref.l, ref).map((item) => this.load(threadId, item)) };
    const { type, data } = this.#row(threadId, ref.h, ref);
    return { type, bytes: unpack(data) };
  }

  /** The references of a list, its pieces put together. */
  #listed(threadId: string, hash: string, ref: Ref): Ref[] {
    const list = JSON.parse(unpack(this.#row(threadId, hash, ref).data).toString('utf8')) as Listed[];
    return list.flatMap((item) => {
      if (typeof item === 'string') return [{ s: item }];
      return 'c' in item ? this.#listed(threadId, item.c, ref) : [item];
    });
  }

  #row(threadId: string, hash: string, ref: Ref): { type: string; data: Buffer } {
    const row = this.#get.get(threadId, hash) as { type: string; data: Buffer } | undefined;
    if (row === undefined) {
      throw new XiheError('STATE_CORRUPT', `会话 ${threadId} 的断点缺了一块数据`, {
        hint: '这个会话无法继续：用 xihe threads 看看别的会话，或重新运行任务。',
        details: { threadId, ref },
      });
    }
    return row;
  }
}
