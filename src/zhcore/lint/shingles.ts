import { fold } from '../../text/index.js';

/** Characters of a shingle: two Chinese words. */
const SIZE = 4;
/** Of long texts one shingle in eight finds the candidates: with 10,000 chunks all of them would be millions. */
const SAMPLE = 8;
/** Texts of fewer shingles are looked at whole. */
const LONG = 200;
/** Texts that share a shingle with more than so many others share a phrase of the trade, not their content. */
const POSTINGS_MAX = 50;

/** Letters and digits of a text in the form in which texts are compared. */
export function bare(text: string): string {
  return fold(text).replace(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * The overlapping pieces of a text, as hashes (FNV-1a). A piece that comes again is one of its own each time: a text that says one
 * sentence ten times is long, and one word in it weighs little.
 *
 * @param letters see {@link bare}
 */
export function shinglesOf(letters: string): Set<number> {
  const out = new Set<number>();
  const times = new Map<number, number>();
  for (let i = 0; i + SIZE <= letters.length; i++) {
    let hash = 0x811c9dc5;
    for (let j = i; j < i + SIZE; j++) hash = Math.imul(hash ^ letters.charCodeAt(j), 0x01000193);
    const before = times.get(hash) ?? 0;
    times.set(hash, before + 1);
    out.add(Math.imul(hash ^ before, 0x01000193) >>> 0);
  }
  return out;
}

/** A pair of texts that say nearly the same. */
export interface Twins<T> {
  first: T;
  second: T;
  /** Shared shingles by all shingles (Jaccard), 0–1. */
  likeness: number;
}

/**
 * Finds texts that are nearly the same; each is told once, with the first that it is like most.
 *
 * @param least likeness from which a pair counts
 * @param minShingles texts with fewer are too short to be alike: they are the same, or not
 */
export function findTwins<T>(
  texts: readonly { item: T; text: string }[],
  least: number,
  minShingles: number,
): Twins<T>[] {
  const known: { item: T; shingles: Set<number> }[] = [];
  const postings = new Map<number, number[]>();
  const same = new Map<string, T>();
  const twins: Twins<T>[] = [];
  for (const { item, text } of texts) {
    const letters = bare(text);
    if (letters === '') continue;
    const first = same.get(letters);
    if (first !== undefined) {
      twins.push({ first, second: item, likeness: 1 });
      continue;
    }
    same.set(letters, item);
    const shingles = shinglesOf(letters);
    if (shingles.size < minShingles) continue;
    const keys = shingles.size < LONG ? [...shingles] : [...shingles].filter((hash) => hash % SAMPLE === 0);
    const candidates = new Set(keys.flatMap((key) => postings.get(key) ?? []));
    let best: Twins<T> | undefined;
    for (const position of candidates) {
      const other = known[position] as (typeof known)[number];
      const likeness = jaccard(other.shingles, shingles);
      if (likeness >= least && likeness > (best?.likeness ?? 0)) best = { first: other.item, second: item, likeness };
    }
    if (best !== undefined) twins.push(best);
    for (const key of keys) {
      const list = postings.get(key);
      if (list === undefined) postings.set(key, [known.length]);
      else if (list.length < POSTINGS_MAX) list.push(known.length);
    }
    known.push({ item, shingles });
  }
  return twins;
}

function jaccard(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  if (small.size * 2 < large.size) return 0; // never near enough to be worth counting
  let shared = 0;
  for (const hash of small) if (large.has(hash)) shared += 1;
  return shared / (a.size + b.size - shared);
}
