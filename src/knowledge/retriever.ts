import { type Bm25Hit, indexTokens, queryTokens, type WeightedToken } from '../text/index.js';
import { K1, type LexicalCache, type OpenedIndex, openLexicalIndex } from './lexicalStore.js';
import type { Chunk } from './types.js';

/** A chunk that answers a query. */
export interface RetrieverHit {
  chunk: Chunk;
  /** 0–1, comparable between queries: 1 would be a chunk that is all about every word of the query. */
  score: number;
  /** 0–1: how much of the query it is about, as far as words tell. */
  coverage: number;
  /** The words of the query that it holds. */
  matched: string[];
  /** The sum of BM25; orders the hits of one query. */
  raw: number;
  /** What `raw` would be for a chunk that is all about every word of the query. */
  ideal: number;
}

/** A word that a query also means. */
export interface RelatedTerm {
  word: string;
  /** 0–1, beside 1 for a word of the query itself. */
  weight: number;
}

export interface SearchOptions {
  /** Leaves chunks out before they are counted. */
  filter?: ((chunk: Chunk) => boolean) | undefined;
  /** Words that the query also means; they find chunks but count for no coverage. */
  related?: readonly RelatedTerm[] | undefined;
  /** Places (in the list of chunks) that are to be among the hits, found or not. */
  places?: readonly number[] | undefined;
}

/**
 * How much a word that no chunk holds lowers the score, beside the rarest word of the query that some chunk holds. A small corpus
 * misses many words of any question, so with 1 the score would depend on the size of the corpus; 0.35 made one threshold fit 30
 * to 6,600 chunks.
 */
const UNSEEN = 0.35;

/** In a corpus of a few chunks the rarity of a word says nothing; below this size it is taken as if there were so many. */
const SMALL = 50;

/** BM25 over chunks: identifiers whole and in pieces, jieba words for the rest, stop words dropped. */
export class LexicalRetriever {
  /** In Chinese: what is wrong with the index, when it does not find what it holds. */
  readonly problem: string | undefined;
  private readonly index: OpenedIndex['index'];

  /** @param cache keeps the index between processes; without it each process makes its own */
  constructor(
    private readonly chunks: readonly Chunk[],
    cache?: LexicalCache,
  ) {
    const { index, problem } = openLexicalIndex(chunks, cache);
    this.index = index;
    this.problem = problem;
  }

  /** Best first, at most `k` beside {@link SearchOptions.places}. */
  search(query: string, k: number, options: SearchOptions = {}): RetrieverHit[] {
    const { filter, related = [], places = [] } = options;
    const own = queryTokens(query);
    const scale = this.scaleOf(own);
    const scores = this.index.scores([...own, ...tokensOf(related, own)]);
    const byChunk = filter && ((place: number) => filter(this.chunks[place] as Chunk));
    const small = this.index.size < SMALL;
    const found = scores.top(small ? this.index.size : k, byChunk);
    const known = new Set(found.map(({ id }) => id));
    const more = places.filter((place) => !known.has(place)).map((place) => scores.hit(place) ?? nothingOf(place));
    const hits = [...found, ...more].map((hit) => this.hitOf(hit, scale));
    hits.sort((a, b) => (small ? b.score - a.score : b.raw - a.raw));
    return places.length > 0 ? hits : hits.slice(0, k);
  }

  /** In what share of the chunks a word stands, 0–1. */
  shareOf(word: string): number {
    return this.index.documentFrequency(word) / Math.max(SMALL, this.index.size);
  }

  private hitOf({ id, score, matched }: Bm25Hit<number>, { weights, worth, all }: Scale): RetrieverHit {
    const words = matched.filter((token) => weights.has(token));
    const most = (K1 + 1) * sum(words, (token) => (weights.get(token) as number) * this.idf(token, this.index.size));
    // How much the chunk is about the words that it holds, times how much of the query those are.
    const coverage = all === 0 ? 0 : sum(words, (token) => worth.get(token) ?? 0) / all;
    const about = most === 0 ? 0 : Math.min(1, score / most);
    return {
      chunk: this.chunks[id] as Chunk,
      score: about * coverage,
      coverage,
      matched: words,
      raw: score,
      ideal: (K1 + 1) * all,
    };
  }

  /** What each token of a query is worth. */
  private scaleOf(tokens: readonly WeightedToken[]): Scale {
    const weights = new Map(tokens.map(({ token, weight }) => [token, weight]));
    const rarity = new Map<string, number>();
    for (const { token } of tokens)
      if (this.index.documentFrequency(token) > 0) rarity.set(token, this.idf(token, Math.max(SMALL, this.index.size)));
    const unseen = UNSEEN * Math.max(0, ...rarity.values());
    const worth = new Map(tokens.map(({ token, weight }) => [token, weight * (rarity.get(token) ?? unseen)]));
    return { weights, worth, all: sum([...worth.values()], (value) => value) };
  }

  private idf(token: string, size: number): number {
    const df = this.index.documentFrequency(token);
    return Math.log(1 + (size - df + 0.5) / (df + 0.5));
  }
}

/** What the tokens of a query weigh, by the query (`weights`) and by how rare they are as well (`worth`). */
interface Scale {
  weights: ReadonlyMap<string, number>;
  worth: ReadonlyMap<string, number>;
  all: number;
}

function nothingOf(id: number): Bm25Hit<number> {
  return { id, score: 0, matched: [] };
}

/** The tokens of related words that are none of the query's own; a word of several shares its weight among them. */
function tokensOf(related: readonly RelatedTerm[], own: readonly WeightedToken[]): WeightedToken[] {
  const known = new Set(own.map(({ token }) => token));
  const weights = new Map<string, number>();
  for (const { word, weight } of related) {
    const tokens = [...new Set(indexTokens(word))].filter((token) => !known.has(token));
    for (const token of tokens) weights.set(token, Math.max(weights.get(token) ?? 0, weight / tokens.length));
  }
  return [...weights].map(([token, weight]) => ({ token, weight }));
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
