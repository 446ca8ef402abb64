import type { Language } from '../types.js';

/** What a file is made of: where its comments and string literals are, and the code with both blanked out. */
export interface Lexed {
  comments: { start: number; end: number }[];
  strings: { start: number; end: number }[];
  /** As long as the text, line ends in place: comments are blanks, literals keep their quotes only. */
  code: string;
}

const BLOCK = String.raw`\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))`;
const LINE = String.raw`\/\/[^\n\r]*`;
const HASH = String.raw`(?<=^|\s)#[^\n\r]*`;
const DOUBLE = String.raw`"(?:\\[^\n\r]|\\\r?\n|[^"\\\n\r])*"?`;
const SINGLE = String.raw`'(?:\\[^\n\r]|\\\r?\n|[^'\\\n\r])*'?`;
// Literals over lines are bounded, so that one stray quote costs little and hides little.
const MULTILINE_DOUBLE = String.raw`"(?:\\[\s\S]|[^"\\]){0,20000}"`;
const MULTILINE_SINGLE = String.raw`'(?:\\[\s\S]|[^'\\]){0,20000}'`;
const CHARACTER = String.raw`'(?:\\[^'\n]{1,8}|[^'\\\n])'`;
const BACKTICK = '`(?:\\\\[\\s\\S]|[^`\\\\]){0,20000}`';
const TRIPLE = String.raw`"""[\s\S]*?(?:"""|$(?![\s\S]))|'''[\s\S]*?(?:'''|$(?![\s\S]))`;

const family = (comments: string[], strings: string[]) =>
  new RegExp(`(?<comment>${comments.join('|')})|(?<string>${strings.join('|')})`, 'gm');

const C_LIKE = family([LINE, BLOCK], [DOUBLE, CHARACTER]);
const SCRIPT = family([LINE, BLOCK], [DOUBLE, SINGLE, BACKTICK]);
const HASHED = family([HASH], [TRIPLE, DOUBLE, SINGLE]);

/** The rough lexical grammar of each language; what matters is that no symbol is found in a comment or a literal. */
const FAMILIES: Partial<Record<Language, RegExp>> = {
  typescript: SCRIPT,
  tsx: SCRIPT,
  javascript: SCRIPT,
  vue: SCRIPT,
  java: C_LIKE,
  kotlin: family([LINE, BLOCK], [TRIPLE, DOUBLE, CHARACTER]),
  go: family([LINE, BLOCK], [DOUBLE, BACKTICK, CHARACTER]),
  c: C_LIKE,
  cpp: C_LIKE,
  csharp: family([LINE, BLOCK], [TRIPLE, String.raw`@\$?"(?:""|[^"])*"`, DOUBLE, CHARACTER]),
  rust: family([LINE, BLOCK], [String.raw`r#+"[\s\S]{0,20000}?"#+`, MULTILINE_DOUBLE, CHARACTER]),
  php: family([LINE, BLOCK, String.raw`(?<=^|\s)#(?!\[)[^\n\r]*`], [MULTILINE_DOUBLE, MULTILINE_SINGLE]),
  python: HASHED,
  ruby: family([HASH, String.raw`^=begin[\s\S]*?(?:^=end|$(?![\s\S]))`], [DOUBLE, SINGLE]),
  shell: family([HASH], [MULTILINE_DOUBLE, "'[^']{0,20000}'"]),
  yaml: HASHED,
  sql: family([String.raw`--[^\n\r]*`, BLOCK, HASH], [String.raw`'(?:''|\\[\s\S]|[^'\\]){0,20000}'`]),
  css: family([LINE, BLOCK], [DOUBLE, SINGLE]),
  xml: family([String.raw`<!--[\s\S]*?(?:-->|$(?![\s\S]))`], [DOUBLE, SINGLE]),
};

/**
 * Takes a text apart with one regular expression.
 *
 * @returns undefined for languages without a lexical grammar here
 */
export function lex(text: string, language: Language): Lexed | undefined {
  const pattern = FAMILIES[language];
  if (pattern === undefined) return undefined;
  const lexed: Lexed = { comments: [], strings: [], code: '' };
  let code = '';
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    const start = match.index;
    const end = start + match[0].length;
    const isComment = match.groups?.comment !== undefined;
    (isComment ? lexed.comments : lexed.strings).push({ start, end });
    const blank = match[0].replace(/[^\n\r]/g, ' ');
    code += text.slice(last, start) + (isComment ? blank : `${match[0][0]}${blank.slice(1, -1)}${match[0].at(-1)}`);
    last = end;
  }
  lexed.code = code + text.slice(last);
  return lexed;
}
