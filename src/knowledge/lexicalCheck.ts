import type { Bm25Index } from '../text/index.js';

/** A chunk (its place) and a token that stands in it: whoever searches for the token must find the chunk. */
export interface Probe {
  token: string;
  doc: number;
}

/** How many chunks are asked for at each load. */
export const PROBES = 8;

/** Places of the chunks that become probes: spread evenly, first and last among them. */
export function probedPlaces(count: number): number[] {
  const most = Math.min(count, PROBES);
  return [...new Set(Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / Math.max(1, most - 1))))];
}

/**
 * The rarest token of each of some chunks.
 *
 * @param tokens of the chunks by place, as they were cut and not as the index gives them back
 */
export function probesOf(tokens: ReadonlyMap<number, readonly string[]>, index: Bm25Index<number>): Probe[] {
  return [...tokens].flatMap(([doc, list]) => {
    const [first, ...rest] = list;
    if (first === undefined) return [];
    const rarer = (a: string, b: string) => (index.documentFrequency(b) < index.documentFrequency(a) ? b : a);
    return [{ doc, token: rest.reduce(rarer, first) }];
  });
}

/**
 * Whether an index finds what it holds. A search that fails says nothing wrong, it just finds nothing: so it is asked at each
 * load for what it must find.
 *
 * @param size number of chunks. Where several have no token at all, it is the cutter that failed.
 */
export function isAlive(index: Bm25Index<number>, probes: readonly Probe[], size: number): boolean {
  if (index.size !== size) return false;
  if (probes.length === 0) return size < PROBES;
  return probes.every(({ token, doc }) => {
    const [hit] = index.search([token], 1, (id) => id === doc);
    return hit !== undefined && hit.score > 0 && Number.isFinite(hit.score);
  });
}
