import { hasChinese, identifiersOf } from '../../text/index.js';
import type { SheetRow } from './sheet.js';

/** A Chinese term is short; longer cells are explanations. In characters. */
const LONGEST_WORD = 20;
/** An English phrase for a thing is short, too. In characters. */
const LONGEST_PHRASE = 60;
/** So large a share of the filled cells must look like what a column is taken for. */
const COLUMN_SHARE = 0.6;
/** Terms are told apart by their names; what repeats more than this groups them. */
const DISTINCT_SHARE = 0.7;
/** From this median length on, in characters, Chinese cells are sentences about something. */
const LONG_TEXT = 12;

/** What the cells of one column look like; shares are of the filled cells, 0 where there are none. */
export interface Profile {
  column: number;
  filled: number;
  /** In characters. */
  median: number;
  distinct: number;
  chinese: number;
  /** Short, Chinese, no sentences. */
  words: number;
  /** Names that could stand in code. */
  symbols: number;
  /** Names that could stand nowhere else: `cancelExpired`, `gmt_create`, `a.b`. */
  strong: number;
  /** Latin letters, words included. */
  latin: number;
  cells: readonly string[];
}

/** Looks at every column of some rows. */
export function profiles(rows: readonly SheetRow[]): Profile[] {
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  return Array.from({ length: width }, (_, column) => profileOf(rows, column));
}

function profileOf(rows: readonly SheetRow[], column: number): Profile {
  const cells = rows.map((row) => (row.cells[column] ?? '').trim()).filter(Boolean);
  const share = (test: (cell: string) => boolean) =>
    cells.length === 0 ? 0 : cells.filter(test).length / cells.length;
  const lengths = cells.map((cell) => [...cell].length).sort((a, b) => a - b);
  return {
    column,
    filled: cells.length,
    median: lengths[Math.floor(lengths.length / 2)] ?? 0,
    distinct: cells.length === 0 ? 0 : new Set(cells).size / cells.length,
    chinese: share(hasChinese),
    words: share(isWordCell),
    symbols: share(isSymbolCell),
    strong: share((cell) => isSymbolCell(cell) && /[a-z][A-Z]|[_.#]|::/.test(cell)),
    latin: share((cell) => /^[A-Za-z_$][\w$.#:()\s/,'-]*$/.test(cell) && cell.length <= LONGEST_PHRASE),
    cells,
  };
}

function isWordCell(cell: string): boolean {
  return hasChinese(cell) && [...cell].length <= LONGEST_WORD && !/[。！？!?；;]/.test(cell);
}

/** Whether a cell is nothing but names of code. */
export function isSymbolCell(cell: string): boolean {
  return !hasChinese(cell) && (identifiersOf(cell).length > 0 || /^[A-Za-z_$][\w$]*$/.test(cell));
}

export const holdsWords = ({ words }: Profile) => words >= COLUMN_SHARE;
export const holdsSymbols = ({ symbols }: Profile) => symbols >= COLUMN_SHARE;
export const holdsText = ({ chinese, median }: Profile) => chinese >= COLUMN_SHARE && median > LONG_TEXT;

/** The column of terms among some: the shortest one of Chinese words that differ from row to row. */
export function wordColumn(among: readonly Profile[]): Profile | undefined {
  const ranked = among
    .filter(holdsWords)
    .sort((a, b) => Number(groups(a)) - Number(groups(b)) || a.median - b.median || a.column - b.column);
  return ranked[0];
}

/** Says the same in many rows: modules, kinds. */
function groups({ distinct, filled }: Profile): boolean {
  return filled > 2 && distinct < DISTINCT_SHARE;
}

/** The column of symbols among some: the one with the most certain names; English words where there are no names. */
export function symbolColumn(among: readonly Profile[]): Profile | undefined {
  const named = among
    .filter(holdsSymbols)
    .sort((a, b) => Number(groups(a)) - Number(groups(b)) || b.strong - a.strong || a.column - b.column);
  return named[0] ?? among.find((profile) => profile.latin >= COLUMN_SHARE && !groups(profile));
}

/** The column of explanations among some: the longest text. */
export function textColumn(among: readonly Profile[], least = LONG_TEXT): Profile | undefined {
  return among
    .filter(({ chinese, median }) => chinese >= COLUMN_SHARE && median >= least)
    .sort((a, b) => b.median - a.median)[0];
}
