import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf, XiheError } from '../errors.js';
import { stateBytes } from '../stateFile.js';
import { inState } from './durable.js';
import { type Owner, ownerState, parseOwner, selfOwner } from './liveness.js';

/** How long to wait for another process; applying a large changeset takes a second or two. Milliseconds. */
const DEFAULT_WAIT_MS = 10_000;
/** A lock of another machine or container, whose processes can't be seen, counts as dead after this. Milliseconds. */
const FOREIGN_STALE_MS = 10 * 60_000;
/** A lock file that says nothing yet (its writer has just made it) is respected for this long. Milliseconds. */
const UNREADABLE_STALE_MS = 5_000;
const POLL_MS = 15;

/**
 * Runs `fn` while no other process (and no other call in this one) holds the lock `path`.
 *
 * The lock of a process that was killed is taken over at once. A lock is a series of files `path.1`, `path.2`, …: the
 * highest number counts, and it is never removed, only replaced by a higher one. So two processes that find a dead
 * holder can't both take over: only one of them can create the next number.
 *
 * Not reentrant.
 *
 * @param path where the lock lies; its folder is made
 * @param options.waitMs how long to wait, in milliseconds (the thread sleeps)
 * @throws XiheError LOCK_BUSY when the wait is over, STATE_UNWRITABLE; whatever `fn` throws
 */
export function withFileLock<T>(path: string, fn: () => T, options: { waitMs?: number } = {}): T {
  const end = performance.now() + (options.waitMs ?? DEFAULT_WAIT_MS);
  let held = inState(path, () => tryAcquire(path));
  while (held === null) {
    if (performance.now() >= end) throw busy(path);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
    held = inState(path, () => tryAcquire(path));
  }
  try {
    return fn();
  } finally {
    free(held);
  }
}

/**
 * The same for work that waits: the lock is held until its promise settles, and this process goes on meanwhile.
 *
 * @throws XiheError LOCK_BUSY when the wait is over, STATE_UNWRITABLE; whatever `fn` throws
 */
export async function withAsyncFileLock<T>(
  path: string,
  fn: () => Promise<T>,
  options: { waitMs?: number } = {},
): Promise<T> {
  const end = performance.now() + (options.waitMs ?? DEFAULT_WAIT_MS);
  let held = inState(path, () => tryAcquire(path));
  while (held === null) {
    if (performance.now() >= end) throw busy(path);
    await sleep(POLL_MS);
    held = inState(path, () => tryAcquire(path));
  }
  try {
    return await fn();
  } finally {
    free(held);
  }
}

function busy(path: string): XiheError {
  return new XiheError('LOCK_BUSY', '另一个 Xihe 进程正在写这个项目', {
    hint: '等它结束再试；若确定没有别的进程，删掉这个锁文件。',
    details: { lock: path, holder: readHolder(path, highest(path)) },
  });
}

function tryAcquire(path: string): string | null {
  mkdirSync(dirname(path), { recursive: true });
  const top = highest(path);
  if (top > 0 && !isFree(path, top)) return null;
  const mine = `${path}.${top + 1}`;
  if (!createWhole(mine, JSON.stringify(selfOwner()))) return null;
  if (highest(path) > top + 1) {
    // We saw an old state: someone has taken and perhaps freed higher numbers since.
    rmSync(mine, { force: true });
    return null;
  }
  for (const n of numbers(path)) if (n <= top) rmSync(`${path}.${n}`, { force: true });
  return mine;
}

/** Makes a file with its content in one step; false when it exists. */
function createWhole(path: string, content: string): boolean {
  const temp = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(temp, content, { flag: 'wx' });
    linkSync(temp, path);
    return true;
  } catch (e) {
    if (errnoOf(e) === 'EEXIST') return false;
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EOPNOTSUPP'].includes(errnoOf(e) ?? '')) throw e;
    return createPlain(path, content); // a file system without hard links (exFAT, some network shares)
  } finally {
    rmSync(temp, { force: true });
  }
}

function createPlain(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: 'wx' });
    return true;
  } catch (e) {
    if (errnoOf(e) === 'EEXIST') return false;
    throw e;
  }
}

function free(held: string): void {
  inState(held, () => release(held));
}

function release(held: string): void {
  const temp = `${held}.${process.pid}.free`;
  writeFileSync(temp, JSON.stringify({ ...selfOwner(), pid: 0 }));
  renameSync(temp, held);
}

function isFree(path: string, n: number): boolean {
  const file = `${path}.${n}`;
  const holder = readHolder(path, n);
  if (holder?.pid === 0) return true;
  const state = holder === null ? 'unreadable' : ownerState(holder);
  if (state === 'alive') return false;
  if (state === 'dead') return true;
  try {
    return Date.now() - statSync(file).mtimeMs > (state === 'unknown' ? FOREIGN_STALE_MS : UNREADABLE_STALE_MS);
  } catch {
    return false; // replaced meanwhile: look again
  }
}

function readHolder(path: string, n: number): Owner | null {
  try {
    return parseOwner(stateBytes(`${path}.${n}`).toString('utf8'));
  } catch {
    return null;
  }
}

function numbers(path: string): number[] {
  const prefix = `${basename(path)}.`;
  return readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)));
}

function highest(path: string): number {
  return Math.max(0, ...numbers(path));
}

/** Where a lock of the state folder lies. */
export function lockPath(stateDir: string, name: string): string {
  return join(stateDir, 'locks', name);
}
