import type { TextEdit } from '../../text/index.js';
import { type Place, tolerancesOf } from './match-text.js';

/** Lines of both sides multiplied above which the middle of a replacement is taken as one piece: the table would be too large. */
const MAX_TABLE = 250_000;
/** Marks that some Big5 codes join to the letter before them (Ê̄, ê̌): a cut between would halve a code. */
const JOINED = /[\u0300-\u036f]/;

interface Line {
  /** Offsets in the file; without the line's end. */
  start: number;
  end: number;
}

/**
 * The edits of one replacement, as small as its lines show: what search and replacement have in common keeps the file's own bytes,
 * its line ends, trailing blanks and punctuation included.
 *
 * @param text the file's text
 * @param place where `search` was found in it, maybe with other line ends, blanks and punctuation
 */
export function smallEdits(text: string, place: Place, search: string, replace: string): TextEdit[] {
  const there = linesAt(text, place);
  const asked = search.split(/\r\n|\r|\n/);
  const wanted = replace.split(/\r\n|\r|\n/);
  const eol = endNear(text, place);
  // Trailing blanks that the search lacks are no difference of the replacement.
  const loose = tolerancesOf(text.slice(place.start, place.end), search).includes('行尾空白');
  const same = loose ? (a: string, b: string) => a.trimEnd() === b.trimEnd() : (a: string, b: string) => a === b;
  return hunksOf(asked, wanted, same).map(({ from, to, next, until }) => {
    const lines = wanted.slice(next, until);
    if (from === to) return insertion(there, from, lines, eol);
    if (next === until) return deletion(there, from, to);
    return trimmed(text, there.slice(from, to), asked.slice(from, to), lines, eol);
  });
}

function linesAt(text: string, { start, end }: Place): Line[] {
  const lines: Line[] = [];
  let at = start;
  for (const match of text.slice(start, end).matchAll(/\r\n|\r|\n/g)) {
    lines.push({ start: at, end: start + match.index });
    at = start + match.index + match[0].length;
  }
  return [...lines, { start: at, end }];
}

/** The line end that new lines get: the first inside of the place, else that of the line before or behind. */
function endNear(text: string, { start, end }: Place): string {
  const inside = /\r\n|\r|\n/.exec(text.slice(start, end))?.[0];
  if (inside) return inside;
  for (let i = start - 1; i >= 0; i--) {
    if (text[i] === '\n') return text[i - 1] === '\r' ? '\r\n' : '\n';
    if (text[i] === '\r') return '\r';
  }
  const behind = /\r\n|\r|\n/g;
  behind.lastIndex = end;
  return behind.exec(text)?.[0] ?? '\n';
}

interface Hunk {
  /** Lines [from, to) of the search become lines [next, until) of the replacement. */
  from: number;
  to: number;
  next: number;
  until: number;
}

function hunksOf(asked: string[], wanted: string[], same: (a: string, b: string) => boolean): Hunk[] {
  let head = 0;
  while (head < asked.length && head < wanted.length && same(asked[head]!, wanted[head]!)) head++;
  let tail = 0;
  while (
    tail < asked.length - head &&
    tail < wanted.length - head &&
    same(asked[asked.length - 1 - tail]!, wanted[wanted.length - 1 - tail]!)
  )
    tail++;
  const whole = { from: head, to: asked.length - tail, next: head, until: wanted.length - tail };
  if (whole.from === whole.to && whole.next === whole.until) return [];
  const size = (whole.to - whole.from) * (whole.until - whole.next);
  return size === 0 || size > MAX_TABLE ? [whole] : between(asked, wanted, same, whole);
}

/** Hunks inside of `whole` by the longest common subsequence of its lines. */
function between(asked: string[], wanted: string[], same: (a: string, b: string) => boolean, whole: Hunk): Hunk[] {
  const rows = whole.to - whole.from;
  const columns = whole.until - whole.next;
  const isSame = (i: number, j: number) => same(asked[whole.from + i]!, wanted[whole.next + j]!);
  const longest = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      longest[i]![j] = isSame(i, j) ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
  const hunks: Hunk[] = [];
  let [i, j, fromI, fromJ] = [0, 0, 0, 0];
  const close = () => {
    if (i > fromI || j > fromJ)
      hunks.push({ from: whole.from + fromI, to: whole.from + i, next: whole.next + fromJ, until: whole.next + j });
  };
  while (i < rows && j < columns) {
    if (isSame(i, j)) {
      close();
      [i, j] = [i + 1, j + 1];
      [fromI, fromJ] = [i, j];
    } else if (longest[i + 1]![j]! >= longest[i]![j + 1]!) i++;
    else j++;
  }
  [i, j] = [rows, columns];
  close();
  return hunks;
}

function insertion(there: Line[], at: number, lines: string[], eol: string): TextEdit {
  const before = there[at];
  if (before) return { start: before.start, end: before.start, text: lines.map((line) => line + eol).join('') };
  const end = there.at(-1)!.end;
  return { start: end, end, text: lines.map((line) => eol + line).join('') };
}

function deletion(there: Line[], from: number, to: number): TextEdit {
  const behind = there[to];
  if (behind) return { start: there[from]!.start, end: behind.start, text: '' };
  return { start: there[from - 1]!.end, end: there.at(-1)!.end, text: '' };
}

/** Some lines for others, less what the first lines begin with and the last lines end with in common. */
function trimmed(text: string, there: Line[], asked: string[], lines: string[], eol: string): TextEdit {
  let { start } = there[0]!;
  let { end } = there.at(-1)!;
  let inserted = lines.join(eol);
  const head = commonHead(asked[0]!, lines[0]!, Math.min(there[0]!.end - start, inserted.length));
  start += head;
  inserted = inserted.slice(head);
  const room = Math.min(end - Math.max(start, there.at(-1)!.start), inserted.length);
  // Trailing blanks in which the search and the file differ would shift the end.
  const isAligned = text.slice(there.at(-1)!.start, end).length === asked.at(-1)!.length;
  const tail = isAligned ? commonTail(asked.at(-1)!, lines.at(-1)!, room) : 0;
  end -= tail;
  return { start, end, text: inserted.slice(0, inserted.length - tail) };
}

function commonHead(a: string, b: string, most: number): number {
  let n = 0;
  while (n < most && n < a.length && n < b.length && a[n] === b[n]) n++;
  while (n > 0 && (isInside(a, n) || isInside(b, n))) n--;
  return n;
}

function commonTail(a: string, b: string, most: number): number {
  let n = 0;
  while (n < most && n < a.length && n < b.length && a[a.length - 1 - n] === b[b.length - 1 - n]) n++;
  while (n > 0 && (isInside(a, a.length - n) || isInside(b, b.length - n))) n--;
  return n;
}

/** Whether a cut here would halve a surrogate pair or part a letter from its mark. */
function isInside(s: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(s[at] ?? '') || JOINED.test(s[at] ?? '');
}
