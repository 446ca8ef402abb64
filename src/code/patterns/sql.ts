import type { OutlineBuilder } from '../builder.js';
import { type SourceText, spanOf } from '../source.js';
import { unquote } from '../strings.js';
import type { CodeSymbol } from '../types.js';
import { scanComments } from './scan.js';
import { bareName as bare, sqlRemarks } from './sqlRemarks.js';

const QUOTED = '[`"\\[]?';
const NAME = `((?:${QUOTED}[\\p{L}\\d_$]+[\`"\\]]?\\.)?${QUOTED}[\\p{L}\\d_$]+[\`"\\]]?)`;
const CREATE = new RegExp(
  String.raw`\bcreate\s+(?:or\s+replace\s+)?(?:(?:global|local|temporary|temp|unlogged|materialized|definer\s*=\s*\S+)\s+)*(table|view|procedure|function|trigger)\s+(?:if\s+not\s+exists\s+)?${NAME}`,
  'giu',
);
const COLUMN = new RegExp(String.raw`^[\s(,]*${NAME}\s+([a-z]\w*[\s\S]*)$`, 'iu');
const NOT_A_COLUMN =
  /^(?:primary|unique|key|index|constraint|foreign|check|fulltext|spatial|partition|like|exclude|period)\b/i;
/** Quotes are doubled inside of quotes, or escaped; MySQL and Hive take double ones too. */
const LITERAL = String.raw`(?:'((?:''|\\[\s\S]|[^'\\])*)'|"((?:""|\\[\s\S]|[^"\\])*)")`;
const COMMENT = new RegExp(String.raw`\bcomment\s*=?\s*${LITERAL}`, 'i');
const ALTER = new RegExp(String.raw`\balter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?${NAME}`, 'giu');
const ADD = new RegExp(
  String.raw`^\s*add\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?(?:${NAME}\s+([^\s(][\s\S]*)|\(([\s\S]*)\)\s*)$`,
  'iu',
);
const MODIFY = new RegExp(
  String.raw`^\s*(?:change\s+(?:column\s+)?${NAME}\s+|(?:modify|alter)\s+(?:column\s+)?)${NAME}\s`,
  'iu',
);

/** SQL: tables and views as classes, columns as fields, COMMENT texts as docs, procedures and functions. */
export function scanSql(source: SourceText): OutlineBuilder {
  const out = scanComments(source, 'sql')!;
  const { text } = source;
  const statements = [...text.matchAll(CREATE)];
  for (const [i, match] of statements.entries()) {
    const what = match[1]!.toLowerCase();
    if (insideComment(source, match.index)) continue;
    const name = bare(match[2]!);
    const end = statementEnd(text, match.index + match[0].length, statements[i + 1]?.index ?? text.length);
    const isTable = what === 'table' || what === 'view';
    const body = what === 'table' ? bodyOf(text, match.index + match[0].length, end) : undefined;
    // The body of a procedure is full of literals that are about other things.
    const said = isTable
      ? commentIn(blankComments(text.slice(body?.end ?? match.index + match[0].length, end)))
      : undefined;
    const symbol = out.addSymbol(
      spanOf(source, match.index, end),
      { text: name, line: source.lineAt(match.index) },
      isTable ? 'class' : 'function',
      {
        exported: true,
        signature: `${what} ${name}`,
        doc: said?.text,
      },
    );
    if (said !== undefined)
      setDocLine(symbol, said.text, source.lineAt((body?.end ?? match.index + match[0].length) + said.index));
    if (body !== undefined) addColumns(out, source, name, body);
  }
  addAlterations(out, source);
  for (const { of, text: said, index } of sqlRemarks(text))
    if (!insideComment(source, index) && !out.inComment(index)) explain(out, of, said, source.lineAt(index));
  return out;
}

/** Columns that come later, and what is said anew of those that are there. */
function addAlterations(out: OutlineBuilder, source: SourceText): void {
  const { text } = source;
  for (const match of text.matchAll(ALTER)) {
    if (insideComment(source, match.index)) continue;
    const table = bare(match[1]!);
    const from = match.index + match[0].length;
    const end = statementEnd(text, from, text.length);
    for (const part of splitTopLevel(text, from, end)) {
      const plain = blankComments(text.slice(part.start, part.end));
      const add = ADD.exec(plain);
      if (add?.[1] !== undefined && !NOT_A_COLUMN.test(bare(add[1]))) {
        const start = part.start + plain.indexOf(add[1]);
        addColumn(out, source, table, bare(add[1]), start, part.start + plain.trimEnd().length, add[2]!);
      } else if (add?.[3] !== undefined) {
        const open = part.start + plain.indexOf('(');
        addColumns(out, source, table, { start: open, end: open + add[3].length + 2 });
      } else if (add === null) remarkIn(out, source, table, plain, part.start);
    }
  }
}

/** `MODIFY COLUMN status int COMMENT '…'`, `COMMENT = '…'` of a table that is changed. */
function remarkIn(out: OutlineBuilder, source: SourceText, table: string, plain: string, start: number): void {
  const said = commentIn(plain);
  if (said === undefined) return;
  const line = source.lineAt(start + said.index);
  const column = MODIFY.exec(plain);
  if (column !== null) explain(out, { name: bare(column[2]!), container: table }, said.text, line);
  else if (/^\s*comment\b/i.test(plain)) explain(out, { name: table }, said.text, line);
}

function addColumns(
  out: OutlineBuilder,
  source: SourceText,
  table: string,
  body: { start: number; end: number },
): void {
  for (const part of splitTopLevel(source.text, body.start + 1, body.end - 1)) {
    const plain = blankComments(source.text.slice(part.start, part.end));
    const match = COLUMN.exec(plain);
    if (match === null || NOT_A_COLUMN.test(plain.trim())) continue;
    const start = part.start + plain.indexOf(match[1]!);
    addColumn(out, source, table, bare(match[1]!), start, part.start + plain.trimEnd().length, match[2]!);
  }
}

function addColumn(
  out: OutlineBuilder,
  source: SourceText,
  table: string,
  name: string,
  start: number,
  end: number,
  type: string,
): void {
  const said = commentIn(type);
  const signature = `${name} ${type.replace(COMMENT, '').replace(/\s+/g, ' ').trim()}`;
  // The comma stands between a column and its trailing comment.
  const symbol = out.addSymbol(spanOf(source, start, end), { text: name, line: source.lineAt(start) }, 'field', {
    exported: true,
    container: table,
    signature,
    doc: said?.text,
  });
  if (said !== undefined) setDocLine(symbol, said.text, source.lineAt(end - (type.trimEnd().length - said.index)));
}

/** A comment of the usual kind wins over COMMENT, and has its own place. */
function setDocLine(symbol: CodeSymbol, text: string, line: number): void {
  if (symbol.doc === text && line !== symbol.line) symbol.docLine = line;
}

/** What is said of a table or column: to its symbol where the file defines it, else for whoever knows the definition. */
function explain(out: OutlineBuilder, of: { name: string; container?: string }, text: string, line: number): void {
  if (text === '') return;
  const symbol = out.symbols.find(({ kind, name, container }) =>
    of.container === undefined
      ? kind === 'class' && name === of.name
      : kind === 'field' && name === of.name && container === of.container,
  );
  if (symbol === undefined) out.remarks.push({ ...of, text, line });
  else Object.assign(symbol, { doc: text, docLine: line });
}

function commentIn(sql: string): { text: string; index: number } | undefined {
  const match = COMMENT.exec(sql);
  if (match === null) return undefined;
  const [whole, single, double] = match;
  const inner = single?.replaceAll("''", "'") ?? double!.replaceAll('""', '"');
  const text = unquote(inner.replace(/\\(["'])/g, '$1'));
  return text === '' ? undefined : { text, index: match.index + whole.length - (single ?? double!).length - 2 };
}

function insideComment(source: SourceText, index: number): boolean {
  return /--|^\s*#/.test(source.lineBefore(index));
}

const BLANKED = /'(?:''|\\[\s\S]|[^'\\]){0,20000}'|"(?:""|\\[\s\S]|[^"\\]){0,20000}"|--[^\n]*|\/\*[\s\S]*?\*\//g;

function blankComments(sql: string): string {
  return sql.replace(BLANKED, (part) => (/^['"]/.test(part) ? part : part.replace(/[^\n]/g, ' ')));
}

/** Offset of the semicolon that ends a statement, or of the next one's beginning. */
function statementEnd(text: string, from: number, next: number): number {
  for (const index of outsideLiterals(text, from, next, /;/)) return index;
  return next;
}

/** The parenthesised column list after a table's name. */
function bodyOf(text: string, from: number, end: number): { start: number; end: number } | undefined {
  let depth = 0;
  let start = -1;
  for (const index of outsideLiterals(text, from, end, /[()]/)) {
    if (text[index] === '(') {
      if (depth === 0) start = index;
      depth += 1;
    } else {
      depth -= 1;
      if (depth === 0) return { start, end: index + 1 };
    }
  }
  return start >= 0 ? { start, end } : undefined;
}

function* splitTopLevel(text: string, from: number, end: number): Generator<{ start: number; end: number }> {
  let depth = 0;
  let start = from;
  for (const index of outsideLiterals(text, from, end, /[(),]/)) {
    if (text[index] === '(') depth += 1;
    else if (text[index] === ')') depth -= 1;
    else if (depth === 0) {
      yield { start, end: index };
      start = index + 1;
    }
  }
  yield { start, end };
}

/** Offsets of characters that match, literals and comments skipped. */
function* outsideLiterals(text: string, from: number, end: number, wanted: RegExp): Generator<number> {
  const token =
    /'(?:''|\\[\s\S]|[^'\\]){0,20000}'|"(?:""|\\[\s\S]|[^"\\]){0,20000}"|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[();,]/g;
  token.lastIndex = from;
  for (let match = token.exec(text); match !== null && match.index < end; match = token.exec(text)) {
    if (match[0].length === 1 && wanted.test(match[0])) yield match.index;
  }
}
