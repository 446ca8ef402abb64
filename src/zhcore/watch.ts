import { existsSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { FSWatcher } from 'chokidar';
import type { LoadProblem } from './types.js';

/** What one reload found. */
export interface ReloadEvent {
  /** Files that changed on disk, relative to the layer's folder, POSIX, sorted. */
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

/** A stream of changes that never rests (a generator at work) is read this often all the same. */
const LONGEST_WAIT_MS = 1000;

/**
 * How often time stamps are looked at where the system's own notices can't be had (network drives, no inotify watches left), and
 * whether a layer's folder came or went: a folder that does not exist can't be watched.
 */
const POLL_MS = 1000;

/** Parts of a layer that hold entries. */
const ENTRY_PATH = /^(?:knowledge|playbooks)(?:\/|$)|^modules\.yaml$/;

/**
 * Reloads a core whenever a file of its layers is added, changed, deleted or renamed. Folders need not exist yet.
 *
 * @param dirs absolute: `.xihe/` of the project, and the general layer where somebody works on it
 * @returns when changes are noticed from now on
 */
export async function watchLayers(core: Reloadable, dirs: readonly string[], options: WatchOptions): Promise<Watching> {
  const batch = new Batch((paths) => {
    const started = performance.now();
    const moved = core.reload();
    const { dataVersion, problems } = core;
    options.onReload({ files: shown(paths, dirs), moved, dataVersion, problems, ms: performance.now() - started });
  });
  const existing = dirs.filter((dir) => existsSync(dir));
  let watcher = await open(existing, dirs, false, batch, fallBack);
  let closed = false;
  const newcomers = setInterval(() => {
    for (const dir of dirs) {
      const at = existing.indexOf(dir);
      if (existsSync(dir) === at >= 0) continue;
      if (at >= 0) existing.splice(at, 1);
      else {
        existing.push(dir);
        watcher.add(dir);
      }
      batch.add(dir);
    }
  }, POLL_MS);
  newcomers.unref();

  /** Too many watches, or a file system without notices: polling is slower and always works. */
  function fallBack(reason: string): void {
    if (closed) return;
    options.onPolling?.(reason);
    const old = watcher;
    open(existing, dirs, true, batch, () => {}).then(async (polling) => {
      watcher = polling;
      await old.close();
      if (closed) await polling.close();
    });
  }

  const close = async () => {
    closed = true;
    clearInterval(newcomers);
    batch.stop();
    await watcher.close();
  };
  options.signal?.addEventListener('abort', () => void close(), { once: true });
  return { close };
}

async function open(
  existing: readonly string[],
  dirs: readonly string[],
  usePolling: boolean,
  batch: Batch,
  onTrouble: (reason: string) => void,
): Promise<FSWatcher> {
  const { watch } = await import('chokidar');
  const watcher = watch([...existing], {
    ignoreInitial: true,
    usePolling,
    interval: POLL_MS,
    ignored: (path) => !isEntry(path, dirs),
  });
  watcher.on('all', (_, path) => batch.add(path));
  watcher.on('error', (e) => {
    const { code, message } = e as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EMFILE') onTrouble(`系统的文件监视名额用完了（${code}）`);
    // A file that vanished under its watch is noticed as deleted; anything else shows up as a problem when it is read.
    else if (code === undefined) onTrouble(message);
  });
  // Without anything to watch yet nothing is ever ready.
  if (existing.length > 0) await new Promise<void>((done) => watcher.once('ready', () => done()));
  return watcher;
}

function isEntry(path: string, dirs: readonly string[]): boolean {
  return dirs.some((dir) => {
    const inside = relative(dir, path).split(sep).join('/');
    return inside === '' || ENTRY_PATH.test(inside);
  });
}

function shown(paths: Iterable<string>, dirs: readonly string[]): string[] {
  const files = [...paths].map((path) => {
    const dir = dirs.find((candidate) => path.startsWith(candidate + sep)) ?? '';
    return relative(dir, path).split(sep).join('/');
  });
  return files.sort();
}

/** Collects changes until they rest. */
class Batch {
  private readonly paths = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private since = 0;
  private stopped = false;

  constructor(private readonly flush: (paths: ReadonlySet<string>) => void) {}

  add(path: string): void {
    if (this.stopped) return;
    if (this.paths.size === 0) this.since = Date.now();
    this.paths.add(path);
    clearTimeout(this.timer);
    const wait = Math.max(0, Math.min(SETTLE_MS, this.since + LONGEST_WAIT_MS - Date.now()));
    this.timer = setTimeout(() => this.run(), wait);
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private run(): void {
    const paths = new Set(this.paths);
    this.paths.clear();
    this.flush(paths);
  }
}
