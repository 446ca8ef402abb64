import type { Stats } from 'node:fs';
import { existsSync } from 'node:fs';
import { extname, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FSWatcher } from 'chokidar';
import type { LoadProblem } from './types.js';
import { changedSince, type Folders, foldersOf } from './watchFolders.js';

/** What one reload found. */
export interface ReloadEvent {
  /**
   * Files and folders that changed on disk, relative to the layer's folder (itself is `.`), POSIX, sorted. Empty when the change itself
   * was not seen: it came while a folder's watch was renewed.
   */
  files: string[];
  /** Whether the content in force moved; a comment or a broken file moves nothing. */
  moved: boolean;
  dataVersion: string;
  /** Everything that can't be loaded now; see `keptLastGood`. */
  problems: LoadProblem[];
  /** Milliseconds of the reload itself. */
  ms: number;
}

export interface WatchOptions {
  onReload(event: ReloadEvent): void;
  /** Told once, in Chinese, when the system can't watch files and their time stamps are polled instead. */
  onPolling?(reason: string): void;
  signal?: AbortSignal;
}

/** A running watch. */
export interface Watching {
  /** Ends it; what was changed until then may still be unread. */
  close(): Promise<void>;
}

/** What {@link watchLayers} needs of a core. */
interface Reloadable {
  readonly dataVersion: string;
  readonly problems: LoadProblem[];
  reload(): boolean;
}

/** Editors write a file in several steps, and a checkout touches hundreds: reload when nothing has happened for this long. */
const SETTLE_MS = 120;

/** A stream of changes that never rests (a checkout, a generator at work) is read this often all the same, and less often the longer it runs. */
const LONGEST_WAIT_MS = 1000;
const LONGEST_WAIT_MAX_MS = 4000;

/**
 * How often time stamps are looked at where the system's own notices can't be had (network drives, no inotify watches left), and
 * those of the folders everywhere: a folder that does not exist can't be watched, and the notices of one that was replaced end.
 */
const POLL_MS = 1000;

/** Longest wait for a watcher to have seen every file: where folders vanish under it, it may never say so. */
const READY_MS = 10_000;

/** Parts of a layer that hold entries; hidden files and folders (swap files of editors) are none. */
const ENTRY_PATH = /^(?:knowledge|playbooks)(?:\/(?!\.)[^/]+)*$|^modules\.yaml$/;
const ENTRY_EXTENSIONS = new Set(['.md', '.json', '.yaml', '.yml']);

/**
 * Reloads a core whenever a file of its layers is added, changed, deleted or renamed. Folders need not exist yet.
 *
 * @param dirs absolute: `.xihe/` of the project, and the general layer where somebody works on it
 * @returns when changes are noticed from now on
 */
export async function watchLayers(core: Reloadable, dirs: readonly string[], options: WatchOptions): Promise<Watching> {
  const watch = new LayerWatch(core, dirs, options);
  options.signal?.addEventListener('abort', () => void watch.close(), { once: true });
  await watch.start();
  return { close: () => watch.close() };
}

/**
 * A watcher of files, and a second look at the folders around them. The watcher alone is not enough: where a branch is checked out that
 * replaces a folder, it may go on watching the one that is gone, and miss what is made in a new one before it looks there.
 */
class LayerWatch {
  private readonly batch = new Batch((paths) => this.reload(paths, true));
  private watcher: FSWatcher | undefined;
  /** As they were before the last reload. */
  private folders: Folders;
  /** They, when the last look found them changed. */
  private suspect: Folders | undefined;
  /** The folders that the watcher was opened on. */
  private watched: ReadonlyMap<string, string> = new Map();
  private polling = false;
  private opening: Promise<void> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly core: Reloadable,
    private readonly dirs: readonly string[],
    private readonly options: WatchOptions,
  ) {
    this.folders = foldersOf(dirs);
  }

  async start(): Promise<void> {
    await this.open();
    if (this.closed) return;
    this.reload(new Set(), false);
    this.heartbeat = setInterval(() => this.beat(), POLL_MS);
    this.heartbeat.unref();
  }

  /**
   * A folder that changed without a notice: the notice may be on its way, so it is read at the second look, and told only when something
   * in force moved (editors put files of their own there). A layer that came or went is read at once.
   */
  private beat(): void {
    const changed = changedSince(this.folders, this.dirs);
    const layers = changed.filter((path) => this.dirs.includes(path));
    for (const path of layers) this.batch.add(path);
    const again = this.suspect === this.folders;
    this.suspect = changed.length > 0 ? this.folders : undefined;
    if (again && changed.length > 0 && this.batch.idle) this.reload(new Set(), false);
  }

  /** Ends it; what was changed until then may still be unread. */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.heartbeat);
    this.batch.stop();
    await this.opening;
    await this.watcher?.close();
  }

  /** @param tell whether to tell when nothing in force moved, too */
  private reload(paths: ReadonlySet<string>, tell: boolean): void {
    const { core, dirs, options } = this;
    const seen = paths.size > 0 ? paths : changedSince(this.folders, dirs);
    // Before files are read: what changes while they are shows up at the next look.
    this.folders = foldersOf(dirs);
    const started = performance.now();
    const moved = core.reload();
    const { dataVersion, problems } = core;
    const ms = performance.now() - started;
    if (moved || tell) options.onReload({ files: shown(seen, dirs), moved, dataVersion, problems, ms });
    if (!sameFolders(this.folders.identities, this.watched)) this.follow();
  }

  /** Opens a new watcher until the folders hold still, then reads what changed in the meantime. */
  private follow(): void {
    if (this.opening !== undefined || this.closed) return;
    this.opening = (async () => {
      do {
        await this.open();
        await sleep(SETTLE_MS, undefined, { ref: false });
      } while (!this.closed && !sameFolders(foldersOf(this.dirs).identities, this.watched));
    })().finally(() => {
      this.opening = undefined;
      if (!this.closed) this.reload(new Set(), false);
    });
  }

  /**
   * The old watcher is closed first: chokidar shares the system's watch on a path among its watchers, and a new one would be handed the
   * one on the folder that is gone. What changes in between is read afterwards.
   */
  private async open(): Promise<void> {
    await this.watcher?.close();
    if (this.closed) return;
    this.watched = foldersOf(this.dirs).identities;
    this.watcher = await this.openWatcher();
    if (this.closed) await this.watcher.close();
  }

  private async openWatcher(): Promise<FSWatcher> {
    const { watch } = await import('chokidar');
    const existing = this.dirs.filter((dir) => existsSync(dir));
    const watcher = watch(existing, {
      ignoreInitial: true,
      usePolling: this.polling,
      interval: POLL_MS,
      ignored: (path, stats) => !isEntry(path, stats, this.dirs),
    });
    watcher.on('all', (_, path) => this.batch.add(path));
    watcher.on('error', (e) => {
      const { code, message } = e as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EMFILE') this.fallBack(`系统的文件监视名额用完了（${code}）`);
      // A file that vanished under its watch is noticed as deleted; anything else shows up as a problem when it is read.
      else if (code === undefined) this.fallBack(message);
    });
    // Without anything to watch nothing is ever ready.
    if (existing.length > 0) await readyOrLate(watcher);
    return watcher;
  }

  /** Too many watches, or a file system without notices: polling is slower and always works. */
  private fallBack(reason: string): void {
    if (this.closed || this.polling) return;
    this.polling = true;
    this.options.onPolling?.(reason);
    const reopen = () => this.follow();
    if (this.opening === undefined) reopen();
    else void this.opening.finally(reopen);
  }
}

async function readyOrLate(watcher: FSWatcher): Promise<void> {
  const late = new AbortController();
  await Promise.race([
    new Promise<void>((done) => watcher.once('ready', () => done())),
    sleep(READY_MS, undefined, { ref: false, signal: late.signal }).catch(() => undefined),
  ]);
  late.abort();
}

function sameFolders(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, identity]) => b.get(path) === identity);
}

function isEntry(path: string, stats: Stats | undefined, dirs: readonly string[]): boolean {
  return dirs.some((dir) => {
    const inside = relative(dir, path).split(sep).join('/');
    if (inside !== '' && !ENTRY_PATH.test(inside)) return false;
    return stats?.isFile() !== true || ENTRY_EXTENSIONS.has(extname(path).toLowerCase());
  });
}

function shown(paths: Iterable<string>, dirs: readonly string[]): string[] {
  const files = [...paths].map((path) => {
    const dir = dirs.find((candidate) => path === candidate || path.startsWith(candidate + sep)) ?? '';
    return relative(dir, path).split(sep).join('/') || '.';
  });
  return files.sort();
}

/** Collects changes until they rest. */
class Batch {
  private readonly paths = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private since = 0;
  private longest = LONGEST_WAIT_MS;
  private stopped = false;

  constructor(private readonly flush: (paths: ReadonlySet<string>) => void) {}

  add(path: string): void {
    if (this.stopped) return;
    if (this.paths.size === 0) this.since = Date.now();
    this.paths.add(path);
    clearTimeout(this.timer);
    const wait = Math.max(0, Math.min(SETTLE_MS, this.since + this.longest - Date.now()));
    this.timer = setTimeout(() => this.run(), wait);
  }

  get idle(): boolean {
    return this.paths.size === 0;
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private run(): void {
    const paths = new Set(this.paths);
    this.paths.clear();
    const rested = Date.now() - this.since < this.longest;
    this.longest = rested ? LONGEST_WAIT_MS : Math.min(2 * this.longest, LONGEST_WAIT_MAX_MS);
    this.flush(paths);
  }
}
