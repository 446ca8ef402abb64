import { MAX_COLUMNS, MAX_ROWS, type Sheet, type SheetRow } from './sheet.js';
import type { Notes } from './types.js';

const DELIMITERS = [',', '\t', ';', '|', '，'] as const;
/** After so many quotes that never close, quotes mean nothing in this file, and looking for their ends would take minutes. */
const STRAY_MAX = 50;
/** So many lines tell what separates the cells. */
const SAMPLE_LINES = 20;

/**
 * Reads comma-, tab-, semicolon- or bar-separated text (RFC 4180: quotes doubled, line breaks inside quotes), with what Excel adds:
 * a first line `sep=;`, `="00123"`, an apostrophe before what would be a formula.
 *
 * @param text without BOM
 * @param file how people know it
 */
export function readCsv(text: string, file: string, notes: Notes): Sheet {
  const marked = /^sep=(.)\r?\n/i.exec(text);
  const delimiter = marked?.[1] ?? delimiterOf(text, /\.tsv$/i.test(file));
  const reader = new CsvReader(marked ? text.slice(marked[0].length) : text, delimiter, marked ? 2 : 1);
  const rows = reader.rows();
  for (const line of reader.strayQuotes) notes.drop(`${file}#L${line}`, '引号没有配对，按普通字符读');
  if (reader.cut) notes.drop(`${file}#L${rows.at(-1)?.row ?? 1}`, `超过 ${MAX_ROWS} 行，后面的没有读`);
  if (reader.wide) notes.drop(file, `超过 ${MAX_COLUMNS} 列，后面的列没有读`);
  return { name: '', rows };
}

/** What stands in most lines, and as often in each: outside quotes. */
function delimiterOf(text: string, tabs: boolean): string {
  const lines = text
    .slice(0, 20_000)
    .replace(/"(?:[^"]|"")*"/g, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, SAMPLE_LINES);
  const scored = DELIMITERS.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const usual = [...counts].sort((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0;
    const even = counts.filter((n) => n === usual).length;
    return {
      delimiter,
      score: usual === 0 ? 0 : even + Math.min(usual, 20) / 100 + (tabs && delimiter === '\t' ? 1 : 0),
    };
  });
  scored.sort((a, b) => b.score - a.score);
  return (scored[0]?.score ?? 0) > 0 ? (scored[0]?.delimiter ?? ',') : tabs ? '\t' : ',';
}

class CsvReader {
  /** Lines with a quote that never closes. */
  readonly strayQuotes: number[] = [];
  cut = false;
  wide = false;
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly delimiter: string,
    private line: number,
  ) {}

  rows(): SheetRow[] {
    const rows: SheetRow[] = [];
    while (this.at < this.text.length) {
      if (rows.length >= MAX_ROWS) {
        this.cut = true;
        break;
      }
      const row = this.line;
      const cells = this.record();
      if (cells.some((cell) => cell.trim() !== '')) rows.push({ row, cells });
    }
    return rows;
  }

  private record(): string[] {
    const cells: string[] = [];
    for (;;) {
      const cell = this.cell();
      if (cells.length < MAX_COLUMNS) cells.push(cell);
      else this.wide ||= cell.trim() !== '';
      const c = this.text.charAt(this.at);
      if (c === this.delimiter) {
        this.at += 1;
        continue;
      }
      if (c === '\r' && this.text.charAt(this.at + 1) === '\n') this.at += 1;
      this.at += 1;
      this.line += 1;
      return cells;
    }
  }

  private cell(): string {
    const lead = /[ ]*(=?)"/y;
    lead.lastIndex = this.at;
    const match = lead.exec(this.text);
    if (match === null || this.strayQuotes.length >= STRAY_MAX) return this.plain();
    const from = this.at + match[0].length;
    const quoted = this.quoted(from);
    if (quoted !== undefined) return quoted;
    this.strayQuotes.push(this.line);
    return this.plain();
  }

  /** Up to the delimiter or line end. */
  private plain(): string {
    const from = this.at;
    while (this.at < this.text.length) {
      const c = this.text.charAt(this.at);
      if (c === this.delimiter || c === '\n' || c === '\r') break;
      this.at += 1;
    }
    return this.text.slice(from, this.at);
  }

  /** What a quote holds; undefined when it never closes, or closes in the middle of a cell: then it was no quote. */
  private quoted(from: number): string | undefined {
    let out = '';
    for (let i = from; ; ) {
      const close = this.text.indexOf('"', i);
      if (close < 0) return undefined;
      out += this.text.slice(i, close);
      if (this.text.charAt(close + 1) === '"') {
        out += '"';
        i = close + 2;
        continue;
      }
      let end = close + 1;
      while (this.text.charAt(end) === ' ') end += 1;
      const next = this.text.charAt(end);
      if (next !== '' && next !== this.delimiter && next !== '\n' && next !== '\r') return undefined;
      this.line += this.text.slice(from, close).split(/\r\n|\n|\r/).length - 1;
      this.at = end;
      return out;
    }
  }
}
