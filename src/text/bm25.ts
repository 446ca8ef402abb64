/** BM25's usual constants (Robertson & Zaragoza 2009): term saturation and length normalisation. */
const DEFAULT_K1 = 1.2;
const DEFAULT_B = 0.75;

/** Stored weights keep this many decimals: far below what changes an order, and a third of the JSON. */
const STORED_DECIMALS = 4;

const FORMAT = 1;

export interface Bm25Options {
  /** Term saturation, default 1.2. */
  k1?: number;
  /** How much long fields are held back, 0–1, default 0.75. */
  b?: number;
  /** Weight by field; a field that isn't named here weighs 1. */
  fields?: Record<string, number>;
}

export interface Bm25Hit<Id> {
  id: Id;
  score: number;
  /** The query tokens that this document holds, in query order. */
  matched: string[];
}

export type Bm25Query = readonly string[] | readonly { token: string; weight: number }[];

/** The JSON form; see {@link Bm25Index.fromJSON}. */
export interface Bm25Json<Id> {
  format: number;
  k1: number;
  ids: Id[];
  /** token → document number, weight, document number, weight, … */
  terms: Record<string, number[]>;
}

interface Postings {
  docs: Uint32Array;
  weights: Float32Array;
}

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
  private readonly fieldNumbers = new Map<string, number>();
  private readonly fieldLengths: number[][] = [];
  /** While adding: token → triples of document, field, frequency. */
  private raw: Map<string, number[]> | undefined = new Map();
  private postings = new Map<string, Postings>();
  private ids: Id[] = [];

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
    if (this.raw === undefined) throw new Error('Bm25Index: add after finish');
    const doc = this.ids.push(id) - 1;
    for (const [name, tokens] of Object.entries(fields)) {
      const field = this.fieldNumber(name);
      const lengths = this.fieldLengths[field]!;
      lengths[doc] = (lengths[doc] ?? 0) + tokens.length;
      for (const [token, count] of countTokens(tokens)) {
        const triples = this.raw.get(token);
        if (triples === undefined) this.raw.set(token, [doc, field, count]);
        else triples.push(doc, field, count);
      }
    }
  }

  private fieldNumber(name: string): number {
    let field = this.fieldNumbers.get(name);
    if (field === undefined) {
      field = this.fieldNumbers.size;
      this.fieldNumbers.set(name, field);
      this.fieldLengths.push([]);
    }
    return field;
  }

  /** Computes the postings from all documents; calling it again does nothing. */
  finish(): this {
    if (this.raw === undefined) return this;
    const names = [...this.fieldNumbers.keys()];
    const weights = names.map((name) => this.fieldWeights[name] ?? 1);
    const averages = this.fieldLengths.map((lengths) => average(lengths));
    for (const [token, triples] of this.raw) this.postings.set(token, this.weigh(triples, weights, averages));
    this.raw = undefined;
    return this;
  }

  private weigh(triples: readonly number[], weights: readonly number[], averages: readonly number[]): Postings {
    const docs: number[] = [];
    const sums: number[] = [];
    for (let i = 0; i < triples.length; i += 3) {
      const doc = triples[i]!;
      const field = triples[i + 1]!;
      const length = this.fieldLengths[field]![doc] ?? 0;
      const norm = 1 - this.b + (this.b * length) / (averages[field] || 1);
      const weight = (weights[field]! * triples[i + 2]!) / norm;
      if (docs.at(-1) === doc) sums[sums.length - 1]! += weight;
      else {
        docs.push(doc);
        sums.push(weight);
      }
    }
    return { docs: Uint32Array.from(docs), weights: Float32Array.from(sums) };
  }

  /** In how many documents a token stands. */
  documentFrequency(token: string): number {
    return this.postings.get(token)?.docs.length ?? 0;
  }

  /**
   * The best documents for a query.
   *
   * @param tokens cut like the documents; a token given twice counts twice
   * @param k how many at most
   * @returns best first; equal scores in the order of adding
   * @throws Error before `finish`, which is a mistake in the calling code
   */
  search(tokens: Bm25Query, k: number): Bm25Hit<Id>[] {
    if (this.raw !== undefined) throw new Error('Bm25Index: search before finish');
    const query: { token: string; postings: Postings }[] = [];
    const scores = new Float64Array(this.ids.length);
    const found: number[] = [];
    for (const [token, weight] of weighTokens(tokens)) {
      const postings = this.postings.get(token);
      if (postings === undefined || weight <= 0) continue;
      query.push({ token, postings });
      this.addScores(weight, postings, scores, found);
    }
    // Numbers of documents rise in the order of adding; sort keeps nothing else stable for equal scores.
    found.sort((a, b) => scores[b]! - scores[a]! || a - b);
    return found.slice(0, k).map((doc) => ({
      id: this.ids[doc]!,
      score: scores[doc]!,
      matched: query.filter(({ postings }) => holds(postings.docs, doc)).map(({ token }) => token),
    }));
  }

  private addScores(weight: number, { docs, weights }: Postings, scores: Float64Array, found: number[]): void {
    // Lucene's form of idf: never negative, also for a token that every document holds.
    const idf = Math.log(1 + (this.ids.length - docs.length + 0.5) / (docs.length + 0.5));
    for (let i = 0; i < docs.length; i++) {
      const doc = docs[i]!;
      const frequency = weights[i]!;
      if (scores[doc] === 0) found.push(doc);
      scores[doc]! += weight * idf * ((frequency * (this.k1 + 1)) / (this.k1 + frequency));
    }
  }

  /** A finished index as JSON, for a cache on disk. */
  toJSON(): Bm25Json<Id> {
    this.finish();
    const terms: Record<string, number[]> = Object.create(null);
    const scale = 10 ** STORED_DECIMALS;
    for (const [token, { docs, weights }] of this.postings) {
      const flat: number[] = [];
      for (let i = 0; i < docs.length; i++) flat.push(docs[i]!, Math.round(weights[i]! * scale) / scale);
      terms[token] = flat;
    }
    return { format: FORMAT, k1: this.k1, ids: this.ids, terms };
  }

  /**
   * A finished index from {@link Bm25Index.toJSON}.
   *
   * @throws Error when `json` is of another format: build the index anew
   */
  static fromJSON<Id extends string | number = string>(json: Bm25Json<Id>): Bm25Index<Id> {
    if (json.format !== FORMAT) throw new Error(`Bm25Index: unknown format ${json.format}`);
    const index = new Bm25Index<Id>({ k1: json.k1 });
    index.ids = json.ids;
    for (const [token, flat] of Object.entries(json.terms)) {
      const half = flat.length / 2;
      const docs = new Uint32Array(half);
      const weights = new Float32Array(half);
      for (let i = 0; i < half; i++) {
        docs[i] = flat[2 * i]!;
        weights[i] = flat[2 * i + 1]!;
      }
      index.postings.set(token, { docs, weights });
    }
    index.raw = undefined;
    return index;
  }
}

/** Binary search in ascending document numbers. */
function holds(docs: Uint32Array, doc: number): boolean {
  let low = 0;
  let high = docs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (docs[middle]! < doc) low = middle + 1;
    else high = middle;
  }
  return docs[low] === doc;
}

function countTokens(tokens: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

function weighTokens(tokens: Bm25Query): Map<string, number> {
  const weights = new Map<string, number>();
  for (const entry of tokens) {
    const { token, weight } = typeof entry === 'string' ? { token: entry, weight: 1 } : entry;
    weights.set(token, (weights.get(token) ?? 0) + weight);
  }
  return weights;
}

/** Mean over the documents that have the field at all (holes in the array don't count). */
function average(lengths: readonly number[]): number {
  let sum = 0;
  let count = 0;
  for (const length of lengths) {
    if (length === undefined) continue;
    sum += length;
    count += 1;
  }
  return count === 0 ? 1 : sum / count;
}
