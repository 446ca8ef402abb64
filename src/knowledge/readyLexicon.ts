import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './fileList.js';
import { type Formed, formsOf } from './forms.js';
import type { WordSource } from './wordMatcher.js';

/** Raised when the shape of the file changes. */
const VERSION = 1;

/** A group as a word of it sees it. */
export interface Place {
  group: { equal: readonly Formed[]; near: readonly Formed[] };
  /** Where the word itself stands. */
  in: 'equal' | 'near';
}

/** The file `knowledge/ready/lexicon.index`. Words and forms are joined by line feeds, which no word holds. */
interface ReadyFile {
  version: number;
  /** Of the files that it was made of, see {@link lexiconStamp}. */
  stamp: string;
  words: string;
  /** The form of each word, sorted by UTF-16 units and each once. */
  forms: string;
  /** Word → number of its form. */
  formOf: number[];
  /** Numbers of the words that are written as in Taiwan or Hong Kong. */
  regional: number[];
  /** For each group: how many words are equal, how many near, and their numbers. */
  groups: number[];
  /** For each form: how many groups hold it, and for each 2 × the group, + 1 where the word is a near one. */
  places: number[];
}

/** Where the ready lexicon of a layer lies. */
export function readyLexiconFile(knowledgeDir: string): string {
  return join(knowledgeDir, 'ready', 'lexicon.index');
}

/** Names the content of all lexicon files of a layer. */
export function lexiconStamp(knowledgeDir: string): string {
  const dir = join(knowledgeDir, 'lexicon');
  const hash = createHash('sha256');
  for (const path of listFiles(dir, ['.yaml', '.yml'], true).files)
    hash.update(`${path}\n`).update(readFileSync(join(dir, path)));
  return hash.digest('hex').slice(0, 32);
}

/** What {@link openReadyLexicon} reads. Groups in which a word has a line feed are not to be had this way. */
export function readyLexicon(
  groups: readonly { equal: readonly string[]; near: readonly string[] }[],
  stamp: string,
): string {
  const known = formsOf(groups);
  const words = [...known.keys()];
  const numberOf = new Map(words.map((word, i) => [word, i]));
  const formed = [...known.values()];
  const forms = [...new Set(formed.map(({ form }) => form))].sort((a, b) => (a < b ? -1 : 1));
  const formNumber = new Map(forms.map((form, i) => [form, i]));
  const holders = forms.map(() => new Set<number>());
  const flat: number[] = [];
  groups.forEach(({ equal, near }, at) => {
    flat.push(equal.length, near.length, ...[...equal, ...near].map((word) => numberOf.get(word)!));
    for (const [role, list] of [equal, near].entries())
      for (const word of list) holders[formNumber.get(known.get(word)!.form)!]!.add(2 * at + role);
  });
  const file: ReadyFile = {
    version: VERSION,
    stamp,
    words: words.join('\n'),
    forms: forms.join('\n'),
    formOf: formed.map(({ form }) => formNumber.get(form)!),
    regional: formed.flatMap(({ regional }, i) => (regional ? [i] : [])),
    groups: flat,
    places: holders.flatMap((places) => [places.size, ...places]),
  };
  return `${JSON.stringify(file)}\n`;
}

let opened: ReadyLexicon | undefined;

/**
 * The lexicon of a layer as it ships, ready to be asked: without it every process would read 4,000 groups of YAML and fold their words.
 *
 * @returns undefined where there is none, or where the files that it was made of are others now
 */
export function openReadyLexicon(knowledgeDir: string): ReadyLexicon | undefined {
  try {
    const stamp = lexiconStamp(knowledgeDir);
    if (opened?.stamp !== stamp) {
      const file = JSON.parse(readFileSync(readyLexiconFile(knowledgeDir), 'utf8')) as ReadyFile;
      if (file.version !== VERSION || file.stamp !== stamp) return undefined;
      opened = new ReadyLexicon(file);
    }
    return opened;
  } catch {
    return undefined;
  }
}

/** Words and groups of a ready lexicon. Only those that a request asks for become objects. */
export class ReadyLexicon implements WordSource<Place> {
  readonly stamp: string;
  readonly #words: string[];
  readonly #forms: string[];
  readonly #formOf: readonly number[];
  readonly #regional: ReadonlySet<number>;
  readonly #groups: readonly number[];
  readonly #groupStarts: number[] = [];
  readonly #places: readonly number[];
  readonly #placeStarts: number[] = [];
  readonly #lengths = new Map<string, readonly number[]>();
  readonly #asked = new Map<string, readonly Place[]>();

  constructor({ stamp, words, forms, formOf, regional, groups, places }: ReadyFile) {
    this.stamp = stamp;
    this.#words = words.split('\n');
    this.#forms = forms.split('\n');
    this.#formOf = formOf;
    this.#regional = new Set(regional);
    this.#groups = groups;
    for (let at = 0; at < groups.length; at += 2 + groups[at]! + groups[at + 1]!) this.#groupStarts.push(at);
    this.#places = places;
    for (let at = 0; at < places.length; at += 1 + places[at]!) this.#placeStarts.push(at);
  }

  /** The groups in which a form stands; the same objects each time. */
  idsOf(form: string): readonly Place[] | undefined {
    const known = this.#asked.get(form);
    if (known !== undefined) return known;
    const number = this.#lowerBound(form);
    if (this.#forms[number] !== form) return undefined;
    const start = this.#placeStarts[number]!;
    const places = this.#places.slice(start + 1, start + 1 + this.#places[start]!).map((place) => this.#place(place));
    this.#asked.set(form, places);
    return places;
  }

  lengthsOf(key: string): readonly number[] {
    let lengths = this.#lengths.get(key);
    if (lengths === undefined) {
      const found = new Set<number>();
      for (let i = this.#lowerBound(key); this.#forms[i]?.startsWith(key); i++) found.add(this.#forms[i]!.length);
      lengths = [...found].sort((a, b) => b - a);
      this.#lengths.set(key, lengths);
    }
    return lengths;
  }

  #place(place: number): Place {
    const start = this.#groupStarts[place >> 1]!;
    const near = start + 2 + this.#groups[start]!;
    const formed = (from: number, to: number) => this.#groups.slice(from, to).map((word) => this.#formed(word));
    return {
      group: { equal: formed(start + 2, near), near: formed(near, near + this.#groups[start + 1]!) },
      in: place & 1 ? 'near' : 'equal',
    };
  }

  #formed(word: number): Formed {
    return { word: this.#words[word]!, form: this.#forms[this.#formOf[word]!]!, regional: this.#regional.has(word) };
  }

  #lowerBound(form: string): number {
    let low = 0;
    let high = this.#forms.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#forms[middle]! < form) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
