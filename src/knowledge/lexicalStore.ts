import { readFileSync } from 'node:fs';
import { Bm25Index, contentWords } from '../text/index.js';
import { writeAtomic } from './atomicFile.js';
import type { Chunk } from './types.js';

/** Where a lexical index is kept between processes. */
export interface LexicalCache {
  /** Absolute path of a file; one that can't be read or written costs time, nothing else. */
  file: string;
  /** Names the chunks and everything that decides how they are cut. */
  key: string;
}

/** A lexical index that is ready to be asked. Its ids are places in the list of chunks. */
export interface OpenedIndex {
  index: Bm25Index<number>;
  /** In Chinese: what is wrong with it, when it does not find what it holds. */
  problem?: string;
}

/** Where a word stands matters: in the title or heading it says what the chunk is about. Plain values, not tuned on any data set. */
const FIELD_WEIGHTS = { body: 1, heading: 1.5, keywords: 1.5 } as const;

/** BM25 saturation; with it the most that one token can add is `idf × (K1 + 1)`. */
export const K1 = 1.2;

/**
 * The index of these chunks, from a file when it holds their index. Cutting a few dozen chunks means loading jieba (0.15 s),
 * which a question without Chinese in a cold process does not need otherwise.
 */
export function openLexicalIndex(chunks: readonly Chunk[], cache?: LexicalCache): OpenedIndex {
  if (cache === undefined) return { index: indexOf(chunks) };
  const kept = readIndex(cache, chunks.length);
  if (kept) return { index: kept };
  const index = indexOf(chunks);
  writeIndex(cache, index);
  return { index };
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

function readIndex(cache: LexicalCache, size: number): Bm25Index<number> | undefined {
  try {
    const { index, note } = Bm25Index.fromBytes<number>(readFileSync(cache.file));
    return (note as { key?: unknown } | undefined)?.key === cache.key && index.size === size ? index : undefined;
  } catch {
    // Not there, cut off by a crash, or of another version: made anew.
    return undefined;
  }
}

function writeIndex(cache: LexicalCache, index: Bm25Index<number>): void {
  writeAtomic(cache.file, index.toPieces({ key: cache.key }));
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
