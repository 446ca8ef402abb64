import { stableHash } from '../text/index.js';
import { isLocalePath } from './roles.js';
import { baseOf, extensionOf, folderOf, stemOf } from './rules.js';

/** Keys of one locale file at most; the largest real ones have some 6,000. */
const MAX_ENTRIES = 20_000;
/** Key-like strings kept of one file. */
const MAX_KEYS = 400;
/** Characters of a text that count; longer ones are help pages, not labels. */
const MAX_VALUE_CHARS = 200;

const CHINESE = /[\u3400-\u9FFF]/;
const KEY_LITERAL = /['"`]([A-Za-z][\w$.:-]{3,119})['"`]/g;
/** A separator, a hump or capitals: `order.cancel`, `cancelOrder`, `ORDER_CANCEL`; a plain word is no key. */
const KEY_SHAPE = /[.:_-][\w$]|[a-z][A-Z]|^[A-Z]{4,}$/;

/** Tells whether a file holds the Chinese texts of the interface. */
export function isChineseLocale(path: string): boolean {
  if (!isLocalePath(path)) return false;
  return /(?:^|[^a-z])(?:zh|cn|hans|hant|chs|cht|chinese)(?:[^a-z]|$)/i.test(lastTwo(path));
}

/** Traditional texts say the same as simplified ones; they only count where a project has no others. */
export function isTraditionalLocale(path: string): boolean {
  return /(?:^|[^a-z])(?:tw|hk|hant|cht)(?:[^a-z]|$)/i.test(lastTwo(path));
}

function lastTwo(path: string): string {
  return path.split('/').slice(-2).join('/');
}

/** Strings of a source file that may be keys of interface texts, each once. */
export function keyCandidates(text: string): string[] {
  const keys = new Set<string>();
  for (const [, key] of text.matchAll(KEY_LITERAL)) {
    if (key !== undefined && KEY_SHAPE.test(key)) keys.add(key);
    if (keys.size >= MAX_KEYS) break;
  }
  return [...keys];
}

/**
 * Reads `key → Chinese text` out of a locale file: JSON, TypeScript and JavaScript objects, YAML, properties. A file named
 * after a part (`zh-CN/order.json`) gives its keys with that name before them too, as most i18n libraries use them.
 *
 * @returns [] for a file that can't be read that way
 */
export async function localeEntries(path: string, text: string): Promise<[string, string][]> {
  const extension = extensionOf(path);
  let entries: [string, string][];
  if (extension === 'properties') entries = propertyEntries(text);
  else if (extension === 'yml' || extension === 'yaml') entries = await yamlEntries(text);
  else entries = objectEntries(text);
  const chinese = entries.filter(([key, value]) => key.length >= 3 && CHINESE.test(value)).slice(0, MAX_ENTRIES);
  const part = partOf(path);
  return part === undefined
    ? chinese
    : chinese.flatMap(
        ([key, value]) =>
          [
            [key, value],
            [`${part}.${key}`, value],
            [`${part}:${key}`, value],
          ] as [string, string][],
      );
}

function partOf(path: string): string | undefined {
  const stem = stemOf(baseOf(path));
  const named =
    /^(?:index|main|common|messages?|translation)$/i.test(stem) ||
    /(?:^|[._-])(?:zh|cn|hans|hant|chs)(?:[._-]|$)/i.test(stem);
  return named || folderOf(path) === '' ? undefined : stem;
}

const OBJECT_TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|(['"`])((?:\\[\s\S]|(?!\1)[^\\])*)\1|[A-Za-z_$][\w$-]*|\d+|[{}[\]():,]/g;

/** One pass over an object literal or JSON: names before a colon, braces, strings; everything else is passed over. */
function objectEntries(text: string): [string, string][] {
  const entries: [string, string][] = [];
  const path: string[] = [];
  let word: string | undefined;
  let key: string | undefined;
  for (const match of text.matchAll(OBJECT_TOKEN)) {
    const token = match[0];
    if (token.startsWith('//') || token.startsWith('/*')) continue;
    if (match[1] !== undefined || /^[\w$]/.test(token)) {
      const value = match[1] === undefined ? undefined : unescaped(match[2] ?? '');
      if (key !== undefined && value !== undefined)
        entries.push([[...path.filter(Boolean), key].join('.'), value.slice(0, MAX_VALUE_CHARS)]);
      if (key !== undefined) key = undefined;
      else word = value ?? token;
      continue;
    }
    if (token === ':') key = word;
    else if (token === '{' || token === '[') path.push(key ?? '');
    else if (token === '}' || token === ']') path.pop();
    if (token !== ':') key = undefined;
    word = undefined;
  }
  return entries;
}

function unescaped(s: string): string {
  return s.includes('\\')
    ? s
        .replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replace(/\\(.)/g, '$1')
    : s;
}

function propertyEntries(text: string): [string, string][] {
  const entries: [string, string][] = [];
  for (const line of text.replace(/\\\r?\n\s*/g, '').split(/\r?\n/)) {
    const match = /^\s*([^\s#!:=][^\s:=]*)\s*[:=]\s*(.*)$/.exec(line);
    if (match) entries.push([match[1]!, unescaped(match[2]!).slice(0, MAX_VALUE_CHARS)]);
  }
  return entries;
}

async function yamlEntries(text: string): Promise<[string, string][]> {
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text, { logLevel: 'silent' });
  } catch {
    return [];
  }
  const entries: [string, string][] = [];
  const visit = (node: unknown, path: string[]) => {
    if (typeof node === 'string') entries.push([path.join('.'), node.slice(0, MAX_VALUE_CHARS)]);
    else if (typeof node === 'object' && node !== null && path.length < 20) {
      for (const [key, child] of Object.entries(node)) visit(child, [...path, key]);
    }
  };
  visit(value, []);
  // Rails and Vue put the language above everything: zh-CN: order: …
  const language = /^(?:zh|cn)(?:[_-]?(?:CN|TW|HK|Hans|Hant))?\./i;
  return entries.map(([key, text]) => [key.replace(language, ''), text]);
}

/** Key → Chinese text, over all Chinese locale files of a project. */
export class LocaleTable {
  readonly #values = new Map<string, string>();
  /** Changes whenever a text does. */
  readonly stamp: string;

  constructor(files: { path: string; hash: string; entries: readonly (readonly [string, string])[] }[]) {
    const simplified = files.filter(({ path }) => !isTraditionalLocale(path));
    const used = simplified.length > 0 ? simplified : files;
    for (const { entries } of used) {
      for (const [key, value] of entries) if (!this.#values.has(key)) this.#values.set(key, value);
    }
    this.stamp = LocaleTable.stampOf(used);
  }

  /** The stamp of a table over these files, without reading them. */
  static stampOf(files: { path: string; hash: string }[]): string {
    return files.length === 0 ? '' : stableHash(files.map(({ path, hash }) => `${path}\0${hash}`).join('\n'));
  }

  get size(): number {
    return this.#values.size;
  }

  valueOf(key: string): string | undefined {
    return this.#values.get(key);
  }
}
