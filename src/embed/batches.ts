import { abortError } from './errors.js';
import type { EmbedOptions } from './types.js';

/** DashScope takes 10 texts in a request, OpenAI 2,048, a local server as many as memory holds; 10 works everywhere. */
const BATCH_SIZE = 10;
/** Characters of one request: about 8k tokens of Chinese, which also small windows of whole requests hold. */
const BATCH_CHARS = 12_000;
/** Requests under way at once. */
const PARALLEL = 2;

/** How texts are sent somewhere else. */
export interface Batching {
  /** Texts in one request at most. */
  size?: number | undefined;
  /** One request: a vector of length 1 a text, in order. */
  request(texts: string[], signal: AbortSignal): Promise<Float32Array[]>;
  /** Whether a smaller request may work where this one failed: then it is halved. */
  maybeTooMuch?(e: unknown): boolean;
}

/**
 * Sends texts in batches, two at a time, with progress. The first failure ends the others.
 *
 * @throws what a request throws; what its signal says when that fired
 */
export async function embedInBatches(
  texts: readonly string[],
  { signal, onProgress, onVector }: EmbedOptions,
  { size = BATCH_SIZE, request, maybeTooMuch = () => false }: Batching,
): Promise<Float32Array[]> {
  if (signal?.aborted) throw abortError(signal);
  const out: Float32Array[] = new Array(texts.length);
  const batches = batchesOf(texts, size);
  const rest = new AbortController();
  const both = signal === undefined ? rest.signal : AbortSignal.any([signal, rest.signal]);
  let done = 0;
  const work = async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      const asked = batch.map((i) => texts[i]!);
      const vectors = await request(asked, both).catch((e: unknown) => {
        if (batch.length === 1 || !maybeTooMuch(e)) throw e;
        const half = Math.ceil(batch.length / 2);
        batches.unshift(batch.slice(0, half), batch.slice(half));
        return undefined;
      });
      if (vectors === undefined) continue;
      for (const [k, i] of batch.entries()) {
        out[i] = vectors[k]!;
        onVector?.(i, vectors[k]!);
      }
      done += batch.length;
      onProgress?.(done, texts.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: PARALLEL }, work));
    return out;
  } catch (e) {
    throw signal?.aborted ? abortError(signal) : e;
  } finally {
    rest.abort();
  }
}

/** Indices of the texts, in batches bounded by count and characters; a text of any length is in one. */
function batchesOf(texts: readonly string[], size: number): number[][] {
  const batches: number[][] = [];
  let chars = 0;
  for (const [i, text] of texts.entries()) {
    const last = batches.at(-1);
    if (last === undefined || last.length >= size || chars + text.length > BATCH_CHARS) {
      batches.push([i]);
      chars = text.length;
    } else {
      last.push(i);
      chars += text.length;
    }
  }
  return batches;
}
