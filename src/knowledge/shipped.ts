/** What ships is the same for every project and mostly for every process: it is parsed once, at best when Xihe is built. */

import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assetPath, packageRoot } from '../assets.js';
import type { LoadedFile, LoadedFiles } from './files.js';
import type { Chunk, KnowledgeDocument } from './types.js';

/** What a build makes ready, a file each, since an exact look-up needs no chunks. */
export interface Prepared {
  /** The files of each folder (`knowledge/terms`) as they are loaded. */
  files: Record<string, LoadedFile<unknown>[]>;
  /** By path of a document. */
  chunks: Record<string, Chunk[]>;
}

/** By folder, as this process loaded it last. */
const loaded = new Map<string, LoadedFiles<unknown>>();

let chunks: Prepared['chunks'] | undefined;
/** Entries that a build made; of a file that changed since there are others. */
const fromBuildItself = new WeakSet<object>();

/** Whether a folder belongs to what ships with this package. */
export function ships(dir: string): boolean {
  return [assetPath('knowledge'), assetPath('playbooks')].some((root) => dir === root || dir.startsWith(root + sep));
}

/**
 * The files of a folder that ships, as they were loaded before; whoever takes them still has to see that they did not change.
 *
 * @param dir absolute, see {@link ships}
 */
export function loadedBefore<T>(dir: string): LoadedFiles<T> | undefined {
  let files = loaded.get(dir);
  if (files === undefined) {
    const made = readBuilt<LoadedFile<unknown>[]>(relative(packageRoot(), dir).replaceAll(sep, '/'));
    if (made === undefined) return undefined;
    files = new Map(made.map((file) => [file.path, file]));
    for (const { entries } of made) for (const { value } of entries) fromBuildItself.add(value as object);
  }
  return files as LoadedFiles<T>;
}

/** Remembers the files of a folder that ships for the next project that this process opens. */
export function rememberLoaded(dir: string, files: LoadedFiles<unknown>): void {
  loaded.set(dir, new Map([...files].filter(([, file]) => file.problems.length === 0)));
}

/** The chunks of a document that a build made ready, and that is unchanged since. */
export function preparedChunksOf(document: KnowledgeDocument): Chunk[] | undefined {
  if (!fromBuildItself.has(document)) return undefined;
  chunks ??= readBuilt<Prepared['chunks']>('chunks') ?? {};
  return chunks[document.id];
}

/**
 * Where a build puts a part of {@link Prepared}: `chunks`, or the files of a folder.
 *
 * @param dist absolute folder of the build
 */
export function preparedFile(dist: string, part: string): string {
  return join(dist, 'general', `${part.replaceAll('/', '-')}.json`);
}

/** What a build made is right for the code of that build only: code that runs from `src/` does without. */
function readBuilt<T>(part: string): T | undefined {
  if (!fileURLToPath(import.meta.url).startsWith(assetPath('dist') + sep)) return undefined;
  try {
    return JSON.parse(readFileSync(preparedFile(assetPath('dist'), part), 'utf8')) as T;
  } catch {
    // Missing or torn: everything is made from its files, as without a build.
    return undefined;
  }
}
