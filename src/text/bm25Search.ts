import type { Postings } from './bm25Postings.js';

/** A token of a query that some document holds. */
export interface QueryTerm {
  token: string;
  number: number;
  /** Its weight in the query times its idf. */
  factor: number;
}

/** A document and what it scores. */
export interface ScoredDoc {
  doc: number;
  score: number;
}

/** Whether a document may be found; asked only where the answer matters. */
export type DocFilter = (doc: number) => boolean;

/** Room for rounding where bounds are compared, far above what a few dozen additions lose. */
const ROUNDING = 1 + 1e-9;

/** A binary search in a list costs about as much as this many steps through it, times the logarithm of its length. */
const STEPS_PER_PROBE = 2;

/** Candidates are looked up one by one only when they are no more than this share of the documents found. */
const FEW = 1 / 8;

/** Scores of one query at a time, reused by the next one: a query allocates nothing that grows with the index. */
export class Scratch {
  readonly scores: Float64Array;
  /** Documents that score, in the order in which they were found. */
  readonly touched: Uint32Array;
  count = 0;

  constructor(size: number) {
    this.scores = new Float64Array(size);
    this.touched = new Uint32Array(size);
  }

  /** Makes all scores 0 again. */
  clear(): void {
    for (let i = 0; i < this.count; i++) this.scores[this.touched[i] as number] = 0;
    this.count = 0;
  }
}

/** Adds what one token is worth to every document that holds it. */
export function addAll({ starts, docs, impacts }: Postings, term: QueryTerm, scratch: Scratch): void {
  const { scores, touched } = scratch;
  const { factor } = term;
  const end = starts[term.number + 1] as number;
  let { count } = scratch;
  for (let i = starts[term.number] as number; i < end; i++) {
    const doc = docs[i] as number;
    const score = scores[doc] as number;
    if (score === 0) touched[count++] = doc;
    scores[doc] = score + factor * (impacts[i] as number);
  }
  scratch.count = count;
}

/**
 * The best `k` documents, exact: best first, equal ones in the order of adding.
 *
 * Tokens go from the one that can add most to the one that can add least. Once those that are left can't lift a document into the
 * best `k` that none of the others holds (MaxScore, Turtle & Flood 1995), only documents that still may be among them
 * are looked up in the long lists of common tokens.
 */
export function bestDocs(
  postings: Postings,
  terms: readonly QueryTerm[],
  k: number,
  scratch: Scratch,
  filter: DocFilter | undefined,
): ScoredDoc[] {
  const bound = (term: QueryTerm) => term.factor * (postings.peaks[term.number] as number);
  const ordered = [...terms].sort((a, b) => bound(b) - bound(a));
  const left = sumsFrom(ordered.map(bound));
  const toScan = sumsFrom(ordered.map((term) => frequencyOf(postings, term.number)));
  let scanned = 0;
  for (const [i, term] of ordered.entries()) {
    // Looking costs a walk through all documents found, so it is done when as much was done or may be spared.
    if (scanned >= scratch.count && (toScan[i] as number) >= scratch.count) {
      scanned = 0;
      const candidates = candidatesOf(scratch, k, filter, (left[i] as number) * ROUNDING);
      if (candidates !== undefined) {
        for (const rest of ordered.slice(i)) addTo(candidates, postings, rest, scratch.scores);
        return top(candidates, candidates.length, scratch.scores, k, undefined);
      }
    }
    addAll(postings, term, scratch);
    scanned += frequencyOf(postings, term.number);
  }
  return top(scratch.touched, scratch.count, scratch.scores, k, filter);
}

/** In how many documents a token stands. */
export function frequencyOf({ starts }: Postings, term: number): number {
  return (starts[term + 1] as number) - (starts[term] as number);
}

/** By place: the sum from there to the end. */
function sumsFrom(values: readonly number[]): Float64Array {
  const sums = Float64Array.from(values);
  for (let i = sums.length - 2; i >= 0; i--) sums[i]! += sums[i + 1] as number;
  return sums;
}

/**
 * The documents that may still be among the best `k`, in their own order.
 *
 * @param most what a document can still get; one that was not found yet gets no more than that
 * @returns undefined when others may be among the best as well, or when there are so many that nothing would be spared
 */
function candidatesOf(
  scratch: Scratch,
  k: number,
  filter: DocFilter | undefined,
  most: number,
): Uint32Array | undefined {
  const { touched, scores, count } = scratch;
  let above = 0;
  for (let i = 0; i < count && above < k; i++) {
    const doc = touched[i] as number;
    if ((scores[doc] as number) > most && filter?.(doc) !== false) above += 1;
  }
  if (above < k) return undefined;
  const least = (top(touched, count, scores, k, filter).at(-1) as ScoredDoc).score - most;
  const found: number[] = [];
  for (let i = 0; i < count; i++) {
    const doc = touched[i] as number;
    if ((scores[doc] as number) >= least) found.push(doc);
    if (found.length > FEW * count) return undefined;
  }
  return Uint32Array.from(found.filter((doc) => filter?.(doc) !== false)).sort();
}

/** Adds what a token is worth to some documents only. */
function addTo(candidates: Uint32Array, postings: Postings, term: QueryTerm, scores: Float64Array): void {
  const { starts, docs, impacts } = postings;
  let at = starts[term.number] as number;
  const end = starts[term.number + 1] as number;
  const probes = candidates.length * STEPS_PER_PROBE * Math.log2(end - at + 1);
  const seek = probes < end - at ? seekByHalves : seekByStep;
  for (const doc of candidates) {
    at = seek(docs, doc, at, end);
    if (at === end) return;
    if (docs[at] === doc) scores[doc]! += term.factor * (impacts[at] as number);
  }
}

function seekByStep(docs: Uint32Array, doc: number, from: number, end: number): number {
  let at = from;
  while (at < end && (docs[at] as number) < doc) at++;
  return at;
}

/** First place in [from, end) whose document is not below `doc`. */
function seekByHalves(docs: Uint32Array, doc: number, from: number, end: number): number {
  let low = from;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((docs[middle] as number) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where a document stands in the postings of a token, or -1. */
export function placeOf({ starts, docs }: Postings, term: number, doc: number): number {
  const end = starts[term + 1] as number;
  const at = seekByHalves(docs, doc, starts[term] as number, end);
  return at < end && docs[at] === doc ? at : -1;
}

/** The best `k` of the first `count` documents of a list, by a heap whose root is the worst of them. */
export function top(
  list: Uint32Array,
  count: number,
  scores: Float64Array,
  k: number,
  filter: DocFilter | undefined,
): ScoredDoc[] {
  const heap: ScoredDoc[] = [];
  if (k < 1) return heap;
  for (let i = 0; i < count; i++) {
    const doc = list[i] as number;
    const score = scores[doc] as number;
    const worst = heap[0];
    if (heap.length === k && worst !== undefined && !isBefore(score, doc, worst)) continue;
    if (filter?.(doc) === false) continue;
    if (heap.length < k) up(heap, { doc, score });
    else down(heap, { doc, score });
  }
  return heap.sort((a, b) => b.score - a.score || a.doc - b.doc);
}

function isBefore(score: number, doc: number, other: ScoredDoc): boolean {
  return score > other.score || (score === other.score && doc < other.doc);
}

function up(heap: ScoredDoc[], added: ScoredDoc): void {
  let at = heap.push(added) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as ScoredDoc;
    if (!isBefore(above.score, above.doc, added)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = added;
}

/** Puts a document in the place of the worst. */
function down(heap: ScoredDoc[], added: ScoredDoc): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    const [left, right] = [heap[child] as ScoredDoc, heap[child + 1]];
    if (right !== undefined && isBefore(left.score, left.doc, right)) child += 1;
    const worse = heap[child] as ScoredDoc;
    if (!isBefore(added.score, added.doc, worse)) break;
    heap[at] = worse;
    at = child;
  }
  heap[at] = added;
}
