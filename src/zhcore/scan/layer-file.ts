import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { errnoOf, messageOf, XiheError } from '../../errors.js';

/** How often a file that somebody saves at the same moment is read anew. */
const MAX_TRIES = 5;
/** New content before it takes its file's place; nobody else calls a file so. */
const TEMP = /^\.[0-9a-f]{12}\.tmp$/;

/**
 * Reads a file of the team's layer.
 *
 * @param layerDir absolute path of `.xihe/`
 * @param name relative to it
 * @returns undefined where there is none
 * @throws XiheError PATH_OUTSIDE_PROJECT, see {@link assertInside}; STATE_UNWRITABLE where it can't be read
 */
export function readLayerFile(layerDir: string, name: string): Buffer | undefined {
  const path = join(layerDir, name);
  assertInside(layerDir, path);
  return read(path);
}

/**
 * Changes a file of the team's layer in one step: whoever reads it sees the old content or the new.
 *
 * What a person saves meanwhile is never overwritten: right before the new content takes its place the file is read once more, and
 * where it is another one, the change is made anew out of what is there now.
 *
 * @param stateDir where the new content waits, out of git's sight; beside the file where that is another disk
 * @param change the new bytes out of the present ones; undefined leaves the file as it is
 * @throws XiheError PATH_OUTSIDE_PROJECT where a link leads out of the project, STATE_UNWRITABLE where the disk refuses, LOCK_BUSY where
 *   somebody writes the file all the time; whatever `change` throws
 */
export function changeLayerFile(
  layerDir: string,
  stateDir: string,
  name: string,
  change: (bytes: Buffer | undefined) => Uint8Array | undefined,
): void {
  const path = join(layerDir, name);
  for (let i = 0; i < MAX_TRIES; i++) {
    const before = readLayerFile(layerDir, name);
    const next = change(before);
    if (next === undefined || replace(path, stateDir, next, before)) return;
  }
  throw new XiheError('LOCK_BUSY', `${path} 一直有人在写，没有改它`, { hint: '等别的程序写完，再运行一次。' });
}

/** Removes new content that a killed process left. To be called by whoever holds the lock: nobody else has any then. */
export function removeLeftovers(layerDir: string, stateDir: string, name: string): void {
  const beside = dirname(join(layerDir, name));
  assertInside(layerDir, beside);
  for (const folder of [beside, stateDir]) {
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder)) if (TEMP.test(file)) rmSync(join(folder, file), { force: true });
  }
}

/** Puts new content in a file's place; false, with nothing changed, where the file is not `before` any more. */
function replace(path: string, stateDir: string, next: Uint8Array, before: Buffer | undefined): boolean {
  const temp = `.${randomBytes(6).toString('hex')}.tmp`;
  try {
    // A link to a file inside of the project stays a link: what it leads to is replaced.
    const target = existsSync(path) ? realpathSync(path) : path;
    mkdirSync(dirname(target), { recursive: true });
    const done = replaceFrom(join(stateDir, temp), target, next, before);
    return done ?? replaceFrom(join(dirname(target), temp), target, next, before) === true;
  } catch (cause) {
    throw XiheError.is(cause) ? cause : unwritable(path, cause);
  }
}

/** @returns undefined where `temp` and `target` lie on different disks */
function replaceFrom(temp: string, target: string, next: Uint8Array, before: Buffer | undefined): boolean | undefined {
  try {
    mkdirSync(dirname(temp), { recursive: true });
    writeAll(temp, next);
    if (!same(read(target), before)) return false;
    renameSync(temp, target);
    return true;
  } catch (cause) {
    if (errnoOf(cause) === 'EXDEV') return undefined;
    throw cause;
  } finally {
    rmSync(temp, { force: true });
  }
}

function same(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' || errnoOf(cause) === 'ENOTDIR') return undefined;
    throw unwritable(path, cause);
  }
}

function writeAll(path: string, bytes: Uint8Array): void {
  const fd = openSync(path, 'wx');
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Follows the path as far as it exists: links may lead anywhere inside of the project, not out of it. */
function assertInside(layerDir: string, path: string): void {
  const root = realpathSync(dirname(layerDir));
  let there = path;
  while (!isThere(there)) there = dirname(there);
  let real: string | undefined;
  try {
    real = realpathSync(there);
  } catch {
    // A link that leads nowhere: what would be made there is not ours to know.
  }
  if (real !== undefined && (real === root || real.startsWith(root + sep))) return;
  throw new XiheError('PATH_OUTSIDE_PROJECT', `${there} 是指到项目外的链接，没有读写它`, {
    hint: '去掉这个链接，让 .xihe/ 和其中的文件留在项目里。',
    details: { path: there },
  });
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function unwritable(path: string, cause: unknown): XiheError {
  return new XiheError('STATE_UNWRITABLE', `读写不了 ${path}（${errnoOf(cause) ?? messageOf(cause)}）`, {
    hint: '检查磁盘空间和 .xihe/ 的写权限。',
    cause,
  });
}
