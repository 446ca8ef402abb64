import { type Dirent, lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { errnoOf } from '../errors.js';
import { runGit, throwIfCancelled } from '../history/index.js';
import { isSkippedFolder, MAX_FILES } from './rules.js';

/** A file as the last walk saw it. */
export interface WalkedFile {
  /** POSIX, relative to the root. */
  path: string;
  mtimeMs: number;
  /** Changes with every write, also where a tool sets the modification time back. */
  ctimeMs: number;
  size: number;
}

export interface Walk {
  /** Sorted by path. Symlinks are not among them: what they lead to inside of the root is listed itself. */
  files: WalkedFile[];
  by: 'git' | 'walk';
  /** In Chinese, when the tree was larger than the cap. */
  note?: string;
  /** Folders (POSIX, relative; `''` is the root) that could not be looked into: what lies there is not listed, and not gone either. */
  unreadable: string[];
}

export interface WalkOptions {
  signal?: AbortSignal;
  maxFiles?: number;
}

/** Folders deeper than this are not entered: a loop of mounts or a generated tree. */
const MAX_DEPTH = 40;
/** How often a long walk looks at its signal. */
const CHECK_EVERY = 2_000;

/**
 * Lists the files of a project: through git where it is (in) a repository, so that ignore rules of every kind hold, else
 * by walking with `.gitignore` files honoured. Built-in rules leave out what is generated or downloaded in both cases.
 *
 * @param root absolute path of the project, symlinks resolved
 * @throws XiheError CANCELLED
 */
export async function walkProject(root: string, options: WalkOptions = {}): Promise<Walk> {
  const walker = new Walker(root, options);
  return (await walker.byGit()) ?? walker.byWalk();
}

/** More paths than this are not named to git one by one. */
const MAX_NAMED = 500;

/**
 * Looks at some files and folders only, by the same rules.
 *
 * @param paths POSIX, relative; they may be gone
 * @param by how the whole tree was listed
 * @param options.isListed whether a file was listed before; the rules that listed it must be what they were
 * @returns undefined where only a walk over all of it can tell
 * @throws XiheError CANCELLED
 */
export async function walkSome(
  root: string,
  paths: readonly string[],
  by: Walk['by'],
  options: WalkOptions & { isListed?: (path: string) => boolean } = {},
): Promise<Walk | undefined> {
  if (paths.length > MAX_NAMED) return undefined;
  const walker = new Walker(root, options);
  return by === 'git' ? walker.someByGit(paths, options.isListed) : walker.someByWalk(paths);
}

class Walker {
  readonly #root: string;
  readonly #signal: AbortSignal | undefined;
  readonly #maxFiles: number;
  readonly #files = new Map<string, WalkedFile>();
  readonly #skipped = new Map<string, boolean>();
  readonly #unreadable = new Set<string>();
  #cut = false;

  constructor(root: string, options: WalkOptions) {
    this.#root = root;
    this.#signal = options.signal;
    this.#maxFiles = options.maxFiles ?? MAX_FILES;
  }

  async byGit(): Promise<Walk | undefined> {
    // A folder that its outer repository ignores is listed as empty, yet it is somebody's project.
    return (await this.#listByGit([])) && this.#files.size > 0 ? this.#result('git') : undefined;
  }

  /** @param isListed files that git has listed before: it need not be asked again */
  async someByGit(
    paths: readonly string[],
    isListed: (path: string) => boolean = () => false,
  ): Promise<Walk | undefined> {
    const unknown = paths.filter((path) => !isListed(path));
    for (const path of paths) if (isListed(path)) this.#addFromGit(path);
    if (unknown.length === 0) return this.#result('git');
    return (await this.#listByGit(['--', ...unknown])) ? this.#result('git') : undefined;
  }

  /** @returns false where git does not answer */
  async #listByGit(only: readonly string[]): Promise<boolean> {
    // The pattern is for untracked files only: without it a project with no .gitignore makes git list all of node_modules.
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--exclude=node_modules/', ...only];
    const result = await runGit(['--literal-pathspecs', ...args], {
      cwd: this.#root,
      ...(this.#signal ? { signal: this.#signal } : {}),
    });
    if (result.outcome !== 'ok') return false;
    for (const [, folder] of result.stderr.matchAll(UNOPENED)) this.#block(folder!.replace(/\/$/, ''));
    const names = result.stdout.toString('utf8').split('\0');
    let looked = 0;
    for (const name of names) {
      if (++looked % CHECK_EVERY === 0) throwIfCancelled(this.#signal);
      if (name !== '') this.#addFromGit(name);
    }
    return true;
  }

  someByWalk(paths: readonly string[]): Walk {
    for (const path of paths) this.#lookAt(path);
    return this.#result('walk');
  }

  /** One file or folder, if no folder on the way to it keeps it out. */
  #lookAt(path: string): void {
    const parts = path.split('/');
    const rules: { base: string; rules: Ignore }[] = [];
    for (let n = 0; n < parts.length; n++) {
      const folder = parts.slice(0, n).join('/');
      const own = readIgnore(join(this.#root, folder));
      if (own) rules.push({ base: folder, rules: own });
      const next = parts.slice(0, n + 1).join('/');
      const stats = this.#statOf(next);
      const isFolder = stats?.isDirectory() ?? false;
      if (stats === undefined || (isFolder && isSkippedFolder(next, false)) || isIgnored(next, isFolder, rules)) return;
      if (n === parts.length - 1 && isFolder) this.#enter(path, rules, parts.length);
      else if (n === parts.length - 1 && stats.isFile()) this.#add(path, stats);
      else if (!isFolder) return;
    }
  }

  byWalk(): Walk {
    this.#files.clear();
    this.#skipped.clear();
    this.#unreadable.clear();
    this.#enter('', [], 0);
    return this.#result('walk');
  }

  #result(by: Walk['by']): Walk {
    const files = [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    const note = this.#cut ? `文件超过 ${this.#maxFiles} 个，只列出一部分；用 .gitignore 排除数据目录` : undefined;
    return { files, by, unreadable: [...this.#unreadable].sort(), ...(note ? { note } : {}) };
  }

  #addFromGit(name: string): void {
    // Another repository inside (submodule, clone) is one entry; git does not look into it, so we do.
    const path = name.endsWith('/') ? name.slice(0, -1) : name;
    if (this.#isUnderSkipped(path)) return;
    const stats = this.#statOf(path);
    if (stats?.isDirectory()) this.#enter(path, [], path.split('/').length);
    else if (stats?.isFile()) this.#add(path, stats);
  }

  #isUnderSkipped(path: string): boolean {
    const slash = path.lastIndexOf('/');
    if (slash < 0) return false;
    const folder = path.slice(0, slash);
    let skipped = this.#skipped.get(folder);
    if (skipped === undefined) {
      // git names tracked files below a folder that has become a symlink since; lstat would follow it out of the root.
      const followed = this.#statOf(folder)?.isSymbolicLink() ?? true;
      skipped = followed || isSkippedFolder(folder, true) || this.#isUnderSkipped(folder);
      this.#skipped.set(folder, skipped);
    }
    return skipped;
  }

  #add(path: string, stats: Stats): void {
    if (this.#files.size >= this.#maxFiles) {
      this.#cut = true;
      return;
    }
    this.#files.set(path, { path, mtimeMs: stats.mtimeMs, ctimeMs: stats.ctimeMs, size: stats.size });
  }

  #enter(folder: string, outer: { base: string; rules: Ignore }[], depth: number): void {
    if (depth > MAX_DEPTH || this.#cut) return;
    throwIfCancelled(this.#signal);
    const entries = this.#entriesOf(folder);
    const own = entries.some((entry) => entry.name === '.gitignore' && entry.isFile())
      ? readIgnore(join(this.#root, folder))
      : undefined;
    const rules = own ? [...outer, { base: folder, rules: own }] : outer;
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const isFolder = entry.isDirectory();
      if (isFolder && isSkippedFolder(path, false)) continue;
      if (isIgnored(path, isFolder, rules)) continue;
      if (isFolder) this.#enter(path, rules, depth + 1);
      else if (entry.isFile()) {
        const stats = this.#statOf(path);
        if (stats?.isFile()) this.#add(path, stats);
      }
    }
  }

  #entriesOf(folder: string): Dirent[] {
    try {
      return readdirSync(join(this.#root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (e) {
      // A folder that may not be read is left out; it must not hide the rest.
      if (!isAbsent(e)) this.#block(folder);
      return [];
    }
  }

  /** lstat without a throw: a file that git knows may be deleted in the working tree. */
  #statOf(path: string): Stats | undefined {
    try {
      return lstatSync(join(this.#root, path), { throwIfNoEntry: false });
    } catch (e) {
      if (!isAbsent(e)) this.#block(this.#outermost(path));
      return undefined;
    }
  }

  /** The folder that hides a path: the first on the way whose entries can't be looked at. */
  #outermost(path: string): string {
    const parts = path.split('/');
    for (let n = 1; n < parts.length; n++) {
      try {
        lstatSync(join(this.#root, ...parts.slice(0, n)));
      } catch {
        return parts.slice(0, n - 1).join('/');
      }
    }
    return parts.slice(0, -1).join('/');
  }

  #block(folder: string): void {
    if (!this.#isUnderSkipped(`${folder}/x`)) this.#unreadable.add(folder);
  }
}

/** git's word for a folder that it could not list; its own language is C, see `gitEnv`. */
const UNOPENED = /^warning: could not open directory '(.+)': /gm;

function isAbsent(e: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errnoOf(e) ?? '');
}

function isIgnored(path: string, isFolder: boolean, rules: { base: string; rules: Ignore }[]): boolean {
  let ignored = false;
  for (const { base, rules: own } of rules) {
    const relative = base === '' ? path : path.slice(base.length + 1);
    const verdict = own.test(isFolder ? `${relative}/` : relative);
    if (verdict.ignored) ignored = true;
    else if (verdict.unignored) ignored = false;
  }
  return ignored;
}

function readIgnore(folder: string): Ignore | undefined {
  try {
    return ignore().add(readFileSync(join(folder, '.gitignore'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** lstat without a throw: a file that git knows may be deleted in the working tree. */
export function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
