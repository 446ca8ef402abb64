import { foldKeepingCase } from './fold.js';
import { identifierSpans, splitIdentifier } from './identifiers.js';
import { segment } from './segment.js';
import { isStopWord } from './stopwords.js';

/** A token of a query and how much it counts beside the others. */
export interface WeightedToken {
  token: string;
  weight: number;
}

/**
 * What the pieces of an identifier count in a query, beside 1 for the whole. Who asks for `GreptimeDB` does not ask for every `db`;
 * who asks for `cancelExpired` does mean `OrderService.cancelExpired`. Measured on 276 questions over 6,612 passages: against 1 for
 * all of them MRR .598 instead of .579, and the bare identifiers lose nothing.
 */
const PIECE_WEIGHT = { run: 0.5, part: 0.2 } as const;

/** An identifier in lower case: whole, its runs between dots, slashes and underscores, and the words in those. */
function pieces(identifier: string): { whole: string; runs: string[]; parts: string[] } {
  const whole = identifier.toLowerCase();
  const runs = [...new Set(whole.match(/[\p{L}\p{N}]+/gu) ?? [])].filter((run) => run !== whole);
  const known = new Set([whole, ...runs]);
  const parts = splitIdentifier(identifier)
    // A Chinese folder or file name (接入指南.md) is looked for by its words.
    .flatMap((part) => (/\p{Script=Han}/u.test(part) ? segment(part) : [part]))
    .filter((part) => !known.has(part) && !isStopWord(part));
  return { whole, runs, parts };
}

/**
 * The tokens to index a passage by: folded words without stop words, and each identifier whole, in runs and in parts. Repeats are
 * kept, since their number counts.
 *
 * @example indexTokens('OrderService.cancelExpired 怎么重试？')
 * // ['orderservice.cancelexpired', 'orderservice', 'cancelexpired', 'order', 'service', 'cancel', 'expired', '重试']
 */
export function indexTokens(s: string): string[] {
  const folded = foldKeepingCase(s);
  const tokens: string[] = [];
  for (const { text } of identifierSpans(folded)) {
    const { whole, runs, parts } = pieces(text);
    tokens.push(whole, ...runs, ...parts);
  }
  return tokens.concat(segment(folded).filter((word) => !isStopWord(word)));
}

/**
 * The tokens to search such an index with, each once, in the order of the query. A word that the query repeats counts as often.
 *
 * @param s what somebody asks
 */
export function queryTokens(s: string): WeightedToken[] {
  const folded = foldKeepingCase(s);
  const weights = new Map<string, number>();
  const add = (token: string, weight: number) => weights.set(token, (weights.get(token) ?? 0) + weight);
  for (const { text } of identifierSpans(folded)) {
    const { whole, runs, parts } = pieces(text);
    add(whole, 1);
    for (const run of runs) add(run, PIECE_WEIGHT.run);
    for (const part of parts) add(part, PIECE_WEIGHT.part);
  }
  for (const word of segment(folded)) if (!isStopWord(word)) add(word, 1);
  return [...weights].map(([token, weight]) => ({ token, weight }));
}
