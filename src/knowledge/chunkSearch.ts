import { type FusedHit, fuse, kindOf } from './fusion.js';
import type { LexicalCache } from './lexicalStore.js';
import type { Meaning } from './meaning.js';
import { inOrderOf } from './rerank.js';
import { LexicalRetriever, type RelatedTerm, type RetrieverHit } from './retriever.js';
import { TWINS_MAX, withoutTwins } from './twins.js';
import type { Chunk } from './types.js';

/** A chunk that answers a query, and why (in Chinese). */
export interface SearchHit extends RetrieverHit, Pick<FusedHit, 'closeness' | 'words' | 'decidedBy'> {
  why: string;
}

export interface ChunkSearchOptions {
  /** Leaves chunks out before they are counted. */
  filter?: ((chunk: Chunk) => boolean) | undefined;
  /** What vectors say about the query; without it words decide alone. */
  meaning?: Meaning | undefined;
  /** Ids of chunks that come first, in this order, where they are among the hits. */
  order?: readonly string[] | undefined;
}

/**
 * How many of each arm's best are looked at. With 200 every measure of `bench:retrieve` (369 questions, 6,612 passages) stays the same.
 */
const CANDIDATES = 100;

/** Chunks by words and, where there are vectors, by meaning. */
export class ChunkSearch {
  private readonly words: LexicalRetriever;

  /** @param related words that a query also means; asked only where there are no vectors, which know them themselves */
  constructor(
    private readonly chunks: readonly Chunk[],
    cache: LexicalCache | undefined,
    private readonly related?: ((query: string) => RelatedTerm[]) | undefined,
  ) {
    this.words = new LexicalRetriever(chunks, cache);
  }

  /** In Chinese: what is wrong with an arm that can not find what it holds. */
  get problem(): string | undefined {
    return this.words.problem;
  }

  /** In what share of the chunks a word stands, 0–1. */
  shareOf(word: string): number {
    return this.words.shareOf(word);
  }

  /** Best first, at most `k`. */
  search(query: string, k: number, options: ChunkSearchOptions = {}): SearchHit[] {
    const hits = this.fused(query, k, options);
    return options.order === undefined ? hits : inOrderOf(hits, options.order);
  }

  private fused(query: string, k: number, { filter, meaning }: ChunkSearchOptions): SearchHit[] {
    // A meaning of chunks that are no longer in force (a reload came between) would name others by their places.
    if (meaning === undefined || meaning.chunks !== this.chunks || meaning.missing === this.chunks.length) {
      const related = this.related?.(query);
      const hits = this.words.search(query, k + TWINS_MAX, { filter, related });
      return withoutTwins(hits, k).map((hit) => ({ ...hit, words: hit.score, decidedBy: 'words', why: whyOf(hit) }));
    }
    const depth = Math.max(k, CANDIDATES);
    const places = meaning.nearest(depth, filter);
    const hits = this.words.search(query, depth, { filter, places });
    const fused = fuse(hits, meaning, kindOf(query));
    return withoutTwins(fused, k).map((hit) => ({ ...hit, why: whyOf(hit) }));
  }
}

/** Words of a query that are named as the reason. */
const WORDS_NAMED = 6;

function whyOf({ matched }: RetrieverHit): string {
  return matched.length === 0 ? '意思相近' : `命中词：${matched.slice(0, WORDS_NAMED).join('、')}`;
}
