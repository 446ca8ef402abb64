import type { IndexHit } from './chunkIndex.js';
import { LEAD_SHARE, type Meaning } from './meaning.js';
import type { Chunk } from './types.js';
import type { Needs } from './vectorStock.js';

/**
 * Rows that are asked from the server for one query. Each passage has two, and fusion looks at the nearest 100 passages of an arm; what lies
 * further back is taken to be as near as the last one.
 */
export const REMOTE_ROWS = 250;

/** What the nearest rows of a server say about a query. Rows are named by the hash of their text, so those of old versions match nothing. */
export class RemoteMeaning implements Meaning {
  private readonly closeness: (number | undefined)[];
  readonly best: number;
  /** The server does not say which passages it lacks. */
  readonly missing = 0;

  /**
   * @param needs the hashes of each chunk's texts
   * @param scale.unrelated cosine that passages about something else get for this query; undefined: estimated
   * @param scale.unit see `unitOf`
   */
  constructor(
    private readonly chunks: readonly Chunk[],
    private readonly places: ReadonlyMap<Chunk, number>,
    needs: readonly Needs[],
    hits: readonly IndexHit[],
    { unrelated, unit }: { unrelated: number | undefined; unit: number },
  ) {
    const scores = new Map(hits.map(({ id, score }) => [id, score]));
    const last = hits.at(-1)?.score ?? 0;
    const first = hits[0]?.score ?? 0;
    // The nearest few hundred of a large base still lie above what is unrelated, by about as much as they spread themselves.
    const floor = unrelated ?? last - (first - last);
    this.closeness = needs.map(({ whole, lead }) => {
      const [a, b] = [scores.get(whole), scores.get(lead)];
      if (a === undefined && b === undefined) return undefined;
      return unit * ((1 - LEAD_SHARE) * (a ?? last) + LEAD_SHARE * (b ?? last) - floor);
    });
    this.best = this.closeness.reduce<number>((best, value) => Math.max(best, value ?? 0), 0);
    this.beyond = unit * (last - floor);
  }

  /** At most so near is what the server did not name. */
  private readonly beyond: number;

  of(chunk: Chunk): number | undefined {
    const place = this.places.get(chunk);
    return place === undefined ? undefined : (this.closeness[place] ?? this.beyond);
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
