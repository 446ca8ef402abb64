import { join } from 'node:path';
import { newSyntaxProblems, type SyntaxProblem } from '../../code/index.js';
import { readFileText } from '../../text/index.js';
import type { ToolContext } from '../types.js';
import { changesetOf } from './overlay.js';

/** Errors that a result names: one wrong bracket gives many, the first few say where it is. */
const SHOWN = 5;

/**
 * Syntax errors of a file, as it is staged now, that this run brought into it: those of its last edit and of edits before it.
 *
 * @param path staged
 * @returns [] also where nothing certain can be said
 */
export async function ownSyntaxProblems(ctx: ToolContext, path: string): Promise<SyntaxProblem[]> {
  const before = originalText(ctx, path);
  return before === null ? [] : newSyntaxProblems(path, before, changesetOf(ctx).read(path).text);
}

/** The file in the tree; undefined where there is none, null where it can't be read. */
function originalText(ctx: ToolContext, path: string): string | undefined | null {
  const staged = changesetOf(ctx)
    .list()
    .find((file) => file.path === path);
  if (staged?.before === null) return undefined;
  try {
    return readFileText(join(ctx.root, path)).text;
  } catch {
    return null;
  }
}

/** What the model is told of them: place, the line itself, and what to do. */
export function renderSyntax(path: string, problems: readonly SyntaxProblem[], lines: readonly string[]): string {
  const shown = problems
    .slice(0, SHOWN)
    .map(
      ({ line, column, text }) =>
        `第 ${line} 行第 ${column} 列：${text}　｜　${(lines[line - 1] ?? '').trim().slice(0, 100)}`,
    );
  const more = problems.length > SHOWN ? `\n（另有 ${problems.length - SHOWN} 处，多半是同一个错误引起的）` : '';
  return `但是 ${path} 现在有语法错误（修改之前没有），先用 edit_file 改好再做别的：\n${shown.join('\n')}${more}`;
}
