import { fromBytes, type IndexHead, toPieces } from './bm25Bytes.js';
import { type Postings, PostingsBuilder } from './bm25Postings.js';
import {
  addAll,
  bestDocs,
  type DocFilter,
  frequencyOf,
  placeOf,
  type QueryTerm,
  type ScoredDoc,
  Scratch,
  top,
} from './bm25Search.js';

/** BM25's usual constants (Robertson & Zaragoza 2009): term saturation and length normalisation. */
const DEFAULT_K1 = 1.2;
const DEFAULT_B = 0.75;

export interface Bm25Options {
  /** Term saturation, default 1.2. */
  k1?: number;
  /** How much long fields are held back, 0–1, default 0.75. */
  b?: number;
  /** Weight by field; a field that isn't named here weighs 1, one of weight 0 is not indexed. At most 8 fields. */
  fields?: Record<string, number>;
}

export interface Bm25Hit<Id> {
  id: Id;
  score: number;
  /** The query tokens that this document holds, in query order. */
  matched: string[];
}

export type Bm25Query = readonly string[] | readonly { token: string; weight: number }[];

/**
 * A lexical index with fields (BM25F: the frequencies of all fields are weighted and normalised by field length first, then
 * saturated together). Tokens are cut by the caller, see {@link contentWords}.
 *
 * Life: `add` every document, `finish`, `search`. A finished index takes no more documents: build a new one.
 */
export class Bm25Index<Id extends string | number = string> {
  private readonly k1: number;
  private readonly b: number;
  private readonly fieldWeights: Record<string, number>;
  private builder: PostingsBuilder | undefined = new PostingsBuilder();
  private postings: Postings | undefined;
  private ids: Id[] = [];
  private spare: Scratch | undefined;

  constructor(options: Bm25Options = {}) {
    this.k1 = options.k1 ?? DEFAULT_K1;
    this.b = options.b ?? DEFAULT_B;
    this.fieldWeights = options.fields ?? {};
  }

  /** Number of documents. */
  get size(): number {
    return this.ids.length;
  }

  /**
   * Adds a document.
   *
   * @param id what `search` returns for it; the caller keeps ids apart
   * @param fields field name → tokens, repeats included
   * @throws Error after `finish`, which is a mistake in the calling code
   */
  add(id: Id, fields: Record<string, readonly string[]>): void {
    if (this.builder === undefined) throw new Error('Bm25Index: add after finish');
    this.ids.push(id);
    this.builder.add(fields, this.fieldWeights);
  }

  /** Computes the postings from all documents; calling it again does nothing. */
  finish(): this {
    this.postings ??= this.builder?.finish({ k1: this.k1, b: this.b, fields: this.fieldWeights });
    this.builder = undefined;
    return this;
  }

  /** In how many documents a token stands. */
  documentFrequency(token: string): number {
    if (this.postings === undefined) return 0;
    const number = this.postings.vocabulary.numberOf(token);
    return number < 0 ? 0 : frequencyOf(this.postings, number);
  }

  /**
   * The best documents for a query.
   *
   * @param tokens cut like the documents; a token given twice counts twice
   * @param k how many at most
   * @param filter says which documents may be found; asked only for those that would be among the best
   * @returns best first; equal scores in the order of adding
   * @throws Error before `finish`, which is a mistake in the calling code
   */
  search(tokens: Bm25Query, k: number, filter?: (id: Id) => boolean): Bm25Hit<Id>[] {
    const postings = this.finished();
    const terms = this.termsOf(tokens, postings);
    if (terms.length === 0 || k < 1) return [];
    const found = this.borrow((scratch) => bestDocs(postings, terms, k, scratch, this.byDoc(filter)));
    return found.map((hit) => this.hitOf(hit, terms, postings));
  }

  /**
   * What every document scores, for whoever mixes these scores with others. Costs more than {@link search}, which leaves out
   * what can't be among the best.
   *
   * @param tokens as for {@link search}
   * @returns copies: good for as long as they are kept
   * @throws Error before `finish`, which is a mistake in the calling code
   */
  scores(tokens: Bm25Query): Bm25Scores<Id> {
    const postings = this.finished();
    const terms = this.termsOf(tokens, postings);
    const { docs, values } = this.borrow((scratch) => {
      for (const term of terms) addAll(postings, term, scratch);
      return sparse(scratch);
    });
    return new Bm25Scores(docs, values, this.ids, (hit) => this.hitOf(hit, terms, postings));
  }

  /**
   * A finished index as pieces of a file. They are views on its memory: write them, do not keep them.
   *
   * @param note whatever JSON belongs to it, see {@link Bm25Index.fromBytes}
   */
  toPieces(note?: unknown): Uint8Array[] {
    const postings = this.finish().finished();
    const named = this.ids.some((id, i) => id !== i);
    const head: IndexHead = { k1: this.k1, size: this.size, ...(named ? { ids: this.ids } : {}), note };
    return toPieces(head, postings);
  }

  /**
   * A finished index from {@link Bm25Index.toPieces}, joined.
   *
   * @param bytes are not copied: leave them as they are
   * @param accepts gets the note first; where it says no, nothing else is looked at
   * @throws Error when they are cut, damaged, foreign of another version or not accepted: build the index anew
   */
  static fromBytes<Id extends string | number = string>(
    bytes: Uint8Array,
    accepts?: (note: unknown) => boolean,
  ): { index: Bm25Index<Id>; note: unknown } {
    const { head, postings } = fromBytes(bytes, accepts);
    const index = new Bm25Index<Id>({ k1: head.k1 });
    index.ids = (head.ids ?? Array.from({ length: head.size }, (_, i) => i)) as Id[];
    if (index.ids.length !== head.size) throw new Error('a lexical index with other documents');
    index.postings = postings;
    index.builder = undefined;
    return { index, note: head.note };
  }

  private finished(): Postings {
    if (this.postings === undefined) throw new Error('Bm25Index: search before finish');
    return this.postings;
  }

  /** Lends the buffer of scores; a search inside a filter gets one of its own. */
  private borrow<T>(work: (scratch: Scratch) => T): T {
    const scratch = this.spare ?? new Scratch(this.size);
    this.spare = undefined;
    try {
      return work(scratch);
    } finally {
      scratch.clear();
      this.spare = scratch;
    }
  }

  private byDoc(filter: ((id: Id) => boolean) | undefined): DocFilter | undefined {
    return filter && ((doc) => filter(this.ids[doc] as Id));
  }

  private termsOf(tokens: Bm25Query, postings: Postings): QueryTerm[] {
    const terms: QueryTerm[] = [];
    for (const [token, weight] of weighTokens(tokens)) {
      const number = postings.vocabulary.numberOf(token);
      if (number < 0 || !(weight > 0)) continue;
      const frequency = frequencyOf(postings, number);
      // Lucene's form of idf: never negative, also for a token that every document holds.
      const idf = Math.log(1 + (this.size - frequency + 0.5) / (frequency + 0.5));
      terms.push({ token, number, factor: weight * idf });
    }
    return terms;
  }

  private hitOf({ doc, score }: ScoredDoc, terms: readonly QueryTerm[], postings: Postings): Bm25Hit<Id> {
    const matched = terms.filter((term) => placeOf(postings, term.number, doc) >= 0).map(({ token }) => token);
    return { id: this.ids[doc] as Id, score, matched };
  }
}

/** The scores of one query, see {@link Bm25Index.scores}. Documents are numbered in the order of adding. */
export class Bm25Scores<Id extends string | number = string> {
  /** The greatest score, 0 when nothing was found. */
  readonly max: number;

  /**
   * @param docs numbers of the documents that score, ascending
   * @param values their scores, in the same order
   */
  constructor(
    readonly docs: Uint32Array,
    readonly values: Float64Array,
    private readonly ids: readonly Id[],
    private readonly hitOf: (doc: ScoredDoc) => Bm25Hit<Id>,
  ) {
    let max = 0;
    for (const value of values) if (value > max) max = value;
    this.max = max;
  }

  /** The score of a document; 0 when it holds no word of the query. */
  score(doc: number): number {
    const at = this.placeOf(doc);
    return at < 0 ? 0 : (this.values[at] as number);
  }

  /** A document as {@link Bm25Index.search} would give it; undefined when it holds no word of the query. */
  hit(doc: number): Bm25Hit<Id> | undefined {
    const at = this.placeOf(doc);
    return at < 0 ? undefined : this.hitOf({ doc, score: this.values[at] as number });
  }

  /** The best documents, as {@link Bm25Index.search} gives them. */
  top(k: number, filter?: (id: Id) => boolean): Bm25Hit<Id>[] {
    const places = new Uint32Array(this.docs.length);
    for (let i = 0; i < places.length; i++) places[i] = i;
    const byPlace = filter && ((place: number) => filter(this.ids[this.docs[place] as number] as Id));
    return top(places, places.length, this.values, k, byPlace).map(({ doc: place, score }) =>
      this.hitOf({ doc: this.docs[place] as number, score }),
    );
  }

  private placeOf(doc: number): number {
    let low = 0;
    let high = this.docs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.docs[middle] as number) < doc) low = middle + 1;
      else high = middle;
    }
    return this.docs[low] === doc ? low : -1;
  }
}

/** From this share of documents on, looking at all of them is faster than sorting those that score. */
const DENSE = 1 / 32;

/** Copies of the scores that are not 0, in the order of documents. */
function sparse({ scores, touched, count }: Scratch): { docs: Uint32Array; values: Float64Array } {
  const docs = touched.slice(0, count);
  if (count < DENSE * scores.length) docs.sort();
  else for (let doc = 0, at = 0; at < count; doc++) if (scores[doc] !== 0) docs[at++] = doc;
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) values[i] = scores[docs[i] as number] as number;
  return { docs, values };
}

function weighTokens(tokens: Bm25Query): Map<string, number> {
  const weights = new Map<string, number>();
  for (const entry of tokens) {
    const { token, weight } = typeof entry === 'string' ? { token: entry, weight: 1 } : entry;
    weights.set(token, (weights.get(token) ?? 0) + weight);
  }
  return weights;
}
