import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { SCANNED_FILE } from './scan/write.js';

/** The comment on top of a file stands in its first lines; in bytes. */
const HEAD_BYTES = 1024;

/**
 * Whether a file of terms was written by `xihe scan`: the one that it writes, or one whose first comment says so (people rename it).
 * Its candidates are a machine's proposals, and no person's word.
 *
 * @param layerDir absolute path of `.xihe/`
 * @param file relative to it, POSIX
 */
export function isWrittenByScan(layerDir: string, file: string): boolean {
  return file === SCANNED_FILE || /^(?:\uFEFF?\s*#.*\n)*?\uFEFF?\s*#.*\bxihe scan\b/.test(headOf(join(layerDir, file)));
}

function headOf(path: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const buffer = Buffer.alloc(HEAD_BYTES);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, HEAD_BYTES, 0));
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
