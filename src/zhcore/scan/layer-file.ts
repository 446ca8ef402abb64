import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { errnoOf, messageOf, XiheError } from '../../errors.js';

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
  try {
    return readFileSync(path);
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' || errnoOf(cause) === 'ENOTDIR') return undefined;
    throw unwritable(path, cause);
  }
}

/**
 * Replaces a file of the team's layer in one step: whoever reads it sees the old content or the new.
 *
 * @throws XiheError PATH_OUTSIDE_PROJECT where a link leads out of the project, STATE_UNWRITABLE where the disk refuses
 */
export function writeLayerFile(layerDir: string, name: string, bytes: Uint8Array): void {
  const path = join(layerDir, name);
  assertInside(layerDir, path);
  // A link to a file inside of the project stays a link: what it leads to is replaced.
  const target = existsSync(path) ? realpathSync(path) : path;
  const temp = join(dirname(target), `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    mkdirSync(dirname(target), { recursive: true });
    writeAll(temp, bytes);
    renameSync(temp, target);
  } catch (cause) {
    rmSync(temp, { force: true });
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
