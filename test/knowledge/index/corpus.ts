/** Rows with words and vectors that are the same on every run, and searches over them written down plainly. */
import type { IndexFilter, IndexHit, IndexRow, RowSource } from '../../../src/knowledge/index.js';
import { random, randomVector } from '../../embed/support.js';

export const DIMENSION = 24;

/** Words that break naive analyzers: Chinese, signs inside, case, one that is a part of another, numbers, stop words. */
const WORDS = [
  ...['订单', '退款', '超时', '关单', '对账', '库存', '支付回调', '仅退款', '結算', '的'],
  ...['order_no', 'order', 'no', 'gmt.create', 'gmt', 'create', 'pay-channel', 'pay', 'channel', 'ERR_TIMEOUT'],
  ...['err_timeout', 'Err', 'the', 'and', 'c++', '3.2', '3', '2', '𠮷野家', 'naïve', '@zilliz/milvus', '%22', 'a"b\\c'],
  ...['x'.repeat(60), `${'x'.repeat(60)}y`],
];

const MODULES = [undefined, undefined, 'order', 'refund', '支付', 'a"b\\%'];
const UNTIL = [undefined, undefined, undefined, '2026-11-30', '2026-12-01', '2026-12', '2026-11', '3.2'];

/** @param dimension of the vectors */
export function makeRows(count: number, seed = 7, dimension = DIMENSION): IndexRow[] {
  const next = random(seed);
  // Squares, so that a few words are in half of the rows and most in few.
  const pick = <T>(from: readonly T[]) => from[Math.floor(next() * next() * from.length)]!;
  return Array.from({ length: count }, (_, n) => {
    const vector = randomVector(next, dimension);
    const length = 5 + Math.floor(next() * 40);
    const tokens = Array.from({ length }, () => (next() < 0.3 ? `w${Math.floor(next() * 400)}` : pick(WORDS)));
    const [module, versionUntil] = [pick(MODULES), pick(UNTIL)];
    return {
      id: `docs/第 ${n % 13} 章/it's "${n}".md#${n}`,
      hash: `h${n}`,
      vector,
      tokens,
      layer: next() < 0.3 ? 'general' : 'project',
      status: next() < 0.2 ? 'candidate' : 'verified',
      ...(module === undefined ? {} : { module }),
      ...(versionUntil === undefined ? {} : { versionUntil }),
    } satisfies IndexRow;
  });
}

/** A query as words, of what is in the rows and what is not. */
export function makeQuery(seed: number): string[] {
  const next = random(seed);
  const words = Array.from({ length: 2 + Math.floor(next() * 3) }, () => WORDS[Math.floor(next() * WORDS.length)]!);
  return [...words, `w${Math.floor(next() * 400)}`, '没有的词'];
}

/** What the filters mean. */
export function passes(row: IndexRow, { modules, status, layer, validOn }: IndexFilter = {}): boolean {
  if (modules !== undefined && row.module !== undefined && !modules.includes(row.module)) return false;
  if (status !== undefined && row.status !== status) return false;
  if (layer !== undefined && row.layer !== layer) return false;
  const until = row.versionUntil ?? '';
  return validOn === undefined || !until.startsWith('20') || validOn.slice(0, until.length) <= until;
}

export function cosines(rows: readonly IndexRow[], query: Float32Array, filter?: IndexFilter): IndexHit[] {
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
  return best(
    rows.filter((row) => passes(row, filter)),
    ({ vector }) => dot(vector, query) / Math.sqrt(dot(vector, vector) * dot(query, query)),
  );
}

/** BM25 with k1 = 1.2 and b = 0.75, statistics over all rows. */
export function bm25(rows: readonly IndexRow[], query: readonly string[], filter?: IndexFilter): IndexHit[] {
  const mean = rows.reduce((sum, { tokens }) => sum + tokens.length, 0) / rows.length;
  const idf = (word: string) => {
    const df = rows.filter(({ tokens }) => tokens.includes(word)).length;
    return Math.log(1 + (rows.length - df + 0.5) / (df + 0.5));
  };
  const weights = query.map((word) => [word, idf(word)] as const);
  const score = ({ tokens }: IndexRow) =>
    weights.reduce((sum, [word, weight]) => {
      const tf = tokens.filter((token) => token === word).length;
      return sum + (weight * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * tokens.length) / mean));
    }, 0);
  return best(
    rows.filter((row) => passes(row, filter)),
    score,
  ).filter((hit) => hit.score > 0);
}

/** Reciprocal ranks of the first 50 of each. */
export function fused(...arms: IndexHit[][]): IndexHit[] {
  const scores = new Map<string, number>();
  for (const hits of arms)
    hits.slice(0, 50).forEach(({ id }, n) => {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (61 + n));
    });
  return best(
    [...scores.keys()].map((id) => ({ id })),
    ({ id }) => scores.get(id)!,
  );
}

/** Least and greatest score that fusion may give a row, when equal scores within an arm may stand in any order. */
export function fusedBounds(...arms: IndexHit[][]): Map<string, { least: number; most: number }> {
  const bounds = new Map<string, { least: number; most: number }>();
  const points = (rank: number) => (rank < 50 ? 1 / (61 + rank) : 0);
  for (const hits of arms)
    for (const { id, score } of hits) {
      const equal = (other: IndexHit) => Math.abs(other.score - score) < 2e-6;
      const known = bounds.get(id) ?? { least: 0, most: 0 };
      const last = hits.findLastIndex(equal);
      bounds.set(id, { least: known.least + points(last), most: known.most + points(hits.findIndex(equal)) });
    }
  return bounds;
}

function best<T extends { id: string }>(rows: readonly T[], score: (row: T) => number): IndexHit[] {
  const hits = rows.map((row) => ({ id: row.id, score: score(row) }));
  return hits.sort((a, b) => Number((b.score - a.score).toFixed(6)) || (a.id < b.id ? -1 : 1));
}

export function sourceOf(rows: readonly IndexRow[]): RowSource {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    hashes: new Map(rows.map(({ id, hash }) => [id, hash])),
    rows: async (ids) => ids.map((id) => byId.get(id)!),
  };
}

export const idsOf = (hits: readonly IndexHit[]) => hits.map(({ id }) => id);

/** A vector along one axis: two of them have a cosine of 0. */
export function axis(n: number, dimension = DIMENSION): Float32Array {
  return Float32Array.from({ length: dimension }, (_, i) => (i === n ? 1 : 0));
}

export function row(id: string, n: number, tokens: string[], more: Partial<IndexRow> = {}): IndexRow {
  return { id, hash: `${id.length} ${n}`, vector: axis(n), tokens, layer: 'project', status: 'verified', ...more };
}
