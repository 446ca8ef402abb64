/**
 * A fast reader for the plain part of YAML that term, warning and playbook files are written in.
 *
 * The `yaml` package needs about 0.3 ms an entry (150 ms cold for 300 entries, 3 s for 10,000), which alone would break
 * the start-up budget of the command line. This reader needs about a hundredth of that. It knows block maps and lists,
 * one-line plain and quoted scalars, one-line flow lists of scalars and `|` blocks; on anything else, right or wrong, it
 * gives up, and the caller asks the `yaml` package. It never guesses: a test compares both on thousands of documents.
 */

/** What the fast reader made of a text. Every scalar is a string, as in YAML's failsafe schema. */
export interface PlainYaml {
  value: unknown;
  /** 0-based line of each item when the top is a list. */
  itemLines: number[];
}

/** Thrown inside this file only: the text is not plain enough. */
class NotPlain extends Error {}

const GIVE_UP = new NotPlain('not plain');

/** Characters that mean something else at the start of a plain scalar. */
const INDICATORS = new Set('&*!|>%@`{}],?"\'#[');

/** A key: starts with no indicator, holds no `:` or `#`, ends with no space; then the value, if any. */
const KEY = /^([^\s\-?:,[\]{}#&*!|>'"%@`](?:[^:#\r\n]*[^:#\s])?):(?: +(.*))?$/;

/** Levels in one another that entry files could have. Deeper nesting is left to the `yaml` package, which bounds it. */
const DEEPEST = 20;

/** YAML allows 1,024 characters for a key on one line; nobody needs more than this. */
const LONGEST_KEY = 200;

const SINGLE_QUOTED = /^'((?:[^']|'')*)'(?: +#.*)?$/;
const DOUBLE_QUOTED = /^"((?:[^"\\]|\\["\\/nt])*)"(?: +#.*)?$/;
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', '"': '"', '\\': '\\', '/': '/' };

/**
 * Reads `text` when it is plain YAML.
 *
 * @param text the file, without BOM
 * @returns undefined when it is anything but plain: ask the `yaml` package, which also words the errors
 */
export function readPlainYaml(text: string): PlainYaml | undefined {
  // Tabs, other controls and lone CRs have rules of their own in YAML.
  if (/[\x00-\x09\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029\ufeff]|\r(?!\n)/.test(text)) return undefined;
  try {
    return new Reader(text).top();
  } catch (e) {
    if (e instanceof NotPlain) return undefined;
    throw e;
  }
}

class Reader {
  private readonly lines: string[];
  private at = 0;
  private depth = 0;
  private readonly itemLines: number[] = [];

  constructor(text: string) {
    this.lines = text.includes('\r') ? text.replaceAll('\r\n', '\n').split('\n') : text.split('\n');
  }

  top(): PlainYaml {
    const marked = this.next() === 0 && this.lines[this.at] === '---';
    if (marked) this.at += 1;
    const indent = this.next();
    if (indent < 0 && !marked) return { value: null, itemLines: [] };
    if (indent < 0) throw GIVE_UP;
    if (indent > 0) throw GIVE_UP;
    const value = this.block(0, true);
    if (this.next() >= 0) throw GIVE_UP;
    return { value, itemLines: this.itemLines };
  }

  /** Moves to the next line that is no blank and no comment; returns its indent, or -1 at the end. */
  private next(): number {
    for (; this.at < this.lines.length; this.at++) {
      const line = this.lines[this.at] as string;
      const indent = indentOf(line);
      if (indent === line.length || line[indent] === '#') continue;
      return indent;
    }
    return -1;
  }

  private block(indent: number, top = false): unknown {
    return isItem(this.lines[this.at] as string, indent) ? this.list(indent, top) : this.map(indent);
  }

  private list(indent: number, top = false): unknown[] {
    const items: unknown[] = [];
    for (;;) {
      const found = this.next();
      if (found < indent) return items;
      const line = this.lines[this.at] as string;
      if (found > indent) throw GIVE_UP;
      if (!isItem(line, indent)) return items;
      if (top) this.itemLines.push(this.at);
      const inner = indent + 1 + indentOf(line.slice(indent + 1));
      const rest = line.slice(inner);
      if (rest === '' || rest.startsWith('#')) items.push(this.nested(indent, false));
      else if (isItem(line, inner)) throw GIVE_UP;
      else if (KEY.test(rest)) {
        this.lines[this.at] = ' '.repeat(inner) + rest;
        items.push(this.map(inner));
      } else items.push(this.scalar(rest, indent));
    }
  }

  private map(indent: number): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    for (;;) {
      const found = this.next();
      if (found < indent) return out;
      const line = this.lines[this.at] as string;
      if (found > indent) throw GIVE_UP;
      // A list item at this indent belongs to the list around this map.
      if (isItem(line, indent)) return out;
      const match = KEY.exec(line.slice(indent));
      const key = match?.[1];
      if (key === undefined || key === '__proto__' || key.length > LONGEST_KEY || Object.hasOwn(out, key))
        throw GIVE_UP;
      const rest = (match?.[2] ?? '').replace(/ +$/, '');
      if (rest === '' || rest.startsWith('#')) out[key] = this.nested(indent, true);
      else out[key] = rest[0] === '|' ? this.literal(rest, indent) : this.scalar(rest, indent);
    }
  }

  /** What stands below a key or dash with nothing behind it: a deeper block, or the empty string. */
  private nested(indent: number, listMayAlign: boolean): unknown {
    this.at += 1;
    const found = this.next();
    if (found > indent) {
      this.depth += 1;
      if (this.depth > DEEPEST) throw GIVE_UP;
      const value = this.block(found);
      this.depth -= 1;
      return value;
    }
    if (listMayAlign && found === indent && isItem(this.lines[this.at] as string, indent)) return this.list(indent);
    return '';
  }

  /** A scalar or flow list that ends on its own line. */
  private scalar(raw: string, indent: number): unknown {
    this.at += 1;
    // A deeper line would go on with the scalar.
    if (this.next() > indent) throw GIVE_UP;
    const text = raw.replace(/ +$/, '');
    if (text[0] === '[') return flowList(text);
    return oneScalar(text);
  }

  /** `|` and `|-` blocks whose first line sets the indent. */
  private literal(header: string, indent: number): string {
    if (header !== '|' && header !== '|-') throw GIVE_UP;
    this.at += 1;
    const body: string[] = [];
    let inner = -1;
    for (; this.at < this.lines.length; this.at++) {
      const line = this.lines[this.at] as string;
      const depth = indentOf(line);
      // Leading blank lines and blanks deeper than the block have rules of their own.
      if (depth === line.length) {
        if (inner < 0 || depth > inner) throw GIVE_UP;
        body.push('');
        continue;
      }
      if (inner < 0) inner = depth;
      if (depth <= indent || depth < inner) break;
      body.push(line.slice(inner));
    }
    if (inner <= indent) throw GIVE_UP;
    if (this.at < this.lines.length && indentOf(this.lines[this.at] as string) > indent) throw GIVE_UP;
    while (body.at(-1) === '') body.pop();
    return body.join('\n') + (header === '|' ? '\n' : '');
  }
}

function indentOf(line: string): number {
  let i = 0;
  while (i < line.length && line.charCodeAt(i) === 32) i++;
  return i;
}

function isItem(line: string, indent: number): boolean {
  return line[indent] === '-' && (line.length === indent + 1 || line[indent + 1] === ' ');
}

function withoutSpaces(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && text.charCodeAt(from) === 32) from++;
  while (to > from && text.charCodeAt(to - 1) === 32) to--;
  return text.slice(from, to);
}

function oneScalar(text: string): string {
  const first = text.charAt(0);
  if (first === "'") {
    const inner = SINGLE_QUOTED.exec(text)?.[1];
    if (inner === undefined) throw GIVE_UP;
    return inner.replaceAll("''", "'");
  }
  if (first === '"') {
    const inner = DOUBLE_QUOTED.exec(text)?.[1];
    if (inner === undefined) throw GIVE_UP;
    return inner.replace(/\\(.)/g, (_, c: string) => ESCAPES[c] as string);
  }
  const comment = text.indexOf(' #');
  const plain = (comment < 0 ? text : text.slice(0, comment)).replace(/ +$/, '');
  if (plain === '' || isSpecial(plain) || plain.includes(': ') || plain.endsWith(':')) throw GIVE_UP;
  return plain;
}

function isSpecial(plain: string): boolean {
  const first = plain.charAt(0);
  if (INDICATORS.has(first)) return true;
  if (first === ':' || first === '-') return plain.length === 1 || plain[1] === ' ' || first === ':';
  // At column 0 these would end the document.
  return plain.startsWith('---') || plain.startsWith('...');
}

const FLOW_END = /^\](?: +#.*)?$/;

/** A flow list without quotes, comment or anything nested. */
const SIMPLE_FLOW_LIST = /^\[([^[\]{}'"#]*)\]$/;

/** `[a, "b, c", 'd']`, each item one scalar. */
function flowList(text: string): string[] {
  const cells = SIMPLE_FLOW_LIST.exec(text)?.[1]?.split(',').map(withoutSpaces);
  if (cells !== undefined && !cells.includes('')) return cells.map(oneScalar);
  const items: string[] = [];
  let rest = text.slice(1).replace(/^ +/, '');
  if (FLOW_END.test(rest)) return items;
  for (;;) {
    const match = /^(?:'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^,[\]{}'"#]+)/.exec(rest);
    if (match === null) throw GIVE_UP;
    const raw = match[0].replace(/ +$/, '');
    items.push(oneScalar(raw));
    rest = rest.slice(match[0].length).replace(/^ +/, '');
    if (rest.startsWith(',')) {
      rest = rest.slice(1).replace(/^ +/, '');
      continue;
    }
    if (FLOW_END.test(rest)) return items;
    throw GIVE_UP;
  }
}
