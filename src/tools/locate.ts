import { XiheError } from '../errors.js';
import type { RepoPath } from '../paths/index.js';
import type { Changeset } from '../sandbox/index.js';
import type { ToolContext } from './types.js';

/** A path that a tool may use, and what was repaired on the way. */
export interface Located {
  path: string;
  /** Chinese, for the model; present when the path was repaired. */
  note?: string;
}

/**
 * The one door for paths of existing files: staged files first (they may not be on disk yet), then the resolver.
 *
 * @throws XiheError PATH_OUTSIDE_PROJECT, PATH_NOT_FOUND
 */
export function locate(ctx: ToolContext, raw: string): Located {
  const staged = ctx.changeset && stagedPath(ctx.changeset, raw);
  if (staged) return { path: staged };
  const found = ctx.paths.resolve(raw);
  if (ctx.changeset && !ctx.changeset.exists(found.path)) {
    throw new XiheError('PATH_NOT_FOUND', `${found.path} 在这次变更里已经删除`, { hint: '要恢复它，用 write_file 重新写入。' });
  }
  if (!found.repaired) return { path: found.path };
  logRepair(ctx, found.from, found.path);
  return { path: found.path, note: found.note };
}

/**
 * The door for paths of files to be written: an existing file (repaired if need be), else a new path inside the project.
 *
 * @throws XiheError PATH_OUTSIDE_PROJECT, PATH_INVALID
 */
export function locateForWrite(ctx: ToolContext, raw: string): Located & { exists: boolean } {
  try {
    return { ...locate(ctx, raw), exists: true };
  } catch (e) {
    if (!XiheError.is(e, 'PATH_NOT_FOUND')) throw e;
  }
  const path = ctx.paths.resolveNew(raw);
  if (path !== raw && path !== raw.replace(/^\.\//, '')) {
    logRepair(ctx, raw, path);
    return { path, exists: false, note: `路径 ${raw} 已改为 ${path}` };
  }
  return { path, exists: false };
}

/** Puts a note about a repaired path before a tool's text. */
export function withNote(note: string | undefined, text: string): string {
  return note ? `注意：${note}\n${text}` : text;
}

function stagedPath(changeset: Changeset, raw: string): string | undefined {
  const wanted = raw.replace(/^\.\//, '');
  const isNew = changeset.list().some((file) => file.path === wanted && file.change === 'added');
  return isNew ? (wanted as RepoPath) : undefined;
}

function logRepair(ctx: ToolContext, from: string, to: string): void {
  ctx.audit({ what: 'path.repaired', args: { from, to }, result: 'ok', durationMs: 0 });
}
