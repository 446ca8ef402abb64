import { type FSWatcher, lstatSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { isSkippedFolder } from './rules.js';

/** Folders that are watched at most; Linux allows some 8,000 to a million watches per user, which editors need as well. */
const MAX_FOLDERS = 6_000;
/** More changes than this are looked at by a whole walk: a checkout, a generator at work. */
const MAX_DIRTY = 200;
/** However quiet it is, the whole tree is walked this often: network drives and some containers give no notices. In milliseconds. */
const WALK_EVERY_MS = 60_000;
/** What these say decides about other files. */
const RULES = new Set(['.gitignore', '.gitmodules', '.git']);

/** What may have changed since the last look: these files and folders, or anything at all. */
export type Dirty = readonly string[] | 'all';

/**
 * Listens for changes of a project's files, so that a process that stays need not walk the tree to see that nothing happened.
 *
 * One watch a folder on Linux, which is what the kernel offers, and only folders with listed files: libraries for it watch every single
 * file. Elsewhere the system watches the tree itself. Where nothing can be watched, everything may have changed, always.
 */
export class TreeWatcher {
  readonly #root: string;
  readonly #watched = new Map<string, FSWatcher>();
  readonly #isPerFolder: boolean;
  #dirty = new Set<string>();
  #isAll = false;
  #isBroken = false;
  #walkedAt = 0;
  /** Whether commits are noticed as well. */
  seesGit = false;

  /**
   * @param root absolute path of the project
   * @param folders that hold listed files, POSIX, relative
   */
  constructor(root: string, folders: Iterable<string>, platform: NodeJS.Platform = process.platform) {
    this.#root = root;
    this.#isPerFolder = platform === 'linux';
    this.#watch('');
    if (this.#isPerFolder) for (const folder of folders) this.#watch(folder);
    this.#watchGit();
  }

  /** False where nothing can be watched. */
  get isWatching(): boolean {
    return !this.#isBroken;
  }

  /** What may have changed since the last call; writes that ended before are among it. */
  async take(): Promise<Dirty> {
    // Notices that the kernel has are handed over when the loop polls; after two rounds it surely has.
    await nextTick();
    await nextTick();
    const dirty = [...this.#dirty];
    const isAll = this.#isAll || this.#isBroken || dirty.length > MAX_DIRTY;
    const isDue = Date.now() - this.#walkedAt > WALK_EVERY_MS;
    this.#dirty = new Set();
    this.#isAll = false;
    if (isAll || isDue) {
      this.#walkedAt = Date.now();
      // Folders that came meanwhile are found by the walk that follows; see `follow`.
      for (const path of dirty) this.#renew(path);
      return 'all';
    }
    for (const path of dirty) this.#renew(path);
    return dirty;
  }

  /** Watches folders that are new. @returns those that were not watched until now: what happened in them before is to be looked at */
  follow(folders: Iterable<string>): string[] {
    if (!this.#isPerFolder || this.#isBroken) return [];
    const fresh = [...folders].filter((folder) => !this.#watched.has(folder));
    for (const folder of fresh) this.#watch(folder);
    return fresh;
  }

  /** What was taken was not looked at after all. */
  miss(): void {
    this.#isAll = true;
  }

  /** Ends it; from now on everything may have changed. */
  close(): void {
    for (const watcher of this.#watched.values()) watcher.close();
    this.#watched.clear();
    this.#isBroken = true;
  }

  /** A path that came, went or changed: where it is a folder, the watches on it and below it are those of the one before. */
  #renew(path: string): void {
    if (!this.#isPerFolder) return;
    for (const folder of [...this.#watched.keys()])
      if (folder !== '' && (folder === path || folder.startsWith(`${path}/`))) this.#unwatch(folder);
    this.#watchBelow(path);
  }

  #watchBelow(path: string): void {
    if (isSkipped(path) || !isFolder(join(this.#root, path))) return;
    this.#watch(path);
    if (this.#isBroken) return;
    for (const name of foldersIn(join(this.#root, path))) this.#watchBelow(`${path}/${name}`);
  }

  #watch(folder: string): void {
    if (this.#isBroken || this.#watched.has(folder)) return;
    if (this.#watched.size >= MAX_FOLDERS) this.close();
    else this.#open(folder, join(this.#root, folder), (name) => this.#note(folder, name));
  }

  #open(key: string, path: string, onChange: (name: string | null) => void): void {
    try {
      const watcher = watch(path, { persistent: false, recursive: !this.#isPerFolder }, (_, name) => onChange(name));
      watcher.on('error', () => this.#unwatch(key));
      this.#watched.set(key, watcher);
    } catch (e) {
      // A folder that went away is noticed where it was; anything else (no watches left) means that changes would be missed.
      if ((e as NodeJS.ErrnoException).code !== 'ENOENT' && (e as NodeJS.ErrnoException).code !== 'ENOTDIR')
        this.close();
    }
  }

  #unwatch(folder: string): void {
    this.#watched.get(folder)?.close();
    this.#watched.delete(folder);
    if (folder === '') this.close();
  }

  #note(folder: string, name: string | null): void {
    if (name === null) {
      this.#isAll = true;
      return;
    }
    const below = sep === '/' ? name : name.replaceAll(sep, '/');
    const path = folder === '' ? below : `${folder}/${below}`;
    if (isSkipped(path)) return;
    if (RULES.has(path.slice(path.lastIndexOf('/') + 1))) this.#isAll = true;
    this.#dirty.add(path);
  }

  /** Checkouts, commits and `git add` write there; what git lists may be another thing then. */
  #watchGit(): void {
    const folder = gitFolder(this.#root);
    if (folder === undefined) return;
    this.#open('.git', folder, (name) => {
      if (name?.endsWith('.lock') !== true) this.#isAll = true;
    });
    this.seesGit = this.#watched.has('.git');
  }
}

/** Whether a path is, or lies in, a folder that is never listed. */
function isSkipped(path: string): boolean {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
    if (isSkippedFolder(path.slice(0, end), true)) return true;
  return isSkippedFolder(path, true);
}

function gitFolder(root: string): string | undefined {
  const path = join(root, '.git');
  if (isFolder(path)) return path;
  try {
    // A worktree names its folder in a file.
    const named = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1];
    return named === undefined ? undefined : resolve(root, named);
  } catch {
    return undefined;
  }
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
