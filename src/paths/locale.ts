import { isLocalePath, type Outline } from '../code/index.js';
import { stableHash } from '../text/index.js';
import { folderOf, stemOf } from './rules.js';

/** Texts of one locale file at most; the largest real ones have some 6,000. */
const MAX_ENTRIES = 20_000;
/** Key-like strings kept of one file. */
const MAX_KEYS = 400;
/** A shorter key (`ok`) is an ordinary word in code. */
const MIN_KEY_CHARS = 3;

const KEY_LITERAL = /['"`]([A-Za-z][\w$.:-]{2,119})['"`]/g;
/** A separator, a hump or capitals: `order.cancel`, `cancelOrder`, `ORDER_CANCEL`; a plain word is no key. */
const KEY_SHAPE = /[.:_-][\w$]|[a-z][A-Z]|^[A-Z]{4,}$/;
/** Rails, Vue and Spring files may put the language above everything: `zh-CN: order: …`. */
const LANGUAGE_KEY = /^(?:zh|cn)(?:[_-]?(?:CN|TW|HK|Hans|Hant))?\./i;
const CHINESE_NAME = /(?:^|[^a-z])(?:zh|cn|hans|hant|chs|cht|chinese)(?:[^a-z]|$)/i;
const TRADITIONAL_NAME = /(?:^|[^a-z])(?:tw|hk|hant|cht)(?:[^a-z]|$)/i;

/** Tells whether a file holds the Chinese texts of the interface, by its path. */
export function isChineseLocale(path: string): boolean {
  return isLocalePath(path) && CHINESE_NAME.test(lastTwo(path));
}

/** Traditional texts say the same as simplified ones; they only count where a project has no others. */
function isTraditionalLocale(path: string): boolean {
  return TRADITIONAL_NAME.test(lastTwo(path));
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
 * `key → Chinese text` of a locale file, under every name that code may use for a key: a file named after a part
 * (`zh-CN/order.json`) gives its keys with that name before them too, and a language above everything is left out.
 */
export function localeEntries(path: string, outline: Outline): [string, string][] {
  const part = partOf(path);
  const entries: [string, string][] = [];
  for (const { key, text } of (outline.i18n ?? []).slice(0, MAX_ENTRIES)) {
    const bare = key.replace(LANGUAGE_KEY, '');
    if (bare.length < MIN_KEY_CHARS) continue;
    entries.push([bare, text]);
    if (part !== undefined) entries.push([`${part}.${bare}`, text], [`${part}:${bare}`, text]);
  }
  return entries;
}

function partOf(path: string): string | undefined {
  const stem = stemOf(path);
  const named = /^(?:index|main|common|messages?|translation)$/i.test(stem) || CHINESE_NAME.test(stem);
  return named || folderOf(path) === '' ? undefined : stem;
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
