import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { ScriptNeed } from './script.js';

/**
 * What a shell script names: files that it runs, reads or sources, and commands. A reader of words, not a shell: what it can't be sure of
 * (variables, substitutions, text of here-documents) it leaves out, since each thing found is a question to a person.
 */

/** Words of the shell itself, builtins and reserved ones (POSIX and bash). */
const SHELL_WORDS = new Set(
  `if then else elif fi for while until do done case esac in select function time coproc ! { } [[ ]] [ . : alias bg bind break builtin
  caller cd command compgen complete continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history
  jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap
  true type typeset ulimit umask unalias unset wait`.split(/\s+/),
);
/** After these a command follows. */
const BEFORE_COMMAND = /^(?:if|then|else|elif|while|until|do|time|!|\{|\(|nohup|exec|command|sudo|env|xargs)$/;
/** Programs whose first plain argument is a file that they run. */
const RUNNERS = /^(?:ba|da|z|k)?sh$|^python[\d.]*$|^(?:perl|ruby|node|Rscript|spark-submit|source|\.)$/;
/** Options that a file follows. */
const FILE_OPTION = /^(?:-f|-jar|--file|--jars|--py-files)$/;

/** Where relative names were looked for, and what the worker will find. */
export const NOT_HERE = '这里没有这个文件';
export const NOT_THERE = '文件在项目里，但 worker 只拿到这一个脚本，不会有它';

/**
 * What a shell script needs besides itself.
 *
 * @param text line ends LF
 * @param dir the script's folder, absolute
 * @param root the project's root, absolute
 */
export function shellNeeds(text: string, dir: string, root: string): ScriptNeed[] {
  const needs = new Map<string, ScriptNeed>();
  const functions = new Set(
    [...text.matchAll(/^[ \t]*(?:function[ \t]+([\w:.-]+)|([\w:.-]+)[ \t]*\(\))/gm)].map(([, a, b]) => a ?? b),
  );
  const aliases = new Set([...text.matchAll(/\balias[ \t]+([\w.-]+)=/g)].map(([, name]) => name));
  for (const { words, line } of commandsOf(text)) {
    const [name = '', ...args] = words;
    const add = (need: Omit<ScriptNeed, 'line'> | undefined) => {
      if (need && !needs.has(need.name)) needs.set(need.name, { ...need, line });
    };
    if (name.includes('/')) add(fileNeed(name, dir, root));
    else if (isPlain(name) && !SHELL_WORDS.has(name) && !functions.has(name) && !aliases.has(name))
      add(commandNeed(name));
    for (const file of filesOf(name, args)) add(fileNeed(file, dir, root));
  }
  return [...needs.values()];
}

/** Files that a command's arguments name. */
function filesOf(name: string, args: string[]): string[] {
  if (/^(?:\[\[?|test)$/.test(name)) return [];
  const named = args.filter((_, i) => FILE_OPTION.test(args[i - 1] ?? ''));
  const read = args.flatMap((arg, i) => (arg === '<' ? [args[i + 1] ?? ''] : []));
  if (!RUNNERS.test(name) || args.some((arg) => /^-(?:c|m|e|s)$/.test(arg))) return [...named, ...read];
  const first = args.find((arg, i) => !arg.startsWith('-') && !args[i - 1]?.startsWith('--') && !/^[<>&|]/.test(arg));
  return [...named, ...read, ...(first === undefined ? [] : [first])];
}

/** A file that the worker may lack; undefined for what is a pattern, a device or there under an absolute path. */
export function fileNeed(name: string, dir: string, root: string): Omit<ScriptNeed, 'line'> | undefined {
  if (!isPlain(name) || name === '' || name === '-' || name.startsWith('/dev/') || name.startsWith('~'))
    return undefined;
  if (isAbsolute(name)) {
    return existsSync(name) ? undefined : { kind: 'file', name, why: `${NOT_HERE}，worker 上要有` };
  }
  const isHere = [dir, root].some((base) => existsSync(resolve(base, name)));
  return { kind: 'file', name, why: isHere ? NOT_THERE : NOT_HERE };
}

function commandNeed(name: string): Omit<ScriptNeed, 'line'> | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  if (folders.some((folder) => existsSync(join(folder, name)))) return undefined;
  return { kind: 'command', name, why: '这台机器上没有这个命令' };
}

/** A word without anything that the shell would replace. */
const isPlain = (word: string) => /^[\w./+:@%=,-]+$/.test(word) && !/^[\w]+=/.test(word);

/** The simple commands of a script, each as its words without quotes. */
function commandsOf(text: string): { words: string[]; line: number }[] {
  const found: { words: string[]; line: number }[] = [];
  let closing: string | undefined;
  let held = '';
  withoutLists(text)
    .split('\n')
    .forEach((raw, i) => {
      if (closing !== undefined) {
        if (raw.trim() === closing) closing = undefined;
        return;
      }
      const joined = held + raw;
      held = '';
      if (/(?:^|[^\\])\\$/.test(joined)) {
        held = `${joined.slice(0, -1)} `;
        return;
      }
      closing = /<<-?\s*["']?(\w+)["']?/.exec(joined)?.[1];
      for (const words of simpleCommands(joined)) found.push({ words, line: i + 1 });
    });
  return found;
}

/** Without the values of arrays and the patterns of `case`: both look like commands. Line breaks stay. */
function withoutLists(text: string): string {
  const blank = (found: string) => found.replace(/[^\n]/g, ' ');
  return text
    .replace(/\b\w+\+?=\([^()]*\)/g, blank)
    .replace(/(^|;;)[ \t]*\(?[^()\s;&$`'"]+(?:[ \t]*\|[ \t]*[^()\s;&$`'"]+)*\)/gm, blank);
}

/** Words and separators; a quoted text is one word, what is in it is not looked at. */
const WORDS = /"(?:[^"\\]|\\.)*"|'[^']*'|#.*$|&&|\|\||;;|[;|&()]|[<>]+|(?:\\.|[^\s"'#;|&()<>])(?:\\.|[^\s"';|&()<>])*/g;

function simpleCommands(line: string): string[][] {
  const commands: string[][] = [[]];
  for (const [token] of line.matchAll(WORDS)) {
    if (token.startsWith('#')) break;
    if (/^(?:&&|\|\||;;|[;|&()])$/.test(token)) commands.push([]);
    else commands.at(-1)?.push(/^["']/.test(token) ? token.slice(1, -1) : token);
  }
  return commands.map(headed).filter((words) => words.length > 0);
}

/** Without what stands before the command itself: reserved words, assignments, wrappers. A pattern of `case` or a loop's list is none. */
function headed(words: string[]): string[] {
  let at = 0;
  while (at < words.length && (BEFORE_COMMAND.test(words[at] as string) || /^\w+\+?=/.test(words[at] as string))) at++;
  const rest = words.slice(at);
  return /^(?:for|case|select|function|in|esac|fi|done|\}|\]\])$/.test(rest[0] ?? '') ? [] : rest;
}
