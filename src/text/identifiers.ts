import { hasChinese } from './fold.js';
import { recent } from './recent.js';

/**
 * Endings that make `word.ext` a file name although it has no folder. Written names of libraries (`Vue.js`) match too, which is
 * harmless: both are code-like tokens.
 */
const FILE_ENDINGS =
  'ts|tsx|mts|cts|js|jsx|mjs|cjs|vue|java|kt|kts|py|go|rs|c|h|cc|cpp|hpp|cs|php|rb|sql|xml|html|css|scss|less|json|yaml|yml|toml|md|txt|csv|xlsx|docx|pdf|sh|bat|ps1|properties|gradle|proto|conf|ini|env|lock|log';

/** Characters of a path segment; Chinese ones too. 的 ends it: 「src/订单的代码」 is no folder 订单的代码. */
const PATH_CHARACTER = '(?:(?!的)[\\p{Script=Han}\\w.@$\\[\\]-])';

/**
 * The kinds of code-like tokens, most specific first; one pass tries them in this order at each position.
 *
 * Paths are tried only where a run of their characters begins, and no two neighbouring repetitions share characters: otherwise a
 * base64 line of 100 KB would take minutes.
 */
const TOKEN = new RegExp(
  [
    // URL, up to white space, quotes, Chinese or full-width punctuation
    String.raw`https?:\/\/[\w.~:/?#@!$&*+,;=%()-]+[\w/=]`,
    // Windows path: D:\work\order.ts
    String.raw`\b[A-Za-z]:\\(?:[\p{Script=Han}\w.@$ -]+\\)*[\p{Script=Han}\w.@$-]+`,
    // path whose first segment is Latin: src/order/service.ts, ./a, /etc/hosts, @scope/pkg, docs/payment/接入指南.md
    String.raw`(?<![\w.@$/-])(?:\.{0,2}\/)?(?:[\w.@$-]+\/)+(?:${PATH_CHARACTER}+\/)*(?:${PATH_CHARACTER}*\.(?:${FILE_ENDINGS})\b|[\w.@$-]*[\w$])?`,
    String.raw`(?<![\w.@$/-])\.{0,2}\/[A-Za-z_][\w.@$-]*`,
    // file with a Chinese name, only after a delimiter: in 「打开接入指南.md」 nobody can tell where the name begins
    String.raw`(?<=^|[\s"'「『《（(：:,，、])[\p{Script=Han}\w-]+\.(?:${FILE_ENDINGS})\b`,
    // version: v1.2.3, 20.19+, 2.0.0-rc.1
    String.raw`\bv?\d+(?:\.\d+)+(?:-[a-z]+(?:\.?\d+)*)?\b`,
    // dotted, scoped, arrowed members: OrderService.cancelExpired, Order::cancel, Foo#bar, a->b, order.ts
    String.raw`[A-Za-z_$][\w$]*(?:(?:\.|::|#|->|\?\.)[A-Za-z_$][\w$]*)+`,
    // kebab and codes with hyphens: order-service, ORA-00942, utf-8
    '[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)+',
    // annotations and decorators: @GetMapping
    String.raw`@[A-Za-z_]\w*`,
    // any other word that may turn out to be an identifier
    String.raw`[A-Za-z_$][\w$]*`,
  ].join('|'),
  'gu',
);

/** Humps, underscores, dollars, digits beside letters, two or more capitals, and every compound of the patterns above. */
const CODE_LIKE = /[a-z\d][A-Z]|_|\$|[A-Za-z]\d|^[A-Z][A-Z\d]+$|[./\\:#@>-]/;
const PASCAL_WORD = /^[A-Z][a-z]+$/;

/** A token and where it stands. */
export interface IdentifierSpan {
  text: string;
  start: number;
  end: number;
}

/**
 * Finds identifiers and other code-like tokens.
 *
 * A lone lower-case word (`order`) is a word, not an identifier. A lone capitalised word (`Order`) is one only in Chinese text,
 * where it can hardly be the start of an English sentence.
 *
 * @param s text, already NFKC if full-width letters may occur
 */
export const identifierSpans = recent((s: string): readonly IdentifierSpan[] => {
  const chinese = hasChinese(s);
  const spans: IdentifierSpan[] = [];
  for (const match of s.matchAll(TOKEN)) {
    const text = match[0];
    if (!isCodeLike(text, chinese)) continue;
    spans.push({ text, start: match.index, end: match.index + text.length });
  }
  return spans;
});

function isCodeLike(token: string, inChinese: boolean): boolean {
  if (token.length < 2 || !/[A-Za-z_$\p{Script=Han}.]/u.test(token)) return false;
  // 1.5 is a number, 1.5.0 and v1.5 are versions.
  if (/^v?\d[\d.]*$/.test(token)) return /^v\d|^\d+\.\d+\./.test(token);
  return CODE_LIKE.test(token) || (inChinese && PASCAL_WORD.test(token));
}

/**
 * Identifiers and code-like tokens, as written, each once, in order: camelCase, PascalCase, `OrderService.cancelExpired`, snake_case,
 * kebab-case, CONSTANTS, paths and file names (Chinese ones too), error codes, versions.
 */
export function identifiersOf(s: string): string[] {
  return [...new Set(identifierSpans(s.normalize('NFKC')).map((span) => span.text))];
}

/** `s` with every identifier replaced by one space, for the word cutter. */
export function withoutIdentifiers(s: string): string {
  let out = '';
  let last = 0;
  for (const span of identifierSpans(s)) {
    out += `${s.slice(last, span.start)} `;
    last = span.end;
  }
  return out + s.slice(last);
}

const PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\d+|\p{Script=Han}+|\p{L}+/gu;

/**
 * Splits an identifier or path into its words: camel humps, snake, kebab, dots and slashes, digits apart, Chinese runs whole.
 *
 * @example splitIdentifier('XMLHttpRequest2') // ['xml', 'http', 'request', '2']
 * @returns lower-case parts in order
 */
export function splitIdentifier(id: string): string[] {
  return (id.match(PARTS) ?? []).map((part) => part.toLowerCase());
}
