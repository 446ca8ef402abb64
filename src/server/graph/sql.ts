/** The little that the run store asks of a database, so that SQLite and Postgres hold the same tables by the same statements. */

export type Value = string | number | null;

export interface Sql {
  readonly dialect: 'sqlite' | 'postgres';
  /** Rows of a query; `?` stands for each value in turn. */
  all<T>(text: string, ...values: Value[]): Promise<T[]>;
  /** Runs a statement. @returns how many rows it changed */
  run(text: string, ...values: Value[]): Promise<number>;
  /** All or nothing; others see nothing of it before its end. */
  tx<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
}

/** A database that is open. */
export interface SqlDatabase extends Sql {
  close(): Promise<void>;
}

/** Milliseconds since 1970 by the clock of the database, which all processes share. */
export function now(sql: Sql): string {
  return sql.dialect === 'postgres'
    ? '(extract(epoch from clock_timestamp()) * 1000)'
    : "((julianday('now') - 2440587.5) * 86400000.0)";
}

/** Appended to a query for rows that the transaction is about to change. SQLite's transactions are alone anyway. */
export function forUpdate(sql: Sql, how = ''): string {
  return sql.dialect === 'postgres' ? ` FOR UPDATE${how}` : '';
}

/** Whether a statement was refused because it would have broken a unique index. */
export function isDuplicate(e: unknown): boolean {
  const code = String((e as { code?: unknown } | null)?.code ?? '');
  return code === '23505' || code.startsWith('SQLITE_CONSTRAINT');
}

/** A condition that holds where a column of JSON text has all of `wanted`'s keys with these very values. */
export function jsonHas(sql: Sql, column: string, wanted: Record<string, unknown>): { text: string; values: Value[] } {
  if (sql.dialect === 'postgres') return { text: `${column}::jsonb @> ?::jsonb`, values: [JSON.stringify(wanted)] };
  const parts = Object.entries(wanted).map(([key, value]) => ({
    text: `json_extract(${column}, ?) IS json_extract(?, '$.v')`,
    values: [`$.${JSON.stringify(key)}`, JSON.stringify({ v: value })],
  }));
  return { text: parts.map((p) => p.text).join(' AND ') || '1 = 1', values: parts.flatMap((p) => p.values) };
}
