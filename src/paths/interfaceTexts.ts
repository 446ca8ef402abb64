import { i18nWords } from './analyse.js';
import { isChineseLocale, LocaleTable } from './locale.js';
import type { IndexedFile, TermCounts } from './types.js';
import type { Vocabulary } from './vocabulary.js';

/** A key that more files use than this says nothing about one of them. */
const COMMON_KEY_FILES = 8;
const COMMON_KEY_SHARE = 0.05;

const NO_WORDS: TermCounts = { tokens: new Uint32Array(0), counts: new Uint16Array(0) };

/** Which Chinese interface texts each file of a list uses, by their keys. */
export class InterfaceTexts {
  /** Names the locale files that the words of the list come from. */
  stamp: string;
  #common: Set<string>;
  #table: LocaleTable | undefined;

  /** As they were kept by `store.ts`, or nothing. */
  constructor(stamp = '', commonKeys: readonly string[] = []) {
    this.stamp = stamp;
    this.#common = new Set(commonKeys);
  }

  /** Keys that too many files use. */
  get commonKeys(): string[] {
    return [...this.#common];
  }

  /** Keys that a file uses and that few others do. */
  usedKeys(file: IndexedFile): string[] {
    return (file.knownKeys ?? []).filter((key) => !this.#common.has(key));
  }

  /** Key → Chinese text over the locale files of a list. */
  table(list: readonly IndexedFile[]): LocaleTable {
    this.#table ??= new LocaleTable(
      localeFiles(list).map((file) => ({ ...file, entries: file.detail().locale ?? [] })),
    );
    return this.#table;
  }

  /**
   * Gives every file the Chinese texts of the keys that it uses. A change anywhere can make a key known, gone or common, so
   * all files are looked at; only those whose keys or texts changed get new words.
   *
   * @param changed the paths that are other than at the last call
   * @returns the same list where nothing is to be changed in it
   */
  update(list: IndexedFile[], changed: readonly string[], vocabulary: Vocabulary): IndexedFile[] {
    if (this.stamp === '' && !changed.some(isChineseLocale)) return list;
    const locales = localeFiles(list);
    const stamp = LocaleTable.stampOf(locales);
    if (stamp !== this.stamp) this.#table = undefined;
    const textOf = (key: string) => this.table(list).valueOf(key);
    const isLocale = new Set(locales.map(({ path }) => path));
    const known = list.map((file) => {
      if (stamp === this.stamp && file.knownKeys) return file.knownKeys;
      return isLocale.has(file.path) ? [] : file.detail().keys.filter((key) => textOf(key) !== undefined);
    });
    const common = commonKeys(known, list.length);
    const moved = new Set([...common, ...this.#common].filter((key) => common.has(key) !== this.#common.has(key)));
    this.stamp = stamp;
    this.#common = common;
    return list.map((file, i) => {
      const keys = known[i]!;
      if (keys === file.knownKeys && !keys.some((key) => moved.has(key))) return file;
      const texts = keys.filter((key) => !common.has(key)).map((key) => textOf(key) ?? '');
      return { ...file, knownKeys: keys, i18n: texts.length === 0 ? NO_WORDS : i18nWords(texts, vocabulary) };
    });
  }
}

function localeFiles(list: readonly IndexedFile[]): IndexedFile[] {
  return list.filter(({ path, hash }) => hash !== '' && isChineseLocale(path));
}

/** Keys that more files use than could tell one of them from another. */
function commonKeys(known: readonly (readonly string[])[], files: number): Set<string> {
  const users = new Map<string, number>();
  for (const keys of known) for (const key of keys) users.set(key, (users.get(key) ?? 0) + 1);
  const limit = Math.max(COMMON_KEY_FILES, COMMON_KEY_SHARE * files);
  return new Set([...users].filter(([, n]) => n > limit).map(([key]) => key));
}
