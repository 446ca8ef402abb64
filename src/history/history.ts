import { Bm25Index } from '../text/index.js';
import { MessageIndex } from './messages.js';
import { type ReadHistory, readHistory } from './read.js';
import { evidenceTokens } from './tokens.js';
import type { CoChange, Commit, HistoryOptions, HistoryVote, ScoredPaths, StoredCommit } from './types.js';

/** A commit of more files is a merge by hand, a format run or an import: it says nothing about one file. */
const MAX_FILES_OF_EVIDENCE = 60;
/** BM25 over messages: subjects are short, so length counts less than in prose. Measured on real requests. */
const BM25 = { k1: 1.2, b: 0.5, fields: { subject: 1, body: 0.3 } };
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
  #commits: Commit[] = [];
  #version = 0;
  #index: Bm25Index<number> | undefined;
  #churn: Map<string, number> | undefined;
  #messages: MessageIndex | undefined;
  readonly #subjects = new WeakMap<Commit, readonly string[]>();

  /** @see openHistory */
  constructor(read: ReadHistory, readAgain: (signal?: AbortSignal) => Promise<ReadHistory>) {
    this.#readAgain = readAgain;
    this.#read = read;
    this.#commits = withCurrentNames(read.commits);
  }

  /** The name that a file of an older commit has today, by the moves that commits recorded; its own where none did. */
  nowCalled(path: string): string {
    return currentNames(this.#read.commits).get(path) ?? path;
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
    const same = read.head === this.#read.head && read.commits.length === this.#read.commits.length;
    this.#read = read;
    if (same) return;
    this.#version += 1;
    this.#commits = withCurrentNames(read.commits);
    this.#index = undefined;
    this.#churn = undefined;
    this.#messages = undefined;
  }

  /** Another number whenever other commits are known than before. */
  get version(): number {
    return this.#version;
  }

  /** How many commits are known. */
  get size(): number {
    return this.#commits.length;
  }

  /** The newest commits, newest first; files under the names that they have now. */
  recent(n: number): Commit[] {
    return this.#commits.slice(0, Math.max(0, n));
  }

  /**
   * Lets commits whose message is like the request vote for the files that they changed.
   *
   * @param tokens the request, cut by `requestTokens`
   * @param k votes at most, best first
   * @param isLive leaves out files that are gone
   */
  vote(tokens: string[], k: number, isLive: (path: string) => boolean = () => true): HistoryVote[] {
    const votes = new Map<string, HistoryVote & { top: number }>();
    for (const { commit, score } of this.#voters(tokens)) {
      const share = score ** SCORE_POWER / commit.files.length ** SIZE_POWER;
      for (const path of commit.files) {
        if (!isLive(path)) continue;
        const vote = votes.get(path) ?? { path, score: 0, commit, top: 0 };
        vote.score += share;
        if (share > vote.top) {
          vote.top = share;
          vote.commit = commit;
        }
        votes.set(path, vote);
      }
    }
    return [...votes.values()]
      .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
      .slice(0, k)
      .map(({ path, score, commit }) => ({ path, score, commit: { hash: commit.hash, subject: commit.subject } }));
  }

  /**
   * Files whose commit messages, taken together, are like the request: a file that many commits about 退款 changed is about it, whatever
   * else they changed.
   *
   * @param tokens the request, cut by `requestTokens`
   * @returns BM25, each file the sum of its messages
   */
  fileScores(tokens: readonly string[]): ScoredPaths {
    this.#messages ??= new MessageIndex(
      this.#commits.filter(({ files }) => files.length <= MAX_FILES_OF_EVIDENCE),
      (commit) => this.#subjectOf(commit),
    );
    return this.#messages.scores(tokens);
  }

  /** How many commits (large ones not counted) changed the file. */
  churn(path: string): number {
    if (this.#churn === undefined) {
      this.#churn = new Map();
      for (const { files } of this.#commits) {
        if (files.length > MAX_FILES_OF_EVIDENCE) continue;
        for (const file of files) this.#churn.set(file, (this.#churn.get(file) ?? 0) + 1);
      }
    }
    return this.#churn.get(path) ?? 0;
  }

  /** Files that were changed by the same commits as `path`, closest first. */
  coChanged(path: string, k: number): CoChange[] {
    const found = new Map<string, CoChange>();
    for (const { files } of this.#commits) {
      if (files.length < 2 || files.length > MAX_FILES_OF_EVIDENCE || !files.includes(path)) continue;
      for (const other of files) {
        if (other === path) continue;
        const entry = found.get(other) ?? { path: other, score: 0, commits: 0 };
        entry.score += 1 / (files.length - 1);
        entry.commits += 1;
        found.set(other, entry);
      }
    }
    return [...found.values()].sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)).slice(0, k);
  }

  #voters(tokens: string[]): { commit: Commit; score: number }[] {
    if (tokens.length === 0 || this.#commits.length === 0) return [];
    this.#index ??= this.#buildIndex();
    return this.#index
      .search(tokens, LOOKED_AT)
      .map(({ id, score }) => ({
        commit: this.#commits[id]!,
        score: score * (AGE_FLOOR + (1 - AGE_FLOOR) * Math.exp(-id / AGE_SCALE)),
      }))
      .sort((a, b) => b.score - a.score)
      .slice(0, VOTERS);
  }

  /** The subject of a commit, cut once for both indexes. */
  #subjectOf(commit: Commit): readonly string[] {
    let tokens = this.#subjects.get(commit);
    if (tokens === undefined) {
      tokens = evidenceTokens(commit.subject);
      this.#subjects.set(commit, tokens);
    }
    return tokens;
  }

  #buildIndex(): Bm25Index<number> {
    const index = new Bm25Index<number>(BM25);
    this.#commits.forEach((commit, position) => {
      if (commit.files.length === 0 || commit.files.length > MAX_FILES_OF_EVIDENCE) return;
      index.add(position, { subject: this.#subjectOf(commit), body: evidenceTokens(commit.body) });
    });
    index.finish();
    return index;
  }
}

/** Old name → today's, over all recorded moves. */
function currentNames(commits: readonly StoredCommit[]): Map<string, string> {
  const nowCalled = new Map<string, string>();
  for (const { renames } of commits)
    for (const [from, to] of renames ?? []) nowCalled.set(from, nowCalled.get(to) ?? to);
  return nowCalled;
}

/** Gives every file the name that it has today, by the moves that commits recorded. */
function withCurrentNames(commits: StoredCommit[]): Commit[] {
  const nowCalled = new Map<string, string>();
  return commits.map(({ renames, files, ...rest }) => {
    const current = [...new Set(files.map((file) => nowCalled.get(file) ?? file))];
    for (const [from, to] of renames ?? []) nowCalled.set(from, nowCalled.get(to) ?? to);
    return { ...rest, files: current };
  });
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
