/** What a search text may differ in from the file and still be found. */
export type Tolerance = '换行符' | '行尾空白' | '全角半角标点';

/** Where a search text stands in a file. */
export interface Place {
  start: number;
  end: number;
}

/** A text made comparable: each character of `text` with its offset in the original. */
interface Folded {
  text: string;
  /** Offsets into the original; absent where both are the same. */
  map?: Int32Array;
}

const CR = 13;
const LF = 10;
const IDEOGRAPHIC_SPACE = 0x3000;
/** U+FF01–U+FF5E are the full-width forms of U+0021–U+007E (Unicode, Halfwidth and Fullwidth Forms). */
const FULL_FIRST = 0xff01;
const FULL_LAST = 0xff5e;
const FULL_OFFSET = 0xfee0;
/** Punctuation outside that block that input methods give in place of ASCII, and the half-width forms of Chinese marks. */
const OTHER_FORMS = new Map<number, number>(
  (
    [
      ['。', '.'],
      ['｡', '.'],
      ['、', ','],
      ['､', ','],
      ['“', '"'],
      ['”', '"'],
      ['‘', "'"],
      ['’', "'"],
      ['｢', '「'],
      ['｣', '」'],
    ] as const
  ).map(([from, to]) => [from.charCodeAt(0), to.charCodeAt(0)]),
);

const isBlank = (code: number) => code === 32 || code === 9 || code === IDEOGRAPHIC_SPACE || code === 0xa0;
const isAsciiWord = (code: number) =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

/** A character in the form that tolerant comparing uses: punctuation and space in one width. Letters and digits stay as they are. */
function foldCode(code: number): number {
  if (code < 0x2018) return code;
  if (code === IDEOGRAPHIC_SPACE) return 32;
  if (code >= FULL_FIRST && code <= FULL_LAST) return isAsciiWord(code - FULL_OFFSET) ? code : code - FULL_OFFSET;
  return OTHER_FORMS.get(code) ?? code;
}

/** A line as tolerant comparing sees it. */
export function foldLine(line: string): string {
  return fold(line, true).text;
}

function fold(text: string, tolerant: boolean): Folded {
  if (!tolerant && !text.includes('\r')) return { text };
  const out = new Uint16Array(text.length);
  const map = new Int32Array(text.length);
  let n = 0;
  let lineStart = 0;
  const dropBlanks = () => {
    while (n > lineStart && isBlank(out[n - 1]!)) n--;
  };
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === LF || code === CR) {
      if (tolerant) dropBlanks();
      map[n] = i;
      out[n++] = LF;
      lineStart = n;
      if (code === CR && text.charCodeAt(i + 1) === LF) i++;
      continue;
    }
    map[n] = i;
    out[n++] = tolerant ? foldCode(code) : code;
  }
  if (tolerant) dropBlanks();
  return { text: Buffer.from(out.buffer, 0, n * 2).toString('utf16le'), map };
}

/**
 * A file's text, searched with as little tolerance as finds something: line ends are never told apart; only where nothing is found
 * trailing blanks and the width of punctuation are left out of account too.
 */
export class SearchableText {
  readonly #text: string;
  readonly #folded: (Folded | undefined)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** All places of a search text, overlapping ones too, in file order. */
  placesOf(search: string): Place[] {
    const exact = this.#find(search, false);
    return exact.length > 0 ? exact : this.#find(search, true);
  }

  #find(search: string, tolerant: boolean): Place[] {
    const folded = this.#folded[Number(tolerant)] ?? fold(this.#text, tolerant);
    this.#folded[Number(tolerant)] = folded;
    const wanted = fold(search, tolerant).text;
    if (wanted === '') return [];
    const places: Place[] = [];
    for (let at = folded.text.indexOf(wanted); at >= 0; at = folded.text.indexOf(wanted, at + 1))
      places.push({
        start: this.#original(folded, at),
        end: this.#endOf(this.#original(folded, at + wanted.length - 1)),
      });
    return places;
  }

  #original({ map }: Folded, at: number): number {
    return map === undefined ? at : map[at]!;
  }

  /** The end of the character at an offset; CR LF is one. */
  #endOf(at: number): number {
    return at + (this.#text.charCodeAt(at) === CR && this.#text.charCodeAt(at + 1) === LF ? 2 : 1);
  }
}

/**
 * What had to be left out of account for a search text to be found.
 *
 * @param found the part of the file that it was found as
 */
export function tolerancesOf(found: string, search: string): Tolerance[] {
  if (found === search) return [];
  const used: Tolerance[] = [];
  if (endsOf(found) !== endsOf(search)) used.push('换行符');
  const [there, asked] = [linesOf(found), linesOf(search)];
  const differs = (same: (line: string) => string) => asked.some((line, i) => same(line) !== same(there[i] ?? ''));
  const trimmed = (line: string) => line.replace(/[ \t\u3000\u00a0]+$/, '');
  if (differs((line) => line.slice(trimmed(line).length))) used.push('行尾空白');
  if (differs(trimmed)) used.push('全角半角标点');
  return used;
}

/** The lines of a text, whatever ends them. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

function endsOf(text: string): string {
  return (text.match(/\r\n|\r|\n/g) ?? []).join('');
}
