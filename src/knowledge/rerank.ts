import { XiheError } from '../errors.js';
import { stableHash } from '../text/index.js';
import type { SearchHit } from './chunkSearch.js';
import { within } from './within.js';

/** Hits that are put in order: fusion has the right one among them for nine questions of ten. */
export const RERANK_TOP = 8;

/** Milliseconds for it: an answer that is a little better is not worth waiting longer for. */
const RERANK_TIMEOUT_MS = 3_000;

/** Orders that are kept: a run asks the same again on every phase. */
const KEPT = 200;

/**
 * Puts passages in order by how well they answer a query.
 *
 * @returns places in `passages`, best first; what is missing, twice or out of range does no harm
 */
export type Reranker = (
  query: string,
  passages: readonly { title: string; text: string }[],
  signal: AbortSignal,
) => Promise<readonly number[]>;

/**
 * A better judge for the order of the best hits. It can neither add a hit nor make one an answer: what may be given is decided by
 * their own scores as before.
 */
export class Reranking {
  private readonly kept = new Map<string, readonly string[]>();

  constructor(
    private readonly rerank: Reranker,
    private readonly timeoutMs = RERANK_TIMEOUT_MS,
  ) {}

  /**
   * Ids of the chunks, best first; undefined when there is nothing to decide, or the judge fails or is late.
   *
   * @throws XiheError CANCELLED when `signal` fires
   */
  async order(query: string, hits: readonly SearchHit[], signal?: AbortSignal): Promise<readonly string[] | undefined> {
    if (hits.length < 2) return undefined;
    const key = stableHash(JSON.stringify([query, hits.map(({ chunk }) => [chunk.id, chunk.provenance.version])]));
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    try {
      const limit = AbortSignal.any([AbortSignal.timeout(this.timeoutMs), ...(signal ? [signal] : [])]);
      const passages = hits.map(({ chunk }) => ({ title: titleOf(chunk), text: chunk.content }));
      const places = await within(this.rerank(query, passages, limit), limit);
      const order = whole(places, hits.length).map((place) => (hits[place] as SearchHit).chunk.id);
      this.kept.set(key, order);
      if (this.kept.size > KEPT) this.kept.delete(this.kept.keys().next().value as string);
      return order;
    } catch (error) {
      if (signal?.aborted) throw XiheError.is(error, 'CANCELLED') ? error : signal.reason;
      return undefined;
    }
  }
}

function titleOf({ title, heading }: SearchHit['chunk']): string {
  return heading === '' ? title : `${title} › ${heading}`;
}

/** All places from 0 to `n` − 1: those that were named first, the others behind in their order. */
function whole(places: readonly number[], n: number): number[] {
  const named = [...new Set(places)].filter((place) => Number.isInteger(place) && place >= 0 && place < n);
  const rest = Array.from({ length: n }, (_, i) => i).filter((place) => !named.includes(place));
  return [...named, ...rest];
}

/** Hits with those of an order first, as it has them. */
export function inOrderOf<T extends Pick<SearchHit, 'chunk'>>(hits: readonly T[], order: readonly string[]): T[] {
  const place = (hit: T) => {
    const at = order.indexOf(hit.chunk.id);
    return at < 0 ? order.length : at;
  };
  return [...hits].sort((a, b) => place(a) - place(b));
}
