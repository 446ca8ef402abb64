import { EMBEDDED_ID, type VectorIndex, type VectorScores } from '../embed/index.js';
import { LEAD_SHARE, type Meaning, TOPIC_SHARE } from './meaning.js';
import type { Chunk } from './types.js';
import type { ChunkRows } from './vectorStock.js';

/** A base of fewer passages of what ships says too little about how near unrelated ones come. */
const BACKGROUND_MIN = 20;

/** Where the chunks of a base stand in an index of vectors; good until either changes. */
export interface Places extends ChunkRows {
  chunks: readonly Chunk[];
  places: ReadonlyMap<Chunk, number>;
  /** Rows of passages that stand for anything at all: what ships, which few queries are about. */
  background: Int32Array;
  /** See {@link unitOf}. */
  unit: number;
}

/**
 * How far the cosines of passages about different things spread (standard deviation), by the model that ships: the unit in which
 * closeness is told and all thresholds were found. Other models spread three times as far; theirs are brought to this one.
 */
const SPREAD = 0.016;

/** Passages between which it is measured: 48 give the figure of all 324 of what ships to 5 %. */
const SAMPLE = 48;

/** What a difference of cosines of an index's model has to be multiplied with. */
export function unitOf(index: VectorIndex, background: Int32Array): number {
  if (index.embedderId === EMBEDDED_ID) return 1;
  const step = Math.max(1, Math.floor(background.length / SAMPLE));
  const sample = [...background].filter((_, i) => i % step === 0).slice(0, SAMPLE);
  const ids = sample.map((row) => index.entries[row] as string);
  const cosines = ids.flatMap((id, i) => {
    const scores = index.score(index.get(id) as Float32Array);
    return sample.slice(0, i).map((row) => scores.at(row));
  });
  const mean = cosines.reduce((sum, x) => sum + x, 0) / cosines.length;
  const spread = Math.sqrt(cosines.reduce((sum, x) => sum + (x - mean) ** 2, 0) / cosines.length);
  // Of a few passages that are all alike nothing can be learned.
  return cosines.length < SAMPLE || spread === 0 ? 1 : SPREAD / spread;
}

/** Collects {@link Places}. */
export function placesOf(chunks: readonly Chunk[], rows: ChunkRows, index: VectorIndex): Places {
  const general = rows.whole.filter((row, i) => row >= 0 && (chunks[i] as Chunk).provenance.layer === 'general');
  const background = general.length >= BACKGROUND_MIN ? general : rows.whole.filter((row) => row >= 0);
  const places = new Map(chunks.map((chunk, i) => [chunk, i]));
  return { chunks, places, ...rows, background, unit: unitOf(index, background) };
}

/** What the vectors in memory say about a query. */
export class LocalMeaning implements Meaning {
  private readonly closeness: Float32Array;
  readonly best: number;
  readonly missing: number;

  constructor(
    index: VectorIndex,
    private readonly at: Places,
    query: Float32Array,
  ) {
    const scores = index.score(query);
    const unrelated = meanOf(scores, at.background);
    const { cosines, missing } = cosinesOf(scores, at);
    this.closeness = cosines.map((cosine) => at.unit * (cosine - unrelated));
    this.best = this.closeness.reduce((best, value) => (Number.isNaN(value) ? best : Math.max(best, value)), 0);
    this.missing = missing;
  }

  get chunks(): readonly Chunk[] {
    return this.at.chunks;
  }

  of(chunk: Chunk): number | undefined {
    const place = this.at.places.get(chunk);
    const closeness = place === undefined ? Number.NaN : (this.closeness[place] as number);
    return Number.isNaN(closeness) ? undefined : closeness;
  }

  nearest(k: number, filter?: (chunk: Chunk) => boolean): number[] {
    const top: number[] = [];
    const { closeness } = this;
    for (let i = 0; i < closeness.length; i++) {
      const value = closeness[i] as number;
      if (Number.isNaN(value)) continue;
      if (top.length === k && value <= (closeness[top[k - 1] as number] as number)) continue;
      if (filter?.(this.at.chunks[i] as Chunk) === false) continue;
      if (top.length === k) top.pop();
      let place = top.length;
      while (place > 0 && (closeness[top[place - 1] as number] as number) < value) place--;
      top.splice(place, 0, i);
    }
    return top;
  }
}

/** Cosines of chunks and a query, by the places of the chunks. */
export interface ChunkCosines {
  /** NaN where a chunk has no vectors yet. */
  cosines: Float32Array;
  /** Chunks that lack a vector, be it of one topic. */
  missing: number;
}

/** How near each chunk is to a query: by its first line or by its nearest topic, whichever brings it nearer. */
export function cosinesOf(scores: VectorScores, { whole, lead, topics }: ChunkRows): ChunkCosines {
  const cosines = new Float32Array(whole.length);
  const lacking = new Set<number>();
  for (let i = 0; i < whole.length; i++) {
    const [a, b] = [whole[i] as number, lead[i] as number];
    const there = a >= 0 && b >= 0;
    if (!there) lacking.add(i);
    cosines[i] = there ? (1 - LEAD_SHARE) * scores.at(a) + LEAD_SHARE * scores.at(b) : Number.NaN;
  }
  for (let t = 0; t < topics.row.length; t++) {
    const [row, place] = [topics.row[t] as number, topics.place[t] as number];
    if (row < 0 || (whole[place] as number) < 0) lacking.add(place);
    else {
      const near = (1 - TOPIC_SHARE) * scores.at(whole[place] as number) + TOPIC_SHARE * scores.at(row);
      cosines[place] = Math.max(cosines[place] as number, near);
    }
  }
  return { cosines, missing: lacking.size };
}

function meanOf(scores: VectorScores, rows: Int32Array): number {
  let sum = 0;
  for (const row of rows) sum += scores.at(row);
  return rows.length === 0 ? 0 : sum / rows.length;
}
