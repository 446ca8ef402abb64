import type { DolphinHttp } from './http.js';
import { tableOf } from './json.js';
import type { CallOptions, DolphinLog } from './types.js';

export interface LogRange {
  /** 0-based line to begin at. */
  from?: number;
  /** Lines at most. */
  limit?: number;
}

/** Lines of one page where nothing is said, and the most that is asked for at once. */
const PAGE_LINES = 200;
const MAX_PAGE_LINES = 5_000;
/** Last lines where nothing is said: what an alert shows, and a screen holds. */
const TAIL_LINES = 50;
/** Pages that a tail goes through at most: 200,000 lines; the server has no way to begin at the end. */
const TAIL_PAGES = 40;

/** The server's own first line, which its count of lines does not include. */
const HEAD = /^\[LOG-PATH\]: .*\n/;

/** A part of a task's log; see `DolphinClient.log`. The path is the same in all versions. */
export async function readLog(
  http: DolphinHttp,
  taskId: string,
  { from = 0, limit = PAGE_LINES }: LogRange,
  { signal }: CallOptions,
): Promise<DolphinLog> {
  const asked = Math.min(Math.max(1, limit), MAX_PAGE_LINES);
  const data = await http.read('/log/detail', { taskInstanceId: taskId, skipLineNum: from, limit: asked }, signal);
  const text = typeof data === 'string' ? data : String(tableOf(data).message ?? '');
  const lines = linesOf(from === 0 ? text.replace(HEAD, '') : text);
  return { lines, from, ...(lines.length >= asked ? { next: from + lines.length } : {}) };
}

/** The last lines; see `DolphinClient.tail`. */
export async function tailLog(
  http: DolphinHttp,
  taskId: string,
  lines = TAIL_LINES,
  options: CallOptions = {},
): Promise<DolphinLog> {
  let kept: string[] = [];
  let from: number | undefined = 0;
  let end = 0;
  for (let page = 0; from !== undefined && page < TAIL_PAGES; page++) {
    const got: DolphinLog = await readLog(http, taskId, { from, limit: MAX_PAGE_LINES }, options);
    kept = [...kept, ...got.lines].slice(-lines);
    end = got.from + got.lines.length;
    from = got.next;
  }
  return { lines: kept, from: end - kept.length, ...(from === undefined ? {} : { next: from }) };
}

/** The server ends lines with CR LF; some versions send the four characters `\r\n` instead. */
function linesOf(text: string): string[] {
  const parts = text.includes('\n') ? text.split(/\r?\n/) : text.split('\\r\\n');
  if (parts.at(-1) === '') parts.pop();
  return parts;
}
