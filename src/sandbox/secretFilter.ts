import { closeSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isHiddenFromCommands } from '../text/index.js';

/** Read of a file that may be a private key; those are a few kilobytes. Bytes. */
const KEY_HEAD_BYTES = 64 * 1024;

/**
 * Whether a file of a project stays out of scratch copies because it holds secrets, by its own name or that of the file
 * behind a link.
 *
 * @param path POSIX, relative to the root
 */
export function holdsSecrets(root: string, path: string): boolean {
  const abs = join(root, path);
  if (isHiddenFromCommands(path, () => headOf(abs))) return true;
  if (!lstatSync(abs, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
  try {
    const real = realpathSync(abs);
    return isHiddenFromCommands(real, () => headOf(real));
  } catch {
    return false; // a link to nothing
  }
}

function headOf(file: string): string {
  const head = Buffer.alloc(KEY_HEAD_BYTES);
  try {
    const fd = openSync(file, 'r');
    try {
      return head.toString('latin1', 0, readSync(fd, head, 0, head.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return ''; // a folder, or gone: nothing is copied then
  }
}
