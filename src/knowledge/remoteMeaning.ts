import type { IndexHit } from './chunkIndex.js';
import { LEAD_SHARE, type Meaning, TOPIC_SHARE } from './meaning.js';
import type { Chunk } from './types.js';
import type { Needs } from './vectorStock.js';

/**
 * Rows that are asked from the server for one query. Each passage has two or more, and fusion looks at the nearest 100 passages of an arm; what lies
 * further back is taken to be as near as the last one.
 */
export const REMOTE_ROWS = 250;

/** What a server's nearest rows are measured by. */
export interface Scale {
  /** See `unitOf`. */
  unit: number;
  /** Cosine that passages about something else get for this query; undefined: estimated. */
  unrelated: number | undefined;
  /** Cosine of a chunk, by its place, where its vectors lie here as well. */
  local: (place: number) => number | undefined;
}

/** What the nearest rows of a server say about a query. Rows are named by the hash of their text, so those of old versions match nothing. */
export class RemoteMeaning implements Meaning {
  private readonly closeness: (number | undefined)[];
  readonly best: number;
  readonly missing: number;
  readonly bound: number | undefined;

  /** @param needs the hashes of each chunk's texts */
  constructor(
    readonly chunks: readonly Chunk[],
    private readonly places: ReadonlyMap<Chunk, number>,
    needs: readonly Needs[],
    hits: readonly IndexHit[],
    { unrelated, unit, local }: Scale,
  ) {
    const scores = new Map(hits.map(({ id, score }) => [id, score]));
    const last = hits.at(-1)?.score ?? 0;
    const first = hits[0]?.score ?? 0;
    // The nearest few hundred of a large base still lie above what is unrelated, by about as much as they spread themselves.
    const floor = unrelated ?? last - (first - last);
    this.closeness = needs.map((need, i) => {
      const cosine = cosineOf(need, scores, last) ?? local(i);
      return cosine === undefined ? undefined : unit * (cosine - floor);
    });
    this.best = this.closeness.reduce<number>((best, value) => Math.max(best, value ?? 0), 0);
    // Fewer rows than were asked for are all that the server has: what it did not name is not there. Of more it may lie further back.
    const isAll = hits.length < REMOTE_ROWS;
    this.missing = isAll ? this.closeness.filter((value) => value === undefined).length : 0;
    this.bound = isAll ? undefined : unit * (last - floor);
  }

  of(chunk: Chunk): number | undefined {
    const place = this.places.get(chunk);
    return place === undefined ? undefined : this.closeness[place];
  }

  nearest(k: number, filter?: (chunk: Chunk) => boolean): number[] {
    const near = this.closeness.flatMap((value, i) => (value === undefined ? [] : [{ i, value }]));
    return near
      .sort((a, b) => b.value - a.value)
      .filter(({ i }) => filter?.(this.chunks[i] as Chunk) !== false)
      .slice(0, k)
      .map(({ i }) => i);
  }
}

/** As `cosinesOf`, by the rows that a server named; what it did not name is as near as the last one. Undefined where it named none. */
function cosineOf({ whole, lead, topics }: Needs, scores: ReadonlyMap<string, number>, last: number) {
  const named = [whole, lead, ...topics].some((hash) => scores.has(hash));
  if (!named) return undefined;
  const of = (hash: string) => scores.get(hash) ?? last;
  const nearest = topics.map((topic) => (1 - TOPIC_SHARE) * of(whole) + TOPIC_SHARE * of(topic));
  return Math.max((1 - LEAD_SHARE) * of(whole) + LEAD_SHARE * of(lead), ...nearest);
}
