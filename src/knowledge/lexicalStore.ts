import { stateBytes, writeAtomic } from '../stateFile.js';
import { Bm25Index, indexTokens } from '../text/index.js';
import { isAlive, type Probe, probedPlaces, probesOf } from './lexicalCheck.js';
import { type Cut, FIELDS, READY_FILE, TokenCache } from './tokenCache.js';
import type { Chunk } from './types.js';

/** Where a lexical index is kept between processes. */
export interface LexicalCache {
  /** Absolute path of a file; one that can't be read or written costs time, nothing else. The tokens lie beside it. */
  file: string;
  /** Names the chunks and everything that decides how they are cut. */
  key: string;
}

/** A lexical index that is ready to be asked. Its ids are places in the list of chunks. */
export interface OpenedIndex {
  index: Bm25Index<number>;
  /** How many chunks had to be cut now: 0 when everything was read. */
  cut: number;
  /** In Chinese: what is wrong with it, when it does not find what it holds. */
  problem?: string;
}

/** Where a word stands matters: in the title or heading it says what the chunk is about. Plain values, not tuned on any data set. */
const FIELD_WEIGHTS = { body: 1, heading: 1.5, keywords: 1.5 } as const;

/** BM25 saturation; with it the most that one token can add is `idf × (K1 + 1)`. */
export const K1 = 1.2;

const DEAD = '关键词检索没通过自检：用段落自己的词找不到这个段落，重建后也一样，搜索结果会缺。请重装 xihe 再试';

/**
 * The index of these chunks: read from its file, else made of kept tokens, else cut. Each index is asked for what it must find
 * before it is trusted; one that fails is made anew from the texts, once.
 *
 * @param options.cut default {@link indexTokens}
 * @param options.readyFile tokens that ship; default those of the package
 */
export function openLexicalIndex(
  chunks: readonly Chunk[],
  cache?: LexicalCache,
  options: { cut?: Cut; readyFile?: string } = {},
): OpenedIndex {
  const stored = cache && readIndex(cache, chunks.length);
  if (stored !== undefined) return { index: stored, cut: 0 };
  const { cut = indexTokens, readyFile = READY_FILE() } = options;
  const made = makeIndex(chunks, new TokenCache(cache && tokensBeside(cache.file), readyFile, cut), cache);
  if (made.problem === undefined) return made;
  return makeIndex(chunks, new TokenCache(undefined, undefined, cut), cache);
}

/** `state/knowledge-index.bin` → `state/knowledge-index.tokens.bin`. */
export function tokensBeside(file: string): string {
  return `${file.replace(/\.\w+$/, '')}.tokens.bin`;
}

/** Only what finds what it holds is kept. */
function makeIndex(chunks: readonly Chunk[], tokens: TokenCache, cache?: LexicalCache): OpenedIndex {
  const { index, probes } = indexOf(chunks, tokens);
  const made = { index, cut: tokens.cutNow };
  if (!isAlive(index, probes, chunks.length)) return { ...made, problem: DEAD };
  if (cache !== undefined) writeAtomic(cache.file, index.toPieces({ key: cache.key, probes } satisfies Note));
  tokens.save();
  return made;
}

function indexOf(chunks: readonly Chunk[], tokens: TokenCache): { index: Bm25Index<number>; probes: Probe[] } {
  const index = new Bm25Index<number>({ k1: K1, fields: FIELD_WEIGHTS });
  const probed = new Set(probedPlaces(chunks.length));
  const samples = new Map<number, readonly string[]>();
  for (const [i, chunk] of chunks.entries()) {
    const fields = tokens.of(chunk);
    index.add(i, Object.fromEntries(FIELDS.map((name, n) => [name, fields[n] ?? []])));
    if (probed.has(i)) samples.set(i, fields.flat());
  }
  index.finish();
  return { index, probes: probesOf(samples, index) };
}

/** What is kept with the index. */
interface Note {
  key: string;
  probes: Probe[];
}

function readIndex(cache: LexicalCache, size: number): Bm25Index<number> | undefined {
  try {
    const isOurs = (note: unknown) => (note as Note).key === cache.key;
    const { index, note } = Bm25Index.fromBytes<number>(stateBytes(cache.file), isOurs);
    return isAlive(index, (note as Note).probes, size) ? index : undefined;
  } catch {
    // Not there, cut off by a crash, or of another version: made anew.
    return undefined;
  }
}
