import { XiheError } from '../errors.js';
import { splitShell } from '../sandbox/index.js';
import { overlayOf } from './locate.js';
import type { ToolContext } from './types.js';

/** Words that are no path, or one that the shell makes: options, variables, globs, addresses, substitutions. */
const NO_PATH = /^-|[$*?[\]{}`~]|^\w+:\/\/|^[A-Za-z_]\w*=/;
/** What looks like a path: it has a folder, or a name with an ending. */
const LIKE_PATH = /[/／\\]|[^.\s]\.[A-Za-z]\w{0,5}$/;
/** Characters that mean nothing to a shell, so that a word needs no quotes. */
const PLAIN = /^[\w./\-\u4e00-\u9fff]+$/;

/** A shell line whose paths are real, and what was put right. */
export interface CorrectedLine {
  command: string;
  /** In Chinese, for the model; a line each. */
  notes: string[];
}

/**
 * The door for paths that a shell line names: one that is misspelt so that only one real file can be meant, or whose file was renamed, is
 * put right in the line, and the model is told. Everything else stays as it is: a command may well name what it is about to make.
 */
export function correctPaths(ctx: ToolContext, command: string): CorrectedLine {
  const { commands, strange } = splitShell(command);
  if (strange) return { command, notes: [] };
  const notes: string[] = [];
  let line = command;
  for (const word of new Set(commands.flatMap(({ words, reads }) => [...words.slice(1), ...reads]))) {
    const meant = NO_PATH.test(word) || !LIKE_PATH.test(word) ? undefined : meantBy(ctx, word);
    // Where the word stands more than once, or in quotes of another kind, nobody knows which one to put right.
    if (meant === undefined || line.split(word).length !== 2) continue;
    const isQuoted = new RegExp(`(['"])${escaped(word)}\\1`).test(line);
    line = line.replace(word, () => (isQuoted || PLAIN.test(meant) ? meant : `'${meant.replaceAll("'", `'\\''`)}'`));
    notes.push(`命令里的路径已更正：「${word}」→「${meant}」，以后请用后者`);
  }
  return { command: line, notes };
}

/** The real path that a word means; undefined where it is one, or means none. */
function meantBy(ctx: ToolContext, word: string): string | undefined {
  try {
    const found = ctx.paths.resolve(word, overlayOf(ctx));
    return found.repaired ? found.path : undefined;
  } catch (e) {
    if (!XiheError.is(e)) throw e;
    const renamed = (e.details as { renamedTo?: unknown } | undefined)?.renamedTo;
    return typeof renamed === 'string' ? renamed : undefined;
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
