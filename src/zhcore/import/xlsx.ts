import { XiheError } from '../../errors.js';
import { decodeEntities } from './entities.js';
import { tokenize } from './markup.js';
import { MAX_COLUMNS, MAX_ROWS, type Sheet, type SheetRow } from './sheet.js';
import type { Notes } from './types.js';
import { type CellFormats, readFormats, shownNumber } from './xlsx-styles.js';
import { ZipArchive } from './zip.js';

/** The first bytes of an OLE file: an old .xls, or a workbook with a password. */
const OLE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

/** What all sheets of a workbook share. */
interface Workbook {
  strings: string[];
  formats: CellFormats;
  date1904: boolean;
}

/**
 * Reads the visible sheets of an XLSX workbook (ECMA-376, transitional and strict): shared and inline strings, numbers, booleans, dates by
 * their format, cached values of formulas; cells merged over rows get their value in each row.
 *
 * @param file how people know it
 * @throws XiheError ENTRY_INVALID when it is no workbook, FILE_TOO_LARGE
 */
export function readXlsx(bytes: Buffer, file: string, notes: Notes): Sheet[] {
  if (bytes.subarray(0, 4).equals(OLE)) {
    throw new XiheError('ENTRY_INVALID', `${file} 是旧版 .xls，或者加了密码，读不了`, {
      hint: '用 Excel 或 WPS 打开，另存为不带密码的 .xlsx 再导入。',
    });
  }
  const zip = new ZipArchive(bytes);
  const part = partReader(zip);
  const bookPath = relationsOf(part, '').find((r) => r.type.endsWith('/officeDocument'))?.target ?? 'xl/workbook.xml';
  const book = part(bookPath);
  if (book === undefined) {
    throw new XiheError('ENTRY_INVALID', `${file} 里没有工作簿，不是 xlsx 文件`, {
      hint: '用 Excel 或 WPS 另存为 .xlsx，或导出 UTF-8 的 .csv。',
    });
  }
  const relations = relationsOf(part, bookPath);
  const related = (type: string) => relations.find((r) => r.type.endsWith(type))?.target ?? '';
  const strings = part(related('/sharedStrings')) ?? '';
  if (strings !== '' && !/<\/(?:\w+:)?sst\s*>|<(?:\w+:)?sst\b[^>]*\/>/.test(strings.slice(-10_000)))
    notes.drop(file, '共用文字表断了（文件不完整），有的单元格是空的；用 Excel 或 WPS 打开另存一份再导入');
  const shared: Workbook = {
    strings: readStrings(strings),
    formats: readFormats(part(related('/styles')) ?? ''),
    date1904: /<(?:\w+:)?workbookPr\b[^>]*\bdate1904="(?:1|true)"/.test(book),
  };
  const sheets: Sheet[] = [];
  for (const { name, hidden, id } of sheetList(book)) {
    const xml = part(relations.find((r) => r.id === id)?.target ?? '');
    if (hidden) notes.drop(`${file}#${name}`, '隐藏的工作表，没有读');
    else if (xml === undefined) notes.drop(`${file}#${name}`, '不是表格（图表或宏），没有读');
    else sheets.push(new SheetReader(xml, shared, file, name, notes).read());
  }
  return sheets;
}

type PartReader = (path: string) => string | undefined;

function partReader(zip: ZipArchive): PartReader {
  return (path) => {
    const bytes = path === '' ? undefined : zip.read(path);
    if (bytes === undefined) return undefined;
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le', 2);
    return bytes.toString('utf8', bytes[0] === 0xef && bytes[1] === 0xbb ? 3 : 0);
  };
}

/** The relationships of a part, targets as paths in the archive. */
function relationsOf(part: PartReader, path: string): { id: string; type: string; target: string }[] {
  const cut = path.lastIndexOf('/') + 1;
  const folder = path.slice(0, cut);
  const xml = part(`${folder}_rels/${path.slice(cut)}.rels`) ?? '';
  const found: { id: string; type: string; target: string }[] = [];
  for (const token of tokenize(xml, { html: false })) {
    if (token.type !== 'open' || token.name !== 'Relationship') continue;
    const { Id = '', Type = '', Target = '' } = token.attrs;
    found.push({ id: Id, type: Type, target: resolvePart(folder, Target) });
  }
  return found;
}

function resolvePart(folder: string, target: string): string {
  const parts = target.startsWith('/') ? [] : folder.split('/').filter(Boolean);
  for (const piece of target.split('/').filter(Boolean)) {
    if (piece === '..') parts.pop();
    else if (piece !== '.') parts.push(piece);
  }
  return parts.join('/');
}

function sheetList(book: string): { name: string; hidden: boolean; id: string }[] {
  const list: { name: string; hidden: boolean; id: string }[] = [];
  for (const token of tokenize(book, { html: false })) {
    if (token.type !== 'open' || token.name !== 'sheet') continue;
    const { attrs } = token;
    const id = Object.keys(attrs).find((key) => /(?:^|:)id$/.test(key) && key !== 'sheetId');
    const state = attrs.state ?? 'visible';
    list.push({ name: attrs.name ?? '', hidden: state !== 'visible', id: (id && attrs[id]) ?? '' });
  }
  return list;
}

/** Shared strings: each `si` is the sum of its `t`, without the reading aids (`rPh`). */
function readStrings(xml: string): string[] {
  const strings: string[] = [];
  let current = '';
  let inText = false;
  let phonetic = 0;
  for (const token of tokenize(xml, { html: false })) {
    if (token.type === 'text') {
      if (inText && phonetic === 0) current += decodeEntities(token.text);
    } else if (token.type === 'open') {
      if (token.name === 'si') {
        current = '';
        if (token.closed) strings.push('');
      } else if (token.name === 't') inText = !token.closed;
      else if (token.name === 'rPh' && !token.closed) phonetic += 1;
    } else if (token.type === 'close') {
      if (token.name === 't') inText = false;
      else if (token.name === 'rPh') phonetic -= 1;
      else if (token.name === 'si') strings.push(unescapeExcel(current));
    }
  }
  return strings;
}

/** `_x000D_` stands for a character that XML can't hold. */
function unescapeExcel(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** `AB12` → 0-based column and 1-based row. */
function cellAt(ref: string): { column: number; row: number } | undefined {
  const match = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(ref);
  if (match === null) return undefined;
  const column = [...(match[1] as string)].reduce((sum, c) => sum * 26 + c.charCodeAt(0) - 64, 0) - 1;
  return { column, row: Number(match[2]) };
}

class SheetReader {
  private readonly rows = new Map<number, string[]>();
  private row = 0;
  private column = -1;
  private type = 'n';
  private style = 0;
  private value = '';
  private hasFormula = false;
  private inValue = false;
  private phonetic = 0;
  private cut = false;
  /** The end of the sheet was read. */
  private ended = false;
  private wide = false;

  constructor(
    private readonly xml: string,
    private readonly book: Workbook,
    private readonly file: string,
    private readonly name: string,
    private readonly notes: Notes,
  ) {}

  read(): Sheet {
    for (const token of tokenize(this.xml, { html: false })) {
      if (this.cut) break;
      if (token.type === 'open') this.open(token.name, token.attrs, token.closed);
      else if (token.type === 'close') this.close(token.name);
      else if (token.type === 'text' && this.inValue && this.phonetic === 0) this.value += decodeEntities(token.text);
    }
    this.fillMerged();
    if (!this.cut && !this.ended)
      this.notes.drop(
        `${this.file}#${this.name}!${this.row}`,
        '工作表的内容在这里断了（文件不完整），后面的没有读；用 Excel 或 WPS 打开另存一份再导入',
      );
    if (this.cut) this.notes.drop(`${this.file}#${this.name}!${this.row}`, `超过 ${MAX_ROWS} 行，从这一行起没有读`);
    if (this.wide) this.notes.drop(`${this.file}#${this.name}`, `超过 ${MAX_COLUMNS} 列，后面的列没有读`);
    const rows = [...this.rows].map(([row, cells]): SheetRow => ({ row, cells: Array.from(cells, (c) => c ?? '') }));
    rows.sort((a, b) => a.row - b.row);
    return { name: this.name, rows: rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== '')) };
  }

  private open(name: string, attrs: Record<string, string>, closed: boolean): void {
    if (name === 'row') {
      this.row = Number(attrs.r ?? this.row + 1) || this.row + 1;
      this.column = -1;
      if (this.rows.size >= MAX_ROWS) this.cut = true;
    } else if (name === 'c') {
      this.column = cellAt(attrs.r ?? '')?.column ?? this.column + 1;
      this.type = attrs.t ?? 'n';
      this.style = Number(attrs.s ?? 0);
      this.value = '';
      this.hasFormula = false;
    } else if (name === 'f') this.hasFormula = true;
    else if ((name === 'v' || name === 't') && !closed) this.inValue = true;
    else if (name === 'rPh' && !closed) this.phonetic += 1;
  }

  private close(name: string): void {
    if (name === 'worksheet') this.ended = true;
    if (name === 'v' || name === 't') this.inValue = false;
    else if (name === 'rPh') this.phonetic -= 1;
    else if (name === 'c') this.store();
  }

  private store(): void {
    const where = `${this.file}#${this.name}!${this.row}`;
    const text = this.shown(where);
    if (text === '') {
      if (this.hasFormula && this.value === '')
        this.notes.drop(where, '公式没有算好的值，当作空格；用 Excel 打开存一次就有');
      return;
    }
    if (this.column >= MAX_COLUMNS) {
      this.wide = true;
      return;
    }
    const cells = this.rows.get(this.row) ?? [];
    cells[this.column] = text;
    this.rows.set(this.row, cells);
  }

  private shown(where: string): string {
    const { value } = this;
    switch (this.type) {
      case 's':
        return this.book.strings[Number(value)] ?? '';
      case 'inlineStr':
      case 'str':
        return unescapeExcel(value);
      case 'b':
        return value === '1' ? 'TRUE' : value === '0' ? 'FALSE' : value;
      case 'e':
        this.notes.drop(where, '单元格是错误值，当作空格', value);
        return '';
      case 'd':
        return value.slice(0, 10);
      default:
        return shownNumber(value, this.style, this.book.formats, this.book.date1904);
    }
  }

  /** A cell merged over several rows holds for each of them; over several columns it stays where it is. */
  private fillMerged(): void {
    for (const [, ref] of this.xml.matchAll(/<(?:\w+:)?mergeCell\b[^>]*\bref="([A-Z$\d]+:[A-Z$\d]+)"/g)) {
      const [from, to] = (ref as string).split(':').map(cellAt);
      if (from === undefined || to === undefined || from.row === to.row || from.column !== to.column) continue;
      const value = this.rows.get(from.row)?.[from.column];
      if (value === undefined) continue;
      for (let row = from.row + 1; row <= to.row && row <= this.row; row++) {
        const cells = this.rows.get(row);
        if (cells !== undefined) cells[from.column] ??= value;
      }
    }
  }
}
