import type { Stats } from 'node:fs';
import type { IndexedFile } from './types.js';
import type { WalkedFile } from './walk.js';

/**
 * A file whose time is this close to the moment we looked may change again within the same tick of the file system's
 * clock: it is read again next time (git does the same and calls it racy). Kernel ticks are at most 10 ms; file systems that
 * keep whole seconds get two of them. In milliseconds.
 */
const RACY_MS = 60;
const RACY_COARSE_MS = 2_000;

/** Whether a file is surely as it was read: same times and size, and read long enough after it changed. */
export function isUnchanged(before: IndexedFile, now: WalkedFile): boolean {
  if (before.mtimeMs !== now.mtimeMs || before.ctimeMs !== now.ctimeMs || before.size !== now.size) return false;
  // What is never read can't be stale.
  if (before.hash === '') return true;
  const changedAt = Math.max(now.mtimeMs, now.ctimeMs);
  const window = Number.isInteger(now.ctimeMs / 1000) ? RACY_COARSE_MS : RACY_MS;
  return before.checkedAt - changedAt > window;
}

/** Whether a file is listed as it is on disk now, or neither listed nor there. */
export function isAsSeen(known: IndexedFile | undefined, now: Stats | undefined): boolean {
  const isThere = now?.isFile() ?? false;
  if (!known || !isThere) return !known && !isThere;
  return now!.mtimeMs === known.mtimeMs && now!.ctimeMs === known.ctimeMs && now!.size === known.size;
}
