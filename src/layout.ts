import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { errnoOf, messageOf, QUOTED_PATH_CHARS, quoted, XiheError } from './errors.js';

/** Where a project keeps what. All paths are absolute. */
export interface ProjectLayout {
  /** The project root, symlinks resolved. */
  root: string;
  /** `.xihe/`: the team's own layer; may not exist. */
  layerDir: string;
  /** Never committed: checkpoints, caches, changesets, receipts, audit. Exists and is writable after {@link openLayout}. */
  stateDir: string;
  /** True when the state lies outside the project: it could not be written at the first run, or `XIHE_STATE_DIR` says so. */
  stateIsElsewhere: boolean;
  /** In Chinese: why there is no state, for commands that only read; nothing is kept then, and `stateDir` can't be written. */
  withoutState?: string;
}

/**
 * Finds the folders of a project and makes the state folder.
 *
 * The state lies in `.xihe/state/` beside a `.gitignore` of its own, so that `git status` stays clean. Where the project
 * can't be written, or `XIHE_STATE_DIR` says so, it lies elsewhere, apart for each project (by hash of the real path, so
 * that two Chinese folder names never share one). Once it holds something it stays where it is: in the project, or
 * elsewhere.
 *
 * @param repo the project root, absolute or relative to the current folder
 * @throws XiheError REPO_NOT_FOUND when it is no folder, STATE_UNWRITABLE when none can be made, or the one in
 *   use can't be written now (a full disk)
 */
export function openLayout(repo: string, env: NodeJS.ProcessEnv = process.env): ProjectLayout {
  const { root, layerDir } = projectRoot(repo);
  const inProject = join(layerDir, 'state');
  const at = (stateDir: string): ProjectLayout => {
    return { root, layerDir, stateDir, stateIsElsewhere: stateDir !== inProject };
  };
  if (env.XIHE_STATE_DIR) return at(made(join(resolve(env.XIHE_STATE_DIR), projectKey(root))));
  // Where a project's state is, it stays: a full disk must not make its threads and receipts disappear.
  if (holdsState(inProject)) return at(made(inProject));
  const elsewhere = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'xihe', 'state', projectKey(root));
  if (holdsState(elsewhere)) return at(made(elsewhere));
  const failure = makeState(inProject);
  if (failure === undefined) return at(inProject);
  if (!NOT_OURS_TO_WRITE.has(errnoOf(failure) ?? '')) throw unwritable(inProject, failure);
  return at(made(elsewhere));
}

/**
 * {@link openLayout} for commands that only read: where no state can be made they go on without one, and each time is like the first.
 *
 * @throws XiheError REPO_NOT_FOUND
 */
export function openLayoutToRead(repo: string, env: NodeJS.ProcessEnv = process.env): ProjectLayout {
  try {
    return openLayout(repo, env);
  } catch (e) {
    if (!XiheError.is(e, 'STATE_UNWRITABLE')) throw e;
    const { root, layerDir } = projectRoot(repo);
    return { root, layerDir, stateDir: String(e.details.dir), stateIsElsewhere: true, withoutState: e.message };
  }
}

/**
 * The root and the layer of a project, for commands that need no state.
 *
 * @param repo the project root, absolute or relative to the current folder
 * @throws XiheError REPO_NOT_FOUND when it is no folder
 */
export function projectRoot(repo: string): { root: string; layerDir: string } {
  const wanted = isAbsolute(repo) ? repo : resolve(repo);
  try {
    const root = realpathSync(wanted);
    if (!statSync(root).isDirectory()) throw new Error('not a folder');
    return { root, layerDir: join(root, '.xihe') };
  } catch (cause) {
    throw new XiheError('REPO_NOT_FOUND', `找不到项目目录：${quoted(wanted, QUOTED_PATH_CHARS)}`, {
      hint: '检查 --repo 的路径，或先 cd 到项目根目录再运行。',
      cause,
    });
  }
}

/**
 * The project that a folder lies in: the nearest folder above it (or itself) with a layer in `.xihe/`, as git finds its repository. A
 * state folder alone is no layer. Looks no further up than the repository's root or the home folder.
 *
 * @param dir absolute
 * @returns `dir` itself when there is none
 */
export function projectAbove(dir: string): string {
  for (let at = dir; ; at = dirname(at)) {
    if (holdsLayer(join(at, '.xihe'))) return at;
    if (existsSync(join(at, '.git')) || at === homedir() || at === dirname(at)) return dir;
  }
}

function holdsLayer(layerDir: string): boolean {
  try {
    return readdirSync(layerDir).some((name) => name !== 'state' && !name.startsWith('.'));
  } catch {
    return false;
  }
}

/** The place can't be written at all (read-only, another user's, `.xihe` is a file), not just now. */
const NOT_OURS_TO_WRITE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'EISDIR']);
/** Written to see whether there is space: a small file alone may fit into the folder's own block. Bytes. */
const PROBE_BYTES = 4096;

/** Whether a folder holds something of an earlier run. */
function holdsState(dir: string): boolean {
  try {
    return readdirSync(dir).some((name) => name !== '.gitignore' && !name.startsWith(PROBE));
  } catch {
    return false;
  }
}

function made(dir: string): string {
  const failure = makeState(dir);
  if (failure !== undefined) throw unwritable(dir, failure);
  return dir;
}

function unwritable(dir: string, cause: unknown): XiheError {
  const full = ['ENOSPC', 'EDQUOT'].includes(errnoOf(cause) ?? '');
  return new XiheError('STATE_UNWRITABLE', `运行状态写不进去：${dir}（${full ? '磁盘满了' : messageOf(cause)}）`, {
    hint: full
      ? '腾出磁盘空间再运行；已有的任务和记录都还在原处。'
      : '给这个目录写权限，或用 XIHE_STATE_DIR 指定一个可写目录（那里看不到原来的任务）。',
    cause,
    details: { dir },
  });
}

/** A short stable key for a project: 16 hex digits of the SHA-256 of its real path. */
export function projectKey(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 16);
}

const PROBE = '.probe-';

/** Makes a state folder and tries to write in it; returns what went wrong. */
function makeState(dir: string): unknown {
  const probe = join(dir, `${PROBE}${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    mkdirSync(dir, { recursive: true });
    try {
      writeFileSync(join(dir, '.gitignore'), '*\n', { flag: 'wx' });
    } catch (e) {
      if (errnoOf(e) !== 'EEXIST') throw e;
    }
    try {
      writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { flag: 'wx' });
    } finally {
      rmSync(probe, { force: true });
    }
    return undefined;
  } catch (e) {
    return e;
  }
}
