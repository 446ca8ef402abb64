import type { RetrieverHit } from './retriever.js';
import type { Chunk } from './types.js';

/** Passages that share so much of their pairs of characters say the same: a page and its copy in another version or folder. */
const SAME_SHARE = 0.9;

/** Texts of fewer pairs are too short to say that they are the same. */
const MIN_PAIRS = 20;

/** Hits that are compared: each is compared with all before it. */
const COMPARED = 12;

/** Twins that are allowed for: so many hits more than wanted are asked for. */
export const TWINS_MAX = 4;

/**
 * The first `k` hits without those that say the same as one before them.
 *
 * @param hits best first
 */
export function withoutTwins<T extends RetrieverHit>(hits: readonly T[], k: number): T[] {
  const kept: T[] = [];
  const pairs: Uint32Array[] = [];
  for (const hit of hits) {
    if (kept.length >= k) break;
    if (kept.length < COMPARED) {
      const own = pairsOf(hit.chunk);
      if (pairs.some((other) => isTwin(own, other))) continue;
      pairs.push(own);
    }
    kept.push(hit);
  }
  return kept;
}

/** Pairs of passages that were hits before: 1.5 KB each, gone with their chunk. */
const known = new WeakMap<Chunk, Uint32Array>();

/** Neighbouring characters, blanks left out, each pair once as a number, in ascending order. */
function pairsOf(chunk: Chunk): Uint32Array {
  const before = known.get(chunk);
  if (before !== undefined) return before;
  const text = chunk.content;
  const all = new Uint32Array(text.length);
  let [count, last] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 32) continue;
    if (last > 0) all[count++] = last * 65_536 + code;
    last = code;
  }
  const sorted = all.subarray(0, count).sort();
  const pairs = sorted.filter((pair, i) => i === 0 || pair !== sorted[i - 1]);
  known.set(chunk, pairs);
  return pairs;
}

function isTwin(a: Uint32Array, b: Uint32Array): boolean {
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  // Of a few words as good as any two share most.
  if (few.length < MIN_PAIRS || few.length < SAME_SHARE * many.length) return false;
  let shared = 0;
  for (let i = 0, j = 0; i < few.length && j < many.length; ) {
    const difference = (few[i] as number) - (many[j] as number);
    if (difference === 0) shared++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return shared / (a.length + b.length - shared) >= SAME_SHARE;
}
