import { type ReadHistory, readHistory } from './read.js';
import { type CurrentNames, currentNames } from './table.js';
import { isEvidence } from './tableBuilder.js';
import type { CoChange, Commit, HistoryOptions, HistoryVotes, ScoredPaths } from './types.js';
import { CommitWords } from './words.js';

/** How many commits may vote for one request, and how many are looked at before old ones are weighed down. */
const VOTERS = 80;
const LOOKED_AT = 160;
/** A commit 500 back counts about 0.81 of the newest, never less than 0.7: old words stay true for long. */
const AGE_FLOOR = 0.7;
const AGE_SCALE = 500;
/** Each file of a commit gets score^1.7 / files^0.7: one commit that fits well beats many that fit a little. */
const SCORE_POWER = 1.7;
const SIZE_POWER = 0.7;

/** The repository's own commits as evidence of where things are. */
export class History {
  readonly #readAgain: (signal?: AbortSignal) => Promise<ReadHistory>;
  #read: ReadHistory;
  #version = 0;
  #names: CurrentNames | undefined;
  #words: CommitWords | undefined;
  #churn: Float64Array | undefined;
  #numbers: Map<string, number> | undefined;

  /** @see openHistory */
  constructor(read: ReadHistory, readAgain: (signal?: AbortSignal) => Promise<ReadHistory>) {
    this.#readAgain = readAgain;
    this.#read = read;
  }

  /** The name that a file of an older commit has today, by the moves that commits recorded; its own where none did. */
  nowCalled(path: string): string {
    const number = this.#numberOf(path);
    return number === undefined ? path : this.#paths[this.#current().nowCalled[number]!]!;
  }

  /** The commit that was HEAD at the last look, `''` when there is none. */
  get head(): string {
    return this.#read.head;
  }

  /** False when there are no commits to ask; `reason` then says why. */
  get available(): boolean {
    return this.#read.available;
  }

  /** In Chinese; also set when the history is there but cut (a shallow clone). */
  get reason(): string | undefined {
    return this.#read.reason;
  }

  /** Commits that the last look read from git; the others came from the cache. */
  get readNow(): number {
    return this.#read.readNow;
  }

  /**
   * Takes in what was committed since. Costs one call of git while HEAD stays.
   *
   * @throws XiheError CANCELLED
   */
  async refresh(signal?: AbortSignal): Promise<void> {
    const read = await this.#readAgain(signal);
    const same = read.head === this.#read.head && read.table.size === this.size;
    this.#read = same ? { ...read, table: this.#read.table } : read;
    if (same) return;
    this.#version += 1;
    this.#names = undefined;
    this.#words = undefined;
    this.#churn = undefined;
    this.#numbers = undefined;
  }

  /** Another number whenever other commits are known than before. */
  get version(): number {
    return this.#version;
  }

  /** How many commits are known. */
  get size(): number {
    return this.#read.table.size;
  }

  /** The newest commits, newest first; files under the names that they have now. */
  recent(n: number): Commit[] {
    const { table } = this.#read;
    const count = Math.min(table.size, Math.max(0, n));
    return Array.from({ length: count }, (_, commit) =>
      table.commit(
        commit,
        Array.from(this.#filesOf(commit), (file) => this.#paths[file]!),
      ),
    );
  }

  /**
   * Lets commits whose message is like the request vote for the files that they changed.
   *
   * @param tokens the request, cut by `requestTokens`
   */
  votes(tokens: readonly string[]): HistoryVotes {
    const scores = new Float64Array(this.#paths.length);
    const best = new Int32Array(scores.length).fill(-1);
    const most = new Float64Array(scores.length);
    const { table } = this.#read;
    for (const { commit, score } of this.#voters(tokens)) {
      const files = this.#filesOf(commit);
      const share = score ** SCORE_POWER / files.length ** SIZE_POWER;
      for (const file of files) {
        scores[file]! += share;
        if (share <= most[file]!) continue;
        most[file] = share;
        best[file] = commit;
      }
    }
    return {
      paths: this.#paths,
      scores,
      commitOf(path) {
        const commit = best[path]!;
        return commit < 0 ? undefined : { hash: table.hash(commit), subject: table.subject(commit) };
      },
    };
  }

  /**
   * Files whose commit messages, taken together, are like the request: a file that many commits about 退款 changed is about it, whatever
   * else they changed.
   *
   * @param tokens the request, cut by `requestTokens`
   * @returns BM25, each file the sum of its messages
   */
  fileScores(tokens: readonly string[]): ScoredPaths {
    return { paths: this.#paths, scores: this.#commitWords().ofFiles(tokens) };
  }

  /** How many commits (large ones not counted) changed the file. */
  churn(path: string): number {
    return this.churns().scores[this.#numberOf(path) ?? -1] ?? 0;
  }

  /** {@link churn} of all files. */
  churns(): ScoredPaths {
    if (this.#churn === undefined) {
      this.#churn = new Float64Array(this.#paths.length);
      for (let commit = 0; commit < this.size; commit++) {
        const files = this.#filesOf(commit);
        if (isEvidence(files.length)) for (const file of files) this.#churn[file]! += 1;
      }
    }
    return { paths: this.#paths, scores: this.#churn };
  }

  /** Files that were changed by the same commits as `path`, closest first. */
  coChanged(path: string, k: number): CoChange[] {
    const wanted = this.#numberOf(path);
    const found = new Map<number, CoChange>();
    for (let commit = 0; commit < this.size && wanted !== undefined; commit++) {
      const files = this.#filesOf(commit);
      if (files.length < 2 || !isEvidence(files.length) || !files.includes(wanted)) continue;
      for (const other of files) {
        if (other === wanted) continue;
        const entry = found.get(other) ?? { path: this.#paths[other]!, score: 0, commits: 0 };
        entry.score += 1 / (files.length - 1);
        entry.commits += 1;
        found.set(other, entry);
      }
    }
    return [...found.values()].sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).slice(0, k);
  }

  get #paths(): readonly string[] {
    return this.#read.table.columns.paths;
  }

  #numberOf(path: string): number | undefined {
    this.#numbers ??= new Map(this.#paths.map((known, number) => [known, number]));
    return this.#numbers.get(path);
  }

  #current(): CurrentNames {
    this.#names ??= currentNames(this.#read.table);
    return this.#names;
  }

  #filesOf(commit: number): Uint32Array {
    const { starts, items } = this.#current().files;
    return items.subarray(starts[commit], starts[commit + 1]);
  }

  #commitWords(): CommitWords {
    this.#words ??= new CommitWords(this.#read.table, this.#current().files);
    return this.#words;
  }

  #voters(tokens: readonly string[]): { commit: number; score: number }[] {
    const scores = this.#commitWords().ofCommits(tokens);
    return largest(scores, LOOKED_AT)
      .map((commit) => ({
        commit,
        score: scores[commit]! * (AGE_FLOOR + (1 - AGE_FLOOR) * Math.exp(-commit / AGE_SCALE)),
      }))
      .sort((a, b) => b.score - a.score || a.commit - b.commit)
      .slice(0, VOTERS);
  }
}

/** Places of the `k` largest values above 0, in their own order; of equal ones the first. */
function largest(values: Float64Array, k: number): number[] {
  const sorted = values.filter((value) => value > 0).sort();
  const least = sorted.at(-k) ?? 0;
  let equal = k - sorted.reduce((count, value) => count + Number(value > least), 0);
  const places: number[] = [];
  for (let place = 0; place < values.length; place++) {
    const value = values[place]!;
    if (value > least || (value === least && value > 0 && equal-- > 0)) places.push(place);
  }
  return places;
}

/**
 * Opens the history of a project: read once, kept by HEAD in `stateDir`, grown by new commits only. Works without git,
 * without commits, in shallow clones and in a subfolder of a repository (paths are relative to `root`, commits outside of
 * it are left out); `available` and `reason` say what there is.
 *
 * @param root absolute path of the project
 * @param stateDir where the cache lies; where it can't be written every start reads again
 * @throws XiheError CANCELLED
 */
export async function openHistory(root: string, stateDir: string, options: HistoryOptions = {}): Promise<History> {
  const { signal: _, ...kept } = options;
  const readAgain = (signal?: AbortSignal) => readHistory(root, stateDir, signal ? { ...kept, signal } : kept);
  return new History(await readHistory(root, stateDir, options), readAgain);
}
