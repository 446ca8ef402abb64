import { evidenceTokens } from './tokens.js';
import type { Commit } from './types.js';

/** BM25 over the messages of each file: repeats count for long, because each is another commit. */
const K1 = 1.5;
const B = 0.6;

/** Each file as the sum of the subjects of the commits that changed it. */
export class MessageIndex {
  readonly #commits: readonly Commit[];
  readonly #holders = new Map<string, number[]>();
  readonly #lengths = new Map<string, number>();
  readonly #average: number;

  /** @param commits those that count as evidence */
  constructor(commits: readonly Commit[]) {
    this.#commits = commits;
    let total = 0;
    commits.forEach(({ subject, files }, position) => {
      const tokens = new Set(evidenceTokens(subject));
      for (const token of tokens) {
        const known = this.#holders.get(token);
        if (known) known.push(position);
        else this.#holders.set(token, [position]);
      }
      for (const file of files)
        this.#lengths.set(file, (this.#lengths.get(file) ?? 0) + tokens.size / files.length ** 0.5);
      total += tokens.size * files.length ** 0.5;
    });
    this.#average = total / Math.max(1, this.#lengths.size) || 1;
  }

  /** path → score. A commit of many files says less of each. */
  scores(tokens: readonly string[]): Map<string, number> {
    const scores = new Map<string, number>();
    for (const token of tokens) {
      const counts = new Map<string, number>();
      for (const position of this.#holders.get(token) ?? []) {
        const { files } = this.#commits[position]!;
        for (const file of files) counts.set(file, (counts.get(file) ?? 0) + 1 / files.length ** 0.5);
      }
      const idf = Math.log(1 + (this.#lengths.size - counts.size + 0.5) / (counts.size + 0.5));
      for (const [file, count] of counts) {
        const norm = K1 * (1 - B + (B * this.#lengths.get(file)!) / this.#average);
        scores.set(file, (scores.get(file) ?? 0) + (idf * (K1 + 1) * count) / (count + norm));
      }
    }
    return scores;
  }
}
