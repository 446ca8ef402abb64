import { withoutSecrets } from '../../text/index.js';
import type { ColumnField } from './headers.js';

/** What a source is taken for. */
export type ImportKind = 'terms' | 'playbooks' | 'knowledge';

/** Something of the source that does not go in, or not as it stands. */
export interface LeftOut {
  /** File, with sheet and row or line: `术语.xlsx#订单!12`, `AGENTS.md:30`. */
  where: string;
  /** In Chinese. */
  reason: string;
  /** The beginning of what it was; empty where that says nothing. */
  text: string;
}

/** Something that the source did not say and that the import concluded; a person should look at it. */
export interface Guessed {
  where: string;
  /** In Chinese: what was concluded. */
  what: string;
  text: string;
}

/** What one column of a table was taken for. */
export interface UsedColumn {
  /** Its title, or 「第 2 列」. */
  column: string;
  field: ColumnField;
  /** Its title says so, or only what it holds. */
  by: 'header' | 'content';
}

/** How a table was read. */
export interface TableColumns {
  /** File, with the sheet. */
  where: string;
  used: UsedColumn[];
  /** Titles of columns that did not go in. */
  ignored: string[];
}

/** Something that went in and that whoever imports should know. */
export interface Remark {
  where: string;
  /** In Chinese: what is so, and what to do about it. */
  what: string;
}

/** A file that the import would write. */
export interface PlannedFile {
  /** Relative to the project, POSIX: `.xihe/knowledge/terms/imported-词表.yaml`. */
  path: string;
  /** What its entries are: references of skills come along as documents. */
  kind: ImportKind;
  content: string;
  /** Entries in it. */
  entries: number;
  /** `new` will be written; `same` is there already; `kept` is there with other content and stays. */
  state: 'new' | 'same' | 'kept';
  /** Its first entries, one line each, for people. */
  preview: string[];
}

/** What an import would do. */
export interface ImportPlan {
  kind: ImportKind;
  files: PlannedFile[];
  leftOut: LeftOut[];
  guessed: Guessed[];
  /** Of each table, what its columns were taken for. */
  columns: TableColumns[];
  remarks: Remark[];
}

/** Where an import goes, and how. */
export interface ImportOptions {
  /** The project root, symlinks resolved. */
  root: string;
  /** The project's `.xihe/`; it need not exist. */
  layerDir: string;
  /** What to take the source for; default: its name and content decide. */
  as?: ImportKind;
  /** Module of entries that name none. */
  module?: string;
  /** `2026-11-30`: when entries were confirmed that say so without a date. */
  today: string;
  /** Takes the Markdown references of skills along, as documents. Default: true. */
  references?: boolean;
  signal?: AbortSignal;
  /** Called now and then with the number of files (or rows) done. */
  onProgress?: (progress: { done: number; total: number; what: string }) => void;
}

/** Where parsers report to. */
export class Notes {
  readonly leftOut: LeftOut[] = [];
  readonly guessed: Guessed[] = [];
  readonly columns: TableColumns[] = [];
  readonly remarks: Remark[] = [];

  drop(where: string, reason: string, text = ''): void {
    this.leftOut.push({ where: withoutSecrets(where), reason: withoutSecrets(reason), text: excerpt(text) });
  }

  guess(where: string, what: string, text = ''): void {
    this.guessed.push({ where: withoutSecrets(where), what: withoutSecrets(what), text: excerpt(text) });
  }

  remark(where: string, what: string): void {
    this.remarks.push({ where, what });
  }
}

/** As much of a text as is needed to recognise it, in characters. */
const EXCERPT_CHARS = 120;

/** Characters of a text that are looked through for an excerpt: the rest is cut off anyway, and a dump may be huge. */
const LOOKED_AT = 4_000;

/** One line, short, passwords and keys masked: what is left out is printed all the same. */
export function excerpt(text: string): string {
  const line = withoutSecrets(text.slice(0, LOOKED_AT).replace(/\s+/g, ' ').trim());
  const chars = [...line];
  return chars.length <= EXCERPT_CHARS ? line : `${chars.slice(0, EXCERPT_CHARS - 1).join('')}…`;
}
