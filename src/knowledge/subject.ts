import { indexTokens } from '../text/index.js';
import type { RetrieverHit } from './retriever.js';
import type { Chunk } from './types.js';

/** A word in more chunks than the first share does not say alone which one is meant (证书, 定时); above the second not even with others (接口, 没有). */
const RARE_SHARE = 0.025;
const COMMON_SHARE = 0.12;

/** So much of a query is all of it: what is missing are words that say nothing. Then only words of every sixth chunk (接口, 调用) are too common. */
const ALL_OF_IT = 0.95;
const EVERYWHERE_SHARE = 0.165;

/**
 * What ships speaks of two hundred subjects that most requests have nothing to do with, so sharing a chunk's words is not enough: the
 * request has to say two words of its title, heading or keywords, one that is rare, or nothing else (「时区」, 「微信支付回调」). Over 330 chunks, 213 everyday utterances and 47
 * questions about what ships: passages about something else come with 5 instead of 22, and 42 questions find theirs as before.
 */
export function namesSubject(
  { chunk, matched, coverage }: RetrieverHit,
  query: string,
  shareOf: (word: string) => number,
): boolean {
  if (chunk.provenance.layer !== 'general') return true;
  if (isOfRival(chunk.title, query)) return false;
  const subject = subjectOf(chunk);
  const named = wholeWords(matched.filter((word) => word.length >= 2 && subject.has(word)));
  const words = wholeWords(matched.filter((word) => word.length >= 2));
  const rarest = Math.min(1, ...named.map((word) => shareOf(word)));
  const isAll = named.length === words.length && coverage >= ALL_OF_IT;
  return rarest <= (isAll ? EVERYWHERE_SHARE : named.length >= 2 ? COMMON_SHARE : RARE_SHARE);
}

/**
 * Names that stand for each other's opposite: who asks about one is not helped by the other's page. Longer ones first, so that 企业微信 is
 * not 微信.
 */
const RIVALS: readonly RegExp[] = [
  /企业微信|企微|微信|支付宝|钉钉|飞书|银联|云闪付|高德|百度|腾讯云|阿里云/g,
  /\b(?:java(?:script)?|typescript|node|python|pandas|golang|go|php)\b/gi,
];

/** Whether a title is about another product than the one that is asked about. */
function isOfRival(title: string, query: string): boolean {
  return RIVALS.some((names) => {
    const asked = namesIn(query, names);
    const told = namesIn(title, names);
    return asked.length > 0 && told.length > 0 && !told.some((name) => asked.includes(name));
  });
}

/** Spellings of one product. */
const SAME: Record<string, string> = {
  企微: '企业微信',
  云闪付: '银联',
  golang: 'go',
  pandas: 'python',
  typescript: 'javascript',
  node: 'javascript',
};

function namesIn(text: string, names: RegExp): string[] {
  return [...text.matchAll(names)].map(([name]) => SAME[name.toLowerCase()] ?? name.toLowerCase());
}

const subjects = new WeakMap<Chunk, ReadonlySet<string>>();

function subjectOf(chunk: Chunk): ReadonlySet<string> {
  let words = subjects.get(chunk);
  if (words === undefined) {
    words = new Set([chunk.title, chunk.heading, ...chunk.keywords].flatMap(indexTokens));
    subjects.set(chunk, words);
  }
  return words;
}

/** 数据 and 据库 are parts of 数据库, not words beside it. */
export function wholeWords(words: readonly string[]): string[] {
  return words.filter((word) => !words.some((other) => other !== word && other.includes(word)));
}
