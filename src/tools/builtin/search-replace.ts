import { XiheError } from '../../errors.js';
import type { TextEdit } from '../../text/index.js';
import { foldLine, linesOf, type Place, SearchableText, type Tolerance, tolerancesOf } from './match-text.js';
import { nearestLines } from './nearest-lines.js';
import { smallEdits } from './small-edits.js';

/** Places of an ambiguous text that are shown. */
const PLACES_SHOWN = 6;
/** Characters of a line that a message shows. */
const LINE_SHOWN = 160;

/** What search-and-replace pairs come to. */
export interface FoundEdits {
  edits: TextEdit[];
  /** 1-based line of each pair's search text, in file order. */
  places: number[];
  /** What was left out of account to find them, in Chinese: one line a pair. */
  notes: string[];
}

interface Found extends Place {
  edits: TextEdit[];
  tolerances: Tolerance[];
}

/**
 * Turns search-and-replace pairs into text edits, all or nothing.
 *
 * Tolerant only of line ends, trailing blanks and the width of punctuation, each said in `notes`; what search and replacement have in
 * common keeps the file's own form of these.
 *
 * @param path for messages
 * @param text the file's decoded text
 * @param pairs each `search` must occur exactly once
 * @param quote how a line of the file may be quoted in a message (files of secrets mask it)
 * @throws XiheError EDIT_NOT_FOUND with the nearest lines, EDIT_AMBIGUOUS with the lines of all places, EDIT_INVALID when two overlap or
 *   nothing would change
 */
export function findEdits(
  path: string,
  text: string,
  pairs: { search: string; replace: string }[],
  quote: (line: string) => string = (line) => line,
): FoundEdits {
  const searchable = new SearchableText(text);
  const found = pairs.map(({ search, replace }, i): Found => {
    const which = pairs.length > 1 ? `第 ${i + 1} 处：` : '';
    const places = searchable.placesOf(search);
    if (places.length === 0) throw notFound(`${which}${path}`, text, search, quote, searchable);
    if (places.length > 1) throw ambiguous(`${which}${path}`, text, search, places, quote);
    const place = places[0]!;
    const tolerances = tolerancesOf(text.slice(place.start, place.end), search);
    return { ...place, edits: smallEdits(text, place, search, replace), tolerances };
  });
  const ordered = [...found].sort((a, b) => a.start - b.start);
  const overlap = ordered.findIndex((edit, i) => i > 0 && edit.start < ordered[i - 1]!.end);
  if (overlap > 0) {
    const [first, second] = [lineAt(text, ordered[overlap - 1]!.start), lineAt(text, ordered[overlap]!.start)];
    throw new XiheError('EDIT_INVALID', `${path} 的两处替换互相重叠（第 ${first} 行和第 ${second} 行）`, {
      hint: '把重叠的两处合并成一处，其余照旧，再调用一次。',
    });
  }
  const edits = ordered.flatMap((one) => one.edits);
  if (edits.length === 0) {
    throw new XiheError('EDIT_INVALID', `${path}：search 和 replace 一样，什么都不会变`, {
      hint: '已经是要的样子就不用改；不是的话，在 replace 里写上改后的内容。',
    });
  }
  return {
    edits,
    places: ordered.map((one) => lineAt(text, one.start)),
    notes: ordered.filter((one) => one.tolerances.length > 0).map((one) => noteOf(text, one)),
  };
}

function noteOf(text: string, { start, tolerances }: Found): string {
  return `第 ${lineAt(text, start)} 行：search 和原文的${tolerances.join('、')}不同，已放宽匹配；没改的部分保持文件原样`;
}

function notFound(
  where: string,
  text: string,
  search: string,
  quote: (line: string) => string,
  searchable: SearchableText,
): XiheError {
  const wanted = linesOf(search);
  const head = `${where} 里找不到这段原文：「${clip(wanted.find((line) => line.trim() !== '') ?? search)}」`;
  const numbered = wanted.map((line) => line.replace(/^\s*\d+\t/, ''));
  if (wanted.every((line, i) => line !== numbered[i]) && searchable.placesOf(numbered.join('\n')).length > 0) {
    return new XiheError('EDIT_NOT_FOUND', head, {
      hint: '行号和它后面的制表符不是原文：去掉行首的行号再调用。',
    });
  }
  const near = nearestLines(linesOf(text), wanted);
  const shown = near.map((window) => renderWindow(window, quote)).join('\n');
  return new XiheError('EDIT_NOT_FOUND', head, {
    hint: shown
      ? `最接近的是：\n${shown}\n${firstDifference(near, wanted, quote)}照抄这些行（不带行号）再调用；不是这里就先 read_file。`
      : '这个文件里没有相近的行：先用 read_file 或 search_code 看清原文再改。',
    details: { nearest: near.map((window) => window.line) },
  });
}

function renderWindow(
  { line, lines }: { line: number; lines: readonly string[] },
  quote: (l: string) => string,
): string {
  return lines.map((text, i) => `${line + i}\t${shorten(quote(text))}`).join('\n');
}

/** For a search of several lines: the first line in which it and the window differ, since they look alike. */
function firstDifference(
  near: { line: number; lines: readonly string[] }[],
  wanted: readonly string[],
  quote: (line: string) => string,
): string {
  const [window] = near;
  const asked = wanted.slice(wanted.findIndex((line) => line.trim() !== ''));
  if (!window || asked.length < 2) return '';
  const at = window.lines.findIndex((line, i) => asked[i] !== undefined && foldLine(line) !== foldLine(asked[i]!));
  if (at < 0) return '';
  const [theirs, ours] = [quote(window.lines[at]!), asked[at]!];
  const how =
    theirs.trim() === ours.trim()
      ? '缩进不同'
      : `原文是「${clip(theirs.trim())}」，search 写的是「${clip(ours.trim())}」`;
  return `从第 ${window.line + at} 行起不同：${how}。\n`;
}

function ambiguous(
  where: string,
  text: string,
  search: string,
  places: Place[],
  quote: (line: string) => string,
): XiheError {
  const lines = places.map((place) => lineAt(text, place.start));
  const all = linesOf(text);
  const shown = lines
    .slice(0, PLACES_SHOWN)
    .map((line) =>
      [line - 1, line]
        .filter((n) => n > 0)
        .map((n) => `${n}\t${shorten(quote(all[n - 1] ?? ''))}`)
        .join('\n'),
    )
    .join('\n…\n');
  return new XiheError(
    'EDIT_AMBIGUOUS',
    `${where} 里这段原文出现 ${places.length} 次（第 ${lines.slice(0, 20).join('、')} 行）：「${clip(linesOf(search)[0] ?? '')}」`,
    {
      hint: `多抄几行上下文，让它只对上要改的那一处；都要改就每处写一条。前一行和它自己：\n${shown}`,
      details: { lines },
    },
  );
}

/** 1-based line of an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (const match of text.matchAll(/\r\n|\r|\n/g)) {
    if (match.index + match[0].length > offset) break;
    line++;
  }
  return line;
}

function clip(line: string): string {
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

function shorten(line: string): string {
  return line.length > LINE_SHOWN ? `${line.slice(0, LINE_SHOWN)}…（这一行有 ${line.length} 字）` : line;
}
