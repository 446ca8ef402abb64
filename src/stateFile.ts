import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from './errors.js';

/**
 * Files of the state. It may lie in a repository, which may bring anything under their names: a pipe that waits for somebody to write, a
 * device that never ends, a folder, a link. Only regular files are read and written; everything else counts as not there.
 */

/** Without it opening a pipe would already wait. Not on Windows, which has no such pipes. */
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;

/** @throws what `open` throws; EINVAL when there is something, but no regular file */
function openFile(path: string, flags: number, mode?: number): number {
  const fd = openSync(path, flags | NONBLOCK, mode);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw Object.assign(new Error(`不是普通文件：${path}`), { code: 'EINVAL' });
}

/**
 * Opens a file for reading. A link is followed: what it leads to is looked at.
 *
 * @returns a file descriptor to be closed, or undefined when there is no regular file there, or it can't be read
 */
export function openStateFile(path: string): number | undefined {
  try {
    return openFile(path, constants.O_RDONLY);
  } catch {
    return undefined;
  }
}

/**
 * Opens a file for adding at its end, and makes it when it is not there. No link is followed: it would be written through. A link, a pipe
 * or an empty folder in its place is removed: they hold nothing of ours.
 *
 * @param readable to read what stands there as well
 * @throws what `open` throws (EISDIR for a folder that is not empty)
 */
export function openStateAppend(path: string, { mode = 0o666, readable = false } = {}): number {
  const access = readable ? constants.O_RDWR : constants.O_WRONLY;
  const flags = access | constants.O_APPEND | constants.O_CREAT | NOFOLLOW;
  try {
    return openFile(path, flags, mode);
  } catch (e) {
    if (!NO_FILE.has(errnoOf(e) ?? '')) throw e;
    removeStrange(path);
    return openFile(path, flags, mode);
  }
}

/** What opening something else than a file fails with: ours, a pipe or socket, a link, a folder. */
const NO_FILE = new Set(['EINVAL', 'ENXIO', 'ELOOP', 'EMLINK', 'EISDIR']);

/**
 * Removes what stands in place of a file and is none.
 *
 * @throws what the file system says (ENOTEMPTY for a folder that holds something)
 */
export function removeStrange(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) rmdirSync(path);
  else if (stat !== undefined && !stat.isFile()) unlinkSync(path);
}

/**
 * All bytes of a file.
 *
 * @throws what `open` throws (ENOENT); EINVAL when there is something, but no regular file
 */
export function stateBytes(path: string): Buffer {
  const fd = openFile(path, constants.O_RDONLY);
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The same, or undefined when there is no regular file there, or it can't be read. */
export function readStateFile(path: string): Buffer | undefined {
  try {
    return stateBytes(path);
  } catch {
    return undefined;
  }
}

/** What a process left that died while writing is removed once it is this old, in milliseconds: no write takes an hour. */
const LEFT_OVER_MS = 3_600_000;
/** What {@link writeAtomic} writes to first. */
const LEFT_OVER = /\.\d+\.tmp$/;

/**
 * Writes a file in one step: readers see the old one or the new one. Of several writers the last one wins. A pipe or an empty folder in
 * its place is replaced.
 *
 * @param file absolute path; its folder is made
 * @param pieces of the content, written one by one
 * @returns whether it was written; a read-only or full disk costs a cache, nothing else
 */
export function writeAtomic(file: string, pieces: readonly (Uint8Array | string)[]): boolean {
  const temp = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    removeLeftOvers(dirname(file));
    // What has the name already is of a process that died, or was brought by a repository: a link, perhaps.
    rmSync(temp, { force: true, recursive: true });
    const fd = openSync(temp, 'wx');
    try {
      for (const piece of pieces) writeAll(fd, typeof piece === 'string' ? Buffer.from(piece) : piece);
    } finally {
      closeSync(fd);
    }
    removeStrange(file);
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

/** Folders that this process has looked through: each write doing so again would take minutes for some thousand files. */
const lookedThrough = new Set<string>();

function removeLeftOvers(dir: string): void {
  if (lookedThrough.has(dir)) return;
  lookedThrough.add(dir);
  for (const name of readdirSync(dir)) {
    if (!LEFT_OVER.test(name)) continue;
    const stat = statSync(join(dir, name), { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > LEFT_OVER_MS) rmSync(join(dir, name), { force: true });
  }
}

/** Names of the state that are files; a folder of that name is a fault. */
const FILE_NAME = /\.(?:bin|jsonl?|sqlite|vec|index|lock)$/;
/** Things that are looked at: a state has some thousand files at most. */
const LOOKED_MAX = 20_000;

/**
 * What of a state folder is neither file nor folder, or a folder in place of a file: nothing of it is read, and where it can't be replaced
 * something is made anew each time.
 *
 * @returns paths relative to the folder, with what they are in Chinese; a few of them, sorted
 */
export function strangeFiles(stateDir: string): string[] {
  const found: string[] = [];
  let looked = 0;
  const walk = (dir: string, prefix: string): void => {
    let entries: import('node:fs').Dirent[];
    try {
      entries = readdirSync(dir, { withFileTypes: true });
    } catch {
      return;
    }
    for (const entry of entries) {
      if (++looked > LOOKED_MAX) return;
      const path = `${prefix}${entry.name}`;
      if (entry.isFile()) continue;
      if (entry.isSymbolicLink()) found.push(`${path}（链接）`);
      else if (!entry.isDirectory()) found.push(`${path}（管道、套接字或设备）`);
      else if (FILE_NAME.test(entry.name)) found.push(`${path}（目录）`);
      // What a changeset or a scratch copy holds is the project's, not ours.
      else if (prefix === '' ? !PROJECTS_OWN.has(entry.name) : true) walk(join(dir, entry.name), `${path}/`);
    }
  };
  walk(stateDir, '');
  return found.sort();
}

const PROJECTS_OWN = new Set(['scratch', 'changesets']);
