import { crc32 } from 'node:zlib';
import { XiheError } from '../errors.js';
import type { Encoding } from './cacheRecord.js';
import { wrongDimension } from './errors.js';
import { RowStore } from './rowStore.js';
import { normalise } from './vector.js';

export interface VectorHit {
  id: string;
  /** Cosine, −1 to 1. E5 puts unrelated texts near 0.75. */
  score: number;
}

export interface TopOptions {
  /** Hits at most (default 10). */
  limit?: number;
  /** Hits below are left out. */
  minScore?: number;
  /** Asked only for entries that would be among the hits. */
  filter?: (id: string) => boolean;
}

export interface VectorIndexOptions {
  /** Id of the embedder whose vectors these are. */
  embedderId: string;
  dimension: number;
  /** `int8` (default) takes a quarter of the memory and a third of the time of `float32`; its loss is in README.md. */
  encoding?: Encoding;
}

const MAGIC = 'XHVI';
const VERSION = 1;
/** Magic, version, checksum of the rest, length of the JSON head. */
const HEAD_BYTES = 16;

interface Head {
  embedderId: string;
  dimension: number;
  encoding: Encoding;
  ids: string[];
}

/** Exact nearest neighbours by cosine, in memory. */
export class VectorIndex {
  readonly embedderId: string;
  readonly dimension: number;
  private readonly store: RowStore;
  private readonly ids: string[] = [];
  private readonly rowOf = new Map<string, number>();
  private changes = 0;

  constructor(options: VectorIndexOptions) {
    this.embedderId = options.embedderId;
    this.dimension = options.dimension;
    this.store = new RowStore(options.dimension, options.encoding ?? 'int8');
  }

  get size(): number {
    return this.store.count;
  }

  /** Bytes that the vectors take in memory. */
  get bytes(): number {
    return this.store.bytes;
  }

  has(id: string): boolean {
    return this.rowOf.has(id);
  }

  /** Ids of all entries, in no order that means anything. */
  get entries(): readonly string[] {
    return this.ids;
  }

  /** Where an entry stands now, for {@link VectorScores.at}; any change of the index may move it. */
  row(id: string): number | undefined {
    return this.rowOf.get(id);
  }

  /** The vector of an entry, length 1 up to rounding. */
  get(id: string): Float32Array | undefined {
    const row = this.rowOf.get(id);
    return row === undefined ? undefined : this.store.get(row);
  }

  /**
   * Adds an entry, or gives the entry of that id another vector.
   *
   * @param vector any length but zero; the index keeps a copy of length 1
   * @throws XiheError EMBED_DIMENSION; EMBED_BAD_REPLY for a vector without direction
   */
  add(id: string, vector: Float32Array): void {
    const unit = this.unit(vector);
    const row = this.rowOf.get(id) ?? this.store.count;
    this.store.set(row, unit);
    this.ids[row] = id;
    this.rowOf.set(id, row);
    this.changes++;
  }

  /** @returns false when there was no such entry */
  remove(id: string): boolean {
    const row = this.rowOf.get(id);
    if (row === undefined) return false;
    this.store.removeBySwap(row);
    const last = this.ids.pop()!;
    if (last !== id) {
      this.ids[row] = last;
      this.rowOf.set(last, row);
    }
    this.rowOf.delete(id);
    this.changes++;
    return true;
  }

  /** The nearest entries, best first; equal scores by id, so that results do not depend on the order of adding. */
  search(query: Float32Array, options: TopOptions = {}): VectorHit[] {
    return this.score(query).top(options);
  }

  /** Compares `query` with all entries once; what is to be known of the scores is asked from the result. */
  score(query: Float32Array): VectorScores {
    const scores = this.store.scores(this.unit(query));
    const at = this.changes;
    return new VectorScores(scores, this.ids, this.rowOf, () => at === this.changes);
  }

  /** The whole index as bytes, checksum included. */
  toBytes(): Uint8Array {
    const head: Head = {
      embedderId: this.embedderId,
      dimension: this.dimension,
      encoding: this.store.encoding,
      ids: this.ids,
    };
    const json = Buffer.from(JSON.stringify(head), 'utf8');
    const { rows, scales } = this.store.export();
    const first = Buffer.alloc(HEAD_BYTES);
    first.write(MAGIC, 'latin1');
    first.writeUInt32LE(VERSION, 4);
    first.writeUInt32LE(json.length, 12);
    const scaleBytes = Buffer.from(scales.buffer, scales.byteOffset, scales.byteLength);
    const out = Buffer.concat([first, json, scaleBytes, rows]);
    out.writeUInt32LE(crc32(out.subarray(12)), 8);
    return out;
  }

  /**
   * Reads what {@link toBytes} wrote.
   *
   * @param embedderId the embedder that is in use now; undefined takes any
   * @throws XiheError STATE_CORRUPT when bytes are damaged or of another version; EMBED_DIMENSION when they belong to another embedder
   */
  static fromBytes(bytes: Uint8Array, embedderId?: string): VectorIndex {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const head = readHead(buffer);
    if (embedderId !== undefined && head.embedderId !== embedderId)
      throw new XiheError('EMBED_DIMENSION', `索引是 ${head.embedderId} 的向量，现在用的是 ${embedderId}`, {
        hint: '换了向量模型，重建索引即可。',
        details: { index: head.embedderId, embedder: embedderId },
      });
    const index = new VectorIndex(head);
    const scales = new Float32Array(head.encoding === 'int8' ? head.ids.length : 0);
    const from = HEAD_BYTES + buffer.readUInt32LE(12);
    scales.forEach((_, i) => {
      scales[i] = buffer.readFloatLE(from + 4 * i);
    });
    index.store.import(buffer.subarray(from + scales.byteLength), scales);
    head.ids.forEach((id, row) => {
      index.ids.push(id);
      index.rowOf.set(id, row);
    });
    return index;
  }

  private unit(vector: Float32Array): Float32Array {
    if (vector.length !== this.dimension) throw wrongDimension(this.dimension, vector.length, this.embedderId);
    const copy = vector.slice();
    if (normalise(copy)) return copy;
    throw new XiheError('EMBED_BAD_REPLY', '向量全是零或不是有限数', { hint: '检查向量服务给出的结果。' });
  }
}

/** The scores of one query against all entries; good until the index changes. */
export class VectorScores {
  private range: { min: number; max: number } | undefined;

  constructor(
    private readonly scores: Float32Array,
    private readonly ids: readonly string[],
    private readonly rowOf: ReadonlyMap<string, number>,
    private readonly isCurrent: () => boolean,
  ) {}

  /** The score of an entry, or undefined when it is not in the index. */
  of(id: string): number | undefined {
    this.check();
    const row = this.rowOf.get(id);
    return row === undefined ? undefined : this.scores[row];
  }

  /** The score of a row, see {@link VectorIndex.row}. */
  at(row: number): number {
    return this.scores[row]!;
  }

  /** Least and greatest score of all entries (0 when there are none), to scale scores by. */
  get minMax(): { min: number; max: number } {
    if (this.range !== undefined) return this.range;
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (const score of this.scores) {
      if (score < min) min = score;
      if (score > max) max = score;
    }
    this.range = this.scores.length === 0 ? { min: 0, max: 0 } : { min, max };
    return this.range;
  }

  top(options: TopOptions = {}): VectorHit[] {
    this.check();
    const { limit = 10, minScore = Number.NEGATIVE_INFINITY, filter } = options;
    const hits: VectorHit[] = [];
    if (limit < 1) return hits;
    let least = minScore;
    for (let row = 0; row < this.scores.length; row++) {
      const score = this.scores[row]!;
      if (score < least) continue;
      const id = this.ids[row]!;
      const worst = hits.at(-1);
      if (hits.length === limit && !isBefore(score, id, worst!)) continue;
      if (filter !== undefined && !filter(id)) continue;
      if (hits.length === limit) hits.pop();
      let at = hits.length;
      while (at > 0 && isBefore(score, id, hits[at - 1]!)) at--;
      hits.splice(at, 0, { id, score });
      if (hits.length === limit) least = Math.max(minScore, hits[limit - 1]!.score);
    }
    return hits;
  }

  private check(): void {
    if (!this.isCurrent()) throw new Error('the index has changed since these scores were made');
  }
}

function isBefore(score: number, id: string, other: VectorHit): boolean {
  return score > other.score || (score === other.score && id < other.id);
}

function readHead(buffer: Buffer): Head {
  const broken = (why: string) =>
    new XiheError('STATE_CORRUPT', `向量索引读不出来：${why}`, { hint: '删掉它会自动重建，向量在缓存里，不用重算。' });
  if (buffer.length < HEAD_BYTES || buffer.toString('latin1', 0, 4) !== MAGIC) throw broken('不是索引文件');
  if (buffer.readUInt32LE(4) !== VERSION) throw broken('版本不同');
  if (crc32(buffer.subarray(12)) !== buffer.readUInt32LE(8)) throw broken('内容不完整');
  const end = HEAD_BYTES + buffer.readUInt32LE(12);
  const head = headIn(buffer.toString('utf8', HEAD_BYTES, end));
  if (head === undefined) throw broken('开头不对');
  const rowBytes = head.encoding === 'int8' ? head.dimension + 4 : head.dimension * 4;
  if (buffer.length - end !== head.ids.length * rowBytes) throw broken('长度不对');
  if (!allFinite(buffer.subarray(end), head)) throw broken('里面有不是数的向量');
  return head;
}

/** A checksum says that nothing was lost on the way, not that it made sense when it was written. */
function headIn(json: string): Head | undefined {
  try {
    const head = JSON.parse(json) as Partial<Head> | null;
    const { embedderId, dimension = 0, encoding = '', ids } = head ?? {};
    if (typeof embedderId !== 'string' || !Number.isInteger(dimension) || dimension < 1) return undefined;
    if (!['int8', 'float32'].includes(encoding) || !Array.isArray(ids)) return undefined;
    const areIds = ids.every((id) => typeof id === 'string') && new Set(ids).size === ids.length;
    return areIds ? (head as Head) : undefined;
  } catch {
    return undefined;
  }
}

/** One number that is none makes every comparison wrong, and the next snapshot would keep it. Of 8-bit rows only the scale can be. */
function allFinite(rows: Buffer, { encoding, ids, dimension }: Head): boolean {
  const numbers = encoding === 'int8' ? ids.length : ids.length * dimension;
  for (let i = 0; i < numbers; i++) {
    const x = rows.readFloatLE(4 * i);
    if (!Number.isFinite(x) || (encoding === 'int8' && x <= 0)) return false;
  }
  return true;
}
