import { VectorIndex, type VectorIndexOptions } from '../embed/index.js';
import { XiheError } from '../errors.js';
import { Bm25Index } from '../text/index.js';
import {
  BM25,
  type ChunkIndex,
  dayNumber,
  fusionDepth,
  type IndexFilter,
  type IndexHit,
  type IndexRow,
  inOrder,
  lastDayNumber,
  type RowSource,
  RRF_K,
  type SyncOptions,
  syncIndex,
  TIES,
} from './chunkIndex.js';

type KeptRow = Omit<IndexRow, 'vector'> & { until: number };

/** Words of a row that the probe asks for; all of a long one would cost time and prove nothing more. */
const PROBE_TOKENS = 32;

/** The index in memory: exact vectors, BM25. Searches are synchronous inside; the promises are those of the seam. */
export class LocalIndex implements ChunkIndex {
  readonly kind = 'local';
  readonly needsRebuild = false;
  private rows = new Map<string, KeptRow>();
  private vectors: VectorIndex;
  /** Made from the rows at the first search after a change: BM25 weighs every row by all others. */
  private words: Bm25Index | undefined;

  constructor(private readonly options: VectorIndexOptions) {
    this.vectors = new VectorIndex(options);
  }

  async dense(vector: Float32Array, limit: number, filter?: IndexFilter, signal?: AbortSignal): Promise<IndexHit[]> {
    checkSignal(signal);
    const passes = filterOf(filter);
    const found = this.vectors.search(vector, { limit: limit + TIES, filter: (id) => passes(this.rows.get(id)!) });
    return inOrder(found).slice(0, Math.max(0, limit));
  }

  async lexical(
    tokens: readonly string[],
    limit: number,
    filter?: IndexFilter,
    signal?: AbortSignal,
  ): Promise<IndexHit[]> {
    checkSignal(signal);
    if (tokens.length === 0 || limit < 1) return [];
    const passes = filterOf(filter);
    const found = this.wordIndex().search(tokens, limit + TIES, (id) => passes(this.rows.get(id)!));
    return inOrder(found.map(({ id, score }) => ({ id, score }))).slice(0, limit);
  }

  async hybrid(
    vector: Float32Array,
    tokens: readonly string[],
    limit: number,
    filter?: IndexFilter,
    signal?: AbortSignal,
  ): Promise<IndexHit[]> {
    const depth = fusionDepth(limit);
    const arms = [await this.dense(vector, depth, filter, signal), await this.lexical(tokens, depth, filter, signal)];
    const scores = new Map<string, number>();
    for (const hits of arms)
      hits.forEach(({ id }, rank) => {
        scores.set(id, (scores.get(id) ?? 0) + 1 / (RRF_K + rank + 1));
      });
    return inOrder([...scores].map(([id, score]) => ({ id, score }))).slice(0, Math.max(0, limit));
  }

  async hashes(signal?: AbortSignal): Promise<Map<string, string>> {
    checkSignal(signal);
    return new Map([...this.rows].map(([id, { hash }]) => [id, hash]));
  }

  async upsert(rows: readonly IndexRow[], signal?: AbortSignal): Promise<number> {
    checkSignal(signal);
    let written = 0;
    for (const { vector, ...row } of rows) {
      if (this.rows.get(row.id)?.hash === row.hash) continue;
      this.vectors.add(row.id, vector);
      this.rows.set(row.id, { ...row, until: lastDayNumber(row) });
      this.words = undefined;
      written++;
    }
    return written;
  }

  async remove(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    checkSignal(signal);
    for (const id of ids) {
      if (!this.rows.delete(id)) continue;
      this.vectors.remove(id);
      this.words = undefined;
    }
  }

  async settle(signal?: AbortSignal): Promise<void> {
    checkSignal(signal);
    this.wordIndex();
  }

  async rebuild(source: RowSource, options: SyncOptions = {}): Promise<void> {
    const fresh = new LocalIndex(this.options);
    await syncIndex(fresh, source, options);
    await fresh.probe(options.signal);
    this.rows = fresh.rows;
    this.vectors = fresh.vectors;
    this.words = fresh.words;
  }

  async probe(signal?: AbortSignal): Promise<void> {
    const row = [...this.rows.values()].find(({ tokens }) => tokens.length > 0);
    if (row === undefined) return;
    const [near] = await this.dense(this.vectors.get(row.id)!, 1, undefined, signal);
    const tokens = row.tokens.slice(0, PROBE_TOKENS);
    const words = await this.lexical(tokens, this.rows.size, undefined, signal);
    const dead = near === undefined ? '向量' : words.some(({ id }) => id === row.id) ? undefined : '按词';
    if (dead === undefined) return;
    throw new XiheError('STATE_CORRUPT', `本机索引的${dead}检索找不到已有的片段`, {
      hint: '重建索引即可，向量在缓存里。',
    });
  }

  async close(): Promise<void> {}

  private wordIndex(): Bm25Index {
    if (this.words !== undefined) return this.words;
    const words = new Bm25Index({ ...BM25 });
    for (const id of [...this.rows.keys()].sort()) words.add(id, { text: this.rows.get(id)!.tokens });
    this.words = words.finish();
    return this.words;
  }
}

function filterOf(filter: IndexFilter = {}): (row: KeptRow) => boolean {
  const { modules, status, layer, validOn } = filter;
  const day = validOn === undefined ? undefined : dayNumber(validOn);
  return (row) =>
    (modules === undefined || row.module === undefined || row.module === '' || modules.includes(row.module)) &&
    (status === undefined || row.status === status) &&
    (layer === undefined || row.layer === layer) &&
    (day === undefined || row.until >= day);
}

function checkSignal(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  if (XiheError.is(signal.reason)) throw signal.reason;
  throw new XiheError('CANCELLED', '检索已取消', { hint: '再次运行即可。', cause: signal.reason });
}
