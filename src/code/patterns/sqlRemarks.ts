/** A statement whose only purpose is to explain a table or a column. */
export interface SqlRemark {
  of: { name: string; container?: string };
  text: string;
  /** Offset of the text's first quote. */
  index: number;
}

/** PostgreSQL, Oracle, DM, Kingbase. */
const COMMENT_ON =
  /\bcomment\s+on\s+(table|column|view|materialized\s+view|foreign\s+table)\s+((?:[\p{L}\d_$"\x60[\]]+\s*\.\s*)*[\p{L}\d_$"\x60[\]]+)\s+is\s+(?:n|e|u&)?('(?:''|[^'])*')/giu;
/** SQL Server. */
const PROPERTY = /\bsp_(?:add|update)extendedproperty\b/giu;
/** One argument, `@name = N'…'` or by position; names of tables may stand without quotes. */
const ARGUMENT = /\s*(?:@(\w+)\s*=\s*)?(?:n?('(?:''|[^'])*')|([@\p{L}\d_$]+)|"([^"\n]*)"|\[([^\]\n]*)\])\s*(,)?/iuy;
/** In the order that they have without names. */
const PARAMETERS = 'name value level0type level0name level1type level1name level2type level2name'.split(' ');

/** Finds `COMMENT ON … IS '…'` and `sp_addextendedproperty N'MS_Description', …`, in file order for each kind. */
export function sqlRemarks(text: string): SqlRemark[] {
  const out: SqlRemark[] = [];
  for (const match of text.matchAll(COMMENT_ON)) {
    const path = match[2]!.split('.').map(bareName);
    const index = match.index + match[0].length - match[3]!.length;
    const name = path.at(-1)!;
    const isColumn = /^column$/i.test(match[1]!);
    const container = isColumn ? path.at(-2) : undefined;
    if (isColumn && container === undefined) continue;
    out.push({ of: { name, ...(container ? { container } : {}) }, text: inner(match[3]!), index });
  }
  for (const match of text.matchAll(PROPERTY)) {
    const found = propertyAt(text, match.index + match[0].length);
    if (found !== undefined) out.push(found);
  }
  return out;
}

function propertyAt(text: string, start: number): SqlRemark | undefined {
  const given = new Map<string, { text: string; index: number }>();
  ARGUMENT.lastIndex = start;
  for (const parameter of PARAMETERS) {
    const match = ARGUMENT.exec(text);
    if (match === null) break;
    const [whole, name, literal, plain, quoted, bracketed, comma] = match;
    given.set(name?.toLowerCase() ?? parameter, {
      text: literal === undefined ? (plain ?? quoted ?? bracketed)! : inner(literal),
      index: match.index + (literal === undefined ? 0 : whole.indexOf(literal)),
    });
    if (comma === undefined) break;
  }
  const of = (parameter: string) => given.get(parameter)?.text.toLowerCase();
  const [value, table, column] = ['value', 'level1name', 'level2name'].map((parameter) => given.get(parameter));
  if (of('name') !== 'ms_description' || value === undefined || value.text.startsWith('@')) return undefined;
  if (table === undefined || !/^(?:table|view)$/.test(of('level1type') ?? '')) return undefined;
  if (column === undefined) return { of: { name: bareName(table.text) }, ...value };
  if (of('level2type') !== 'column') return undefined;
  return { of: { name: bareName(column.text), container: bareName(table.text) }, ...value };
}

function inner(literal: string): string {
  return literal.slice(1, -1).replaceAll("''", "'").trim();
}

/** A name without quotes and schema. */
export function bareName(name: string): string {
  return name
    .replace(/[`"[\]\s]/g, '')
    .split('.')
    .at(-1)!;
}
