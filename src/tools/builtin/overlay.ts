import { join } from 'node:path';
import { XiheError } from '../../errors.js';
import type { Changeset } from '../../sandbox/index.js';
import { type FileText, readFileText } from '../../text/index.js';
import type { ToolContext } from '../types.js';

/** A file as this run sees it: with the staged edits where there are any. */
export function readOverlay(ctx: ToolContext, path: string): FileText {
  return ctx.changeset ? ctx.changeset.read(path) : readFileText(join(ctx.root, path));
}

/**
 * The changeset of this run.
 *
 * @throws XiheError COMMAND_DENIED in branches that may only read
 */
export function changesetOf(ctx: ToolContext): Changeset {
  if (ctx.changeset) return ctx.changeset;
  throw new XiheError('COMMAND_DENIED', '这个分支只能看，不能改文件', {
    hint: '换成明确的修改请求再运行，例如「把…改成…」。',
  });
}
