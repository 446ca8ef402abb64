import pc from 'picocolors';
import { messageOf, XiheError } from '../errors.js';
import { EXIT } from './exit-codes.js';

/**
 * Characters that a terminal obeys instead of showing: control characters but line feed and tab, and the marks that turn the
 * direction of text. In a diff they could hide a line from the eye that approves it.
 */
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of files, models and commands for a terminal: what it would obey is spelled out (`\\u{1b}`); carriage returns at line ends go. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(OBEYED, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
}

/** The same for what belongs on one line: names of files may hold line breaks, which would make lines of their own. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t\u2028\u2029]/g, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
}

/** Prints the one JSON document of a `--json` command on stdout. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints text for people on stdout. */
export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Progress and logs: always stderr, so that stdout holds results only. */
export function log(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Only what lasts longer is worth a line of progress, in milliseconds. */
const PROGRESS_AFTER_MS = 1000;
/** Lines of progress come at most this often, in milliseconds: in the log of a CI job each one stays. */
const PROGRESS_EVERY_MS = 5000;

/** A function that says on stderr how far something is, now and then; what is over soon says nothing. */
export function progressLog(): (text: string) => void {
  let next = Date.now() + PROGRESS_AFTER_MS;
  return (text) => {
    const now = Date.now();
    if (now < next) return;
    next = now + PROGRESS_EVERY_MS;
    log(pc.dim(text));
  };
}

/** What an answer could not draw on, in one line: words alone, or the vectors of this machine instead of a server's. */
export function degradedText(why: string): string {
  return visible(/这次用本机的/.test(why) ? why : `这次只按词查：${why}`);
}

/** Tools that models know, and the command that does the same. */
const COMMANDS: Record<string, string> = {
  lookup_file: 'xihe find',
  load_context: 'xihe tree',
  expand_path: 'xihe expand',
  zh_core_query: 'xihe core',
  lookup_knowledge: 'xihe lookup',
};
/** A tool's name, the command in brackets where the text has it, and a Chinese character right behind. */
const TOOL = new RegExp(`\\b(${Object.keys(COMMANDS).join('|')})\\b(?:（xihe [a-z]+）)?(?=(\\p{Script=Han})?)`, 'gu');

/** A hint of the rooms, which speak to models as well, for whoever sits at a command line: commands instead of names of tools. */
export function inCommands(hint: string): string {
  return hint.replace(TOOL, (_, tool: string, han?: string) => `${COMMANDS[tool]}${han === undefined ? '' : ' '}`);
}

/**
 * Shows an error as a user should see it, and tells the exit code for it.
 *
 * A stack is printed only for faults of our own, and only when XIHE_DEBUG asks.
 */
export function showError(e: unknown, json: boolean): number {
  const error = asXiheError(e);
  const hint = inCommands(error.hint);
  if (json) printJson({ error: { ...error.toJSON(), hint } });
  else {
    log(`${pc.red('错误')}（${error.code}）：${visible(error.message)}`);
    if (hint) log(`${pc.dim('怎么办：')}${visible(hint)}`);
  }
  if (process.env.XIHE_DEBUG && e instanceof Error) log(e.stack ?? '');
  return exitCodeOf(error.code);
}

/** The exit code of a command that ended with this error. */
export function exitCodeOf(code: XiheError['code']): number {
  if (code === 'CANCELLED') return EXIT.interrupted;
  return code === 'USAGE' || code === 'CONFIG_INVALID' ? EXIT.usage : EXIT.failed;
}

/** What was thrown, as an error with a code: anything unknown is a fault of our own. */
export function asXiheError(e: unknown): XiheError {
  if (XiheError.is(e)) return e;
  return new XiheError('INTERNAL', messageOf(e), {
    hint: '这多半是羲和的问题：设 XIHE_DEBUG=1 再运行一次，把输出反馈给我们。',
    cause: e,
  });
}

/** Lines of a unified diff in colour. */
export function colourDiff(diff: string): string {
  return visible(diff)
    .split('\n')
    .map((line) => {
      if (line.startsWith('+++') || line.startsWith('---')) return pc.bold(line);
      if (line.startsWith('+')) return pc.green(line);
      if (line.startsWith('-')) return pc.red(line);
      if (line.startsWith('@@')) return pc.cyan(line);
      return line;
    })
    .join('\n');
}
