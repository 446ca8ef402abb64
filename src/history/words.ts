import { BODY, type CommitTable, FIELD_BITS, type Lists, SUBJECT } from './table.js';
import { isEvidence } from './tableBuilder.js';

/** BM25 over messages: subjects are short, so length counts less than in prose. Measured on real requests. */
const OF_COMMITS = { k1: 1.2, b: 0.5, weights: { [SUBJECT]: 1, [BODY]: 0.3 } } as const;
/** BM25 over all messages of a file: repeats count for long, because each is another commit. */
const OF_FILES = { k1: 1.5, b: 0.6 } as const;

/** What the messages of commits say of the commits, and of the files that they changed. */
export class CommitWords {
  readonly #table: CommitTable;
  readonly #files: Lists;
  /** How many commits count as evidence. */
  #commits = 0;
  /** In twos: what a word in subject and body of each commit counts. */
  readonly #worth: Float64Array;
  /** How many files the commits that count changed. */
  #changed = 0;
  /** What `k1` and the length of its messages hold against each file. */
  readonly #fileNorms: Float64Array;

  /** @param files of each commit, as they are called today */
  constructor(table: CommitTable, files: Lists) {
    this.#table = table;
    this.#files = files;
    this.#worth = this.#worthOfWords();
    this.#fileNorms = this.#normsOfFiles();
  }

  #isEvidence(commit: number): boolean {
    const { starts } = this.#table.columns.files;
    return isEvidence(starts[commit + 1]! - starts[commit]!);
  }

  #worthOfWords(): Float64Array {
    const { size, columns } = this.#table;
    const { lengths } = columns;
    const totals = [0, 0];
    for (let commit = 0; commit < size; commit++) {
      if (!this.#isEvidence(commit)) continue;
      this.#commits += 1;
      for (const field of [SUBJECT, BODY]) totals[field]! += lengths[3 * commit + field]!;
    }
    const worth = new Float64Array(2 * size);
    for (const field of [SUBJECT, BODY] as const) {
      const average = totals[field]! / Math.max(1, this.#commits) || 1;
      const { b, weights } = OF_COMMITS;
      for (let commit = 0; commit < size; commit++)
        worth[2 * commit + field] = weights[field] / (1 - b + (b * lengths[3 * commit + field]!) / average);
    }
    return worth;
  }

  #normsOfFiles(): Float64Array {
    const { size, columns } = this.#table;
    const lengths = new Float64Array(columns.paths.length);
    const changed = new Uint8Array(columns.paths.length);
    let total = 0;
    for (let commit = 0; commit < size; commit++) {
      if (!this.#isEvidence(commit)) continue;
      const own = this.#filesOf(commit);
      const different = columns.lengths[3 * commit + 2]!;
      for (const file of own) {
        lengths[file]! += different / Math.sqrt(own.length);
        changed[file] = 1;
      }
      total += different * Math.sqrt(own.length);
    }
    this.#changed = changed.reduce((sum, one) => sum + one, 0);
    const average = total / Math.max(1, this.#changed) || 1;
    const { k1, b } = OF_FILES;
    return lengths.map((length) => k1 * (1 - b + (b * length) / average));
  }

  #filesOf(commit: number): Uint32Array {
    return this.#files.items.subarray(this.#files.starts[commit], this.#files.starts[commit + 1]);
  }

  /** BM25 of subject and body of each commit. @param tokens the request, cut by `requestTokens` */
  ofCommits(tokens: readonly string[]): Float64Array {
    const { vocabulary, words } = this.#table.columns;
    const scores = new Float64Array(this.#table.size);
    const { k1 } = OF_COMMITS;
    for (const token of tokens) {
      const word = vocabulary.numberOf(token);
      if (word < 0) continue;
      const [from, end] = [words.starts[word]!, words.starts[word + 1]!];
      const idf = this.#idf(this.#commits, this.#holders(from, end));
      for (let i = from; i < end; ) {
        const commit = words.items[i]!;
        let frequency = 0;
        for (; i < end && words.items[i] === commit; i++) {
          const value = words.values[i]!;
          frequency += this.#worth[2 * commit + (value & ((1 << FIELD_BITS) - 1))]! * (value >> FIELD_BITS);
        }
        scores[commit]! += (idf * (k1 + 1) * frequency) / (k1 + frequency);
      }
    }
    return scores;
  }

  /** BM25 of each file as the sum of the subjects of its commits, by number. A commit of many files says less of each. */
  ofFiles(tokens: readonly string[]): Float64Array {
    const scores = new Float64Array(this.#fileNorms.length);
    const counts = new Float64Array(this.#fileNorms.length);
    const { k1 } = OF_FILES;
    for (const token of tokens) {
      const touched = this.#count(token, counts);
      const idf = this.#idf(this.#changed, touched.length);
      for (const file of touched) {
        const count = counts[file]!;
        scores[file]! += (idf * (k1 + 1) * count) / (count + this.#fileNorms[file]!);
        counts[file] = 0;
      }
    }
    return scores;
  }

  /** Adds up the commits of each file whose subject says a token. @returns the files that got a count */
  #count(token: string, counts: Float64Array): number[] {
    const { vocabulary, words } = this.#table.columns;
    const touched: number[] = [];
    const word = vocabulary.numberOf(token);
    if (word < 0) return touched;
    for (let i = words.starts[word]!; i < words.starts[word + 1]!; i++) {
      if ((words.values[i]! & ((1 << FIELD_BITS) - 1)) !== SUBJECT) continue;
      const commit = words.items[i]!;
      const { starts, items } = this.#files;
      const [from, end] = [starts[commit]!, starts[commit + 1]!];
      const share = 1 / Math.sqrt(end - from);
      for (let at = from; at < end; at++) {
        const file = items[at]!;
        if (counts[file] === 0) touched.push(file);
        counts[file]! += share;
      }
    }
    return touched;
  }

  /** Different commits in a stretch of the words. */
  #holders(from: number, end: number): number {
    const { items } = this.#table.columns.words;
    let holders = 0;
    for (let i = from; i < end; i++) if (i === from || items[i] !== items[i - 1]) holders += 1;
    return holders;
  }

  /** Lucene's form: never negative. */
  #idf(all: number, holders: number): number {
    return Math.log(1 + (all - holders + 0.5) / (holders + 0.5));
  }
}
