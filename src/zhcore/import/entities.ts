/**
 * The entities that office programs and page exports really write: the five of XML, blanks, Latin and typographic marks. All
 * others stay as they are written.
 */
const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  zwnj: '',
  zwj: '',
  shy: '',
  ldquo: '“',
  rdquo: '”',
  lsquo: '‘',
  rsquo: '’',
  laquo: '«',
  raquo: '»',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  middot: '·',
  bull: '•',
  times: '×',
  divide: '÷',
  plusmn: '±',
  deg: '°',
  copy: '©',
  reg: '®',
  trade: '™',
  yen: '¥',
  euro: '€',
  pound: '£',
  cent: '¢',
  sect: '§',
  para: '¶',
  rarr: '→',
  larr: '←',
  uarr: '↑',
  darr: '↓',
  harr: '↔',
  rArr: '⇒',
  lArr: '⇐',
  le: '≤',
  ge: '≥',
  ne: '≠',
  asymp: '≈',
  infin: '∞',
  sum: '∑',
  radic: '√',
  alpha: 'α',
  beta: 'β',
  mu: 'μ',
  check: '✓',
  cross: '✗',
  star: '☆',
  lbrace: '{',
  rbrace: '}',
  lbrack: '[',
  rbrack: ']',
  num: '#',
  lowbar: '_',
  grave: '`',
  ast: '*',
  vert: '|',
  sol: '/',
  bsol: '\\',
  colon: ':',
  comma: ',',
  excl: '!',
  quest: '?',
};

const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,8}));/g;

/** Code points that stand for no character that could be shown: controls, surrogates, beyond Unicode. */
function characterOf(code: number): string | undefined {
  if (code === 9 || code === 10 || code === 13) return code === 13 ? '\n' : String.fromCharCode(code);
  if (code < 32 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
    return undefined;
  return code === 0xa0 ? ' ' : String.fromCodePoint(code);
}

/** What one entity stands for; undefined when it is unknown. */
function meaningOf(decimal?: string, hex?: string, name?: string): string | undefined {
  if (name !== undefined) return Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  return characterOf(decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal));
}

/** Decodes every entity once. Unknown ones stay as written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (whole, dec?: string, hex?: string, name?: string) => meaningOf(dec, hex, name) ?? whole);
}

/**
 * Decodes the entities of a Markdown text, but those whose character would be markup there: `&lt;T&gt;` would turn into a tag and
 * be lost. Doing it twice changes nothing more.
 */
export function decodeHarmless(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (whole, dec?: string, hex?: string, name?: string, offset?: number) => {
    const meaning = meaningOf(dec, hex, name);
    if (meaning === undefined) return whole;
    const at = offset as number;
    const after = text.slice(at + whole.length, at + whole.length + 10);
    if (meaning === '<') return /^(?:[A-Za-z/!?&]|$)/.test(after) ? whole : meaning;
    if (meaning === '&') return /^(?:#|[A-Za-z]|&)/.test(after) ? whole : meaning;
    // At the start of a line it would make a quote.
    if (meaning === '>') return /(?:^|\n)\s*$/.test(text.slice(Math.max(0, at - 10), at)) ? whole : meaning;
    return /[*_`#[\]|\\\n\t]/.test(meaning) ? whole : meaning;
  });
}
