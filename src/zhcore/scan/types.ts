import type { Commit } from '../../history/index.js';
import type { ModuleMap, Term } from '../types.js';
import type { Bilingual } from './bilingual.js';

/** How a Chinese word was found beside a symbol. */
export type EvidenceKind =
  | 'doc'
  | 'annotation'
  | 'sql'
  | 'i18n'
  | 'enum'
  | 'route'
  | 'menu'
  | 'form'
  | 'message'
  | 'commit';

/** Where a word stands beside a symbol, quoted. */
export interface Evidence {
  /** POSIX, relative to the project. */
  file: string;
  /** 1-based. */
  line: number;
  kind: EvidenceKind;
  /** What the file says there, on one line, at most 80 characters. */
  text: string;
}

/** A Chinese word that the repository itself seems to use for a symbol. */
export interface Proposal {
  /** Stable as long as the symbol keeps its name: `s-refund-apply`; no white space. */
  id: string;
  keyword_ch: string;
  aliases: string[];
  /** The most central first. */
  code_symbols: string[];
  /** Only where `modules.yaml` names one, or where the word means different symbols in different folders. */
  module?: string;
  /** What the comment says beyond the word itself, when it says something. */
  note?: string;
  /** 0–1: how sure we are that the team means this symbol by this word. */
  score: number;
  evidence: Evidence[];
}

/** A place that a symbol seems to have moved to. */
export interface MovedTo {
  symbol: string;
  file: string;
  line: number;
  /** In Chinese. */
  why: string;
  /** The only definition of that name, or the only one that is explained by the same word. */
  certain: boolean;
}

/** A symbol of a term that stands nowhere in the repository any more. */
export interface GoneSymbol {
  termId: string;
  keyword_ch: string;
  symbol: string;
  /** The file that holds the term, relative to `.xihe/`, and its line. */
  file: string;
  line: number;
  /** Best first; absent when nothing is like it. */
  movedTo?: MovedTo[];
}

export interface ScanStats {
  /** Files that were read. */
  files: number;
  /** Files that were left out, by reason; and one of them. */
  skipped: { reason: SkipReason; files: number; example: string }[];
  /** Folders and files that the disk refused; counted in `skipped` too. */
  unreadable: string[];
  /** Symbols that stand in nothing that was read, and may stand where nothing can be read: they are not among the gone. */
  unchecked: number;
  /** Places where Chinese stands beside a symbol. */
  mentions: number;
  /** Pairs that are terms of the project already. */
  known: number;
  ms: number;
}

export type SkipReason =
  | 'tests'
  | 'vendored'
  | 'generated'
  | 'docs'
  | 'data'
  | 'large'
  | 'unreadable'
  | 'other-language';

export interface ScanResult {
  /** All of them, best first. */
  proposals: Proposal[];
  gone: GoneSymbol[];
  stats: ScanStats;
}

/** The commits that a scan looks at; `History` of the history room is one. */
export interface ScanHistory {
  recent(n: number): Commit[];
  /** The name that a file of an older commit has today. */
  nowCalled?(path: string): string;
}

export interface ScanInput {
  /** Relative POSIX paths of the project's files. */
  files: readonly string[];
  /** Decoded text; undefined for what can't be read as text. May throw for the same. */
  read(path: string): string | undefined;
  /** Folders and files that the listing met and could not look into: nothing is said of what may stand there. */
  unreadable?: readonly string[];
  /** Size in bytes, when known: large files are then never read. */
  sizeOf?(path: string): number | undefined;
  history?: ScanHistory;
  /** The terms in force, both layers. */
  known: readonly Term[];
  /** `modules.yaml`. */
  modules?: ModuleMap;
  /** English words for a Chinese one (`优惠券` → `coupon`), see `bilingualOf`; confirms pairs, nothing depends on it. */
  bilingual?: Bilingual;
  /** Ids of `scan.yaml`: what an earlier scan wrote does not count as known, so that the same scan gives the same list. */
  recorded?: ReadonlySet<string>;
  /** Only files under one of these count for proposals; whether a symbol is gone is always asked of all files. */
  only?: readonly string[];
  signal?: AbortSignal;
  onProgress?(progress: { done: number; total: number }): void;
}

/** What a symbol is, as far as its place in the ranking matters. */
export type SymbolRole =
  | 'table'
  | 'entity'
  | 'enum'
  | 'service'
  | 'page'
  | 'layer'
  | 'helper'
  | 'column'
  | 'field'
  | 'enum-member'
  | 'method'
  | 'function'
  | 'constant'
  | 'key'
  | 'route';

/** One Chinese text beside one symbol. */
export interface Mention {
  /** The word that was drawn out of the text. */
  word: string;
  /** What the text says beyond the word. */
  note?: string;
  symbol: SymbolRef;
  evidence: Evidence;
  /** Drawn out of a longer text (根据id查询订单 → 订单): teaches which words go with which names, proposes nothing. */
  weak: boolean;
}

export interface SymbolRef {
  name: string;
  container?: string;
  role: SymbolRole;
  file: string;
  line: number;
}
