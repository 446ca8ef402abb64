import { contentWords } from '../text/index.js';
import type { RetrieverHit } from './retriever.js';
import type { Chunk } from './types.js';

/** A word in more chunks than the first share does not say alone which one is meant (证书, 定时); above the second not even with others (接口, 没有). */
const RARE_SHARE = 0.025;
const COMMON_SHARE = 0.12;

/** So much of a query is all of it: what is missing are words that say nothing. */
const ALL_OF_IT = 0.95;

/**
 * What ships speaks of two hundred subjects that most requests have nothing to do with, so sharing a chunk's words is not enough: the
 * request has to say two words of its title, heading or keywords, one that is rare, or nothing else (「时区」, 「微信支付回调」). Over 330 chunks, 213 everyday utterances and 47
 * questions about what ships: passages about something else come with 5 instead of 22, and 42 questions find theirs as before.
 */
export function namesSubject({ chunk, matched, coverage }: RetrieverHit, shareOf: (word: string) => number): boolean {
  if (chunk.provenance.layer !== 'general') return true;
  const subject = subjectOf(chunk);
  const named = wholeWords(matched.filter((word) => word.length >= 2 && subject.has(word)));
  const words = wholeWords(matched.filter((word) => word.length >= 2));
  if (named.length > 0 && named.length === words.length && coverage >= ALL_OF_IT) return true;
  const rarest = Math.min(1, ...named.map((word) => shareOf(word)));
  return rarest <= (named.length >= 2 ? COMMON_SHARE : RARE_SHARE);
}

const subjects = new WeakMap<Chunk, ReadonlySet<string>>();

function subjectOf(chunk: Chunk): ReadonlySet<string> {
  let words = subjects.get(chunk);
  if (words === undefined) {
    words = new Set([chunk.title, chunk.heading, ...chunk.keywords].flatMap(contentWords));
    subjects.set(chunk, words);
  }
  return words;
}

/** 数据 and 据库 are parts of 数据库, not words beside it. */
export function wholeWords(words: readonly string[]): string[] {
  return words.filter((word) => !words.some((other) => other !== word && other.includes(word)));
}
