import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join, relative, sep } from 'node:path';

/** What a scratch copy needs from outside itself. Absolute paths. */
export interface LinkedDependencies {
  /** Real folders that the links point to: the runner must let commands read them. */
  readable: string[];
  /** Set for commands in the copy. */
  env: Record<string, string>;
}

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
 */
export function linkDependencies(root: string, copy: string, files: readonly string[]): LinkedDependencies {
  const linker = new Linker(root, copy);
  const packages = new Set(files.filter((f) => /(^|\/)package\.json$/.test(f)).map((f) => dirname(f)));
  for (const dir of new Set(['.', ...packages]))
    linker.linkFolder(join(root, dir, 'node_modules'), join(copy, dir, 'node_modules'), NODE_CACHES);
  const above = nearestNodeModulesAbove(root);
  if (above !== null) linker.linkFolder(above, join(dirname(copy), 'node_modules'), NODE_CACHES);
  for (const { folder, copied } of INSTALLED) {
    // A vendor folder that git tracks (Go) is part of the project and was copied.
    if (!existsSync(join(copy, folder))) linker.linkFolder(join(root, folder), join(copy, folder), new Set(), copied);
  }
  return { readable: outermost(linker.readable), env: pythonPath(root, copy) };
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

  constructor(
    private readonly root: string,
    private readonly copy: string,
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
    this.readable.add(folder);
    for (const name of readdirSync(folder)) {
      if (skipped.has(name)) continue;
      const from = join(folder, name);
      const to = join(target, name);
      if (lstatSync(to, { throwIfNoEntry: false })) continue;
      if (copied.has(name)) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
      // `@scope/` and `.bin/` hold entries of their own.
      else if ((name.startsWith('@') || name === '.bin') && !lstatSync(from).isSymbolicLink() && isFolder(from)) {
        this.linkFolder(from, to, skipped);
      } else this.linkEntry(from, to);
    }
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
    this.readable.add(isFolder(real) ? real : dirname(real));
  }
}

/** Folders that lie in no other of them: a pnpm store has thousands of packages, and each would be a mount. */
function outermost(dirs: ReadonlySet<string>): string[] {
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
