/**
 * A JSON reader for what models write: it reads valid JSON as it is, and notes every liberty that it took with the rest.
 */

/** A liberty that was taken. The first group changes no meaning; the second one guesses what was meant. */
export type JsonRepair =
  | 'prose'
  | 'double-encoded'
  | 'trailing-comma'
  | 'quotes'
  | 'full-width'
  | 'comment'
  | 'literal'
  | 'raw-newline'
  | 'missing-comma'
  | 'bare-word'
  | 'inner-quote'
  | 'cut-off';

/** Repairs after which a text may say something else than its writer meant: never accepted for a tool's arguments. */
export const GUESSES: ReadonlySet<JsonRepair> = new Set(['missing-comma', 'bare-word', 'inner-quote', 'cut-off']);

/** Deeper nesting than any reply has; keeps a hostile text from exhausting the stack. */
const MAX_DEPTH = 100;

/** Full-width structure characters that Chinese input methods and models put in place of the ASCII ones. */
const FULL_WIDTH: Record<string, string> = {
  '｛': '{',
  '｝': '}',
  '［': '[',
  '］': ']',
  '：': ':',
  '，': ',',
  '＂': '"',
};
const CLOSING_QUOTE: Record<string, string> = { '"': '"', '＂': '＂', "'": "'", '“': '”', '‘': '’', '`': '`' };
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '/': '/', '\\': '\\', '"': '"' };
const LITERALS: Record<string, unknown> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
  undefined: null,
  NaN: null,
};
const PLAIN_LITERALS = new Set(['true', 'false', 'null']);
const END_OF_VALUE = new Set([',', '}', ']', ':']);

/** The text can't be JSON at this place. Caught by {@link readLoose}, never seen outside. */
class NotJson extends Error {}

export interface LooseValue {
  value: unknown;
  /** Index behind the value. */
  end: number;
  repairs: Set<JsonRepair>;
}

/**
 * Reads one JSON value from `start` on.
 *
 * @param text anything; what stands behind the value is not looked at
 * @returns the value, or null when no JSON begins there
 */
export function readLoose(text: string, start: number): LooseValue | null {
  const reader = new Reader(text, start);
  try {
    const value = reader.value(0);
    return { value, end: reader.at, repairs: reader.repairs };
  } catch (e) {
    if (e instanceof NotJson) return null;
    throw e;
  }
}

class Reader {
  at: number;
  readonly repairs = new Set<JsonRepair>();
  readonly #text: string;

  constructor(text: string, start: number) {
    this.#text = text;
    this.at = start;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw new NotJson();
    const c = this.#peek();
    if (c === '{') return this.#object(depth);
    if (c === '[') return this.#array(depth);
    if (this.#text[this.at]! in CLOSING_QUOTE) return this.#string();
    return this.#word();
  }

  #object(depth: number): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    this.at++;
    for (let first = true; ; first = false) {
      if (this.#closes('}', first)) return out;
      const key = this.#text[this.at]! in CLOSING_QUOTE ? this.#string() : this.#bareKey();
      if (this.#peek() !== ':') {
        // A key whose colon was cut off is no entry; anything else in its place is no JSON.
        if (!this.#isOver()) throw new NotJson();
        return out;
      }
      this.at++;
      if (this.#isOver()) return out;
      const value = this.value(depth + 1);
      // As JSON.parse does: an own property, never the prototype.
      Object.defineProperty(out, key, { value, writable: true, enumerable: true, configurable: true });
    }
  }

  #array(depth: number): unknown[] {
    const out: unknown[] = [];
    this.at++;
    for (let first = true; ; first = false) {
      if (this.#closes(']', first)) return out;
      out.push(this.value(depth + 1));
    }
  }

  /** Steps over the comma before the next entry. @returns true at the end of the object or array */
  #closes(bracket: string, first: boolean): boolean {
    let c = this.#peek();
    if (c === ',' && !first) {
      this.at++;
      c = this.#peek();
      if (c === bracket) this.repairs.add('trailing-comma');
    } else if (!first && c !== bracket && !this.#isOver()) {
      this.repairs.add('missing-comma');
    }
    if (this.#isOver()) return true;
    if (c !== bracket) return false;
    this.at++;
    return true;
  }

  /** True at the end of the text, which then is noted as cut off. */
  #isOver(): boolean {
    if (this.#peek() !== '') return false;
    this.repairs.add('cut-off');
    return true;
  }

  /** The next character after blanks and comments, full-width structure read as ASCII; '' at the end. */
  #peek(): string {
    for (;;) {
      const c = this.#text[this.at];
      if (c === undefined) return '';
      if (/\s/.test(c)) this.at++;
      else if (!this.#comment()) break;
    }
    const c = this.#text[this.at]!;
    const ascii = FULL_WIDTH[c];
    if (ascii !== undefined) this.repairs.add('full-width');
    return ascii ?? c;
  }

  #comment(): boolean {
    const rest = this.#text.slice(this.at, this.at + 2);
    if (rest !== '//' && rest !== '/*') return false;
    const close = rest === '//' ? '\n' : '*/';
    const end = this.#text.indexOf(close, this.at + 2);
    this.at = end < 0 ? this.#text.length : end + close.length;
    this.repairs.add('comment');
    return true;
  }

  #string(): string {
    const open = this.#text[this.at]!;
    if (open !== '"') this.repairs.add('quotes');
    const close = CLOSING_QUOTE[open]!;
    let out = '';
    for (this.at++; ; this.at++) {
      const c = this.#text[this.at];
      if (c === undefined) {
        this.repairs.add('cut-off');
        return out;
      }
      if (c === '\\') out += this.#escape();
      else if (c !== close) {
        if (c === '\n') this.repairs.add('raw-newline');
        out += c;
      } else if (this.#endsString()) {
        this.at++;
        return out;
      } else {
        this.repairs.add('inner-quote');
        out += c;
      }
    }
  }

  /** A quote ends its string only where the value may end: models forget to escape the quotes inside. */
  #endsString(): boolean {
    let i = this.at + 1;
    while (/\s/.test(this.#text[i] ?? '')) i++;
    const next = this.#text[i];
    if (next === undefined || END_OF_VALUE.has(FULL_WIDTH[next] ?? next)) return true;
    // A comment, or an entry on the next line whose comma is missing.
    return next === '/' || (next in CLOSING_QUOTE && this.#text.slice(this.at, i).includes('\n'));
  }

  #escape(): string {
    const c = this.#text[++this.at];
    if (c === undefined) return '';
    if (c !== 'u') return ESCAPES[c] ?? c;
    const hex = /^[0-9a-fA-F]{4}/.exec(this.#text.slice(this.at + 1, this.at + 5));
    if (!hex) return 'u';
    this.at += 4;
    return String.fromCharCode(Number.parseInt(hex[0], 16));
  }

  #bareKey(): string {
    const key = /^[\p{L}\p{N}_$.-]+/u.exec(this.#text.slice(this.at, this.at + 200));
    if (!key) throw new NotJson();
    this.at += key[0].length;
    this.repairs.add('quotes');
    return key[0];
  }

  /** A number, a literal, or an unquoted word up to the end of the value. */
  #word(): unknown {
    const word = /^[^\s,，:：{}[\]｛｝［］"“”]+/.exec(this.#text.slice(this.at, this.at + 200))?.[0];
    if (word === undefined) throw new NotJson();
    this.at += word.length;
    if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(word)) return Number(word);
    if (Object.hasOwn(LITERALS, word)) {
      if (!PLAIN_LITERALS.has(word)) this.repairs.add('literal');
      return LITERALS[word];
    }
    this.repairs.add('bare-word');
    return word;
  }
}
