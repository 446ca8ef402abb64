import { setImmediate as nextTurn } from 'node:timers/promises';
import { XiheError } from '../errors.js';
import { indexTokens } from '../text/index.js';
import { type LexicalCache, tokensBeside } from './lexicalStore.js';
import { type Cut, READY_FILE, TokenCache } from './tokenCache.js';
import type { Chunk } from './types.js';

/** How long other work waits for this one, in milliseconds. */
const TURN_MS = 25;

/** How often what was cut is kept, in milliseconds: that much is lost at most when the process ends. */
const KEEP_MS = 5000;

export interface CutAheadOptions {
  signal?: AbortSignal | undefined;
  /** Told after each turn; `total` counts the chunks that no file has tokens of. */
  onProgress?: (done: number, total: number) => void;
  /** Default {@link indexTokens}. */
  cut?: Cut;
  /** Default {@link TURN_MS}. */
  turnMs?: number;
}

/**
 * Cuts the chunks that were not cut before, a turn at a time, and keeps their tokens: {@link openLexicalIndex} then makes its
 * index in a tenth of the time. For a project of thousands of chunks, whose first index would make everyone wait (jieba takes
 * about 1 ms a chunk). What was cut before an abort or a crash stays.
 *
 * @returns how many chunks were cut
 * @throws XiheError CANCELLED
 */
export async function cutAhead(
  chunks: readonly Chunk[],
  cache: Pick<LexicalCache, 'file'>,
  options: CutAheadOptions = {},
): Promise<number> {
  const { signal, onProgress, cut = indexTokens, turnMs = TURN_MS } = options;
  const tokens = new TokenCache(tokensBeside(cache.file), READY_FILE(), cut);
  const missing: Chunk[] = [];
  // All that is known is taken over first, so that what is kept on the way holds it.
  await inTurns(chunks, turnMs, signal, (chunk) => {
    if (tokens.known(chunk) === undefined) missing.push(chunk);
  });
  let keptAt = performance.now();
  try {
    await inTurns(
      missing,
      turnMs,
      signal,
      (chunk) => tokens.of(chunk),
      (done) => {
        onProgress?.(done, missing.length);
        if (performance.now() - keptAt < KEEP_MS) return;
        tokens.save();
        keptAt = performance.now();
      },
    );
  } finally {
    tokens.save();
  }
  return tokens.isOutdated ? tokens.cutNow + (await cutAhead(chunks, cache, options)) : tokens.cutNow;
}

async function inTurns(
  chunks: readonly Chunk[],
  turnMs: number,
  signal: AbortSignal | undefined,
  work: (chunk: Chunk) => unknown,
  afterTurn?: (done: number) => void,
): Promise<void> {
  let from = performance.now();
  for (const [i, chunk] of chunks.entries()) {
    work(chunk);
    if (performance.now() - from < turnMs && i + 1 < chunks.length) continue;
    afterTurn?.(i + 1);
    await nextTurn();
    if (signal?.aborted && i + 1 < chunks.length)
      throw new XiheError('CANCELLED', '建立知识索引时被取消', { hint: '下次会从切好的地方接着来。' });
    from = performance.now();
  }
}
