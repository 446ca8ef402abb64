import { stableHash } from '../text/index.js';
import { lastDayOf } from './expiry.js';

/** What filters know of a chunk. */
export interface IndexFacts {
  layer: 'general' | 'project';
  module?: string;
  status: 'verified' | 'candidate';
  /** Last day, month or version for which it holds. */
  versionUntil?: string;
}

/** One chunk as an index keeps it. */
export interface IndexRow extends IndexFacts {
  /** Id of the chunk. */
  id: string;
  /** {@link rowHash} of it: a row whose hash is there already is not written again. */
  hash: string;
  /** Of length 1. */
  vector: Float32Array;
  /** Its words as the queries are cut, repeats included. */
  tokens: readonly string[];
}

/** Which rows may be hits; what is not named lets all pass. */
export interface IndexFilter {
  /** Rows of these modules, and rows of none. */
  modules?: readonly string[];
  status?: IndexFacts['status'];
  layer?: IndexFacts['layer'];
  /** Rows that are not over on this day (`2026-12-01`). */
  validOn?: string;
}

export interface IndexHit {
  id: string;
  score: number;
}

/** All that an index should hold, with what is costly to make asked for only where it is missing. */
export interface RowSource {
  /** Id → hash of every row. */
  hashes: ReadonlyMap<string, string>;
  /** The rows of some ids, in any order. */
  rows(ids: readonly string[], signal?: AbortSignal): Promise<readonly IndexRow[]>;
}

export interface SyncOptions {
  signal?: AbortSignal | undefined;
  /** Rows that are right by now, of how many. */
  onProgress?: (done: number, total: number) => void;
}

/**
 * The passages of a project by vector and by words, in memory or on a server. All searches give the best first, equal ones by id,
 * so that the two kinds answer alike. An empty query finds nothing.
 *
 * Every call throws XiheError: CANCELLED by `signal`, EMBED_DIMENSION for a vector of another length, MILVUS_… from the server.
 */
export interface ChunkIndex {
  readonly kind: 'local' | 'milvus';
  /** Made by another version of Xihe: only {@link rebuild} may write to it. {@link syncIndex} does that. */
  readonly needsRebuild: boolean;
  /** Nearest vectors; the score is the cosine. */
  dense(vector: Float32Array, limit: number, filter?: IndexFilter, signal?: AbortSignal): Promise<IndexHit[]>;
  /** BM25 with the constants of {@link BM25}; scores above 0. */
  lexical(tokens: readonly string[], limit: number, filter?: IndexFilter, signal?: AbortSignal): Promise<IndexHit[]>;
  /** Both arms by reciprocal ranks, see {@link RRF_K}; without tokens the vectors alone. */
  hybrid(
    vector: Float32Array,
    tokens: readonly string[],
    limit: number,
    filter?: IndexFilter,
    signal?: AbortSignal,
  ): Promise<IndexHit[]>;
  /** Id → hash of all rows. */
  hashes(signal?: AbortSignal): Promise<Map<string, string>>;
  /** @returns how many rows were new or of another hash, and so written */
  upsert(rows: readonly IndexRow[], signal?: AbortSignal): Promise<number>;
  /** Ids that are not there are no error. */
  remove(ids: readonly string[], signal?: AbortSignal): Promise<void>;
  /** After many writes: puts in order what was written, so that the first searches need not. {@link syncIndex} does it. */
  settle(signal?: AbortSignal): Promise<void>;
  /** Makes the whole index anew beside the old one, which answers until the new one is proven. */
  rebuild(source: RowSource, options?: SyncOptions): Promise<void>;
  /** Asks each arm for a row that is there. @throws XiheError when an arm is dead: such an arm finds nothing and says nothing */
  probe(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The usual constants of BM25 (Robertson & Zaragoza 2009), named here because servers have other defaults. */
export const BM25 = { k1: 1.2, b: 0.75 } as const;

/** The usual constant of reciprocal rank fusion (Cormack et al. 2009): score = Σ 1 / (60 + rank). */
export const RRF_K = 60;

/** How deep fusion looks into each arm at least: what one arm has at rank 3 the other may have at 40. */
const FUSION_DEPTH = 50;

export function fusionDepth(limit: number): number {
  return Math.max(limit, FUSION_DEPTH);
}

/** Rows that are fetched and written at a time: 400 KB of vectors of dimension 384. */
export const BATCH_ROWS = 256;

/** Scores that differ by less are equal: servers compute in 32 bits. */
const TIE = 1e-6;

/** Hits looked at beyond the limit, so that equal scores at the limit are told apart by id whatever order they came in. */
export const TIES = 16;

/** Best first, equal ones by id; sorts in place. */
export function inOrder(hits: IndexHit[]): IndexHit[] {
  const key = (hit: IndexHit) => Math.round(hit.score / TIE);
  return hits.sort((a, b) => key(b) - key(a) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/**
 * The hash that tells whether a row has to be written again.
 *
 * @param text what the vector was made from
 * @param tokens the words, so that a change of the cutting rules is a change
 */
export function rowHash(text: string, tokens: readonly string[], facts: IndexFacts): string {
  const { layer, module = '', status, versionUntil = '' } = facts;
  return stableHash(JSON.stringify([text, tokens, layer, module, status, versionUntil]));
}

/** The day of a filter as a number that compares, `2026-12-01` → 20261201. */
export function dayNumber(day: string): number {
  return Number(day.replaceAll('-', ''));
}

/** Last day on which a row holds, as {@link dayNumber} has it; what never ends or ends with a version is over on no day. */
export function lastDayNumber(facts: Pick<IndexFacts, 'versionUntil'>): number {
  return lastDayOf(facts.versionUntil) ?? FOREVER;
}

const FOREVER = 99_991_231;

/**
 * Brings an index to what `source` says: writes what is new or changed, removes what is gone. What was written stays when it is
 * interrupted, so the next call goes on from there.
 *
 * @returns how many rows were written and removed
 */
export async function syncIndex(
  index: Pick<ChunkIndex, 'hashes' | 'upsert' | 'remove' | 'settle'> & Partial<ChunkIndex>,
  source: RowSource,
  options: SyncOptions = {},
): Promise<{ written: number; removed: number }> {
  const { signal, onProgress } = options;
  if (index.needsRebuild === true) {
    await index.rebuild?.(source, options);
    return { written: source.hashes.size, removed: 0 };
  }
  const there = await index.hashes(signal);
  const missing = [...source.hashes].filter(([id, hash]) => there.get(id) !== hash).map(([id]) => id);
  const gone = [...there.keys()].filter((id) => !source.hashes.has(id));
  const total = source.hashes.size;
  let done = total - missing.length;
  onProgress?.(done, total);
  for (let at = 0; at < missing.length; at += BATCH_ROWS) {
    const ids = missing.slice(at, at + BATCH_ROWS);
    await index.upsert(await source.rows(ids, signal), signal);
    done += ids.length;
    onProgress?.(done, total);
  }
  // Last, so that an interrupted run leaves too much rather than too little.
  if (gone.length > 0) await index.remove(gone, signal);
  await index.settle(signal);
  return { written: missing.length, removed: gone.length };
}
