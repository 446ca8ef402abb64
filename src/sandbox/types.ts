import type { FileText, TextEdit } from '../text/types.js';
import type { KeeperKind } from './keeper.js';

export type Danger = 'low' | 'medium' | 'high';

/** A change to one file, staged, not yet in the tree. Paths are POSIX and relative to the root. */
export type StagedEdit =
  | { kind: 'edit'; path: string; edits: TextEdit[] }
  | { kind: 'write'; path: string; text: string }
  | { kind: 'delete'; path: string }
  /** Every byte and the mode stay; `to` must not exist. */
  | { kind: 'move'; path: string; to: string };

/** A file as the changeset leaves it, against the tree at first touch. */
export interface StagedFile {
  path: string;
  change: 'added' | 'modified' | 'deleted';
  /** Hashes (SHA-256 hex) of the bytes; null where the file does not exist. */
  before: string | null;
  after: string | null;
  /** Permission bits before; of a file that was moved here those of its old place; null for any other new file. */
  mode: number | null;
}

export interface FileDiff {
  path: string;
  change: 'added' | 'modified' | 'deleted';
  /** Unified diff text with 3 lines of context. */
  patch: string;
  addedLines: { line: number; text: string }[];
  removedLines: { line: number; text: string }[];
}

export interface Receipt {
  id: string;
  changesetId: string;
  /** ISO time. */
  at: string;
  state: 'applying' | 'applied' | 'undone' | 'undoing' | 'rolled-back';
  /** Hashes (SHA-256 hex) of the bytes; null where the file does not exist. */
  files: { path: string; before: string | null; after: string | null }[];
}

export interface RunRequest {
  /** A program and its arguments, run without a shell … */
  argv?: string[];
  /** … or a shell line. Exactly one of both. */
  shell?: string;
  cwd: string;
  timeoutMs: number;
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** Bytes kept of each stream: head and tail; the middle is dropped with a note. */
  maxOutputBytes?: number;
  /** Resident memory of all its processes together, in bytes; more ends the command. */
  maxMemoryBytes?: number;
  /** Folders that the command may write to (with bwrap); `cwd` always. */
  writable?: string[];
  /** Folders in the home folder or in /tmp that the command may read (with bwrap both are hidden). */
  readable?: string[];
  /** Only with bwrap; without it the network can't be turned off. */
  network?: boolean;
  /** `process-group` does without bwrap even where it works. */
  confinement?: 'auto' | 'process-group';
  /** Without bwrap: the strongest way to keep its processes together that may be used; the default is the strongest. */
  keeper?: KeeperKind;
  stdin?: string;
  onOutput?: (text: string) => void;
}

export interface RunResult {
  outcome: 'ok' | 'failed' | 'timeout' | 'cancelled' | 'not-found' | 'signal';
  exitCode: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  truncated: boolean;
  durationMs: number;
  /** How it was confined. */
  confinement: 'bwrap' | 'process-group';
  /** What kept its processes together. */
  keeper: KeeperKind;
  /** Processes that outlived the command and had to be killed. With any, exit status 0 is no success. */
  leftovers: number;
  /** Chinese: why it is no success, where the output does not say so itself. */
  note?: string;
}

export interface AuditEntry {
  at: string;
  who: string;
  what: string;
  args: unknown;
  result: string;
  durationMs: number;
  thread?: string;
  /** Names one run of the thread, as alerts do. */
  trace?: string;
}

export type { FileText, TextEdit };
