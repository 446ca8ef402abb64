import { createHash } from 'node:crypto';
import { stableHash } from '../../text/index.js';

/** Longest readable part of a name; with the hash and the version all stays far below Milvus's 255 characters. */
const SLUG_CHARS = 40;

/** The name that always means the collection in force of a project and a model. */
export function aliasOf(project: string, embedderId: string): string {
  const slug = project
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, SLUG_CHARS);
  return `xihe_${slug}_${stableHash(`${project}\0${embedderId}`)}`;
}

export function collectionName(alias: string, version: number): string {
  return `${alias}_v${version}`;
}

/** The version of one of the alias's collections; undefined for any other name. */
export function versionOf(alias: string, collection: string): number | undefined {
  const version = collection.startsWith(`${alias}_v`) ? collection.slice(alias.length + 2) : '';
  return /^[1-9]\d*$/.test(version) ? Number(version) : undefined;
}

/** Longest word: analyzers of search engines drop words of 40 bytes and more. */
const WORD_BYTES = 39;

/**
 * A token in letters and digits of ASCII alone, different for different tokens: the server's `standard` analyzer cuts at `.`, `-` and
 * `_` (some versions), folds case, and must do neither here.
 */
export function encodeToken(token: string): string {
  const bytes = Buffer.from(token, 'utf8');
  // The first letter keeps the three kinds apart, and digits from being read as numbers.
  const word = /^[a-z0-9]+$/.test(token) ? `w${token}` : `x${bytes.toString('hex')}`;
  // What is longer (a line of base64) is only ever equal to itself, so its hash will do.
  return word.length <= WORD_BYTES ? word : `h${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}`;
}

/**
 * Tokens as the text that the server cuts again. What is too long for a field loses repeats first: a row stays findable by each of its
 * words as long as they fit.
 *
 * @param maxBytes of the field; the text is ASCII
 */
export function encodeTokens(tokens: readonly string[], maxBytes: number): string {
  const words = tokens.map(encodeToken);
  const text = words.join(' ');
  if (text.length <= maxBytes) return text;
  const once = new Set(words);
  const seen = new Set<string>();
  const repeats = words.filter((word) => seen.has(word) || !seen.add(word));
  let out = '';
  for (const word of [...once, ...repeats]) {
    if (out.length + 1 + word.length > maxBytes) break;
    out += out === '' ? word : ` ${word}`;
  }
  return out;
}

/** Signs that servers read in different ways inside quotes, and the one that starts what stands for them. */
const UNSAFE = /[\u0000-\u001f\u007f"\\%]/g;

/** A text that may stand between quotes in any server's expressions as it is; see {@link decodeText}. */
export function encodeText(text: string): string {
  return text.replace(UNSAFE, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

export function decodeText(text: string): string {
  return text.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
