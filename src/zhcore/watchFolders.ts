import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of a layer that hold entries, and the one file beside them. */
const PARTS = ['knowledge', 'playbooks'];
const MODULES = 'modules.yaml';

/** What the folders of some layers are at one moment. */
export interface Folders {
  /** Folder → what tells it from another one that took its place. */
  identities: ReadonlyMap<string, string>;
  /** Place → what changes when a name in it comes, goes or is replaced; of what is not there, the empty text. */
  stamps: ReadonlyMap<string, string>;
}

/**
 * Looks at every folder that holds entries: a few calls a folder, none a file. Hidden folders are left out, and none is entered twice.
 *
 * @param dirs the layers, absolute; they need not exist
 */
export function foldersOf(dirs: readonly string[]): Folders {
  const identities = new Map<string, string>();
  const stamps = new Map<string, string>();
  const entered = new Set<string>();
  const walk = (path: string): void => {
    try {
      // Before its names are read: what comes in between changes the stamp.
      note(path);
      const real = realpathSync(path);
      if (entered.has(real)) return;
      entered.add(real);
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        if (entry.name.startsWith('.') || entry.isFile()) continue;
        const inside = join(path, entry.name);
        if (entry.isDirectory() || isFolder(inside)) walk(inside);
      }
    } catch {
      // Gone, or closed to us: the stamp says so.
    }
  };
  const note = (path: string): void => {
    const { identity, stamp } = lookAt(path);
    stamps.set(path, stamp);
    if (identity !== '') identities.set(path, identity);
  };
  for (const dir of dirs) {
    // Of a layer's own folder only its place counts: `.xihe/` and the package hold much that is no entry.
    const { identity } = lookAt(dir);
    stamps.set(dir, identity);
    if (identity !== '') identities.set(dir, identity);
    for (const part of PARTS) walk(join(dir, part));
    stamps.set(join(dir, MODULES), lookAt(join(dir, MODULES)).stamp);
  }
  return { identities, stamps };
}

/** Places that are not as they were, without looking for new ones: those are in a folder that changed. */
export function changedSince({ stamps }: Folders, dirs: readonly string[]): string[] {
  return [...stamps]
    .filter(([path, stamp]) => {
      const now = lookAt(path);
      return (dirs.includes(path) ? now.identity : now.stamp) !== stamp;
    })
    .map(([path]) => path);
}

/** An inode alone says little: the next folder made often gets the number of the one that was deleted last. */
function lookAt(path: string): { identity: string; stamp: string } {
  try {
    const { dev, ino, birthtimeMs, mtimeMs } = statSync(path);
    const identity = `${dev} ${ino} ${birthtimeMs}`;
    return { identity, stamp: `${identity} ${mtimeMs}` };
  } catch {
    return { identity: '', stamp: '' };
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
