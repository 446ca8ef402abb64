import { createRequire } from 'node:module';
import { decodeText } from '../text/index.js';
import type { Encoding } from '../text/types.js';
import type { FileDiff } from './types.js';

/** Lines around a change (DESIGN: unified diffs as git prints them). */
const CONTEXT_LINES = 3;
/**
 * Edits after which the exact diff is given up: its cost grows with their square. A change this large is a rewrite, and
 * "all old lines, then all new lines" says so as well.
 */
const MAX_EDIT_LENGTH = 6_000;

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each begins with ' ', '+', '-' or '\'. */
  lines: string[];
}

type StructuredPatch = (...args: unknown[]) => { hunks: Hunk[] } | undefined;

// Loaded on first use: most runs of the command line show no diff. In-between CommonJS keeps `diff()` synchronous.
let loaded: StructuredPatch | undefined;
function structuredPatch(): StructuredPatch {
  loaded ??= (createRequire(import.meta.url)('diff') as { structuredPatch: StructuredPatch }).structuredPatch;
  return loaded;
}

/**
 * The difference of two versions of a file.
 *
 * @param before bytes; null when the file did not exist
 * @param after bytes; null when it is deleted
 * @param encoding how the file was encoded before, if known
 */
export function diffFile(
  path: string,
  before: Uint8Array | null,
  after: Uint8Array | null,
  encoding?: Encoding,
): FileDiff {
  const change = before === null ? 'added' : after === null ? 'deleted' : 'modified';
  const from = textOf(before, encoding);
  const to = textOf(after, encoding);
  const head = `--- ${before === null ? '/dev/null' : `a/${path}`}\n+++ ${after === null ? '/dev/null' : `b/${path}`}\n`;
  if (from === null || to === null) {
    return { path, change, patch: `${head}Binary files differ\n`, addedLines: [], removedLines: [] };
  }
  const hunks = hunksOf(from, to);
  const patch = head + hunks.map(formatHunk).join('');
  return { path, change, patch, ...changedLines(hunks) };
}

function textOf(bytes: Uint8Array | null, encoding: Encoding | undefined): string | null {
  if (bytes === null) return '';
  try {
    return decodeText(bytes, encoding).text;
  } catch {
    return null;
  }
}

function hunksOf(from: string, to: string): Hunk[] {
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDIT_LENGTH };
  const patch = structuredPatch()('a', 'b', from, to, undefined, undefined, options);
  return patch?.hunks ?? [wholeRewrite(from, to)];
}

function wholeRewrite(from: string, to: string): Hunk {
  const side = (text: string, sign: '+' | '-') => {
    const lines = text.split('\n');
    const complete = lines.at(-1) === '';
    if (complete) lines.pop();
    return {
      count: lines.length,
      lines: lines.map((l) => sign + l).concat(complete ? [] : ['\\ No newline at end of file']),
    };
  };
  const old = side(from, '-');
  const fresh = side(to, '+');
  return {
    oldStart: 1,
    oldLines: old.count,
    newStart: 1,
    newLines: fresh.count,
    lines: [...old.lines, ...fresh.lines],
  };
}

function formatHunk(hunk: Hunk): string {
  const range = (start: number, count: number) =>
    count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`;
  const head = `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@\n`;
  return head + hunk.lines.map((line) => `${line}\n`).join('');
}

function changedLines(hunks: readonly Hunk[]): Pick<FileDiff, 'addedLines' | 'removedLines'> {
  const addedLines: FileDiff['addedLines'] = [];
  const removedLines: FileDiff['removedLines'] = [];
  for (const hunk of hunks) {
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    for (const line of hunk.lines) {
      const text = line.slice(1).replace(/\r$/, '');
      if (line.startsWith('+')) addedLines.push({ line: newLine++, text });
      else if (line.startsWith('-')) removedLines.push({ line: oldLine++, text });
      else if (line.startsWith(' ')) {
        oldLine++;
        newLine++;
      }
    }
  }
  return { addedLines, removedLines };
}
