import type { OutlineBuilder } from '../builder.js';
import { type SourceText, spanOf } from '../source.js';
import { unquote } from '../strings.js';
import { scanComments } from './scan.js';

const QUOTED = '[`"\\[]?';
const NAME = `((?:${QUOTED}[\\p{L}\\d_$]+[\`"\\]]?\\.)?${QUOTED}[\\p{L}\\d_$]+[\`"\\]]?)`;
const CREATE = new RegExp(
  String.raw`\bcreate\s+(?:or\s+replace\s+)?(?:(?:global|local|temporary|temp|unlogged|materialized|definer\s*=\s*\S+)\s+)*(table|view|procedure|function|trigger)\s+(?:if\s+not\s+exists\s+)?${NAME}`,
  'giu',
);
const COMMENT_ON =
  /\bcomment\s+on\s+(table|column|view)\s+((?:[\p{L}\d_$"\x60]+\.)*[\p{L}\d_$"\x60]+)\s+is\s+'((?:''|[^'])*)'/giu;
const ADD_COLUMN = new RegExp(
  String.raw`\balter\s+table\s+${NAME}[^;]{0,2000}?\badd\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?${NAME}\s+([^;]{0,2000}?)(?=;|,\s*add\b|$(?![\s\S]))`,
  'giu',
);
const COLUMN = new RegExp(String.raw`^[\s(,]*${NAME}\s+([a-z]\w*[\s\S]*)$`, 'iu');
const NOT_A_COLUMN =
  /^(?:primary|unique|key|index|constraint|foreign|check|fulltext|spatial|partition|like|exclude|period)\b/i;
const COMMENT = /\bcomment\s*=?\s*'((?:''|[^'])*)'/i;

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
    const options = text.slice(body?.end ?? match.index + match[0].length, end);
    out.addSymbol(
      spanOf(source, match.index, end),
      { text: name, line: source.lineAt(match.index) },
      isTable ? 'class' : 'function',
      {
        exported: true,
        signature: `${what} ${name}`,
        doc: commentText(options),
      },
    );
    if (body !== undefined) addColumns(out, source, name, body);
  }
  addAlterations(out, source);
  applyCommentsOn(out, text);
  return out;
}

function addAlterations(out: OutlineBuilder, source: SourceText): void {
  for (const match of source.text.matchAll(ADD_COLUMN)) {
    if (NOT_A_COLUMN.test(bare(match[2]!))) continue;
    const start = match.index + match[0].indexOf(match[2]!, match[1]!.length);
    addColumn(out, source, bare(match[1]!), bare(match[2]!), start, match.index + match[0].length, match[3]!);
  }
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
  const doc = commentText(type);
  const signature = `${name} ${type.replace(COMMENT, '').replace(/\s+/g, ' ').trim()}`;
  // The comma stands between a column and its trailing comment.
  out.addSymbol(spanOf(source, start, end), { text: name, line: source.lineAt(start) }, 'field', {
    exported: true,
    container: table,
    signature,
    doc,
  });
}

/** Oracle and PostgreSQL explain tables and columns in statements of their own. */
function applyCommentsOn(out: OutlineBuilder, text: string): void {
  for (const match of text.matchAll(COMMENT_ON)) {
    const path = match[2]!.split('.').map(bare);
    const doc = match[3]!.replaceAll("''", "'");
    const column = match[1]!.toLowerCase() === 'column';
    const symbol = out.symbols.find((candidate) =>
      column
        ? candidate.kind === 'field' && candidate.name === path.at(-1) && candidate.container === path.at(-2)
        : candidate.name === path.at(-1),
    );
    if (symbol !== undefined) symbol.doc = doc;
  }
}

function commentText(sql: string): string | undefined {
  const match = COMMENT.exec(sql);
  return match === null ? undefined : unquote(match[1]!.replaceAll("''", "'")) || undefined;
}

/** Name without quotes and schema. */
function bare(name: string): string {
  return name
    .replace(/[`"[\]]/g, '')
    .split('.')
    .at(-1)!;
}

function insideComment(source: SourceText, index: number): boolean {
  return /--|^\s*#/.test(source.lineBefore(index));
}

function blankComments(sql: string): string {
  return sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '));
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
  const token = /'(?:''|\\[\s\S]|[^'\\]){0,20000}'|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[();,]/g;
  token.lastIndex = from;
  for (let match = token.exec(text); match !== null && match.index < end; match = token.exec(text)) {
    if (match[0].length === 1 && wanted.test(match[0])) yield match.index;
  }
}
