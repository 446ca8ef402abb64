import type { StagedView } from '../paths/index.js';
import type { ToolContext } from './types.js';

/** A path that a tool may use, and what was repaired on the way. */
export interface Located {
  path: string;
  /** Chinese, for the model; present when the path was repaired. */
  note?: string;
}

/**
 * The one door for paths of existing files, as this run sees them: files that it staged are there, files that it deleted are
 * not.
 *
 * @throws XiheError PATH_OUTSIDE_PROJECT, PATH_NOT_FOUND
 */
export function locate(ctx: ToolContext, raw: string): Located {
  const found = ctx.paths.resolve(raw, overlayOf(ctx));
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
  const target = ctx.paths.resolveForWrite(raw, overlayOf(ctx));
  if (target.note) logRepair(ctx, raw, target.path);
  return target;
}

/**
 * Writes down that the run used a file or folder: the window moves there, and files become hot.
 *
 * @param moves false where the window is there already
 */
export async function noteUse(
  ctx: ToolContext,
  path: string,
  kind: 'expand' | 'read' | 'edit',
  moves = true,
): Promise<void> {
  if (moves) ctx.workspace?.focusOn(path);
  await ctx.hotspots?.use(ctx.thread, path, kind, ctx.paths.factsWith(overlayOf(ctx)));
}

/** Puts a note about a repaired path before a tool's text. */
export function withNote(note: string | undefined, text: string): string {
  return note ? `注意：${note}\n${text}` : text;
}

/** The staged edits of this run. */
export function overlayOf(ctx: ToolContext): StagedView {
  const { changeset } = ctx;
  const staged = changeset?.list() ?? [];
  const of = (change: (typeof staged)[number]['change']) =>
    staged.filter((file) => file.change === change).map((file) => file.path);
  return {
    added: of('added'),
    changed: of('modified'),
    deleted: of('deleted'),
    ...(changeset ? { bytes: (path: string) => changeset.bytes(path) } : {}),
  };
}

function logRepair(ctx: ToolContext, from: string, to: string): void {
  ctx.audit({ what: 'path.repaired', args: { from, to }, result: 'ok', durationMs: 0 });
}
