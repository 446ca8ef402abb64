import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '../errors.js';
import { faultPoint, fsyncDir, hashOf, writeSynced } from './durable.js';
import { locate } from './location.js';

/** A file that goes from one content to another; null means that it does not exist. */
export interface Move {
  path: string;
  from: string | null;
  to: string | null;
  /** Permission bits for a file that has to be made again; one that is there keeps those it has. Null: the system decides. */
  mode: number | null;
}

/** What a set of moves finds in the tree. */
export interface TreeState {
  /** Still at `from`. */
  todo: Move[];
  /** Already at `to`. */
  done: Move[];
  /** At neither: someone else has changed these. */
  strangers: Move[];
}

/** Stands for whatever is no regular file of this project any more: a folder, a link that leads elsewhere. */
const NOT_A_FILE = 'not-a-file';

/** The hash of a file in the tree, null when there is none. */
export function treeHash(root: string, path: string): string | null {
  try {
    // A link that has appeared on the way would lead the write elsewhere.
    const at = locate(root, path);
    if (at.path !== path) return NOT_A_FILE;
    const stat = statSync(at.abs, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    return stat.isFile() ? hashOf(readFileSync(at.abs)) : NOT_A_FILE;
  } catch {
    return NOT_A_FILE;
  }
}

/** The permission bits of a file in the tree, null when there is none. */
export function modeNow(root: string, path: string): number | null {
  const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
  return stat?.isFile() ? stat.mode & 0o7777 : null;
}

/** Sorts moves by what the tree holds now. */
export function compareTree(root: string, moves: readonly Move[]): TreeState {
  const state: TreeState = { todo: [], done: [], strangers: [] };
  for (const move of moves) {
    const now = treeHash(root, move.path);
    if (now === move.from) state.todo.push(move);
    else if (now === move.to) state.done.push(move);
    else state.strangers.push(move);
  }
  return state;
}

/** A file was changed between the check and its own rename. */
export class TreeMovedError extends Error {
  constructor(readonly path: string) {
    super(`${path} changed while it was being written`);
  }
}

/**
 * Writes all moves: first every new content beside its target, then one rename after the other.
 *
 * A kill in between leaves each file whole, at `from` or at `to`; the caller compares and goes on.
 *
 * @param id names the temporary files, so that a second try overwrites those of the first
 * @param blob the bytes of a hash
 * @param label prefix of the fault points
 * @throws TreeMovedError, or the error of the file system; files may then be at either side
 */
export function writeMoves(
  root: string,
  moves: readonly Move[],
  id: string,
  blob: (hash: string) => Uint8Array,
  label: string,
): void {
  const temps = new Map<Move, string>();
  try {
    for (const move of moves) {
      if (move.to !== null) temps.set(move, prepare(root, move, id, blob(move.to)));
    }
    faultPoint(`${label}:after-temps`);
    moves.forEach((move, i) => {
      commit(root, move, temps.get(move));
      if (i === 0) faultPoint(`${label}:after-first-rename`);
    });
    faultPoint(`${label}:after-renames`);
    for (const dir of new Set(moves.map((m) => dirname(join(root, m.path))))) if (existsSync(dir)) fsyncDir(dir);
  } finally {
    for (const temp of temps.values()) rmSync(temp, { force: true });
  }
}

function tempName(root: string, path: string, id: string): string {
  // Its own short name: the target's may already be as long as the file system allows.
  return join(dirname(join(root, path)), `.xihe-${hashOf(`${id}\0${path}`).slice(0, 12)}.tmp`);
}

function prepare(root: string, move: Move, id: string, bytes: Uint8Array): string {
  const abs = join(root, move.path);
  const dir = dirname(abs);
  mkdirSync(dir, { recursive: true });
  const temp = tempName(root, move.path, id);
  rmSync(temp, { force: true });
  writeSynced(temp, bytes, 'wx');
  const mode = modeNow(root, move.path) ?? move.mode;
  if (mode !== null) chmodSync(temp, mode);
  keepOwner(temp, lstatSync(abs, { throwIfNoEntry: false }) ?? statSync(dir), mode);
  return temp;
}

/** A file that root edits stays its owner's; for all others the system decides. */
function keepOwner(temp: string, like: { uid: number; gid: number }, mode: number | null): void {
  if (process.getuid?.() !== 0 || like.uid === 0) return;
  try {
    chownSync(temp, like.uid, like.gid);
    if (mode !== null) chmodSync(temp, mode); // chown clears set-id bits
  } catch {
    // Network shares that map owners: the content is what matters.
  }
}

function commit(root: string, move: Move, temp: string | undefined): void {
  if (treeHash(root, move.path) !== move.from) throw new TreeMovedError(move.path);
  const abs = join(root, move.path);
  if (temp === undefined) rmSync(abs);
  else renameSync(temp, abs);
}

/** The folders that must be made for these moves, parents first, relative to the root. */
export function missingDirs(root: string, moves: readonly Move[]): string[] {
  const missing = new Set<string>();
  for (const move of moves) {
    if (move.to === null) continue;
    for (let dir = dirname(move.path); dir !== '.' && !existsSync(join(root, dir)); dir = dirname(dir))
      missing.add(dir);
  }
  return [...missing].sort((a, b) => a.length - b.length);
}

/** Removes folders that we made, where nothing lies in them any more. */
export function removeEmptyDirs(root: string, dirs: readonly string[]): void {
  for (const dir of [...dirs].sort((a, b) => b.length - a.length)) {
    try {
      rmdirSync(join(root, dir));
    } catch (e) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errnoOf(e) ?? '')) throw e;
    }
  }
}

/** Removes the temporary files of an earlier try that was killed. */
export function removeTemps(root: string, moves: readonly Move[], id: string): void {
  for (const move of moves) rmSync(tempName(root, move.path, id), { force: true });
}
