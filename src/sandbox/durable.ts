import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, messageOf, XiheError } from '../errors.js';

/** SHA-256 of bytes, 64 hex digits: how file contents are named in changesets and receipts. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Errors of the file system that say: this place can't be written (full, read-only, a file where a folder should be). */
const UNWRITABLE = new Set([
  'ENOSPC',
  'EDQUOT',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EEXIST',
  'EISDIR',
  'EFBIG',
  'EIO',
  'ENOENT',
]);

/**
 * Does something in the state folder; what the file system refuses becomes an error that people can act on.
 *
 * @param path what is read or written, for the message
 * @throws XiheError STATE_UNWRITABLE; whatever else `fn` throws
 */
export function inState<T>(path: string, fn: () => T): T {
  try {
    return fn();
  } catch (cause) {
    if (XiheError.is(cause) || !UNWRITABLE.has(errnoOf(cause) ?? '')) throw cause;
    throw new XiheError('STATE_UNWRITABLE', `运行状态写不进去：${path}（${messageOf(cause)}）`, {
      hint: '检查磁盘空间和写权限；如果那里是一个同名的文件，把它移走。',
      cause,
    });
  }
}

/** Makes the entries of a folder durable (a rename survives a power cut only then). */
export function fsyncDir(dir: string): void {
  let fd: number;
  try {
    fd = openSync(dir, 'r');
  } catch {
    return; // Windows opens no folders, and there NTFS journals renames itself.
  }
  try {
    fsyncSync(fd);
  } catch (e) {
    // Some file systems (FUSE, SMB) refuse to sync a folder; the content itself is synced.
    if (!['EINVAL', 'EPERM', 'ENOTSUP', 'EISDIR'].includes(errnoOf(e) ?? '')) throw e;
  } finally {
    closeSync(fd);
  }
}

/** Writes all bytes to a new or emptied file and syncs it. */
export function writeSynced(path: string, bytes: Uint8Array | string, flags = 'w', mode = 0o666): void {
  const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  const fd = openSync(path, flags, mode);
  try {
    for (let at = 0; at < data.length; ) at += writeSync(fd, data, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Replaces a file in one step: whoever reads it sees the old content or the new, also after a kill or a power cut. Throws as {@link inState} does. */
export function replaceFile(path: string, bytes: Uint8Array | string): void {
  inState(path, () => replace(path, bytes));
}

function replace(path: string, bytes: Uint8Array | string): void {
  const dir = dirname(path);
  mkdirSync(dir, { recursive: true });
  const temp = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeSynced(temp, bytes, 'wx');
    renameSync(temp, path);
  } catch (e) {
    rmSync(temp, { force: true });
    throw e;
  }
  fsyncDir(dir);
}

/**
 * A named point at which tests break this process on purpose, to show that every file is in order afterwards.
 *
 * `XIHE_CRASH_AT=name` ends the process there with SIGKILL; `XIHE_FAIL_AT=name` makes the write there fail as a full disk
 * would. Without these variables it does nothing.
 */
export function faultPoint(name: string): void {
  if (process.env.XIHE_CRASH_AT === name) process.kill(process.pid, 'SIGKILL');
  if (process.env.XIHE_FAIL_AT === name) {
    throw Object.assign(new Error(`ENOSPC: no space left on device (${name})`), { code: 'ENOSPC' });
  }
}
