import type { RetrieverHit } from './retriever.js';

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
  const pairs: Set<number>[] = [];
  for (const hit of hits) {
    if (kept.length >= k) break;
    if (kept.length < COMPARED) {
      const own = pairsOf(hit.chunk.content);
      if (pairs.some((other) => isTwin(own, other))) continue;
      pairs.push(own);
    }
    kept.push(hit);
  }
  return kept;
}

/** Neighbouring characters, blanks left out, each pair as one number. */
function pairsOf(text: string): Set<number> {
  const pairs = new Set<number>();
  let last = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 32) continue;
    if (last > 0) pairs.add(last * 65_536 + code);
    last = code;
  }
  return pairs;
}

function isTwin(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  // Of a few words as good as any two share most.
  if (few.size < MIN_PAIRS || few.size < SAME_SHARE * many.size) return false;
  let shared = 0;
  for (const pair of few) if (many.has(pair)) shared++;
  return shared / (a.size + b.size - shared) >= SAME_SHARE;
}
