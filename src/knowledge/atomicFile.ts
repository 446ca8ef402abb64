import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What a process left that died while writing is removed once it is this old, in milliseconds: no write takes an hour. */
const LEFT_OVER_MS = 3_600_000;

/**
 * Writes a file in one step: readers see the old one or the new one. Of several writers the last one wins.
 *
 * @param file absolute path; its folder is made
 * @param pieces of the content, written one by one
 * @returns whether it was written; a read-only or full disk costs a cache, nothing else
 */
export function writeAtomic(file: string, pieces: readonly Uint8Array[]): boolean {
  const temp = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    removeLeftOvers(file);
    const fd = openSync(temp, 'w');
    try {
      for (const piece of pieces) writeAll(fd, piece);
    } finally {
      closeSync(fd);
    }
    renameSync(temp, file);
    return true;
  } catch {
    try {
      rmSync(temp, { force: true });
    } catch {
      // Its folder is no folder.
    }
    return false;
  }
}

function writeAll(fd: number, piece: Uint8Array): void {
  for (let at = 0; at < piece.length; ) at += writeSync(fd, piece, at);
}

function removeLeftOvers(file: string): void {
  const dir = dirname(file);
  for (const name of readdirSync(dir)) {
    if (!name.startsWith(`${basename(file)}.`) || !name.endsWith('.tmp')) continue;
    const stat = statSync(join(dir, name), { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > LEFT_OVER_MS) rmSync(join(dir, name), { force: true });
  }
}
