import { stableHash } from '../text/index.js';
import { analyse } from './analyse.js';
import type { FileIndex } from './fileIndex.js';
import type { PathOverlay } from './repair.js';
import { folderOf } from './rules.js';
import type { IndexedFile } from './types.js';
import { Vocabulary } from './vocabulary.js';

/** The project as a run sees it: the tree with the run's staged edits on it. */
export interface StagedView extends PathOverlay {
  /** Files whose text is staged; those that were added are not named again. */
  changed?: readonly string[];
  /** The bytes of a staged file. */
  bytes?: (path: string) => Uint8Array | null | undefined;
}

/** Files of the index with a run's staged edits on them; nothing of it gets into the index. */
export class StagedFiles {
  readonly #deleted: ReadonlySet<string>;
  readonly #written: ReadonlySet<string>;

  constructor(
    readonly index: FileIndex,
    readonly view: StagedView = {},
  ) {
    this.#deleted = new Set(view.deleted ?? []);
    this.#written = new Set([...(view.added ?? []), ...(view.changed ?? [])]);
  }

  /** Whether the run still has this file. */
  isThere(path: string): boolean {
    return !this.#deleted.has(path);
  }

  /** Whether anything lies below a folder that may be staged only. */
  hasBelow(folder: string): boolean {
    return this.#pathsBelow(`${folder}/`).length > 0;
  }

  /** A file, read anew where its text is staged; undefined for what is not listed. */
  async get(path: string): Promise<IndexedFile | undefined> {
    if (this.#deleted.has(path)) return undefined;
    const bytes = this.#written.has(path) ? this.view.bytes?.(path) : undefined;
    if (!bytes) return this.index.get(path);
    const now = { path, mtimeMs: 0, ctimeMs: 0, size: bytes.length };
    return analyse(now, bytes, 0, stableHash(bytes), new Vocabulary());
  }

  /**
   * What lies directly in a folder.
   *
   * @param folder `''` for the root
   * @returns names of sub-folders with the number of files below each, and files
   */
  async childrenOf(folder: string): Promise<{ folders: [name: string, files: number][]; files: IndexedFile[] }> {
    const prefix = folder === '' ? '' : `${folder}/`;
    const folders = new Map<string, number>();
    const files: IndexedFile[] = [];
    for (const path of this.#pathsBelow(prefix)) {
      const slash = path.indexOf('/', prefix.length);
      if (slash >= 0) {
        const name = path.slice(prefix.length, slash);
        folders.set(name, (folders.get(name) ?? 0) + 1);
      } else {
        const file = await this.get(path);
        if (file) files.push(file);
      }
    }
    return { folders: [...folders].sort(byName), files };
  }

  /** Names of what lies beside a file, folders with a slash; the file itself is left out. */
  neighboursOf(path: string): string[] {
    const folder = folderOf(path);
    const prefix = folder === '' ? '' : `${folder}/`;
    const names = new Set<string>();
    for (const other of this.#pathsBelow(prefix)) {
      const slash = other.indexOf('/', prefix.length);
      if (other !== path) names.add(slash < 0 ? other.slice(prefix.length) : other.slice(prefix.length, slash + 1));
    }
    return [...names];
  }

  #pathsBelow(prefix: string): string[] {
    const { list } = this.index;
    const paths: string[] = [];
    // The list is sorted, so what lies below one folder is one stretch of it.
    for (let i = firstFrom(list, prefix); i < list.length && list[i]!.path.startsWith(prefix); i++)
      if (!this.#deleted.has(list[i]!.path)) paths.push(list[i]!.path);
    const added = (this.view.added ?? []).filter((path) => path.startsWith(prefix) && !this.index.get(path));
    return added.length === 0 ? paths : [...paths, ...added].sort();
  }
}

/** Position of the first file whose path is not before `prefix`. */
function firstFrom(list: readonly IndexedFile[], prefix: string): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]!.path < prefix) low = middle + 1;
    else high = middle;
  }
  return low;
}

function byName(a: [string, number], b: [string, number]): number {
  return a[0] < b[0] ? -1 : 1;
}
