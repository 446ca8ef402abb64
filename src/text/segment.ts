import { DEVELOPER_WORDS } from './devwords.js';
import { fold, foldKeepingCase } from './fold.js';
import { identifierSpans, identifiersOf, splitIdentifier, withoutIdentifiers } from './identifiers.js';
import { jiebaDictionary, jiebaModule } from './lazy.js';
import { LightCutter } from './lightCutter.js';
import { recent } from './recent.js';
import { isStopWord } from './stopwords.js';
import type { Normalised } from './types.js';

type Jieba = InstanceType<ReturnType<typeof jiebaModule>['Jieba']>;

/**
 * Frequency that added words get. Jieba picks the most probable path; 2,000 is above most two-character words of its
 * dictionary (median 5) and below the very common ones (的 318,825), so that a team's word wins against its parts.
 */
const USER_WORD_FREQUENCY = 2000;

let jieba: Jieba | undefined;
const userWords = new Set<string>(DEVELOPER_WORDS);
let pending: string[] = [...DEVELOPER_WORDS];

/**
 * Adds words that the cutter must keep whole, e.g. a team's terms. Costs nothing until something is cut; a word can't be removed
 * again in this process.
 *
 * @param words in any form; they are folded, and words without Chinese or with white space are ignored
 */
export function addUserWords(words: Iterable<string>): void {
  for (const word of words) {
    const folded = fold(word);
    if (!/^[\p{Script=Han}\w]+$/u.test(folded) || !/\p{Script=Han}{2}/u.test(folded) || userWords.has(folded)) continue;
    userWords.add(folded);
    pending.push(folded);
    cutFolded.clear();
    cutWords.clear();
  }
}

/** All words that the cutter keeps whole beside those of its dictionary, folded: with them a text's tokens may change. */
export function taughtWords(): ReadonlySet<string> {
  return userWords;
}

/** Whoever cuts one text after the other gets jieba itself from here on; below, building its tree costs more than it saves (measured). */
const LIGHT_CHARACTERS = 20_000;

let light: LightCutter | undefined;
let lightlyCut = 0;

/** Cuts side by side, or in search mode, with the added words. Both cutters cut alike. */
function cut(text: string, forSearch: boolean): string[] {
  if (jieba === undefined && lightlyCut < LIGHT_CHARACTERS) {
    lightlyCut += text.length;
    light ??= new LightCutter(jiebaDictionary());
    light.add(pending, USER_WORD_FREQUENCY);
    pending = [];
    return forSearch ? light.cutForSearch(text) : light.cut(text);
  }
  const cutter = heavyCutter();
  return forSearch ? cutter.cutForSearch(text, false) : cutter.cut(text, false);
}

function heavyCutter(): Jieba {
  if (jieba === undefined) {
    jieba = jiebaModule().Jieba.withDict(jiebaDictionary());
    light = undefined;
    pending = [...userWords];
  }
  if (pending.length > 0) {
    jieba.loadDict(Buffer.from(pending.map((word) => `${word} ${USER_WORD_FREQUENCY} n\n`).join('')));
    pending = [];
  }
  return jieba;
}

const WORD = /[\p{L}\p{N}]/u;
const HAN_ONLY = /^\p{Script=Han}+$/u;

/**
 * Cuts the part of `s` that is no identifier into folded words, jieba's search mode: long words come with their parts.
 *
 * Jieba's model for unknown words (HMM) is off: in 「关单时加一次」 it makes up 时加. Instead, neighbouring single characters that no
 * dictionary word covers come out as bigrams, so that unknown words are found the same way on both sides of a search.
 *
 * @param s any text
 * @returns words in order, stop words and repeats included, punctuation left out
 */
export function segment(s: string): string[] {
  return [...cutFolded(withoutIdentifiers(foldKeepingCase(s)).toLowerCase())];
}

/**
 * Cuts a folded text into words that stand side by side, none inside another; unknown characters come alone.
 *
 * @param text folded, see {@link fold}
 */
export const cutWords = recent((text: string): readonly string[] => (text === '' ? [] : cut(text, false)));

const cutFolded = recent((text: string): readonly string[] => {
  if (!/\p{Script=Han}/u.test(text)) return text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const words: string[] = [];
  let singles: string[] = [];
  const flush = () => {
    if (singles.length === 1) words.push(singles[0]!);
    for (let i = 0; i + 1 < singles.length; i++) words.push(singles[i]! + singles[i + 1]!);
    singles = [];
  };
  for (const piece of cut(text, true)) {
    if (!WORD.test(piece)) flush();
    else if ([...piece].length === 1 && HAN_ONLY.test(piece) && !isStopWord(piece)) singles.push(piece);
    else {
      flush();
      words.push(piece);
    }
  }
  flush();
  return words;
});

/**
 * Overlapping pairs of Chinese characters, folded; a run of one character gives that character. For matching that must not depend
 * on how a word was cut.
 */
export function bigrams(s: string): string[] {
  const pairs: string[] = [];
  for (const [run] of fold(s).matchAll(/\p{Script=Han}+/gu)) {
    const chars = [...run];
    if (chars.length === 1) pairs.push(run);
    for (let i = 0; i + 1 < chars.length; i++) pairs.push(chars[i]! + chars[i + 1]!);
  }
  return pairs;
}

/**
 * The tokens to index a text by, or to search with: folded words without stop words, and each identifier in lower case whole
 * and in parts. Repeats are kept, since their number counts.
 *
 * @example contentWords('OrderService.cancelExpired 怎么重试？')
 * // ['orderservice.cancelexpired', 'order', 'service', 'cancel', 'expired', '重试']
 */
export function contentWords(s: string): string[] {
  const folded = foldKeepingCase(s);
  const tokens: string[] = [];
  for (const { text } of identifierSpans(folded)) {
    const whole = text.toLowerCase();
    const parts = splitIdentifier(text);
    tokens.push(whole);
    if (parts.length === 1 && parts[0] === whole) continue;
    // A Chinese folder or file name (接入指南.md) is looked for by its words.
    for (const part of parts)
      tokens.push(...(HAN_ONLY.test(part) ? cutFolded(part) : [part]).filter((word) => !isStopWord(word)));
  }
  return tokens.concat(cutFolded(withoutIdentifiers(folded).toLowerCase()).filter((word) => !isStopWord(word)));
}

/** All forms of a text that the rest of Xihe compares. `words` are unique and without stop words. */
export function normalise(s: string): Normalised {
  const words = segment(s).filter((word) => !isStopWord(word));
  return { original: s, folded: fold(s), identifiers: identifiersOf(s), words: [...new Set(words)] };
}
