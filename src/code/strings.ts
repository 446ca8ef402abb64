import { hasChinese } from '../text/index.js';

/** Longer literals (embedded SQL, prompts, HTML) are cut: they are found by their beginning. */
const MAX_STRING = 200;

/** Ends of dotted names that are no translation keys: files, hosts, versions. */
const NO_KEY_ENDING =
  /\.(?:ts|tsx|js|mjs|cjs|jsx|json|vue|css|scss|less|html|md|java|py|go|xml|yml|yaml|sql|sh|txt|png|jpe?g|svg|gif|pdf|csv|xlsx?|docx?|zip|log|h|hpp|c|cc|cpp|cs|rs|rb|php|kt|md5|lock|toml|ini|conf|env|bat|exe|dll|map|proto|gradle|vm|ftl|jsp|com|cn|net|org|io|dev|local|properties|class|jar)$/i;
const NO_KEY_START = /^(?:www|com|org|cn|net|java|javax|io|http|https|index|process|window|document|console|lodash)\./;

/** Tells whether a literal looks like a translation key: `order.cancel.title`. */
export function isKeyLike(text: string): boolean {
  return (
    /^[a-zA-Z][\w-]*(?:\.[a-zA-Z][\w-]*){1,6}$/.test(text) && !NO_KEY_ENDING.test(text) && !NO_KEY_START.test(text)
  );
}

/** The content of a literal as written, when it is worth keeping (Chinese, or a translation key). */
export function notableString(literal: string): string | undefined {
  const content = unquote(literal);
  if (!hasChinese(content) && !isKeyLike(content)) return undefined;
  return content.length <= MAX_STRING ? content : `${content.slice(0, MAX_STRING)}…`;
}

/** Takes quotes and prefixes (Python's f, C#'s @ and $) off; escapes stay as written, `\uXXXX` is read. */
export function unquote(literal: string): string {
  const match = /^[a-zA-Z@$]{0,2}("""|'''|["'`])([\s\S]*?)\1?$/.exec(literal);
  return readUnicodeEscapes((match?.[2] ?? literal).trim());
}

/** `\u8ba2\u5355` → 订单, as Java properties files and some JSON have it. */
export function readUnicodeEscapes(text: string): string {
  if (!text.includes('\\u')) return text;
  return text.replace(/\\u([\da-fA-F]{4})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
