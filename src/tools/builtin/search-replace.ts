import { XiheError } from '../../errors.js';
import { similarity, type TextEdit } from '../../text/index.js';

/** Lines shown when a text is not found: enough to see the right place, few enough to stay cheap. */
const NEAREST_LINES = 3;
/** Files longer than this are not searched for the nearest line: it would take seconds and help little. */
const MAX_NEAREST_LINES = 5_000;
/** Characters of a line that are compared: comparing costs their product, for each line of the file. */
const MAX_COMPARED_CHARS = 160;
/** Lines less like the search than this are no help. */
const WORTH_SHOWING = 0.4;

/**
 * Turns search-and-replace pairs into text edits, all or nothing.
 *
 * Line ends are the only tolerance: a search with LF finds CRLF text, because models never see the difference.
 *
 * @param path for messages
 * @param text the file's decoded text
 * @param pairs each `search` must occur exactly once
 * @param quote how a line of the file may be quoted in a message (files of secrets mask it)
 * @throws XiheError EDIT_NOT_FOUND with the nearest lines, EDIT_AMBIGUOUS with the line numbers, EDIT_INVALID when two overlap
 */
export function findEdits(
  path: string,
  text: string,
  pairs: { search: string; replace: string }[],
  quote: (line: string) => string = (line) => line,
): TextEdit[] {
  const edits = pairs.map(({ search, replace }) => {
    const places = occurrences(text, search);
    if (places.length === 0) throw notFound(path, text, search, quote);
    if (places.length > 1) throw ambiguous(path, text, search, places);
    const place = places[0]!;
    return { start: place.start, end: place.end, text: replace };
  });
  const ordered = [...edits].sort((a, b) => a.start - b.start);
  for (let i = 1; i < ordered.length; i++) {
    if (ordered[i]!.start < ordered[i - 1]!.end) {
      throw new XiheError('EDIT_INVALID', `${path} 的两处替换互相重叠`, { hint: '把重叠的两处合并成一处。' });
    }
  }
  return ordered;
}

function occurrences(text: string, search: string): { start: number; end: number }[] {
  const pattern = new RegExp(escapeRegExp(search.replace(/\r\n|\r/g, '\n')).replace(/\n/g, '(?:\\r\\n|\\r|\\n)'), 'g');
  const places: { start: number; end: number }[] = [];
  for (const match of text.matchAll(pattern)) places.push({ start: match.index, end: match.index + match[0].length });
  return places;
}

function notFound(path: string, text: string, search: string, quote: (line: string) => string): XiheError {
  const lines = text.split(/\r\n|\r|\n/);
  const first = search.split(/\r\n|\r|\n/).find((line) => line.trim() !== '') ?? search;
  const near =
    lines.length > MAX_NEAREST_LINES
      ? []
      : lines
          .map((line, i) => ({ line, number: i + 1, score: likeness(line, first) }))
          .filter((entry) => entry.score > WORTH_SHOWING)
          .sort((a, b) => b.score - a.score)
          .slice(0, NEAREST_LINES);
  const shown = near.map((entry) => `${entry.number}\t${quote(entry.line)}`).join('\n');
  return new XiheError('EDIT_NOT_FOUND', `${path} 里找不到这段原文：「${clip(first)}」`, {
    hint: shown ? `最接近的行是：\n${shown}\n照抄这些行再试，或先 read_file。` : '先用 read_file 看清原文再改。',
    details: { path, nearest: near.map((entry) => entry.number) },
  });
}

/** How alike the beginnings of two lines are, 0–1. */
function likeness(a: string, b: string): number {
  const left = a.trim().slice(0, MAX_COMPARED_CHARS);
  const right = b.trim().slice(0, MAX_COMPARED_CHARS);
  // Of very different lengths they can't be alike enough.
  if (Math.min(left.length, right.length) <= WORTH_SHOWING * Math.max(left.length, right.length)) return 0;
  return similarity(left, right);
}

function ambiguous(path: string, text: string, search: string, places: { start: number }[]): XiheError {
  const lines = places.map((place) => text.slice(0, place.start).split(/\r\n|\r|\n/).length);
  return new XiheError(
    'EDIT_AMBIGUOUS',
    `${path} 里这段原文出现 ${places.length} 次（第 ${lines.join('、')} 行）：「${clip(search)}」`,
    {
      hint: '多抄几行上下文，让它只对上一处。',
      details: { path, lines },
    },
  );
}

function clip(s: string): string {
  const line = s.split(/\r\n|\r|\n/)[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

function escapeRegExp(s: string): string {
  return s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
