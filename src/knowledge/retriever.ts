import { Bm25Index, contentWords } from '../text/index.js';
import type { Chunk } from './types.js';

/** A chunk that answers a query. */
export interface RetrieverHit {
  chunk: Chunk;
  /** 0–1, comparable between queries: 1 would be a chunk that is all about every word of the query. */
  score: number;
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
}

/** Where a word stands matters: in the title or heading it says what the chunk is about. Plain values, not tuned on any data set. */
const FIELD_WEIGHTS = { body: 1, heading: 1.5, keywords: 1.5 } as const;

/** BM25 saturation; with it the most that one token can add is `idf × (K1 + 1)`. */
const K1 = 1.2;

/**
 * How much a word that no chunk holds lowers the score, beside one that a single chunk holds. A small corpus misses many words of
 * any question, so with 1 the score would depend on the size of the corpus; 0.35 made one threshold fit 30 to 6,600 chunks.
 */
const UNSEEN = 0.35;

/** Rejected by a filter, a hit makes room for the next: so many more are asked for. */
const OVERFETCH = 8;

/** BM25 over chunks: identifiers whole and in parts, jieba words for the rest, stop words dropped. */
export class LexicalRetriever implements Retriever {
  readonly name = 'bm25';
  private readonly index = new Bm25Index<number>({ k1: K1, fields: FIELD_WEIGHTS });
  private readonly chunks: readonly Chunk[];

  constructor(chunks: readonly Chunk[]) {
    this.chunks = chunks;
    const cut = remember(contentWords);
    for (const [i, chunk] of chunks.entries()) {
      this.index.add(i, {
        body: contentWords(chunk.content),
        heading: [...cut(chunk.title), ...cut(chunk.heading)],
        keywords: chunk.keywords.flatMap(cut),
      });
    }
    this.index.finish();
  }

  search(query: string, k: number, filter?: (chunk: Chunk) => boolean): RetrieverHit[] {
    const tokens = [...new Set(contentWords(query))];
    const best = tokens.reduce((sum, token) => sum + this.most(token), 0);
    if (best === 0) return [];
    const hits: RetrieverHit[] = [];
    for (const { id, score, matched } of this.index.search(tokens, filter ? k * OVERFETCH : k)) {
      const chunk = this.chunks[id] as Chunk;
      if (filter?.(chunk) === false) continue;
      hits.push({ chunk, score: score / best, matched });
      if (hits.length === k) break;
    }
    return hits;
  }

  /** The most that a token can add to a score. */
  private most(token: string): number {
    const df = this.index.documentFrequency(token);
    const n = this.index.size;
    const idf = (count: number) => Math.log(1 + (n - count + 0.5) / (count + 0.5));
    return (df === 0 ? UNSEEN * idf(1) : idf(df)) * (K1 + 1);
  }
}

/** Titles and keywords repeat in every chunk of a document: each is cut once. */
function remember(cut: (s: string) => string[]): (s: string) => string[] {
  const known = new Map<string, string[]>();
  return (s) => {
    const tokens = known.get(s) ?? cut(s);
    known.set(s, tokens);
    return tokens;
  };
}
