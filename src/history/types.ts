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

export interface HistoryVote {
  path: string;
  score: number;
  /** The commit that weighed most. */
  commit: { hash: string; subject: string };
}
