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

/**
 * Shows an error as a user should see it, and tells the exit code for it.
 *
 * A stack is printed only for faults of our own, and only when XIHE_DEBUG asks.
 */
export function showError(e: unknown, json: boolean): number {
  const error = asXiheError(e);
  if (json) printJson({ error: error.toJSON() });
  else {
    log(`${pc.red('错误')}（${error.code}）：${visible(error.message)}`);
    if (error.hint) log(`${pc.dim('怎么办：')}${visible(error.hint)}`);
  }
  if (process.env.XIHE_DEBUG && e instanceof Error) log(e.stack ?? '');
  if (error.code === 'CANCELLED') return EXIT.interrupted;
  return error.code === 'USAGE' || error.code === 'CONFIG_INVALID' ? EXIT.usage : EXIT.failed;
}

function asXiheError(e: unknown): XiheError {
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
