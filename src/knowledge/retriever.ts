import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Bm25Index, type Bm25Json, contentWords } from '../text/index.js';
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

/** Where a word stands matters: in the title or heading it says what the chunk is about. Plain values, not tuned on any data set. */
const FIELD_WEIGHTS = { body: 1, heading: 1.5, keywords: 1.5 } as const;

/** BM25 saturation; with it the most that one token can add is `idf × (K1 + 1)`. */
const K1 = 1.2;

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
  private readonly index: Bm25Index<number>;
  private readonly chunks: readonly Chunk[];

  constructor(chunks: readonly Chunk[], index: Bm25Index<number> = indexOf(chunks)) {
    this.chunks = chunks;
    this.index = index;
  }

  /**
   * The retriever of these chunks, from a file when it holds their index. Cutting a few dozen chunks means loading jieba (0.15 s),
   * which a question without Chinese in a cold process does not need otherwise.
   *
   * @param cache.file where the index is kept; a file that can't be read or written costs time, nothing else
   * @param cache.key names the chunks and everything that decides how they are cut
   */
  static open(chunks: readonly Chunk[], cache: { file: string; key: string }): LexicalRetriever {
    const kept = readIndex(cache, chunks.length);
    if (kept) return new LexicalRetriever(chunks, kept);
    const made = new LexicalRetriever(chunks);
    writeIndex(cache, made.index);
    return made;
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

function indexOf(chunks: readonly Chunk[]): Bm25Index<number> {
  const index = new Bm25Index<number>({ k1: K1, fields: FIELD_WEIGHTS });
  const cut = remember(contentWords);
  for (const [i, chunk] of chunks.entries()) {
    index.add(i, {
      body: contentWords(chunk.content),
      heading: [...cut(chunk.title), ...cut(chunk.heading)],
      keywords: chunk.keywords.flatMap(cut),
    });
  }
  index.finish();
  return index;
}

function readIndex(cache: { file: string; key: string }, size: number): Bm25Index<number> | undefined {
  try {
    const kept = JSON.parse(readFileSync(cache.file, 'utf8')) as { key: string; index: Bm25Json<number> };
    if (kept.key !== cache.key) return undefined;
    const index = Bm25Index.fromJSON(kept.index);
    return index.size === size ? index : undefined;
  } catch {
    // Not there, cut off by a crash, or of another version: made anew.
    return undefined;
  }
}

function writeIndex(cache: { file: string; key: string }, index: Bm25Index<number>): void {
  const temp = `${cache.file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(cache.file), { recursive: true });
    writeFileSync(temp, JSON.stringify({ key: cache.key, index: index.toJSON() }));
    renameSync(temp, cache.file);
  } catch {
    // A read-only or full disk: the next process makes the index again.
    if (existsSync(temp)) rmSync(temp, { force: true });
  }
}

function sum(tokens: readonly string[], weights: ReadonlyMap<string, number>): number {
  return tokens.reduce((total, token) => total + (weights.get(token) ?? 0), 0);
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
