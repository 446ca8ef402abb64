import type { Language, Outline } from '../code/types.js';
import type { Role } from './roles.js';

/** POSIX, relative to the project root, inside it, and existing; made by the resolver only. */
export type RepoPath = string & { readonly __brand: 'RepoPath' };

export interface Evidence {
  kind: 'name' | 'content' | 'comment' | 'term' | 'i18n' | 'commit' | 'glossary' | 'symbol' | 'model';
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
  symbolsFor(text: string): { word: string; symbols: string[] }[];
  /** Words that the text also means (验证码 → captcha), from a lexicon; none where there is no lexicon. */
  related?(text: string): { word: string; relation: 'equal' | 'near'; from: string }[];
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

/** Where a write goes. */
export interface WriteTarget {
  path: string;
  exists: boolean;
  /** In Chinese, for the model, when the path was repaired. */
  note?: string;
}

/** One path as it was fed to the model. */
export interface FedPath {
  path: string;
  form: 'path' | 'skeleton' | 'summary' | 'expand' | 'read';
  turn: number;
  tokens: number;
  /** Content hash of the file as it was fed, where there is one. */
  version?: string;
  /** The tool call that gave it. */
  call?: string;
  /** First and last line, 1-based, of a text that was read. */
  lines?: [from: number, to: number];
}

/** The answer of `load_context`. */
export interface Skeleton {
  text: string;
  /** Folders and files that are shown. */
  nodes: number;
  tokens: number;
  /** Files that are not shown. */
  omitted: number;
}

export interface ExpansionChild {
  /** With a slash at the end for a folder. */
  name: string;
  path: string;
  role: string;
  summary: string;
}

/** The answer of `expand_path`. */
export interface Expansion {
  text: string;
  tokens: number;
  path: string;
  /** In Chinese, when the asked-for path was repaired. */
  note?: string;
  /** Of a folder. */
  children?: ExpansionChild[];
  /** Of a file: at most five, by line. */
  symbols?: { name: string; kind: string; line: number }[];
  /** Project files that it imports; `line` is that of the import in this file. */
  importsOut: { path: string; line: number }[];
  /** Project files that import it; `line` is that of the import there. */
  importersIn: { path: string; line: number }[];
  companions: { path: string; kind: string }[];
}

export interface SearchHit {
  path: RepoPath;
  /** 1-based. */
  line: number;
  text: string;
}

/** Words of one file: token numbers beside packed field and count (see postings.ts). */
export interface TermCounts {
  tokens: Uint32Array;
  counts: Uint16Array;
}

/** How a look-up was answered: by a name in the request, or by all evidence together. */
export type LookupMethod = 'fuzzy-path' | 'fused';

export type TaskType = 'general' | 'refactor' | 'bugfix' | 'feature';

/** What is asked about a file now and then, so it stays as JSON text until then. */
export interface FileDetail {
  outline?: Outline;
  /** Strings that may be keys of interface texts. */
  keys: string[];
  /** Of a Chinese locale file: key → text. */
  locale?: [string, string][];
}

/** A file of the index. */
export interface IndexedFile {
  path: string;
  mtimeMs: number;
  ctimeMs: number;
  size: number;
  /** When it was looked at, in milliseconds: a file that changed shortly before that may change again unseen. */
  checkedAt: number;
  /** Of its bytes; `''` for a file that is never read. */
  hash: string;
  language: Language;
  /** The part that it plays, by its path: worked out once, because a look-up asks it of every file. */
  role: Role;
  lines: number;
  summary: string;
  /** `[specifier, line]`. */
  imports: [string, number][];
  /** Keys of interface texts that it uses and that have a Chinese text; undefined until they were looked up. */
  knownKeys?: string[];
  words: TermCounts;
  i18n: TermCounts;
  detail(): FileDetail;
  /** The detail as JSON in UTF-8, where it came from the cache. */
  rawDetail?: Uint8Array;
}
