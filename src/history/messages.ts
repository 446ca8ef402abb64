import type { Commit, ScoredPaths } from './types.js';

/** BM25 over the messages of each file: repeats count for long, because each is another commit. */
const K1 = 1.5;
const B = 0.6;

/** Each file as the sum of the subjects of the commits that changed it. */
export class MessageIndex {
  /** Every file that a commit changed, by number. */
  readonly #paths: string[] = [];
  /** token → positions of the commits that say it. */
  readonly #holders = new Map<string, number[]>();
  /** The files of each commit, by number. */
  readonly #files: Uint32Array[] = [];
  /** What K1 and the length of its messages hold against each file. */
  readonly #norms: Float64Array;

  /**
   * @param commits those that count as evidence
   * @param tokensOf the subject of a commit, cut
   */
  constructor(commits: readonly Commit[], tokensOf: (commit: Commit) => readonly string[]) {
    const numbers = new Map<string, number>();
    const lengths: number[] = [];
    let total = 0;
    commits.forEach((commit, position) => {
      const { files } = commit;
      const tokens = new Set(tokensOf(commit));
      for (const token of tokens) {
        const known = this.#holders.get(token);
        if (known) known.push(position);
        else this.#holders.set(token, [position]);
      }
      const share = tokens.size / Math.sqrt(files.length);
      this.#files.push(
        Uint32Array.from(files, (path) => {
          let number = numbers.get(path);
          if (number === undefined) {
            number = this.#paths.push(path) - 1;
            numbers.set(path, number);
            lengths.push(0);
          }
          lengths[number]! += share;
          return number;
        }),
      );
      total += tokens.size * Math.sqrt(files.length);
    });
    const average = total / Math.max(1, lengths.length) || 1;
    this.#norms = Float64Array.from(lengths, (length) => K1 * (1 - B + (B * length) / average));
  }

  /** What the messages of each file score. A commit of many files says less of each. */
  scores(tokens: readonly string[]): ScoredPaths {
    const size = this.#paths.length;
    const scores = new Float64Array(size);
    const counts = new Float64Array(size);
    for (const token of tokens) {
      const touched = this.#count(token, counts);
      const idf = Math.log(1 + (size - touched.length + 0.5) / (touched.length + 0.5));
      for (const file of touched) {
        const count = counts[file]!;
        scores[file]! += (idf * (K1 + 1) * count) / (count + this.#norms[file]!);
        counts[file] = 0;
      }
    }
    return { paths: this.#paths, scores };
  }

  /** Adds up the commits of each file that say a token. @returns the files that got a count */
  #count(token: string, counts: Float64Array): number[] {
    const touched: number[] = [];
    for (const position of this.#holders.get(token) ?? []) {
      const files = this.#files[position]!;
      const share = 1 / Math.sqrt(files.length);
      for (const file of files) {
        if (counts[file] === 0) touched.push(file);
        counts[file]! += share;
      }
    }
    return touched;
  }
}
