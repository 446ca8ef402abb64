/** One commit as evidence. Paths are POSIX, relative to the project root. */
export interface Commit {
  hash: string;
  /** Committer time, seconds since 1970. */
  time: number;
  author: string;
  subject: string;
  body: string;
  files: string[];
}

/** A commit as git tells it: paths as they were then, and what it renamed. */
export interface StoredCommit extends Commit {
  /** `[from, to]` of files that moved without a change. */
  renames?: [string, string][];
}

/** A score for each of many files. */
export interface ScoredPaths {
  /** The same list as long as the history stays as it is, so that whoever looks its paths up may keep what was found. */
  paths: readonly string[];
  /** One for each of the paths. */
  scores: Float64Array;
}

/** What commits say of files, each with the commit that weighed most. */
export interface HistoryVotes extends ScoredPaths {
  /** By number of the path; undefined for files that got no vote. */
  commitOf(path: number): { hash: string; subject: string } | undefined;
}

/** A file that changes together with another one. */
export interface CoChange {
  path: string;
  /** Σ 1 / (files of the commit − 1) over the commits that hold both. */
  score: number;
  commits: number;
}

export interface HistoryOptions {
  /** Commits that are read at most, newest first. */
  maxCommits?: number;
  signal?: AbortSignal;
  /** Longest time of one git call, in milliseconds. */
  timeoutMs?: number;
}
