import { hasChinese } from '../text/index.js';
import { oneLine, type SourceText } from './source.js';
import { readUnicodeEscapes, unquote } from './strings.js';
import type { Outline } from './types.js';

type I18n = NonNullable<Outline['i18n']>;

/** Texts of a user interface are short; longer values are articles. */
const MAX_TEXT = 200;

const LOCALE_PATH =
  /(?:^|[/\\_.-])(?:i18n|l10n|locales?|langs?|languages?|messages|translations?)(?:[/\\_.-]|$)|zh[-_]?(?:cn|tw|hk|hans|hant)|(?:^|[/\\_.-])zh\.\w+$/i;

/** Tells whether a file holds the texts of a user interface, by its path. */
export function isLocalePath(path: string): boolean {
  return LOCALE_PATH.test(path);
}

/**
 * Chinese texts of nested objects (JSON, or the object literals of a locale file in TypeScript) with their key paths.
 *
 * @returns in file order; arrays add their position to the key
 */
export function readNestedKeys(source: SourceText): I18n {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\]){0,20000}`|[\p{L}_$][\p{L}\d_$-]*)|[{}[\],:]/gu;
  const entries: I18n = [];
  const frames: Frame[] = [];
  let key: string | undefined;
  let last: { text: string; index: number; quoted: boolean } | undefined;
  const endValue = () => {
    const frame = frames.at(-1);
    const name = frame?.isArray ? String(frame.count++) : key;
    if (name !== undefined && last?.quoted)
      addText(entries, [...frames.map((f) => f.name), name], last.text, source.lineAt(last.index));
    key = undefined;
    last = undefined;
  };
  for (const match of source.text.matchAll(token)) {
    const [text] = match;
    if (match[1] !== undefined) last = { text: unquote(text), index: match.index, quoted: /^["'`]/.test(text) };
    else if (text === ':' && last !== undefined && key === undefined) {
      key = last.text;
      last = undefined;
    } else if (text === '{' || text === '[') {
      const outer = frames.at(-1);
      frames.push({ name: outer?.isArray ? String(outer.count) : (key ?? ''), isArray: text === '[', count: 0 });
      key = undefined;
      last = undefined;
    } else if (text === ',') endValue();
    else if (text === '}' || text === ']') {
      endValue();
      frames.pop();
    }
  }
  return entries;
}

/** An open object or array; `count` is the position of the next element. */
interface Frame {
  name: string;
  isArray: boolean;
  count: number;
}

function addText(entries: I18n, path: readonly string[], text: string, line: number): void {
  if (!hasChinese(text)) return;
  entries.push({ key: path.filter((part) => part !== '').join('.'), text: oneLine(text, MAX_TEXT), line });
}

/** `order.cancel=取消订单` (`\uXXXX` read) and YAML's `cancel: 取消订单`, nested by indentation. */
export function readLineKeys(source: SourceText, nested: boolean): I18n {
  const entries: I18n = [];
  const stack: { indent: number; key: string }[] = [];
  for (const match of source.text.matchAll(
    /^([ \t]*)(?:- +)?(["']?)([\p{L}\d_.$/-]+)\2[ \t]*[:=][ \t]*([^\r\n]*)$/gmu,
  )) {
    const indent = match[1]!.length;
    while (nested && stack.length > 0 && stack.at(-1)!.indent >= indent) stack.pop();
    const path = nested ? [...stack.map((level) => level.key), match[3]!] : [match[3]!];
    const raw = match[4]!.slice(0, 4 * MAX_TEXT);
    const value = unquote(nested ? raw.replace(/\s#.*$/, '') : raw);
    addText(entries, path, readUnicodeEscapes(value), source.lineAt(match.index + match[0].length));
    if (nested) stack.push({ indent, key: match[3]! });
  }
  return entries;
}

/** Markdown: first heading and first sentence make the summary, headings with Chinese count as comments. */
export function readMarkdown(source: SourceText): {
  head: string | undefined;
  comments: { line: number; text: string }[];
} {
  const text = source.text.replace(/^---\r?\n[\s\S]*?\r?\n---\r?\n/, (front) => front.replace(/[^\n]/g, ' '));
  const comments: { line: number; text: string }[] = [];
  let head: string | undefined;
  let fenced = false;
  for (const match of text.matchAll(/^[^\r\n]*$/gm)) {
    const line = match[0].trim().slice(0, MAX_TEXT);
    if (/^(?:```|~~~)/.test(line)) fenced = !fenced;
    const heading = fenced ? undefined : /^#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1];
    if (heading === undefined) continue;
    head ??= heading;
    if (hasChinese(heading)) comments.push({ line: source.lineAt(match.index), text: heading });
  }
  const paragraph = /^(?![#>\s\-*|`!<[]).+$/m.exec(text)?.[0];
  return { head: head ?? paragraph, comments };
}
