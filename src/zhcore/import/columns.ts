import { fold, hasChinese } from '../../text/index.js';
import { type ColumnField, FIELD_NAMES, headerField, isCounter, isUseless } from './headers.js';
import {
  holdsSymbols,
  holdsWords,
  isSymbolCell,
  type Profile,
  profiles,
  symbolColumn,
  textColumn,
  wordColumn,
} from './profile.js';
import type { Sheet, SheetRow } from './sheet.js';
import type { Notes } from './types.js';

/** What one column is taken for. */
export interface Column {
  column: number;
  field: ColumnField;
  /** Its title on one line; empty without one. */
  header: string;
  /** Its title says so, or only what it holds. */
  by: 'header' | 'content';
}

/** Which column holds which field; several may give symbols, notes, aliases or risks. */
export interface Columns {
  fields: Column[];
  /** Where the entries start, as an index into the rows. */
  from: number;
}

/** A header stands among the first so many rows: titles and notes may come before it. */
const HEADER_ROWS = 10;
/** A title of a column is short; in characters, blanks and brackets included. */
const LONGEST_TITLE = 40;

/**
 * Finds out which column is what: by the titles in Chinese or English, and where those say nothing, by what the columns hold. Says in
 * `notes` which column was taken for what.
 *
 * @param moduleNames folded names of the project's modules
 * @returns undefined when it is no term table; the reason is in `notes`
 */
export function columnsOf(
  sheet: Sheet,
  place: string,
  moduleNames: ReadonlyMap<string, string>,
  notes: Notes,
): Columns | undefined {
  for (const at of headerRows(sheet.rows)) {
    const titles = at < 0 ? [] : (sheet.rows[at] as SheetRow).cells;
    const found = assign(titles, profiles(sheet.rows.slice(at + 1)), moduleNames);
    if (found === undefined) continue;
    for (const row of sheet.rows.slice(0, Math.max(0, at)))
      notes.drop(`${place}（第 ${row.row} 行）`, '表头以上的文字', row.cells.join(' '));
    say(place, titles, found, at < 0, notes);
    return { fields: found, from: at + 1 };
  }
  notes.drop(
    place,
    '没认出表头，也看不出哪一列是中文、哪一列是代码符号；表头写「中文」「代码」「别名」「模块」「说明」这样的列名',
  );
  return undefined;
}

/** Rows that may be the header, likeliest first; -1 for a table without one. */
function headerRows(rows: readonly SheetRow[]): number[] {
  const first = rows
    .slice(0, HEADER_ROWS)
    .map(({ cells }, i) => ({ i, cells, kinds: kindsOf(cells) }))
    .filter(({ i, cells }) => !rows.slice(0, i).some((above) => isEntryRow(above.cells, filledOf(cells).length)));
  const names = first.filter(({ kinds }) => kinds.size >= 2 && (kinds.has('keyword_ch') || kinds.has('code_symbols')));
  const partly = first.filter(({ kinds, cells }) => namesSome(cells, kinds.size) && isTitleRow(cells));
  const shaped = first.filter(({ i, cells }) => standsOut(cells, rows.slice(i + 1)));
  return [...new Set([...names, ...partly, ...shaped].map(({ i }) => i)), -1];
}

function kindsOf(cells: readonly string[]): Set<ColumnField> {
  const kinds = new Set(cells.flatMap((cell) => (cell.trim() === '' ? [] : (headerField(cell) ?? []))));
  return kinds.delete('mixed') ? kinds.add('keyword_ch').add('code_symbols') : kinds;
}

const filledOf = (cells: readonly string[]) => cells.map((cell) => cell.trim()).filter(Boolean);

/** A row above the header is a title or a remark: one with as many cells, a word and a symbol among them, is an entry. */
function isEntryRow(cells: readonly string[], width: number): boolean {
  const filled = filledOf(cells);
  return filled.length >= width && filled.some(hasChinese) && filled.some(isSymbolCell);
}

/** Some titles are known. 状态 beside status is no header, but an entry of a list without one. */
function namesSome(cells: readonly string[], kinds: number): boolean {
  return kinds > 1 || (kinds === 1 && filledOf(cells).filter((cell) => headerField(cell) !== undefined).length === 1);
}

/** Several short cells, none of which could only stand in code. */
function isTitleRow(cells: readonly string[]): boolean {
  const filled = filledOf(cells);
  return (
    filled.length >= 2 &&
    filled.every((cell) => [...cell].length <= LONGEST_TITLE && !(isSymbolCell(cell) && /[a-z][A-Z]|[_#]/.test(cell)))
  );
}

/** A row of titles above a column of symbols has a word there and no symbol. */
function standsOut(cells: readonly string[], below: readonly SheetRow[]): boolean {
  const symbols = symbolColumn(profiles(below).filter(holdsSymbols));
  const title = symbols === undefined ? '' : (cells[symbols.column] ?? '').trim();
  return title !== '' && !isSymbolCell(title) && isTitleRow(cells);
}

/** Gives each column its field. @returns undefined when there are no words, or nothing beside them */
function assign(
  titles: readonly string[],
  all: readonly Profile[],
  moduleNames: ReadonlyMap<string, string>,
): Column[] | undefined {
  const columns = byTitle(titles, all);
  const free = () =>
    all.filter(({ column, filled }) => {
      const title = titles[column] ?? '';
      return filled > 0 && !columns.some((c) => c.column === column) && !(title.trim() !== '' && isUseless(title));
    });
  const take = (profile: Profile | undefined, field: ColumnField) => {
    if (profile === undefined) return;
    const known = columns.findIndex((c) => c.column === profile.column);
    if (known >= 0) columns.splice(known, 1);
    columns.push({ column: profile.column, field, header: titleOf(titles[profile.column]), by: 'content' });
  };
  const has = (...fields: ColumnField[]) => columns.some(({ field }) => field === 'mixed' || fields.includes(field));
  // Without any title, a column of the project's own module names is no column of terms.
  if (!has('module'))
    take(
      free().find((profile) => isModules(profile, moduleNames)),
      'module',
    );
  if (!has('keyword_ch')) take(spareWords(columns, free(), all), 'keyword_ch');
  if (!has('code_symbols')) take(symbolColumn(free()), 'code_symbols');
  const untitled = !columns.some(({ by }) => by === 'header');
  if (!has('note')) take(textColumn(free(), untitled ? 1 : undefined), 'note');
  if (!has('keyword_ch')) return undefined;
  // Two columns of text alone are a list of anything; titles make it a glossary.
  if (!has('code_symbols') && (untitled || !has('aliases', 'note'))) return undefined;
  return columns.sort((a, b) => a.column - b.column);
}

/** More than one column may give these. */
const SEVERAL: ReadonlySet<ColumnField> = new Set(['code_symbols', 'note', 'aliases', 'risk', 'keyword_ch']);

/** What the titles say, where the cells don't speak against it. */
function byTitle(titles: readonly string[], all: readonly Profile[]): Column[] {
  const columns: Column[] = [];
  for (const [column, title] of titles.entries()) {
    if (title.trim() === '' || isCounter(title)) continue;
    const field = headerField(title);
    if (field === undefined) continue;
    const same = columns.find((c) => c.field === field);
    // 系统 and 模块 beside each other: the narrower one.
    if (
      same !== undefined &&
      field === 'module' &&
      /模块|module/i.test(fold(title)) &&
      !/模块|module/i.test(fold(same.header))
    )
      columns.splice(columns.indexOf(same), 1);
    else if (same !== undefined && !SEVERAL.has(field)) continue;
    columns.push({ column, field, header: titleOf(title), by: 'header' });
  }
  return oneKeyword(columns, all);
}

/** One column names the terms: the others that could are other names, in Chinese or in code. */
function oneKeyword(columns: readonly Column[], all: readonly Profile[]): Column[] {
  const profile = ({ column }: Column) => all[column];
  const named = columns.filter(({ field }) => field === 'keyword_ch');
  const coded = columns.filter(({ field }) => field === 'code_symbols');
  const best = named.find((c) => (profile(c)?.words ?? 0) > 0.5) ?? named[0];
  const inCode = (c: Column) => (profile(c)?.chinese ?? 0) < 0.2 && holdsSymbols(profile(c) as Profile);
  return columns.map((c) => {
    const seen = profile(c);
    if (seen === undefined || seen.filled === 0) return c;
    if (c.field === 'keyword_ch' && (c !== best || (coded.some((o) => inWords(profile(o))) && inCode(c))))
      return { ...c, field: inCode(c) ? 'code_symbols' : 'aliases' };
    if (c.field === 'keyword_ch' && coded.length === 0 && inCode(c) && all.some((o) => o !== seen && holdsWords(o)))
      return { ...c, field: 'code_symbols' };
    // 字段 may be what the field is called, beside 英文名.
    if (c.field === 'code_symbols' && best !== undefined && !inCode(best) && coded.length > 1 && inWords(seen))
      return { ...c, field: 'aliases' };
    return c;
  });
}

const inWords = (profile: Profile | undefined) => profile !== undefined && holdsWords(profile) && profile.symbols < 0.2;

/**
 * The column of words where no title names one: one without a title that says something, else one whose title says symbols and whose
 * cells are Chinese, else (a data dictionary: 字段名 | 类型 | 说明) a short description.
 */
function spareWords(
  columns: readonly Column[],
  free: readonly Profile[],
  all: readonly Profile[],
): Profile | undefined {
  const titled = (field: ColumnField) => columns.filter((c) => c.field === field).flatMap((c) => all[c.column] ?? []);
  return (
    wordColumn(free) ??
    wordColumn(titled('code_symbols').filter(inWords)) ??
    wordColumn(titled('aliases')) ??
    wordColumn(titled('note'))
  );
}

function isModules({ cells }: Profile, moduleNames: ReadonlyMap<string, string>): boolean {
  return cells.length > 0 && cells.every((cell) => moduleNames.has(fold(cell)));
}

const titleOf = (title: string | undefined) => (title ?? '').replace(/\s+/g, ' ').trim();

/** Says what each column was taken for, and which were not. */
function say(
  place: string,
  titles: readonly string[],
  columns: readonly Column[],
  isBare: boolean,
  notes: Notes,
): void {
  const shown = ({ column, header }: Column) => (header === '' ? `第 ${column + 1} 列` : `「${header}」`);
  const ignored = titles
    .map((title, column) => ({ title: titleOf(title), column }))
    .filter(({ title, column }) => title !== '' && !columns.some((c) => c.column === column));
  notes.columns.push({
    where: place,
    used: columns.map((c) => ({
      column: c.header === '' ? `第 ${c.column + 1} 列` : c.header,
      field: c.field,
      by: c.by,
    })),
    ignored: ignored.map(({ title }) => title),
  });
  for (const { title } of ignored.filter((one) => !isCounter(one.title)))
    notes.drop(place, `不认识的列「${title}」，没有导入`);
  const guessed = columns.filter(({ by }) => by === 'content').map((c) => `${shown(c)}是${FIELD_NAMES[c.field]}`);
  if (guessed.length > 0)
    notes.guess(place, `${isBare ? '没有表头，' : '列名看不出来的，'}按内容判断：${guessed.join('，')}`);
}
