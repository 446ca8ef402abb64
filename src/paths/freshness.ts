import { join } from 'node:path';
import type { History } from '../history/index.js';
import type { Derived } from './derived.js';
import type { FileIndex, RefreshOptions } from './fileIndex.js';
import { isAsSeen } from './racy.js';
import { joinReports, type RefreshReport } from './refreshReport.js';
import type { Renames } from './renames.js';
import { foldersOf } from './rules.js';
import { TreeWatcher } from './treeWatcher.js';
import { statOf } from './walk.js';

/** A tree that changes under every look is somebody's generator at work; its files are told as they were then. */
const MAX_LOOKS = 5;

/** What is kept up to date together. */
export interface KeptFresh {
  root: string;
  index: FileIndex;
  derived: Derived;
  renames: Renames;
  history: History | undefined;
}

/** Keeps a project's index, and all that follows from it, as the files are. */
export class Freshness {
  readonly #kept: KeptFresh;
  #watcher: TreeWatcher | undefined;
  /** What the last refresh found; the first one is that of opening. */
  lastRefresh: RefreshReport;
  /** Another number whenever files are other than before. */
  version = 0;

  constructor(kept: KeptFresh, opened: RefreshReport) {
    this.#kept = kept;
    this.lastRefresh = opened;
  }

  /**
   * Reads what changed since the last look, new commits too. Answers never name a file that is gone; new files are found after this.
   *
   * @throws XiheError CANCELLED
   */
  async refresh(options: RefreshOptions = {}): Promise<RefreshReport> {
    const watcher = this.#watcher;
    if (watcher === undefined) return this.#refresh(options, true);
    const dirty = await watcher.take();
    const { only: _, ...whole } = options;
    try {
      if (dirty === 'all') return await this.#follow(watcher, await this.#refresh(whole, true));
      const only = [...dirty, ...(options.only ?? [])];
      return await this.#follow(watcher, await this.#refresh({ ...whole, only }, !watcher.seesGit));
    } catch (e) {
      watcher.miss();
      throw e;
    }
  }

  async #refresh(options: RefreshOptions, withHistory: boolean): Promise<RefreshReport> {
    const { index, derived, renames, history } = this.#kept;
    const before = index.list;
    const report = await index.refresh(options);
    derived.after(report);
    renames.after(report, before, index.list);
    this.lastRefresh = report;
    if (report.added.length + report.changed.length + report.removed.length > 0) this.version += 1;
    if (withHistory) await history?.refresh(options.signal);
    return report;
  }

  /** Folders that a refresh brought are watched from now on; what came into them before they were is looked at once more. */
  async #follow(watcher: TreeWatcher, report: RefreshReport): Promise<RefreshReport> {
    const fresh = watcher.follow(foldersOf(report.added));
    if (fresh.length === 0) return report;
    const more = await this.#refresh({ only: fresh.filter((folder) => folder !== '') }, false);
    return joinReports(report, more);
  }

  /**
   * Listens for changes from now on, in a process that stays: a refresh then looks at what changed only, and at nothing where nothing did.
   * Never keeps a process alive.
   *
   * @returns false where this system can't watch the tree; all goes on as before then
   */
  watch(): boolean {
    const { root, index } = this.#kept;
    this.#watcher ??= new TreeWatcher(root, foldersOf(index.list.map(({ path }) => path)));
    return this.#watcher.isWatching;
  }

  /** Ends {@link watch}. */
  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** An answer whose files are as it says, at the moment that it is given: looked for again while they change. */
  async settled<T>(look: () => T, pathsOf: (found: T) => readonly string[]): Promise<T> {
    for (let looks = 1; ; looks++) {
      const found = look();
      if (!(await this.ensure(pathsOf(found))) || looks === MAX_LOOKS) return found;
    }
  }

  /**
   * Looks whether these files are still as they were read; refreshes when one is not.
   *
   * @returns whether one was not
   */
  async ensure(paths: readonly string[]): Promise<boolean> {
    const { root, index } = this.#kept;
    const stale = paths.filter((path) => !isAsSeen(index.get(path), statOf(join(root, path))));
    if (stale.length === 0) return false;
    await this.refresh(this.#watcher ? { only: stale } : {});
    return true;
  }
}
