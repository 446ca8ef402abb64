import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  decodeRecord,
  type Encoding,
  encodeRecord,
  isWhole,
  KEY_BYTES,
  recordBytes,
  roundTrip,
} from './cacheRecord.js';
import { Segments } from './cacheSegments.js';
import { abortError } from './errors.js';
import type { Embedder, EmbedKind, EmbedOptions } from './types.js';

/** 256 MB are 650,000 vectors of 384 dimensions at 8 bits. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Segment number × this + offset is one safe integer, which keeps 200,000 entries at 20 MB. */
const OFFSETS = 2 ** 32;

export interface VectorCacheOptions {
  /** Folder for all models; each (id, encoding) gets one of its own in it. */
  dir: string;
  /** The embedder's id and dimension. */
  id: string;
  dimension: number;
  /** `int8` is a quarter of `float32` (for its loss see README.md). */
  encoding?: Encoding;
  /** Bytes on disk at most, about; the vectors not used for longest go first. */
  maxBytes?: number;
}

/**
 * Vectors on disk by (embedder id, kind, exact text).
 *
 * Loads its list at the first look-up (40 ms for 20,000 vectors). Nothing here throws because of the disk: what can't be read is
 * computed again, what can't be written is not kept.
 */
export class VectorCache {
  private readonly segments: Segments;
  private readonly where = new Map<string, number>();
  private readonly recordSize: number;
  readonly encoding: Encoding;

  constructor(options: VectorCacheOptions) {
    this.encoding = options.encoding ?? 'int8';
    this.recordSize = recordBytes(this.encoding, options.dimension);
    const folder = `${options.id.replace(/[^\w.-]+/g, '_').slice(0, 60)}-${shortHash(options.id)}-${this.encoding}`;
    this.segments = new Segments(join(options.dir, folder), options.maxBytes ?? MAX_BYTES, this.recordSize);
  }

  /** Vectors that are known now. */
  get size(): number {
    return this.where.size;
  }

  /** Why new vectors are not kept (disk full, folder not writable); undefined when all is well. */
  get problem(): string | undefined {
    return this.segments.problem;
  }

  /** @returns for each text its vector (length 1 up to rounding) or undefined */
  getMany(texts: readonly string[], kind: EmbedKind): (Float32Array | undefined)[] {
    const keys = texts.map((text) => keyOf(text, kind).toString('latin1'));
    // Another process may have made what is missing here.
    if (keys.some((key) => !this.where.has(key))) this.refresh();
    const aging = this.segments.aging();
    const again: Buffer[] = [];
    const out = keys.map((key) => {
      const at = this.where.get(key);
      if (at === undefined) return undefined;
      const number = Math.floor(at / OFFSETS);
      const record = this.segments.read(number, at % OFFSETS);
      if (record === undefined || !isWhole(record, 0, this.recordSize)) {
        this.where.delete(key);
        return undefined;
      }
      const vector = decodeRecord(record);
      if (!isUnit(vector)) {
        this.where.delete(key);
        return undefined;
      }
      if (aging.has(number)) again.push(record);
      return vector;
    });
    if (again.length > 0) {
      this.segments.append(Buffer.concat(again));
      this.refresh();
    }
    return out;
  }

  /**
   * Keeps a vector.
   *
   * @returns what a later look-up gives for it: use that one, so that results do not depend on what was cached
   */
  put(text: string, kind: EmbedKind, vector: Float32Array): Float32Array {
    this.segments.append(encodeRecord(keyOf(text, kind), vector, this.encoding));
    return roundTrip(vector, this.encoding);
  }

  close(): void {
    this.segments.close();
    this.where.clear();
  }

  private refresh(): void {
    this.segments.refresh((segment, { key, offset }) => {
      this.where.set(key, segment * OFFSETS + offset);
    });
  }
}

/** Bounds of the square of a kept vector's length: 1, and what 8 bits and half precision lose. */
const UNIT = { min: 0.8, max: 1.2 } as const;

/** A whole record may still hold no vector (NaN, zeros): then it is made again. */
function isUnit(vector: Float32Array): boolean {
  let sum = 0;
  for (const x of vector) sum += x * x;
  return sum >= UNIT.min && sum <= UNIT.max;
}

/** Opens (and makes) the cache of an embedder in a folder. */
export function openVectorCache(options: VectorCacheOptions): VectorCache {
  return new VectorCache(options);
}

/**
 * An embedder that computes only what the cache lacks, each text once, and keeps each vector as it is finished: a run that was
 * interrupted goes on where it stopped. Closing it closes both.
 */
export function withCache(embedder: Embedder, cache: VectorCache): Embedder {
  return {
    id: embedder.id,
    dimension: embedder.dimension,
    embed: (texts, options) => embedMissing(embedder, cache, texts, options),
    async close() {
      await embedder.close();
      cache.close();
    },
  };
}

async function embedMissing(
  embedder: Embedder,
  cache: VectorCache,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<Float32Array[]> {
  const { kind, signal, onProgress, onVector } = options;
  if (signal?.aborted) throw abortError(signal);
  const out = cache.getMany(texts, kind);
  const missing = new Map<string, number[]>();
  let done = 0;
  out.forEach((vector, i) => {
    if (vector !== undefined) {
      done++;
      onVector?.(i, vector);
    } else {
      const same = missing.get(texts[i]!);
      if (same === undefined) missing.set(texts[i]!, [i]);
      else same.push(i);
    }
  });
  if (done > 0) onProgress?.(done, texts.length);
  if (missing.size === 0) return out as Float32Array[];
  const wanted = [...missing.keys()];
  await embedder.embed(wanted, {
    kind,
    signal,
    onVector(k, vector) {
      const kept = cache.put(wanted[k]!, kind, vector);
      for (const i of missing.get(wanted[k]!)!) {
        out[i] = kept;
        onVector?.(i, kept);
        onProgress?.(++done, texts.length);
      }
    },
  });
  return out as Float32Array[];
}

function keyOf(text: string, kind: EmbedKind): Buffer {
  return createHash('sha256').update(kind).update('\0').update(text).digest().subarray(0, KEY_BYTES);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
