import type { TermCounts } from './types.js';

/**
 * The fields of a file's words and their weights, measured as everything here on 1,100 real requests: a name says more than code, code
 * that does something more than a comment. `i18n` holds the Chinese texts of the keys that a file uses.
 */
export const FIELDS = ['path', 'symbols', 'comments', 'strings', 'i18n', 'rest'] as const;
export type Field = (typeof FIELDS)[number];
const WEIGHTS: Record<Field, number> = { path: 3, symbols: 1.5, comments: 1.1, strings: 1.2, i18n: 2, rest: 1.4 };
/** BM25F: how much of a field's length is held against it, and where repeats stop counting. */
const LENGTH_SHARE = 0.6;
const SATURATION = 3.2;

/** A count and its field share 16 bits: 3 for the field, 13 for the count. */
const FIELD_BITS = 3;
const FIELD_MASK = (1 << FIELD_BITS) - 1;
const MAX_COUNT = (1 << (16 - FIELD_BITS)) - 1;

const ALL_FIELDS = (1 << FIELDS.length) - 1;

function maskOf(fields: readonly Field[]): number {
  return fields.reduce((bits, field) => bits | (1 << FIELDS.indexOf(field)), 0);
}

/** Puts field and count in one number of 16 bits. */
export function packCount(field: number, count: number): number {
  return (Math.min(count, MAX_COUNT) << FIELD_BITS) | field;
}

/** What {@link Postings} needs of a file. */
export interface CountedFile {
  words: TermCounts;
  i18n: TermCounts;
}

/** Tokens with what each counts. */
export type WeighedTokens = readonly (readonly [token: number, weight: number])[];

export interface ScoredFile {
  /** Position of the file in the list that the postings were built from. */
  file: number;
  score: number;
}

/**
 * Where each token stands, over the whole repository (BM25F).
 *
 * Apart from text's Bm25Index because of scale: a million postings of 3,000 files are built in some 30 ms from typed arrays
 * that come straight from the cache, and which field matched can be asked afterwards.
 */
export class Postings {
  readonly #starts: Uint32Array;
  readonly #files: Uint32Array;
  readonly #counts: Uint16Array;
  readonly #lengths: Float32Array;
  readonly #averages: number[];
  readonly #size: number;
  /** Of tokens that were asked for: names in paths are asked for again and again, and counting holders of a common one is slow. */
  readonly #idfs = new Map<number, number>();

  /**
   * @param files in the order of the positions that searches return
   * @param tokens how many tokens the vocabulary has
   */
  constructor(files: readonly CountedFile[], tokens: number) {
    this.#size = files.length;
    this.#starts = new Uint32Array(tokens + 1);
    for (const { words, i18n } of files) {
      for (const token of words.tokens) this.#starts[token + 1]! += 1;
      for (const token of i18n.tokens) this.#starts[token + 1]! += 1;
    }
    for (let i = 1; i <= tokens; i++) this.#starts[i]! += this.#starts[i - 1]!;
    this.#files = new Uint32Array(this.#starts[tokens] ?? 0);
    this.#counts = new Uint16Array(this.#files.length);
    this.#lengths = new Float32Array(files.length * FIELDS.length);
    this.#fill(files);
    this.#averages = this.#averageLengths();
  }

  #fill(files: readonly CountedFile[]): void {
    const next = this.#starts.slice();
    files.forEach((file, position) => {
      for (const part of [file.words, file.i18n]) {
        for (let i = 0; i < part.tokens.length; i++) {
          const count = part.counts[i]!;
          const at = next[part.tokens[i]!]!++;
          this.#files[at] = position;
          this.#counts[at] = count;
          this.#lengths[position * FIELDS.length + (count & FIELD_MASK)]! += count >> FIELD_BITS;
        }
      }
    });
  }

  /** Mean length of each field over the files that have words at all. */
  #averageLengths(): number[] {
    const sums = FIELDS.map(() => 0);
    let counted = 0;
    for (let file = 0; file < this.#size; file++) {
      const base = file * FIELDS.length;
      if (this.#lengths[base + FIELDS.indexOf('rest')]! > 0) counted += 1;
      for (let field = 0; field < FIELDS.length; field++) sums[field]! += this.#lengths[base + field]!;
    }
    return sums.map((sum) => sum / Math.max(1, counted) || 1);
  }

  /**
   * The best files for a request.
   *
   * @param tokens numbers of the request's tokens, each once
   * @param k files at most
   * @param admits leaves files out
   */
  search(tokens: readonly number[], k: number, admits: (file: number) => boolean = () => true): ScoredFile[] {
    const scores = new Float64Array(this.#size);
    for (const token of tokens) this.#score(token, scores);
    const found: ScoredFile[] = [];
    for (let file = 0; file < scores.length; file++) {
      if (scores[file]! > 0 && admits(file)) found.push({ file, score: scores[file]! });
    }
    return found.sort((a, b) => b.score - a.score || a.file - b.file).slice(0, k);
  }

  /**
   * Scores of all files, by position.
   *
   * @param fields only these count; all by default
   */
  scores(tokens: WeighedTokens, fields: readonly Field[] = FIELDS): Float64Array {
    const scores = new Float64Array(this.#size);
    for (const [token, weight] of tokens) this.#score(token, scores, weight, maskOf(fields));
    return scores;
  }

  /**
   * Scores of all files for things that can be said in several ways. The ways of saying one thing are added up as the sides of a right
   * angle, not as numbers: who says it in three ways says it, but not three times.
   *
   * @param things each as the ways of saying it, each of those as the tokens that it takes
   * @param fields only these count; all by default
   */
  scoresOfThings(things: readonly (readonly WeighedTokens[])[], fields: readonly Field[] = FIELDS): Float64Array {
    const scores = new Float64Array(this.#size);
    const way = new Float64Array(this.#size);
    const squares = new Float64Array(this.#size);
    for (const ways of things) {
      const spoken: number[] = [];
      for (const tokens of ways) {
        const touched: number[] = [];
        for (const [token, weight] of tokens) this.#score(token, way, weight, maskOf(fields), touched);
        for (const file of touched) {
          if (squares[file] === 0) spoken.push(file);
          squares[file]! += way[file]! ** 2;
          way[file] = 0;
        }
      }
      for (const file of spoken) {
        scores[file]! += Math.sqrt(squares[file]!);
        squares[file] = 0;
      }
    }
    return scores;
  }

  /** @param touched gets the files that had no score before */
  #score(token: number, scores: Float64Array, share = 1, mask = ALL_FIELDS, touched?: number[]): void {
    const idf = share * this.idf(token);
    for (let i = this.#starts[token]!; i < this.#starts[token + 1]!; ) {
      const file = this.#files[i]!;
      let weight = 0;
      for (; i < this.#starts[token + 1]! && this.#files[i] === file; i++)
        if ((mask >> (this.#counts[i]! & FIELD_MASK)) & 1) weight += this.#weightAt(i);
      if (weight === 0) continue;
      if (scores[file] === 0) touched?.push(file);
      scores[file]! += (idf * (SATURATION + 1) * weight) / (weight + SATURATION);
    }
  }

  #weightAt(i: number): number {
    const field = this.#counts[i]! & FIELD_MASK;
    const length = this.#lengths[this.#files[i]! * FIELDS.length + field]!;
    const norm = 1 - LENGTH_SHARE + (LENGTH_SHARE * length) / this.#averages[field]!;
    return (WEIGHTS[FIELDS[field]!] * (this.#counts[i]! >> FIELD_BITS)) / norm;
  }

  /** Lucene's form: never negative, near 0 for a token of every file. */
  idf(token: number): number {
    const known = this.#idfs.get(token);
    if (known !== undefined) return known;
    let holders = 0;
    let last = -1;
    for (let i = this.#starts[token]!; i < this.#starts[token + 1]!; i++) {
      if (this.#files[i] !== last) holders += 1;
      last = this.#files[i]!;
    }
    const idf = Math.log(1 + (this.#size - holders + 0.5) / (holders + 0.5));
    this.#idfs.set(token, idf);
    return idf;
  }

  /** In which fields of one file a token stands. */
  fieldsOf(token: number, file: number): Field[] {
    const fields: Field[] = [];
    for (let i = this.#lowerBound(token, file); i < this.#starts[token + 1]! && this.#files[i] === file; i++) {
      fields.push(FIELDS[this.#counts[i]! & FIELD_MASK]!);
    }
    return fields;
  }

  /** Whether a token stands in a file. */
  holds(token: number, file: number): boolean {
    const at = this.#lowerBound(token, file);
    return at < this.#starts[token + 1]! && this.#files[at] === file;
  }

  /** Files that hold a token in a field. */
  filesWith(token: number, field: Field): number[] {
    const wanted = FIELDS.indexOf(field);
    const found: number[] = [];
    for (let i = this.#starts[token]!; i < this.#starts[token + 1]!; i++) {
      if ((this.#counts[i]! & FIELD_MASK) === wanted) found.push(this.#files[i]!);
    }
    return found;
  }

  #lowerBound(token: number, file: number): number {
    let low = this.#starts[token]!;
    let high = this.#starts[token + 1]!;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#files[middle]! < file) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
