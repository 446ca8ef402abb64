import { join } from 'node:path';
import { EMBEDDED_ID, openVectorCache, type VectorCache, VectorIndex } from '../embed/index.js';
import { stateBytes, writeAtomic } from '../stateFile.js';
import { stableHash } from '../text/index.js';
import { textsOf } from './meaning.js';
import type { Chunk } from './types.js';

/** Where the vectors of what ships lie in the package, made by `npm run general:index`. */
export function readyVectorsFile(generalDir: string): string {
  return join(generalDir, 'knowledge', 'ready', `${EMBEDDED_ID}.vectors`);
}

/** A text that has to become a vector. */
export interface Wanted {
  hash: string;
  text: string;
}

/** What a chunk needs: the hashes of its texts, which are the ids in the index. */
export interface Needs {
  whole: string;
  lead: string;
  topics: readonly string[];
}

/** Rows of an index for chunks, by their places; −1 where there is none yet. */
export interface ChunkRows {
  whole: Int32Array;
  lead: Int32Array;
  /** Rows of topics, and the place of the chunk that each belongs to. */
  topics: { row: Int32Array; place: Int32Array };
}

/**
 * The vectors of the chunks in force, by the hash of what they were made from: a chunk that moves, or stands in two documents, needs no
 * new one. Filled from what is at hand (the last snapshot, what ships, the cache); what is missing is listed.
 */
export class VectorStock {
  readonly index: VectorIndex;
  /** What each chunk needs, in their order. */
  needs: readonly Needs[] = [];
  private texts = new Map<string, string>();
  private saved: string | undefined;

  /**
   * @param cache vectors of this embedder that were made before
   * @param snapshot file in which the index is kept between processes
   * @param readyFile vectors that ship; only asked when they are this embedder's
   */
  constructor(
    readonly embedder: { id: string; dimension: number },
    private readonly cache: VectorCache | undefined,
    private readonly snapshot: string | undefined,
    private readonly readyFile: string | undefined,
  ) {
    const kept = snapshot === undefined ? undefined : readIndex(snapshot, embedder);
    this.index = kept ?? new VectorIndex({ embedderId: embedder.id, dimension: embedder.dimension });
    if (kept !== undefined) this.saved = this.fingerprint();
  }

  /** Brings the index to these chunks: what they no longer need goes, what is at hand comes. */
  take(chunks: readonly Chunk[]): void {
    this.texts = new Map();
    this.needs = chunks.map((chunk) => {
      const { whole, lead, topics } = textsOf(chunk);
      return { whole: this.want(whole), lead: this.want(lead), topics: topics.map((topic) => this.want(topic)) };
    });
    for (const id of [...this.index.entries]) if (!this.texts.has(id)) this.index.remove(id);
    this.fromReady();
    this.fromCache();
  }

  private want(text: string): string {
    const hash = stableHash(text);
    this.texts.set(hash, text);
    return hash;
  }

  /** Texts that the chunks need, each once. */
  get size(): number {
    return this.texts.size;
  }

  /** Text by hash, of what the chunks need; a new map with each {@link take}. */
  get wanted(): ReadonlyMap<string, string> {
    return this.texts;
  }

  /** Texts that have no vector yet, in the order of the chunks. */
  missing(): Wanted[] {
    return [...this.texts].filter(([hash]) => !this.index.has(hash)).map(([hash, text]) => ({ hash, text }));
  }

  /** Chunks whose vectors are there. */
  ready(): number {
    const has = (hash: string) => this.index.has(hash);
    return this.needs.filter(({ whole, lead, topics }) => has(whole) && has(lead) && topics.every(has)).length;
  }

  /** Rows of each chunk's vectors; good until the index changes. */
  rows(): ChunkRows {
    return rowsOf(this.index, this.needs);
  }

  /** Writes the snapshot where the index has changed; a disk that refuses costs time in the next process, nothing else. */
  save(): void {
    if (this.snapshot === undefined) return;
    const now = this.fingerprint();
    if (now === this.saved) return;
    if (writeAtomic(this.snapshot, [this.index.toBytes()])) this.saved = now;
  }

  private fromReady(): void {
    if (this.readyFile === undefined || this.embedder.id !== EMBEDDED_ID) return;
    if ([...this.texts.keys()].every((hash) => this.index.has(hash))) return;
    const ready = readIndex(this.readyFile, this.embedder);
    if (ready === undefined) return;
    for (const hash of this.texts.keys()) {
      const vector = this.index.has(hash) ? undefined : ready.get(hash);
      if (vector !== undefined) this.index.add(hash, vector);
    }
  }

  private fromCache(): void {
    const missing = this.cache === undefined ? [] : this.missing();
    if (missing.length === 0) return;
    const found = (this.cache as VectorCache).getMany(
      missing.map(({ text }) => text),
      'passage',
    );
    for (const [i, vector] of found.entries()) if (vector) this.index.add((missing[i] as Wanted).hash, vector);
  }

  private fingerprint(): string {
    return stableHash([...this.index.entries].sort().join('\n'));
  }
}

/** Rows of what each chunk needs; good until the index changes. */
export function rowsOf(index: VectorIndex, needs: readonly Needs[]): ChunkRows {
  const rowOf = (hash: string) => index.row(hash) ?? -1;
  const topics = needs.flatMap((need, place) => need.topics.map((hash) => ({ row: rowOf(hash), place })));
  return {
    whole: Int32Array.from(needs, ({ whole }) => rowOf(whole)),
    lead: Int32Array.from(needs, ({ lead }) => rowOf(lead)),
    topics: {
      row: Int32Array.from(topics, ({ row }) => row),
      place: Int32Array.from(topics, ({ place }) => place),
    },
  };
}

/** Opens the cache and the snapshot of an embedder in a folder. */
export function openStock(
  embedder: { id: string; dimension: number },
  dir: string | undefined,
  readyFile: string | undefined,
): { stock: VectorStock; cache: VectorCache | undefined } {
  if (dir === undefined) return { stock: new VectorStock(embedder, undefined, undefined, readyFile), cache: undefined };
  const cache = openVectorCache({ dir, id: embedder.id, dimension: embedder.dimension });
  const snapshot = join(dir, `${stableHash(embedder.id)}.index`);
  return { stock: new VectorStock(embedder, cache, snapshot, readyFile), cache };
}

function readIndex(file: string, { id, dimension }: { id: string; dimension: number }): VectorIndex | undefined {
  try {
    const index = VectorIndex.fromBytes(stateBytes(file), id);
    return index.dimension === dimension ? index : undefined;
  } catch {
    // Not there, cut off by a crash, or of another model: filled from the cache.
    return undefined;
  }
}
