import { Vocabulary } from '../text/index.js';
import {
  BODY,
  CommitTable,
  FIELD_BITS,
  MAX_COUNT,
  SUBJECT,
  TEXTS_OF_COMMIT,
  transposed,
  type ValuedLists,
} from './table.js';
import { evidenceTokens } from './tokens.js';
import type { StoredCommit } from './types.js';

/** A commit of more files is a merge by hand, a format run or an import: it says nothing about one file. */
export const MAX_FILES_OF_EVIDENCE = 60;

/**
 * A table of commits: those just read, and those of an earlier table, whose words are not cut again.
 *
 * @param fresh newest first
 * @param older a table of other commits
 * @param most commits that are kept, the newest ones
 * @returns what reading all of them at once would give
 */
export function tableOf(
  fresh: readonly StoredCommit[],
  older?: CommitTable,
  most = Number.POSITIVE_INFINITY,
): CommitTable {
  const builder = new TableBuilder(older);
  const times = older?.columns.times ?? [];
  let [i, j] = [0, 0];
  while (builder.size < most && (i < fresh.length || j < times.length)) {
    // By committer time, so that a history that grew is ordered as one that was read at once.
    if (j === times.length || (i < fresh.length && fresh[i]!.time >= times[j]!)) builder.add(fresh[i++]!);
    else builder.addOlder(j++);
  }
  return builder.finish();
}

/** Collects commits in the order that they are to have. */
class TableBuilder {
  readonly #times: number[] = [];
  readonly #texts: Uint8Array[] = [];
  readonly #textStarts = [0];
  readonly #fileStarts = [0];
  readonly #files: number[] = [];
  readonly #moves: number[] = [];
  readonly #lengths: number[] = [];
  readonly #paths: string[] = [];
  readonly #pathNumbers = new Map<string, number>();
  readonly #vocabulary = new Vocabulary();
  /** By commit: its words. */
  readonly #wordStarts = [0];
  readonly #words: number[] = [];
  readonly #counts: number[] = [];
  readonly #older: OlderTable | undefined;

  constructor(older: CommitTable | undefined) {
    this.#older = older && new OlderTable(older);
  }

  get size(): number {
    return this.#times.length;
  }

  add(commit: StoredCommit): void {
    const { hash, time, author, subject, body, files, renames = [] } = commit;
    for (const text of [hash, author, subject, body]) this.#addText(Buffer.from(text));
    for (const file of files) this.#files.push(this.#numberOf(file));
    for (const [from, to] of renames) this.#moves.push(this.size, this.#numberOf(from), this.#numberOf(to));
    if (isEvidence(files.length)) {
      const subjectTokens = evidenceTokens(subject);
      const different = this.#addWords(subjectTokens, SUBJECT);
      const bodyTokens = evidenceTokens(body);
      this.#addWords(bodyTokens, BODY);
      this.#lengths.push(subjectTokens.length, bodyTokens.length, different);
    } else this.#lengths.push(0, 0, 0);
    this.#end(time);
  }

  /** Takes over a commit of the older table. */
  addOlder(commit: number): void {
    const { columns, moves, words, renamed, pathNumber } = this.#older!;
    const { textStarts, texts, files, lengths, times } = columns;
    for (let i = TEXTS_OF_COMMIT * commit; i < TEXTS_OF_COMMIT * (commit + 1); i++)
      this.#addText(texts.subarray(textStarts[i], textStarts[i + 1]));
    const path = (number: number) => pathNumber(number, (name) => this.#numberOf(name));
    for (let i = files.starts[commit]!; i < files.starts[commit + 1]!; i++) this.#files.push(path(files.items[i]!));
    for (const [from, to] of moves.get(commit) ?? []) this.#moves.push(this.size, path(from), path(to));
    for (let i = words.starts[commit]!; i < words.starts[commit + 1]!; i++) {
      this.#words.push(renamed(words.items[i]!, this.#vocabulary));
      this.#counts.push(words.values[i]!);
    }
    this.#lengths.push(...lengths.subarray(3 * commit, 3 * commit + 3));
    this.#end(times[commit]!);
  }

  #end(time: number): void {
    this.#times.push(time);
    this.#fileStarts.push(this.#files.length);
    this.#wordStarts.push(this.#words.length);
  }

  #addText(text: Uint8Array): void {
    this.#texts.push(text);
    this.#textStarts.push(this.#textStarts.at(-1)! + text.length);
  }

  #numberOf(path: string): number {
    let number = this.#pathNumbers.get(path);
    if (number === undefined) {
      number = this.#paths.push(path) - 1;
      this.#pathNumbers.set(path, number);
    }
    return number;
  }

  /** @returns how many of the tokens are different */
  #addWords(tokens: readonly string[], field: number): number {
    const counts = new Map<number, number>();
    for (const token of tokens) {
      const number = this.#vocabulary.add(token);
      counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    for (const [number, count] of counts) {
      this.#words.push(number);
      this.#counts.push((Math.min(count, MAX_COUNT) << FIELD_BITS) | field);
    }
    return counts.size;
  }

  finish(): CommitTable {
    const byCommit: ValuedLists = {
      starts: Uint32Array.from(this.#wordStarts),
      items: Uint32Array.from(this.#words),
      values: Uint16Array.from(this.#counts),
    };
    return new CommitTable({
      times: Float64Array.from(this.#times),
      textStarts: Uint32Array.from(this.#textStarts),
      texts: Buffer.concat(this.#texts),
      files: { starts: Uint32Array.from(this.#fileStarts), items: Uint32Array.from(this.#files) },
      moves: Uint32Array.from(this.#moves),
      lengths: Uint32Array.from(this.#lengths),
      vocabulary: this.#vocabulary,
      words: transposed(byCommit, this.#vocabulary.size),
      paths: this.#paths,
    });
  }
}

/** A table whose commits are taken over: its words by commit, and what its numbers become. */
class OlderTable {
  readonly columns: CommitTable['columns'];
  readonly words: ValuedLists;
  readonly moves = new Map<number, [from: number, to: number][]>();
  readonly #wordNumbers: Int32Array;
  readonly #pathNumbers: Int32Array;

  constructor({ columns, size }: CommitTable) {
    this.columns = columns;
    this.words = transposed(columns.words, size);
    const { moves } = columns;
    for (let i = 0; i < moves.length; i += 3)
      this.moves.set(moves[i]!, [...(this.moves.get(moves[i]!) ?? []), [moves[i + 1]!, moves[i + 2]!]]);
    this.#wordNumbers = new Int32Array(columns.vocabulary.size).fill(-1);
    this.#pathNumbers = new Int32Array(columns.paths.length).fill(-1);
  }

  readonly renamed = (word: number, vocabulary: Vocabulary): number => {
    if (this.#wordNumbers[word]! < 0) this.#wordNumbers[word] = vocabulary.add(this.columns.vocabulary.word(word));
    return this.#wordNumbers[word]!;
  };

  readonly pathNumber = (path: number, numberOf: (name: string) => number): number => {
    if (this.#pathNumbers[path]! < 0) this.#pathNumbers[path] = numberOf(this.columns.paths[path]!);
    return this.#pathNumbers[path]!;
  };
}

/** Whether a commit of so many files says something about each of them. */
export function isEvidence(files: number): boolean {
  return files > 0 && files <= MAX_FILES_OF_EVIDENCE;
}
