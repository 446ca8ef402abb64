/** POSIX, relative to the project root, inside it, and existing; made by the resolver only. */
export type RepoPath = string & { readonly __brand: 'RepoPath' };

export interface Evidence {
  kind: 'name' | 'content' | 'comment' | 'term' | 'i18n' | 'commit' | 'glossary' | 'companion' | 'symbol';
  /** In Chinese, a few words: what matched. */
  detail: string;
  weight: number;
}

export interface FileCandidate {
  path: RepoPath;
  score: number;
  evidence: Evidence[];
  /** The reasons on one line, in Chinese. */
  why: string;
  /** One line, 10–20 tokens; never the file's text. */
  summary: string;
}

/** What the team's words say about code; zhcore implements it, so that paths need not know zhcore. */
export interface TermLookup {
  /** Words in the text that the team knows, with the symbols they stand for. */
  symbolsFor(text: string): { word: string; symbols: string[]; module?: string }[];
  /** The team's Chinese name of a folder or file's module, if it has one. */
  moduleOf(path: string): string | undefined;
}

/** A place in code that a symbol name leads to. */
export interface SymbolPlace {
  /** As written in the term or request: `OrderService.cancelExpired`. */
  name: string;
  path: RepoPath;
  line: number;
  kind: string;
}

export type Resolution =
  | { ok: true; path: RepoPath; repaired: false }
  /** `from` is what was asked for, `note` tells the model in Chinese what was repaired. */
  | { ok: true; path: RepoPath; repaired: true; from: string; note: string };

/** One path as it was fed to the model. */
export interface FedPath {
  path: string;
  form: 'skeleton' | 'summary' | 'expand' | 'read';
  turn: number;
  tokens: number;
}
