import type { Chunk, KnowledgeDocument, LoadProblem, Provenance } from '../knowledge/types.js';

export type EntryType = 'term' | 'knowledge' | 'playbook' | 'warning';

export type TaskType = 'general' | 'refactor' | 'bugfix' | 'feature';

/** A Chinese word of the team and what it is called in code. */
export interface Term {
  id: string;
  keyword_ch: string;
  aliases: string[];
  /** `OrderService.cancelExpired`, `gmt_create`, … */
  code_symbols: string[];
  module?: string;
  note?: string;
  risk: string[];
  provenance: Provenance;
}

/** When a warning fires. Within one kind any match counts; `symbols`/`keywords` are weak alone, `added` decides on a diff. */
export interface WarningTrigger {
  symbols: string[];
  /** Globs of paths. */
  paths: string[];
  /** Regular expressions on added lines of a diff. */
  added: string[];
  keywords: string[];
}

export interface Warning {
  id: string;
  danger: string;
  when: WarningTrigger;
  /** `block` sends a diff back, `warn` tells the user. */
  severity: 'block' | 'warn';
  module?: string;
  provenance: Provenance;
}

export interface RequiredCheck {
  type: 'file_exists' | 'read_file' | 'command';
  path?: string;
  command?: string;
  on_missing: 'ask_user_first' | 'warn' | 'stop';
  purpose: string;
}

export interface PostCheck {
  type: 'file_changed' | 'command' | 'no_match';
  /** Glob: for file_changed the file that must be in the diff; for no_match the files to look at. */
  path?: string;
  command?: string;
  /** For no_match: a regular expression that no added line may match. */
  pattern?: string;
  purpose: string;
}

export interface Playbook {
  id: string;
  title: string;
  trigger_keywords: string[];
  required_checks: RequiredCheck[];
  steps: string[];
  post_checks: PostCheck[];
  /** Kinds of task that it is for; empty means any. */
  task_types: TaskType[];
  module?: string;
  /** Markdown for people. */
  body: string;
  provenance: Provenance;
}

/** One entry that a query brought, and why. */
export interface Hit<E> {
  type: EntryType;
  entry: E;
  provenance: Provenance;
  score: number;
  /** In Chinese: which word, symbol or module matched. */
  why: string;
  /** Estimated tokens of the entry as it would be injected. */
  tokens: number;
  /** Of a term: where its symbols stand in the repository, when somebody looked. */
  places?: CodePlace[];
}

/** An entry with its type; of knowledge the whole document. */
export type CoreEntry =
  | { type: 'term'; entry: Term }
  | { type: 'warning'; entry: Warning }
  | { type: 'playbook'; entry: Playbook }
  | { type: 'knowledge'; entry: KnowledgeDocument };

/** A place in code that a symbol of a term leads to. */
export interface CodePlace {
  symbol: string;
  /** Relative to the root. */
  path: string;
  /** 1-based. */
  line: number;
}

/** Who knows where a symbol stands; the core asks it to confirm terms, when it is given one. */
export interface SymbolIndex {
  places(symbol: string): { path: string; line: number }[];
}

export interface CoreQuery {
  userIntent: string;
  codeSymbols: string[];
  module?: string;
  taskType: TaskType;
  /** Files in focus, relative to the root. */
  files?: string[];
  /** Whether comments of the files in focus hold Chinese; the caller has their outlines. */
  focusHasChinese?: boolean;
  /** Entries of each type at most, default 5. */
  maxResults?: number;
  /** Ask although nothing in the request is Chinese (an explicit `xihe core`). */
  force?: boolean;
}

export interface CoreResult {
  dataVersion: string;
  gate: { asked: boolean; why: string };
  terms: Hit<Term>[];
  knowledge: Hit<Chunk>[];
  playbooks: Hit<Playbook>[];
  warnings: Hit<Warning>[];
  /** In Chinese: why vectors had no say; words answered alone. */
  degraded?: string;
}

/** A line of a diff on which a warning fires. */
export interface DiffWarning {
  warning: Warning;
  path: string;
  line: number;
  text: string;
  /** In Chinese. */
  why: string;
}

/** The parts of a run in which entries are injected. */
export type Phase = 'plan' | 'execute' | 'postcheck' | 'answer';

/** One entry as it was put into a prompt or brief. */
export interface InjectedEntry {
  id: string;
  type: EntryType;
  version: string;
  source: string;
  confidence: number;
  tokens: number;
  why: string;
}

/** A module of the project: its name and the globs of its files. */
export interface ModuleMap {
  [module: string]: string[];
}

export type { LoadProblem };
