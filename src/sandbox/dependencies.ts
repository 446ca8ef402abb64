import {
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { delimiter, dirname, join, relative, sep } from 'node:path';

/** What a scratch copy needs from outside itself. Absolute paths. */
export interface LinkedDependencies {
  /** Real folders that the links point to: the runner must let commands read them. */
  readable: string[];
  /** Set for commands in the copy. */
  env: Record<string, string>;
  /** Folders of the user's, at least one entry of which is linked. */
  linked: string[];
}

/** Entries of a dependency folder that is copied, at most: 20,000 small files take about a second. */
const MAX_COPIED_ENTRIES = 20_000;
/** Python's environments know their own place on disk: a copy would run the original all the same. */
const NEVER_COPIED = /(^|[\\/])\.?venv$/;

/** Caches inside node_modules: they start empty in the copy, so that nothing is written back to the user's. */
const NODE_CACHES = new Set(['.cache', '.vite', '.vite-temp', '.vitest', '.vitest-results']);

/**
 * Installed dependencies by name of their folder. `copied` entries find the project by their own place on disk
 * (Composer's autoloader: `dirname(vendor)`), so through a link they would load the user's files instead of the copy's.
 */
const INSTALLED: ReadonlyArray<{ folder: string; copied: ReadonlySet<string> }> = [
  { folder: '.venv', copied: new Set() },
  { folder: 'venv', copied: new Set() },
  { folder: 'vendor', copied: new Set(['autoload.php', 'composer', 'bin']) },
];

/**
 * Gives a copy the dependencies of the original without copying them.
 *
 * A dependency folder becomes a real folder of links, one to each of its entries: a tool that puts a cache or a lock file
 * into it writes into the copy. Links that lead back into the project (npm and pnpm workspaces) are turned to the copy,
 * so that tests run against the staged edits. `node_modules` of a folder above the root (a package in a monorepo) comes
 * to lie above the copy, where Node finds it in the same way.
 *
 * @param root the project, real path
 * @param copy the copy's root; the folder above it is ours too
 * @param files what was copied
 * @param copyUpTo bytes of `node_modules` and `vendor` that are copied instead of linked, all together; 0 copies nothing
 */
export function linkDependencies(
  root: string,
  copy: string,
  files: readonly string[],
  copyUpTo = 0,
): LinkedDependencies {
  const linker = new Linker(root, copy, copyUpTo);
  const packages = new Set(files.filter((f) => /(^|\/)package\.json$/.test(f)).map((f) => dirname(f)));
  for (const dir of new Set(['.', ...packages]))
    linker.linkFolder(join(root, dir, 'node_modules'), join(copy, dir, 'node_modules'), NODE_CACHES);
  const above = nearestNodeModulesAbove(root);
  if (above !== null) linker.linkFolder(above, join(dirname(copy), 'node_modules'), NODE_CACHES);
  for (const { folder, copied } of INSTALLED) {
    // A vendor folder that git tracks (Go) is part of the project and was copied.
    if (!existsSync(join(copy, folder))) linker.linkFolder(join(root, folder), join(copy, folder), new Set(), copied);
  }
  // The project itself is hidden from commands: what lies in it must be named, even where a folder around it is readable.
  const inRoot = [...linker.readable].filter((dir) => dir.startsWith(root + sep));
  const outside = [...linker.readable].filter((dir) => !dir.startsWith(root + sep));
  return {
    readable: [...outermost(outside), ...outermost(inRoot)],
    env: pythonPath(root, copy),
    linked: outermost(linker.linked),
  };
}

function nearestNodeModulesAbove(root: string): string | null {
  for (let dir = dirname(root); ; dir = dirname(dir)) {
    const candidate = join(dir, 'node_modules');
    if (existsSync(candidate)) return candidate;
    if (dirname(dir) === dir) return null;
  }
}

/**
 * A Python project that was installed in editable mode (`pip install -e .`) is imported from the user's tree, wherever
 * the tests run. What lies on PYTHONPATH comes first.
 */
function pythonPath(root: string, copy: string): Record<string, string> {
  if (!['pyproject.toml', 'setup.py', 'setup.cfg'].some((f) => existsSync(join(root, f)))) return {};
  const places = [join(copy, 'src'), copy].filter((dir) => existsSync(dir));
  return { PYTHONPATH: [...places, process.env.PYTHONPATH ?? ''].filter((p) => p !== '').join(delimiter) };
}

class Linker {
  readonly readable = new Set<string>();
  readonly linked = new Set<string>();

  constructor(
    private readonly root: string,
    private readonly copy: string,
    private bytesLeft: number,
  ) {}

  linkFolder(
    source: string,
    target: string,
    skipped: ReadonlySet<string>,
    copied: ReadonlySet<string> = new Set(),
  ): void {
    if (!isFolder(source)) return;
    mkdirSync(target, { recursive: true });
    // A linked node_modules (shared installs): where the link stands may be hidden from commands, where it leads is not.
    const folder = realpathSync(source);
    if (this.mayCopy(folder, skipped)) {
      this.copyFolder(folder, target, folder, target, skipped);
    } else this.linkEntries(folder, target, skipped, copied);
  }

  /** What is too large to be copied as a whole is linked as a whole: copies of some scopes would cost seconds and protect nothing. */
  private linkEntries(
    folder: string,
    target: string,
    skipped: ReadonlySet<string>,
    copied: ReadonlySet<string> = new Set(),
  ): void {
    this.readable.add(folder);
    for (const name of readdirSync(folder)) {
      if (skipped.has(name)) continue;
      const from = join(folder, name);
      const to = join(target, name);
      if (lstatSync(to, { throwIfNoEntry: false })) continue;
      if (copied.has(name)) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
      // `@scope/` and `.bin/` hold entries of their own.
      else if ((name.startsWith('@') || name === '.bin') && !lstatSync(from).isSymbolicLink() && isFolder(from)) {
        mkdirSync(to, { recursive: true });
        this.linkEntries(from, to, skipped);
      } else this.linkEntry(from, to);
    }
  }

  /** Whether a folder is small enough to be copied; what it takes is taken from the budget. */
  private mayCopy(folder: string, skipped: ReadonlySet<string>): boolean {
    if (this.bytesLeft <= 0 || NEVER_COPIED.test(folder)) return false;
    const bytes = sizeUpTo(folder, this.bytesLeft, skipped);
    if (bytes > this.bytesLeft) return false;
    this.bytesLeft -= bytes;
    return true;
  }

  /**
   * @param top the dependency folder itself, and `topCopy` its copy: links between its entries are made anew between copies
   */
  private copyFolder(
    from: string,
    to: string,
    top: string,
    topCopy: string,
    skipped: ReadonlySet<string> = new Set(),
  ): void {
    mkdirSync(to, { recursive: true });
    for (const entry of readdirSync(from, { withFileTypes: true })) {
      const source = join(from, entry.name);
      const target = join(to, entry.name);
      if (skipped.has(entry.name) || lstatSync(target, { throwIfNoEntry: false })) continue;
      if (entry.isDirectory()) this.copyFolder(source, target, top, topCopy);
      else if (entry.isFile()) copyFileSync(source, target, constants.COPYFILE_FICLONE);
      else if (entry.isSymbolicLink()) this.copyLink(source, target, top, topCopy);
    }
  }

  private copyLink(from: string, to: string, top: string, topCopy: string): void {
    let real: string;
    try {
      real = realpathSync(from);
    } catch {
      return; // a link to nothing
    }
    if (real.startsWith(top + sep)) symlinkSync(join(topCopy, relative(top, real)), to);
    else this.linkEntry(from, to);
  }

  private linkEntry(from: string, to: string): void {
    let real: string;
    try {
      real = realpathSync(from);
    } catch {
      return; // a link to nothing
    }
    const inside = real === this.root || real.startsWith(this.root + sep);
    const own =
      inside && !relative(this.root, real).split(sep).includes('node_modules') && lstatSync(from).isSymbolicLink();
    if (own) {
      symlinkSync(join(this.copy, relative(this.root, real)), to);
      return;
    }
    symlinkSync(from, to);
    this.linked.add(dirname(from));
    this.readable.add(isFolder(real) ? real : dirname(real));
  }
}

/** Bytes of a folder and what is below it; counting ends above `limit`. */
function sizeUpTo(folder: string, limit: number, skipped: ReadonlySet<string>): number {
  let bytes = 0;
  let entries = 0;
  const folders = [folder];
  for (let dir = folders.pop(); dir !== undefined; dir = folders.pop()) {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      if (dir === folder && skipped.has(entry.name)) continue;
      if (++entries > MAX_COPIED_ENTRIES) return Number.POSITIVE_INFINITY;
      if (entry.isDirectory()) folders.push(join(dir, entry.name));
      else if (entry.isFile()) bytes += statSync(join(dir, entry.name)).size;
      if (bytes > limit) return bytes;
    }
  }
  return bytes;
}

/** Folders that lie in no other of them: a pnpm store has thousands of packages, and each would be a mount. */
function outermost(dirs: Iterable<string>): string[] {
  const kept: string[] = [];
  for (const dir of [...dirs].sort()) {
    const last = kept.at(-1);
    if (last === undefined || !dir.startsWith(last + sep)) kept.push(dir);
  }
  return kept;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
