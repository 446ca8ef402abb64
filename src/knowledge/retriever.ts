import { contentWords } from '../text/index.js';
import { K1, type LexicalCache, type OpenedIndex, openLexicalIndex } from './lexicalStore.js';
import type { Chunk } from './types.js';

/** A chunk that answers a query. */
export interface RetrieverHit {
  chunk: Chunk;
  /** 0–1, comparable between queries: 1 would be a chunk that is all about every word of the query. */
  score: number;
  /** 0–1: how much of the query it is about, where the retriever knows. */
  coverage: number;
  /** The words of the query that it holds. */
  matched: string[];
}

/**
 * One way to find chunks by meaning. The lexical one is always there; others (vectors) come beside it, and fusion behind the
 * same face.
 */
export interface Retriever {
  readonly name: string;
  /** Best first, at most `k`. */
  search(query: string, k: number, filter?: (chunk: Chunk) => boolean): RetrieverHit[];
  /** In what share of the chunks a word stands, 0–1. */
  shareOf(word: string): number;
}

/**
 * How much a word that no chunk holds lowers the score, beside the rarest word of the query that some chunk holds. A small corpus
 * misses many words of any question, so with 1 the score would depend on the size of the corpus; 0.35 made one threshold fit 30
 * to 6,600 chunks.
 */
const UNSEEN = 0.35;

/** In a corpus of a few chunks the rarity of a word says nothing; below this size it is taken as if there were so many. */
const SMALL = 50;

/** BM25 over chunks: identifiers whole and in parts, jieba words for the rest, stop words dropped. */
export class LexicalRetriever implements Retriever {
  readonly name = 'bm25';
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

  search(query: string, k: number, filter?: (chunk: Chunk) => boolean): RetrieverHit[] {
    const tokens = [...new Set(contentWords(query))];
    const weights = this.weigh(tokens);
    const all = sum(tokens, weights);
    const found = this.index.search(tokens, filter || this.index.size < SMALL ? this.index.size : k);
    const hits: RetrieverHit[] = [];
    for (const { id, score, matched } of found) {
      const chunk = this.chunks[id] as Chunk;
      if (filter?.(chunk) === false) continue;
      // How much the chunk is about the words that it holds, times how much of the query those are.
      const about = score / ((K1 + 1) * matched.reduce((total, token) => total + this.idf(token, this.index.size), 0));
      const coverage = sum(matched, weights) / all;
      hits.push({ chunk, score: about * coverage, coverage, matched });
    }
    // From SMALL on this is the order of the index already.
    return hits.sort((a, b) => b.score - a.score).slice(0, k);
  }

  shareOf(word: string): number {
    return this.index.documentFrequency(word) / Math.max(SMALL, this.index.size);
  }

  /** What each token of a query is worth. */
  private weigh(tokens: readonly string[]): Map<string, number> {
    const seen = tokens.filter((token) => this.index.documentFrequency(token) > 0);
    const weights = new Map(seen.map((token) => [token, this.idf(token, Math.max(SMALL, this.index.size))]));
    const unseen = UNSEEN * Math.max(0, ...weights.values());
    for (const token of tokens) if (!weights.has(token)) weights.set(token, unseen);
    return weights;
  }

  private idf(token: string, size: number): number {
    const df = this.index.documentFrequency(token);
    return Math.log(1 + (size - df + 0.5) / (df + 0.5));
  }
}

function sum(tokens: readonly string[], weights: ReadonlyMap<string, number>): number {
  return tokens.reduce((total, token) => total + (weights.get(token) ?? 0), 0);
}
