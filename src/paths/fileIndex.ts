import { InterfaceTexts } from './interfaceTexts.js';
import type { LocaleTable } from './locale.js';
import { Postings } from './postings.js';
import { isUnchanged } from './racy.js';
import { readFiles } from './readers.js';
import type { ToRead } from './reading.js';
import type { RefreshReport } from './refreshReport.js';
import { readStore, writeStore } from './store.js';
import type { IndexedFile } from './types.js';
import { Vocabulary } from './vocabulary.js';
import { type Walk, walkProject, walkSome } from './walk.js';

/** The cache is written again when at least this share of its files changed, or it is small. */
const WRITE_SHARE = 0.01;
const SMALL_INDEX = 400;
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
  #list: IndexedFile[] = [];
  #vocabulary = new Vocabulary();
  #texts = new InterfaceTexts();
  #postings: Postings | undefined;
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
      index.#texts = new InterfaceTexts(stored.localeStamp, stored.commonKeys);
      index.#list = stored.files;
      index.#generation += 1;
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
    return this.#list[this.positionOf(path)];
  }

  get vocabulary(): Vocabulary {
    return this.#vocabulary;
  }

  /** Positions in {@link list} by token; built at the first search after a change. */
  get postings(): Postings {
    this.#postings ??= new Postings(this.#list, this.#vocabulary.size);
    return this.#postings;
  }

  /** Place of a path in {@link list}; -1 for what is not listed. */
  positionOf(path: string): number {
    const at = firstFrom(this.#list, path);
    return this.#list[at]?.path === path ? at : -1;
  }

  /** Key → Chinese text over the locale files as they are now. */
  localeTable(): LocaleTable {
    return this.#texts.table(this.#list);
  }

  /** Keys of interface texts that a file uses and that few others do. */
  usedKeys(file: IndexedFile): string[] {
    return this.#texts.usedKeys(file);
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
    const now = await this.#readChanged(walk, report, options);
    if (some) this.#patch(now, this.#below(options.only!), report);
    else this.#replace(now, report);
    // A file that was read again unchanged is known to be settled now, which is worth keeping too.
    this.#unsaved += Math.max(report.added.length + report.changed.length + report.removed.length, report.read);
    const isSmall = this.#list.length <= SMALL_INDEX;
    if (isSmall || this.#unsaved >= WRITE_SHARE * this.#list.length) this.save();
    return report;
  }

  #walkSome(only: readonly string[], cancel: { signal?: AbortSignal }): Promise<Walk | undefined> {
    return walkSome(this.#root, only, this.#walkedBy, { ...cancel, isListed: (path) => this.positionOf(path) >= 0 });
  }

  /** The walked files that are still there, in their order, as they are now. */
  async #readChanged(walk: Walk, report: RefreshReport, options: RefreshOptions): Promise<IndexedFile[]> {
    const before = this.#listed(walk.files);
    const waiting: ToRead[] = [];
    for (const [i, walked] of walk.files.entries()) {
      const known = before[i];
      if (known && isUnchanged(known, walked)) continue;
      waiting.push(known?.hash ? { ...walked, before: known.hash } : walked);
    }
    const total = walk.files.length;
    const tell = (done: number) => options.onProgress?.({ done: total - waiting.length + done, total });
    const reading = { signal: options.signal, onProgress: tell };
    const { found, read } = await readFiles(this.#root, waiting, this.#vocabulary, reading);
    if (waiting.length > 0) tell(waiting.length);
    report.read = read;
    const gone = new Set(waiting.map(({ path }) => path).filter((path) => !found.has(path)));
    const files: IndexedFile[] = [];
    for (const [i, walked] of walk.files.entries()) {
      if (gone.has(walked.path)) continue;
      const known = before[i];
      const seen = found.get(walked.path) ?? known!;
      // The file object is shared with whoever holds the list, so a touched file becomes a new one.
      const file = typeof seen === 'number' ? { ...known!, ...walked, checkedAt: seen } : seen;
      files.push(file);
      if (known === undefined) report.added.push(file.path);
      else if (file !== known && (known.hash !== file.hash || file.hash === '')) report.changed.push(file.path);
    }
    return files;
  }

  /** The listed files of some walked ones, in their order; both are sorted. */
  #listed(walked: readonly { path: string }[]): (IndexedFile | undefined)[] {
    let at = walked.length > 0 ? firstFrom(this.#list, walked[0]!.path) : 0;
    return walked.map(({ path }) => {
      while (at < this.#list.length && this.#list[at]!.path < path) at += 1;
      return this.#list[at]?.path === path ? this.#list[at] : undefined;
    });
  }

  /** Everything was walked: these are all files. */
  #replace(now: IndexedFile[], report: RefreshReport): void {
    const paths = new Set(now.map(({ path }) => path));
    for (const { path } of this.#list) if (!paths.has(path)) report.removed.push(path);
    this.#adopt(now, report);
  }

  /** Some paths were walked: these files came of them, in place of the listed ones there. */
  #patch(now: readonly IndexedFile[], there: ReadonlySet<string>, report: RefreshReport): void {
    const paths = new Set(now.map(({ path }) => path));
    for (const path of there) if (!paths.has(path)) report.removed.push(path);
    if (report.added.length + report.removed.length > 0) {
      const others = this.#list.filter(({ path }) => !there.has(path) && !paths.has(path));
      this.#adopt(merged(others, now), report);
      return;
    }
    const list = this.#list.slice();
    for (const file of now) list[this.positionOf(file.path)] = file;
    this.#adopt(list, report);
  }

  /** The listed files that are among some paths or below one of them. */
  #below(paths: readonly string[]): Set<string> {
    const found = new Set<string>();
    for (const path of paths) {
      if (this.positionOf(path) >= 0) found.add(path);
      for (let at = firstFrom(this.#list, `${path}/`); this.#list[at]?.path.startsWith(`${path}/`); at++)
        found.add(this.#list[at]!.path);
    }
    return found;
  }

  /** @param list sorted by path */
  #adopt(list: IndexedFile[], { added, changed, removed }: RefreshReport): void {
    const other = [...added, ...changed, ...removed];
    this.#list = list;
    if (other.length === 0) return;
    this.#list = this.#texts.update(list, other, this.#vocabulary);
    this.#generation += 1;
    this.#postings = undefined;
  }

  /** Writes the cache, unless it holds everything. */
  save(): void {
    if (this.#unsaved === 0) return;
    writeStore(this.#stateDir, {
      files: this.#list,
      vocabulary: this.#vocabulary,
      localeStamp: this.#texts.stamp,
      commonKeys: this.#texts.commonKeys,
    });
    this.#unsaved = 0;
  }
}

/** The place of the first file whose path is not before a text. */
function firstFrom(list: readonly IndexedFile[], text: string): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]!.path < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Two sorted lists as one. */
function merged(a: readonly IndexedFile[], b: readonly IndexedFile[]): IndexedFile[] {
  const all: IndexedFile[] = [];
  let j = 0;
  for (const file of a) {
    while (j < b.length && b[j]!.path < file.path) all.push(b[j++]!);
    all.push(file);
  }
  return all.concat(b.slice(j));
}
