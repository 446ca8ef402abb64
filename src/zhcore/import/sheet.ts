/** Rows beyond this are left out and said: the core is made for some ten thousand entries. */
export const MAX_ROWS = 20_000;
/** Columns beyond this are left out and said; a term table has a dozen. */
export const MAX_COLUMNS = 64;

/** One row of a table; cells are texts as people see them. */
export interface SheetRow {
  /** 1-based row of the sheet, or line of the file. */
  row: number;
  cells: string[];
}

/** A table out of any file. */
export interface Sheet {
  /** Name of the sheet; empty for files that hold one table. */
  name: string;
  rows: SheetRow[];
}

/** Where a row stands, for people and for `source`. */
export function placeOf(file: string, sheet: Sheet, row: number): string {
  return sheet.name === '' ? `${file}#L${row}` : `${file}#${sheet.name}!${row}`;
}
