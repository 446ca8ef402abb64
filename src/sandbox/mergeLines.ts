import { createRequire } from 'node:module';
import type { Encoding } from '../text/types.js';

/** Edits after which the exact diff is given up, as in `diff.ts`: its cost grows with their square. */
const MAX_EDIT_LENGTH = 6_000;
/** UTF-8's BOM; those of UTF-16 are FF FE and FE FF. */
const BOM_UTF8 = 'ï»¿';

/**
 * How the lines of a conflict are marked, as git does it with `diff3`, but with our name behind each mark: a text of the user's own that
 * shows conflict marks is no conflict. ASCII, so that every encoding has them.
 */
const MARK = { open: '<<<<<<< xihe', base: '||||||| xihe', next: '======= xihe', close: '>>>>>>> xihe' } as const;
const MARKED = /^(?:<{7}|\|{7}|={7}|>{7}) xihe(?: |\r|\n|$)/m;

/** One version of a file, and whose it is. */
export interface MergeSide {
  /** ASCII, without line ends. */
  name: string;
  bytes: Uint8Array;
}

/** `bytes` with all changes; of a conflict, with all that agree and marks around the versions of the rest. */
export interface Merged {
  clean: boolean;
  bytes: Uint8Array;
}

/** Lines [from, to) of the base become these. Lines are their bytes, one character each, with their ends. */
interface Hunk {
  from: number;
  to: number;
  lines: string[];
}

type DiffArrays = (
  a: string[],
  b: string[],
  options: { maxEditLength: number },
) => { count: number; value: string[]; added: boolean; removed: boolean }[] | undefined;

let loaded: DiffArrays | undefined;
function diffArrays(): DiffArrays {
  // Loaded on first use, as in `diff.ts`.
  loaded ??= (createRequire(import.meta.url)('diff') as { diffArrays: DiffArrays }).diffArrays;
  return loaded;
}

/**
 * Merges any number of versions of a file by lines: what only one of them changed is taken, what several changed alike is taken once,
 * what they changed differently (or without an unchanged line between) is a conflict. The order of the sides says nothing.
 *
 * It works on bytes, so that whatever is outside of the changes stays as it is: BOM, line ends, bytes that the encoding can't read.
 *
 * @param base what all of them started from; empty where each made the file anew
 * @param encoding of the base; it says what ends a line
 */
export function mergeLines(base: Uint8Array, sides: readonly MergeSide[], encoding: Encoding): Merged {
  const lines = linesOf(base, encoding);
  const changes = sides.map(({ name, bytes }) => ({ name, hunks: hunksOf(lines, linesOf(bytes, encoding)) }));
  const out: string[] = [];
  let at = 0;
  let clean = true;
  const end = endOf([base, ...sides.map(({ bytes }) => bytes)], encoding);
  for (const { from, to } of regionsOf(changes.flatMap(({ hunks }) => hunks))) {
    out.push(...lines.slice(at, from));
    const versions = changes
      .map(({ name, hunks }) => ({ name, hunks: hunks.filter((hunk) => hunk.from >= from && hunk.to <= to) }))
      .filter(({ hunks }) => hunks.length > 0)
      .map(({ name, hunks }) => ({ name, lines: applied(lines, from, to, hunks) }));
    const agree = versions.every((one) => one.lines.join('') === versions[0]!.lines.join(''));
    if (agree) out.push(...versions[0]!.lines);
    else out.push(...marked(lines.slice(from, to), versions, end, encoding));
    clean &&= agree;
    at = to;
  }
  out.push(...lines.slice(at));
  return { clean, bytes: Buffer.from(out.join(''), 'latin1') };
}

/** Whether a text holds a line of ours that marks a conflict. @param text decoded */
export function hasMarks(text: string): boolean {
  return MARKED.test(text);
}

/** A file with one marked line on top, behind its BOM: for conflicts that are about the file as a whole. */
export function markedOnTop(bytes: Uint8Array, what: string, encoding: Encoding): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const bom = [BOM_UTF8, 'ÿþ', 'þÿ'].find((one) => text.startsWith(one)) ?? '';
  const mark = encoded(`${MARK.open} ${what}`, encoding) + endOf([bytes], encoding);
  return Buffer.from(bom + mark + text.slice(bom.length), 'latin1');
}

/** Stretches of the base that hunks touch; hunks that meet are one stretch, as in git. */
function regionsOf(hunks: readonly Hunk[]): { from: number; to: number }[] {
  const regions: { from: number; to: number }[] = [];
  for (const { from, to } of [...hunks].sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = regions.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else regions.push({ from, to });
  }
  return regions;
}

function applied(lines: readonly string[], from: number, to: number, hunks: readonly Hunk[]): string[] {
  const out: string[] = [];
  let at = from;
  for (const hunk of hunks) {
    out.push(...lines.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return [...out, ...lines.slice(at, to)];
}

function marked(
  base: readonly string[],
  versions: readonly { name: string; lines: readonly string[] }[],
  end: string,
  encoding: Encoding,
): string[] {
  const line = (text: string) => encoded(text, encoding) + end;
  const whole = (lines: readonly string[]) =>
    lines.map((one, i) => (i === lines.length - 1 && !endsLine(one) ? one + end : one));
  const [first, ...rest] = versions;
  return [
    line(`${MARK.open} ${first!.name}`),
    ...whole(first!.lines),
    line(`${MARK.base} base`),
    ...whole(base),
    ...rest.flatMap(({ name, lines }) => [line(`${MARK.next} ${name}`), ...whole(lines)]),
    line(MARK.close),
  ];
}

function hunksOf(from: string[], to: string[]): Hunk[] {
  const changes = diffArrays()(from, to, { maxEditLength: MAX_EDIT_LENGTH });
  if (changes === undefined) return [{ from: 0, to: from.length, lines: to }];
  const hunks: Hunk[] = [];
  let at = 0;
  let open: Hunk | undefined;
  for (const { value, added, removed } of changes) {
    if (!added && !removed) {
      at += value.length;
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = { from: at, to: at, lines: [] };
      hunks.push(open);
    }
    if (added) open.lines.push(...value);
    else {
      at += value.length;
      open.to = at;
    }
  }
  return hunks;
}

/**
 * Lines with their ends, each byte a character. No byte of a longer character is a line end in UTF-8, GBK, GB18030 or Big5 (their second
 * bytes begin at 0x30); UTF-16 is read two bytes at a time.
 */
function linesOf(bytes: Uint8Array, encoding: Encoding): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if (!isWide(encoding)) return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
  const [cr, lf] = [encoded('\r', encoding), encoded('\n', encoding)];
  const lines: string[] = [];
  let start = 0;
  for (let at = 0; at + 1 < text.length; at += 2) {
    const unit = text.slice(at, at + 2);
    if (unit !== lf && (unit !== cr || text.slice(at + 2, at + 4) === lf)) continue;
    lines.push(text.slice(start, at + 2));
    start = at + 2;
  }
  return start < text.length ? [...lines, text.slice(start)] : lines;
}

function isWide(encoding: Encoding): boolean {
  return encoding === 'utf-16le' || encoding === 'utf-16be';
}

/** ASCII text as the encoding writes it, a character for each byte. */
function encoded(text: string, encoding: Encoding): string {
  if (!isWide(encoding)) return text;
  return [...text].map((char) => (encoding === 'utf-16le' ? `${char}\0` : `\0${char}`)).join('');
}

function endsLine(line: string): boolean {
  return /[\r\n]\0?$/.test(line);
}

/** The first line end that any of them has. */
function endOf(texts: readonly Uint8Array[], encoding: Encoding): string {
  for (const bytes of texts) {
    const first = linesOf(bytes, encoding)[0] ?? '';
    const end = ['\r\n', '\n', '\r'].map((one) => encoded(one, encoding)).find((one) => first.endsWith(one));
    if (end !== undefined) return end;
  }
  return encoded('\n', encoding);
}
