import { createHash, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../errors.js';

/** SHA-256 of bytes, 64 hex digits: how file contents are named in changesets and receipts. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
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

/** Replaces a file in one step: whoever reads it sees the old content or the new, also after a kill or a power cut. */
export function replaceFile(path: string, bytes: Uint8Array | string): void {
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
