import { identifiersOf } from '../text/index.js';
import { scoreOfStanding, standing } from './answering.js';
import type { Meaning } from './meaning.js';
import type { RetrieverHit } from './retriever.js';

/**
 * What the vectors count in the order of hits, by kind of query; the rest is the lexical arm's. Between .70 and .82 sentences measure
 * alike; bare identifiers are best at .2 to .4 (the model has not seen a team's names).
 */
export const VECTOR_SHARE = { sentence: 0.77, identifier: 0.3 } as const;

export type QueryKind = keyof typeof VECTOR_SHARE;

/** Characters beside its identifiers that a query may hold and still be a bare identifier. */
const REST = /[\s'"`“”‘’「」()（）[\]{}<>《》,，、;；:：.。?？!！$=|/\\*+-]/gu;

/** Whether a query is nothing but names in code (`tls.client_cert`, `HomeKit`), or says something about them. */
export function kindOf(query: string): QueryKind {
  if (/\p{Script=Han}/u.test(query)) return 'sentence';
  let rest = query.normalize('NFKC').trim();
  // One run without a space is a name even where no pattern knows it: `eg:127.0.0.1:2181`, `httpclient-4.5.2`.
  if (!/\s/.test(rest)) return 'identifier';
  const names = identifiersOf(rest);
  for (const name of names.sort((a, b) => b.length - a.length)) rest = rest.replaceAll(name, '');
  const words = rest.replace(REST, ' ').split(' ').filter(Boolean);
  return words.length <= (names.length > 0 ? 0 : 1) ? 'identifier' : 'sentence';
}

/** A hit of both arms. */
export interface FusedHit extends RetrieverHit {
  /** Orders the hits of one query; not comparable between queries. */
  rank: number;
  /** The score of the words alone. */
  words: number;
  /** See {@link Meaning.of}. */
  closeness?: number;
  /** What says whether the hit is good enough: of a bare identifier the model knows nothing. */
  decidedBy: 'both' | 'words';
}

/** Where the nearest chunk of all lies this little above unrelated ones, differences of closeness are noise and are not blown up. */
const SPREAD_MIN = 0.05;

/**
 * The same for words: the best hit of a query whose words nobody says holds one of them by chance, and must not outweigh what is near. This
 * much of what a passage about all words would get; half the questions have one that gets more.
 */
const WORDS_MIN = 0.45;

/**
 * Brings the hits of both arms into one order. Each arm's scores are put on a scale from 0 to 1 over the corpus first, the lexical ones
 * by the best hit, the vectors' so that an unrelated chunk is at one half and the nearest at 1. Sums of scaled scores were better than
 * reciprocal ranks (MRR .72 and .69 on the same questions).
 *
 * @param hits candidates of either arm, each chunk once; `raw` 0 where the lexical arm did not find it
 * @returns best first
 */
export function fuse(hits: readonly RetrieverHit[], meaning: Meaning, kind: QueryKind): FusedHit[] {
  const share = VECTOR_SHARE[kind];
  const strongest = Math.max(...hits.map(({ raw, ideal }) => Math.max(raw, WORDS_MIN * ideal)), Number.MIN_VALUE);
  const spread = Math.max(SPREAD_MIN, meaning.best);
  // What has no vector yet is taken to be as near as its words say.
  const most = meaning.bound === undefined ? 1 : onScale(meaning.bound, spread);
  const ranked = hits.map((hit) => {
    const lexical = hit.raw / strongest;
    const closeness = meaning.of(hit.chunk);
    const near = closeness === undefined ? Math.min(lexical, most) : onScale(closeness, spread);
    return { hit, closeness, rank: share * near + (1 - share) * lexical };
  });
  ranked.sort((a, b) => b.rank - a.rank);
  return ranked.map((one) => fusedHit(one, kind));
}

/** An unrelated passage is at one half, the nearest at 1. */
function onScale(closeness: number, spread: number): number {
  return 0.5 + (0.5 * closeness) / spread;
}

function fusedHit({ hit, closeness, rank }: Ranked, kind: QueryKind): FusedHit {
  const words = hit.score;
  if (closeness === undefined) return { ...hit, rank, words, decidedBy: 'words' };
  if (kind === 'identifier') return { ...hit, rank, words, closeness, decidedBy: 'words' };
  const score = scoreOfStanding(standing({ closeness, words }));
  return { ...hit, rank, words, closeness, score, decidedBy: 'both' };
}

interface Ranked {
  hit: RetrieverHit;
  closeness: number | undefined;
  rank: number;
}
