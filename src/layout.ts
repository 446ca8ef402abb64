import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { errnoOf, XiheError } from './errors.js';

/** Where a project keeps what. All paths are absolute. */
export interface ProjectLayout {
  /** The project root, symlinks resolved. */
  root: string;
  /** `.xihe/`: the team's own layer; may not exist. */
  layerDir: string;
  /** Never committed: checkpoints, caches, changesets, receipts, audit. Exists and is writable after {@link openLayout}. */
  stateDir: string;
  /** True when the project is read-only and the state had to go to the user's cache folder. */
  stateIsElsewhere: boolean;
}

/**
 * Finds the folders of a project and makes the state folder.
 *
 * The state lies in `.xihe/state/` beside a `.gitignore` of its own, so that `git status` stays clean. Where the project
 * can't be written, or `XIHE_STATE_DIR` says so, it lies elsewhere, apart for each project (by hash of the real path, so
 * that two Chinese folder names never share one).
 *
 * @param repo the project root, absolute or relative to the current folder
 * @throws XiheError REPO_NOT_FOUND when it is no folder, STATE_UNWRITABLE when no state folder can be made
 */
export function openLayout(repo: string, env: NodeJS.ProcessEnv = process.env): ProjectLayout {
  const wanted = isAbsolute(repo) ? repo : resolve(repo);
  let root: string;
  try {
    root = realpathSync(wanted);
    if (!statSync(root).isDirectory()) throw new Error('not a folder');
  } catch (cause) {
    throw new XiheError('REPO_NOT_FOUND', `找不到项目目录：${wanted}`, {
      hint: '检查 --repo 的路径，或先 cd 到项目根目录再运行。',
      cause,
    });
  }
  const layerDir = join(root, '.xihe');
  const own = env.XIHE_STATE_DIR ? join(resolve(env.XIHE_STATE_DIR), projectKey(root)) : undefined;
  if (own === undefined && tryMakeState(join(layerDir, 'state'))) {
    return { root, layerDir, stateDir: join(layerDir, 'state'), stateIsElsewhere: false };
  }
  const cacheHome = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const elsewhere = own ?? join(cacheHome, 'xihe', 'state', projectKey(root));
  if (tryMakeState(elsewhere)) return { root, layerDir, stateDir: elsewhere, stateIsElsewhere: true };
  throw new XiheError('STATE_UNWRITABLE', `没有地方可写运行状态：${elsewhere}`, {
    hint: '给项目目录写权限，或用 XIHE_STATE_DIR 指定一个可写目录。',
  });
}

/** A short stable key for a project: 16 hex digits of the SHA-256 of its real path. */
export function projectKey(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 16);
}

function tryMakeState(dir: string): boolean {
  try {
    mkdirSync(dir, { recursive: true });
    accessSync(dir, constants.W_OK);
    try {
      writeFileSync(join(dir, '.gitignore'), '*\n', { flag: 'wx' });
    } catch (e) {
      if (errnoOf(e) !== 'EEXIST') throw e;
    }
    return true;
  } catch {
    return false;
  }
}
