import type { Vocabulary } from '../text/index.js';
import type { Commit } from './types.js';

/** Texts of a commit, in the order that they are kept in. */
const TEXTS = ['hash', 'author', 'subject', 'body'] as const;
export const TEXTS_OF_COMMIT = TEXTS.length;

/** Fields of a commit's words, as the lowest bit of a count; the others hold how often. */
export const SUBJECT = 0;
export const BODY = 1;
export const FIELD_BITS = 1;
export const MAX_COUNT = 0xffff >> FIELD_BITS;

/** Lists of numbers, one behind the other. */
export interface Lists {
  /** Where each list begins, and where the last one ends. */
  starts: Uint32Array;
  items: Uint32Array;
}

/** Lists whose items each have a value. */
export interface ValuedLists extends Lists {
  values: Uint16Array;
}

/** Commits as columns, newest first. */
export interface TableColumns {
  /** Committer time, seconds since 1970. */
  times: Float64Array;
  /** Where the texts of each commit begin in `texts`, and where the last one ends. */
  textStarts: Uint32Array;
  texts: Uint8Array;
  /** The files of each commit by number, as they were called then. */
  files: Lists;
  /** Files that moved without a change, in threes: the commit, the old name, the new one. */
  moves: Uint32Array;
  /** In threes: tokens of the subject, of the body, repeats included; different ones of the subject. */
  lengths: Uint32Array;
  vocabulary: Vocabulary;
  /** By word: the commits that say it, newest first, with field and count. Of commits that count as evidence only. */
  words: ValuedLists;
  /** Names of files by number. */
  paths: readonly string[];
}

/**
 * The commits of a project in typed arrays. A file of them is read without parsing: texts become strings when they are asked for, words are
 * views on the file.
 */
export class CommitTable {
  constructor(readonly columns: TableColumns) {}

  /** How many commits there are. */
  get size(): number {
    return this.columns.times.length;
  }

  /** @param field place in {@link TEXTS} */
  #text(commit: number, field: number): string {
    const { texts, textStarts } = this.columns;
    const at = TEXTS_OF_COMMIT * commit + field;
    return Buffer.from(texts.buffer, texts.byteOffset, texts.length).toString(
      'utf8',
      textStarts[at],
      textStarts[at + 1],
    );
  }

  hash(commit: number): string {
    return this.#text(commit, TEXTS.indexOf('hash'));
  }

  subject(commit: number): string {
    return this.#text(commit, TEXTS.indexOf('subject'));
  }

  /** Everything about one commit. @param files what its files are called */
  commit(commit: number, files: string[]): Commit {
    const [hash, author, subject, body] = TEXTS.map((_, field) => this.#text(commit, field)) as [
      string,
      string,
      string,
      string,
    ];
    return { hash, time: this.columns.times[commit]!, author, subject, body, files };
  }
}

/** The files of each commit under the names that they have today, and those names by number of the old one. */
export interface CurrentNames {
  files: Lists;
  nowCalled: Uint32Array;
}

/** Gives every file the name that it has today, by the moves that commits recorded. */
export function currentNames({ columns: { files, moves, paths } }: CommitTable): CurrentNames {
  const nowCalled = Uint32Array.from(paths, (_, number) => number);
  if (moves.length === 0) return { files, nowCalled };
  const starts = new Uint32Array(files.starts.length);
  const items: number[] = [];
  let move = 0;
  for (let commit = 0; commit + 1 < starts.length; commit++) {
    const own = files.items.subarray(files.starts[commit], files.starts[commit + 1]);
    for (const number of new Set(own.map((file) => nowCalled[file]!))) items.push(number);
    starts[commit + 1] = items.length;
    // Older commits know the file by its old name.
    for (; moves[move] === commit; move += 3) nowCalled[moves[move + 1]!] = nowCalled[moves[move + 2]!]!;
  }
  return { files: { starts, items: Uint32Array.from(items) }, nowCalled };
}

/**
 * Lists of rows by column out of lists of columns by row, each in the order of rows.
 *
 * @param columns how many there are
 */
export function transposed({ starts, items, values }: ValuedLists, columns: number): ValuedLists {
  const to: ValuedLists = {
    starts: new Uint32Array(columns + 1),
    items: new Uint32Array(items.length),
    values: new Uint16Array(items.length),
  };
  for (const column of items) to.starts[column + 1]! += 1;
  for (let i = 1; i <= columns; i++) to.starts[i]! += to.starts[i - 1]!;
  const next = to.starts.slice();
  for (let row = 0; row + 1 < starts.length; row++) {
    for (let i = starts[row]!; i < starts[row + 1]!; i++) {
      const at = next[items[i]!]!++;
      to.items[at] = row;
      to.values[at] = values[i]!;
    }
  }
  return to;
}
