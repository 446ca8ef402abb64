import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoted, XiheError } from '../errors.js';
import { throwIfCancelled } from '../history/index.js';
import { compilePattern, searchLines } from '../text/index.js';
import { textOf } from './analyse.js';
import type { FileIndex } from './fileIndex.js';
import { scopeFilter } from './lookup.js';
import type { RepoPath, SearchHit } from './types.js';

/** Hits of one search; more is a question asked too widely. */
export const MAX_HITS = 50;
/** Characters shown of a line; the match is kept in sight. */
const MAX_LINE_CHARS = 200;

export interface SearchOptions {
  /** Read `pattern` as a regular expression (JavaScript syntax) instead of text. */
  regex?: boolean;
  ignoreCase?: boolean;
  /** A folder or glob. */
  scope?: string;
  /** At most {@link MAX_HITS}. */
  maxHits?: number;
  signal?: AbortSignal;
}

/**
 * Searches the text of all indexed files, whatever their encoding, line by line.
 *
 * @returns hits in the order of paths and lines
 * @throws XiheError USAGE for an empty pattern, a broken regular expression, or one that takes too long; CANCELLED
 */
export async function searchFiles(
  root: string,
  index: FileIndex,
  pattern: string,
  options: SearchOptions = {},
): Promise<SearchHit[]> {
  const inScope = scopeFilter(options.scope);
  const limit = Math.min(MAX_HITS, Math.max(1, options.maxHits ?? MAX_HITS));
  const find = matcherOf(pattern, options);
  const hits: SearchHit[] = [];
  for (const file of index.list) {
    // What the index did not read (binary, huge, secret) is not searched either.
    if (file.hash === '' || !inScope(file.path)) continue;
    throwIfCancelled(options.signal);
    const text = readText(join(root, file.path));
    if (text === undefined) continue;
    for (const { line, column, text: found } of find(text, limit - hits.length)) {
      hits.push({ path: file.path as RepoPath, line, text: clip(found, column) });
    }
    if (hits.length >= limit) break;
  }
  return hits;
}

interface Match {
  line: number;
  column: number;
  text: string;
}

type Matcher = (text: string, limit: number) => Match[];

function matcherOf(pattern: string, options: SearchOptions): Matcher {
  if (pattern === '') throw usage('搜索内容是空的', '给出要找的文字或正则。');
  if (options.regex) return regexMatcher(pattern, options.ignoreCase ?? false);
  const lower = options.ignoreCase ?? false;
  const wanted = lower ? pattern.toLowerCase() : pattern;
  return (text, limit) => {
    const searched = lower ? text.toLowerCase() : text;
    // Most files do not hold the text at all; only the others are cut into lines.
    if (!searched.includes(wanted)) return [];
    return linesWith(text, limit, (line) => (lower ? line.toLowerCase() : line).indexOf(wanted));
  };
}

function linesWith(text: string, limit: number, columnOf: (line: string) => number): Match[] {
  const found: Match[] = [];
  const lines = text.split(/\r\n|\r|\n/);
  for (let i = 0; i < lines.length && found.length < limit; i++) {
    const column = columnOf(lines[i]!);
    if (column >= 0) found.push({ line: i + 1, column, text: lines[i]! });
  }
  return found;
}

/** A pattern from a model may backtrack without end, so it is tried with a limit of time on each file. */
function regexMatcher(pattern: string, ignoreCase: boolean): Matcher {
  const regex = compilePattern(pattern, ignoreCase);
  if (!(regex instanceof RegExp)) {
    throw usage(`正则表达式有误：${pattern}（${regex.reason}）`, '改正它，或去掉 regex 选项按原文搜索。');
  }
  return (text, limit) => {
    const lines = text.split(/\r\n|\r|\n/);
    try {
      return searchLines(regex, lines, limit).map(({ index, column }) => ({
        line: index + 1,
        column,
        text: lines[index]!,
      }));
    } catch (cause) {
      throw usage(`正则表达式太慢：${quoted(pattern)}`, '写得更具体些，避免嵌套的 * 和 +。', cause);
    }
  };
}

function readText(file: string): string | undefined {
  try {
    return textOf(readFileSync(file));
  } catch {
    // Gone since the last refresh: it is not served.
    return undefined;
  }
}

function clip(line: string, column: number): string {
  if (line.length <= MAX_LINE_CHARS) return line;
  const start = Math.max(0, Math.min(column - MAX_LINE_CHARS / 2, line.length - MAX_LINE_CHARS));
  return `${start > 0 ? '…' : ''}${line.slice(start, start + MAX_LINE_CHARS)}${start + MAX_LINE_CHARS < line.length ? '…' : ''}`;
}

function usage(message: string, hint: string, cause?: unknown): XiheError {
  return new XiheError('USAGE', message, { hint, cause });
}
