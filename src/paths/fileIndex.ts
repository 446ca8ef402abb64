import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { throwIfCancelled } from '../history/index.js';
import { stableHash } from '../text/index.js';
import { analyse, i18nWords, listedOnly } from './analyse.js';
import { isChineseLocale, LocaleTable } from './locale.js';
import { Postings } from './postings.js';
import { isUnchanged } from './racy.js';
import type { RefreshReport } from './refreshReport.js';
import { isReadable } from './rules.js';
import { readStore, writeStore } from './store.js';
import type { IndexedFile, TermCounts } from './types.js';
import { Vocabulary } from './vocabulary.js';
import { type Walk, type WalkedFile, walkProject, walkSome } from './walk.js';

/** Files that are read between two looks at the signal and two progress reports. */
const BATCH = 25;
/** The cache is written again when at least this share of its files changed, or it is small. */
const WRITE_SHARE = 0.01;
const SMALL_INDEX = 400;
/** A key that more files use than this says nothing about one of them. */
const COMMON_KEY_FILES = 8;
const COMMON_KEY_SHARE = 0.05;

const NO_WORDS: TermCounts = { tokens: new Uint32Array(0), counts: new Uint16Array(0) };

export interface IndexProgress {
  done: number;
  total: number;
}

export interface RefreshOptions {
  signal?: AbortSignal;
  onProgress?: (progress: IndexProgress) => void;
  /** Only these files and folders can have changed (POSIX, relative): the rest is not looked at. */
  only?: readonly string[];
}

/**
 * The files of a project with the words that find them. Exact: after a refresh it equals an index that was built anew.
 */
export class FileIndex {
  readonly #root: string;
  readonly #stateDir: string;
  #files = new Map<string, IndexedFile>();
  #list: IndexedFile[] = [];
  #vocabulary = new Vocabulary();
  #localeStamp = '';
  #commonKeys = new Set<string>();
  #postings: Postings | undefined;
  #positions: Map<string, number> | undefined;
  #locales: LocaleTable | undefined;
  #unsaved = 0;
  #generation = 0;
  #walkedBy: Walk['by'] = 'walk';
  #running: Promise<unknown> = Promise.resolve();

  private constructor(root: string, stateDir: string) {
    this.#root = root;
    this.#stateDir = stateDir;
  }

  /**
   * Opens the index of a project: the cache of an earlier run brought up to date, or all files read once.
   *
   * @throws XiheError CANCELLED
   */
  static async open(
    root: string,
    stateDir: string,
    options: RefreshOptions = {},
  ): Promise<{ index: FileIndex; report: RefreshReport }> {
    const index = new FileIndex(root, stateDir);
    const stored = readStore(stateDir);
    if (stored) {
      index.#vocabulary = stored.vocabulary;
      index.#localeStamp = stored.localeStamp;
      index.#commonKeys = new Set(stored.commonKeys);
      index.#adopt(new Map(stored.files.map((file) => [file.path, file])));
    } else index.#unsaved = Number.POSITIVE_INFINITY;
    return { index, report: await index.refresh(options) };
  }

  /** All files, sorted by path. */
  get list(): readonly IndexedFile[] {
    return this.#list;
  }

  /** Counts the changes of what is listed. */
  get generation(): number {
    return this.#generation;
  }

  get(path: string): IndexedFile | undefined {
    return this.#files.get(path);
  }

  get vocabulary(): Vocabulary {
    return this.#vocabulary;
  }

  /** Positions in {@link list} by token; built at the first search after a change. */
  get postings(): Postings {
    this.#postings ??= new Postings(this.#list, this.#vocabulary.size);
    return this.#postings;
  }

  /** Place of a path in {@link list}. */
  positionOf(path: string): number {
    this.#positions ??= new Map(this.#list.map((file, position) => [file.path, position]));
    return this.#positions.get(path) ?? -1;
  }

  /** Key → Chinese text over the locale files as they are now. */
  localeTable(): LocaleTable {
    this.#locales ??= new LocaleTable(
      this.#localeFiles(this.#list).map((file) => ({ ...file, entries: file.detail().locale ?? [] })),
    );
    return this.#locales;
  }

  /**
   * Brings the index up to date: walks, reads what is new or changed (by times and size, then hash), drops what is gone.
   * Refreshes run one after the other; a cancelled one changes nothing.
   *
   * @throws XiheError CANCELLED
   */
  refresh(options: RefreshOptions = {}): Promise<RefreshReport> {
    const run = this.#running.then(() => this.#refresh(options));
    this.#running = run.catch(() => undefined);
    return run;
  }

  async #refresh(options: RefreshOptions): Promise<RefreshReport> {
    if (options.only?.length === 0) return { added: [], changed: [], removed: [], read: 0, unreadable: [] };
    const cancel = options.signal ? { signal: options.signal } : {};
    const some = options.only && (await this.#walkSome(options.only, cancel));
    const walk = some ?? (await walkProject(this.#root, cancel));
    const report: RefreshReport = {
      added: [],
      changed: [],
      removed: [],
      read: 0,
      unreadable: walk.unreadable,
      ...(walk.note ? { note: walk.note } : {}),
    };
    this.#walkedBy = walk.by;
    const next = await this.#readChanged(walk, report, options, some ? this.#outside(options.only!) : []);
    for (const path of this.#files.keys()) if (!next.has(path)) report.removed.push(path);
    const changes = report.added.length + report.changed.length + report.removed.length;
    this.#adopt(next, changes > 0);
    if (changes > 0) this.#updateInterfaceTexts();
    // A file that was read again unchanged is known to be settled now, which is worth keeping too.
    this.#unsaved += Math.max(changes, report.read);
    this.#save();
    return report;
  }

  #walkSome(only: readonly string[], cancel: { signal?: AbortSignal }): Promise<Walk | undefined> {
    return walkSome(this.#root, only, this.#walkedBy, { ...cancel, isListed: (path) => this.#files.has(path) });
  }

  /** The files that are not among these, nor below one of them. */
  #outside(paths: readonly string[]): [string, IndexedFile][] {
    const isAmong = new Set(paths);
    const folders = paths.map((path) => `${path}/`);
    return [...this.#files].filter(
      ([path]) => !isAmong.has(path) && !folders.some((folder) => path.startsWith(folder)),
    );
  }

  async #readChanged(
    walk: Walk,
    report: RefreshReport,
    options: RefreshOptions,
    kept: [string, IndexedFile][],
  ): Promise<Map<string, IndexedFile>> {
    const next = new Map(kept);
    const waiting: WalkedFile[] = [];
    for (const walked of walk.files) {
      const before = this.#files.get(walked.path);
      if (before && isUnchanged(before, walked)) next.set(walked.path, before);
      else waiting.push(walked);
    }
    for (let done = 0; done < waiting.length; done += BATCH) {
      options.onProgress?.({ done: next.size, total: walk.files.length });
      // Together, because parsing runs in threads of its own while we count words here.
      const batch = waiting.slice(done, done + BATCH);
      const seen = await Promise.all(batch.map((walked) => this.#look(walked, this.#files.get(walked.path), report)));
      for (const now of seen) if (now) note(next, report, this.#files.get(now.path), now);
      await nextTick();
      throwIfCancelled(options.signal);
    }
    options.onProgress?.({ done: walk.files.length, total: walk.files.length });
    return next;
  }

  /** @returns undefined when the file went away meanwhile */
  async #look(
    walked: WalkedFile,
    before: IndexedFile | undefined,
    report: RefreshReport,
  ): Promise<IndexedFile | undefined> {
    const checkedAt = Date.now();
    if (!isReadable(walked.path, walked.size)) return listedOnly(walked, checkedAt, '', this.#vocabulary);
    let bytes: Buffer;
    try {
      bytes = readFileSync(join(this.#root, walked.path));
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      return listedOnly(walked, checkedAt, '', this.#vocabulary);
    }
    report.read += 1;
    const hash = stableHash(bytes);
    // The file object is shared with whoever holds the list, so a touched file becomes a new one.
    if (before?.hash === hash)
      return { ...before, mtimeMs: walked.mtimeMs, ctimeMs: walked.ctimeMs, size: walked.size, checkedAt };
    return analyse(walked, bytes, checkedAt, hash, this.#vocabulary);
  }

  #adopt(files: Map<string, IndexedFile>, changed = true): void {
    this.#files = files;
    this.#list = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    if (!changed) return;
    this.#generation += 1;
    this.#postings = undefined;
    this.#positions = undefined;
    this.#locales = undefined;
  }

  #localeFiles(list: readonly IndexedFile[]): IndexedFile[] {
    return list.filter(({ path, hash }) => hash !== '' && isChineseLocale(path));
  }

  /** Keys of interface texts that a file uses and that few others do. */
  usedKeys(file: IndexedFile): string[] {
    return (file.knownKeys ?? []).filter((key) => !this.#commonKeys.has(key));
  }

  /**
   * Gives every file the Chinese texts of the keys that it uses. A change anywhere can make a key known, gone or common, so
   * all files are looked at; only those whose keys or texts changed get new words.
   */
  #updateInterfaceTexts(): void {
    const locales = this.#localeFiles(this.#list);
    const stamp = LocaleTable.stampOf(locales);
    if (stamp === '' && this.#localeStamp === '') return;
    const sameTexts = stamp === this.#localeStamp;
    let table: LocaleTable | undefined;
    const textOf = (key: string) => {
      table ??= this.localeTable();
      return table.valueOf(key);
    };
    const isLocale = new Set(locales.map(({ path }) => path));
    const known = this.#list.map((file) => {
      if (sameTexts && file.knownKeys) return file.knownKeys;
      return isLocale.has(file.path) ? [] : file.detail().keys.filter((key) => textOf(key) !== undefined);
    });
    const common = commonKeys(known, this.#list.length);
    const moved = new Set(
      [...common, ...this.#commonKeys].filter((key) => common.has(key) !== this.#commonKeys.has(key)),
    );
    this.#list = this.#list.map((file, i) => {
      const keys = known[i]!;
      if (keys === file.knownKeys && !keys.some((key) => moved.has(key))) return file;
      const texts = keys.filter((key) => !common.has(key)).map((key) => textOf(key) ?? '');
      return { ...file, knownKeys: keys, i18n: texts.length === 0 ? NO_WORDS : i18nWords(texts, this.#vocabulary) };
    });
    this.#files = new Map(this.#list.map((file) => [file.path, file]));
    this.#localeStamp = stamp;
    this.#commonKeys = common;
  }

  #save(): void {
    const enough =
      this.#list.length <= SMALL_INDEX ? this.#unsaved > 0 : this.#unsaved >= WRITE_SHARE * this.#list.length;
    if (!enough) return;
    writeStore(this.#stateDir, {
      files: this.#list,
      vocabulary: this.#vocabulary,
      localeStamp: this.#localeStamp,
      commonKeys: [...this.#commonKeys],
    });
    this.#unsaved = 0;
  }
}

function note(
  next: Map<string, IndexedFile>,
  report: RefreshReport,
  before: IndexedFile | undefined,
  now: IndexedFile,
): void {
  next.set(now.path, now);
  if (before === undefined) report.added.push(now.path);
  else if (before.hash !== now.hash || now.hash === '') report.changed.push(now.path);
}

/** Keys that more files use than could tell one of them from another. */
function commonKeys(known: readonly (readonly string[])[], files: number): Set<string> {
  const users = new Map<string, number>();
  for (const keys of known) for (const key of keys) users.set(key, (users.get(key) ?? 0) + 1);
  const limit = Math.max(COMMON_KEY_FILES, COMMON_KEY_SHARE * files);
  return new Set([...users].filter(([, n]) => n > limit).map(([key]) => key));
}
