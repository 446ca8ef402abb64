import { tokenize } from './markup.js';

/** For each cell style, whether its number is a date. */
export type CellFormats = boolean[];

/** Number formats that are dates without being written down (ECMA-376 part 1, 18.8.30; 27–36 and 50–58 in East Asian versions). */
function isBuiltInDate(id: number): boolean {
  return (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
}

/** A format that shows a year or a day, outside quotes, colours and escapes. */
function isDateCode(code: string): boolean {
  const bare = code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, '');
  return /[yd年日]/i.test(bare) && !/general/i.test(bare);
}

/** Reads `styles.xml` as far as dates go. */
export function readFormats(xml: string): CellFormats {
  const codes = new Map<number, string>();
  const formats: CellFormats = [];
  let inCells = false;
  for (const token of tokenize(xml, { html: false })) {
    if (token.type === 'close' && token.name === 'cellXfs') inCells = false;
    if (token.type !== 'open') continue;
    if (token.name === 'numFmt') codes.set(Number(token.attrs.numFmtId), token.attrs.formatCode ?? '');
    else if (token.name === 'cellXfs') inCells = !token.closed;
    else if (token.name === 'xf' && inCells) {
      const id = Number(token.attrs.numFmtId ?? 0);
      const code = codes.get(id);
      formats.push(code === undefined ? isBuiltInDate(id) : isDateCode(code));
    }
  }
  return formats;
}

/** Days from 1899-12-30 (which makes up for the 29 February 1900 that Excel believes in) to 1970-01-01; 1904 is 1,462 days later. */
const EPOCH_DAYS = 25_569;
const DAYS_1904 = 1_462;
const DAY_MS = 86_400_000;

/** A number as people see it: dates as `2025-06-01`, others without the noise of binary fractions. */
export function shownNumber(raw: string, style: number, formats: CellFormats, date1904: boolean): string {
  const n = Number(raw);
  if (raw.trim() === '' || !Number.isFinite(n)) return raw;
  if (formats[style] === true && n >= 1 && n < 2_958_466) {
    const days = Math.floor(n) - EPOCH_DAYS + (date1904 ? DAYS_1904 : 0);
    return new Date(days * DAY_MS).toISOString().slice(0, 10);
  }
  return String(Number(n.toPrecision(15)));
}
