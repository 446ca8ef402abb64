import { hasChinese } from '../../text/index.js';
import { lastStatic } from './labels.js';
import type { Saying } from './mentions.js';

/**
 * Rows that a system is delivered with: menus, resources and kinds of dictionaries name its parts (`'用户管理' … 'system/user/index'`).
 * Other tables hold examples.
 */
const NAMING_TABLE = /menu|resource|permission|privilege|dict_?type|module|feature/i;
const INSERT = /\binsert\s+into\s+[`"[]?(\w+)[`"\]]?\s*(?:\([^()]{0,2000}\)\s*)?values\s*/gi;
const VALUE = /'((?:''|\\.|[^'\\]){0,400})'|\(|\)|;|[^\s,();']+/gy;
const GAP = /[\s,]*/y;
/** Rows of one statement that are read. */
const MAX_ROWS = 5_000;

/** Finds names of menus and dictionaries in INSERT statements. */
export function rowsOf(path: string, text: string): Saying[] {
  const out: Saying[] = [];
  let line = 1;
  let at = 0;
  for (const match of text.matchAll(INSERT)) {
    const [statement, table] = match;
    if (!NAMING_TABLE.test(table!)) continue;
    for (const row of rowsFrom(text, match.index + statement.length)) {
      for (; at < row.index; at++) if (text.charCodeAt(at) === 10) line++;
      const said = row.values.find((value) => hasChinese(value));
      const name = nameOf(row.values);
      if (said === undefined || name === undefined) continue;
      out.push({
        text: said,
        kind: 'menu',
        describes: 'title',
        line,
        symbol: { name, role: 'route', file: path, line },
      });
    }
  }
  return out;
}

function* rowsFrom(text: string, start: number): Generator<{ values: string[]; index: number }> {
  let at = start;
  for (let rows = 0; rows < MAX_ROWS; rows++) {
    GAP.lastIndex = at;
    GAP.exec(text);
    if (text[GAP.lastIndex] !== '(') return;
    const index = GAP.lastIndex;
    const values: string[] = [];
    let depth = 0;
    at = index;
    for (;;) {
      VALUE.lastIndex = at;
      const token = VALUE.exec(text);
      if (token === null) {
        const skipped = /[\s,]/.test(text[at] ?? '');
        if (!skipped) return;
        at++;
        continue;
      }
      at = VALUE.lastIndex;
      if (token[0] === '(') depth++;
      else if (token[0] === ')') depth--;
      else if (token[0] === ';') return;
      else if (token[1] !== undefined) values.push(token[1]);
      if (depth === 0) break;
    }
    yield { values, index };
  }
}

/** Permissions that name an act on a page (`system:user:add`) make the row a button. */
const ACT =
  /[:.](?:add|create|edit|update|modify|remove|delete|query|list|export|import|view|detail|batch\w*|reset\w*)$/i;

/** What a row calls its menu: a page's folder, a path, a dictionary's kind; undefined for buttons. */
function nameOf(values: readonly string[]): string | undefined {
  const page = values.find((value) => /^[A-Za-z][\w-]*(?:\/[\w-]+)+$/.test(value));
  const url = values.find((value) => /^\/[A-Za-z][\w-]*(?:\/[\w{}*-]+)*$/.test(value));
  const named = lastStatic(page) ?? lastStatic(url);
  if (named !== undefined) return named;
  if (values.some((value) => ACT.test(value))) return undefined;
  return values.find(
    (value) =>
      /^[a-z][a-zA-Z]*(?:[_-][a-z]+)+$|^[a-z]{3,}[A-Z][a-zA-Z]+$|^[a-z]{4,}$/.test(value) &&
      !/^(?:admin|system|root|true|false|null|sysdate)$/.test(value),
  );
}
