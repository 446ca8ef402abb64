import type { EntryType } from '../types.js';
import type { LintModel } from './model.js';

/** `error` fails `xihe lint --ci`; a `note` is worth a look and may be meant. */
export type Level = 'error' | 'warning' | 'note';

/** One thing that is wrong with what a team wrote. */
export interface Finding {
  /** Stable: `XL201`. */
  rule: string;
  level: Level;
  layer: 'general' | 'project';
  /** As people find it: `.xihe/knowledge/terms/order.yaml`. */
  file: string;
  /** 1-based. */
  line: number;
  /** In Chinese: what is wrong and what to do. */
  message: string;
  entryId?: string;
}

/** A rule of `xihe lint`. Ids are never reused for something else. */
export interface Rule {
  id: string;
  /** In English words joined by hyphens, for SARIF viewers. */
  name: string;
  /** What it usually finds; single findings may weigh less or more. */
  level: Level;
  /** In Chinese: what it finds. */
  title: string;
  /** In Chinese: why it matters and what to do. */
  help: string;
  check(model: LintModel): Finding[] | Promise<Finding[]>;
}

/** An entry under test, whatever it is. */
export interface LintEntry<E = unknown> {
  type: EntryType;
  id: string;
  entry: E;
  layer: 'general' | 'project';
  status: 'verified' | 'candidate';
  module: string | undefined;
  source: string;
  /** As people find it. */
  file: string;
  line: number;
}

/** A text that entries may have been copied from. */
export interface Page {
  /** As people find it: `docs/payment/README.md`. */
  name: string;
  /** Plain text, Markdown or HTML. */
  text: string;
  /** A document of the project itself; saying the same there is no theft, but a second place to keep true. */
  own?: boolean;
}
