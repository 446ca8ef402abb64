/** Every bound of the service in one place; `docs/serve.md` tells them. */

/** Bytes of a request's body. The longest request that makes sense has 4,000 characters and 200 names. */
export const BODY_BYTES = 1_000_000;
/** Bytes of all headers of a request; Node's own default. */
export const HEADER_BYTES = 16_384;
/** Headers of a request. */
export const HEADERS_MAX = 100;
/** A client that has not sent its headers by then is let go, in milliseconds. */
export const HEADERS_MS = 10_000;
/** The same for the whole request: 1 MB over a poor line. */
export const REQUEST_MS = 30_000;
/** A connection on which nothing moves is closed: whoever does not read its answer must not hold it for ever. In milliseconds. */
export const SILENT_MS = 60_000;
/** Between two requests of one connection, in milliseconds: longer than the pause of an agent between two steps of a turn. */
export const KEEP_ALIVE_MS = 15_000;
/** Connections at a time: each takes about 20 KB. */
export const CONNECTIONS_MAX = 4_096;
/** How long one answer may take, in milliseconds. The first one of a large project builds its indexes. */
export const ANSWER_MS = 30_000;
/** Requests per second that one key may make for long; twice as many in a burst. */
export const RATE_PER_SECOND = 100;
/** Time for what runs when the service is told to stop, in milliseconds; closing projects gets the rest of ten seconds. */
export const DRAIN_MS = 7_000;
/** Bytes of answers that are kept for one project, and how many. An answer has 2 to 20 KB. */
export const CACHE_BYTES = 32_000_000;
export const CACHE_ANSWERS = 5_000;
/** How old what is known of the key file may be, in milliseconds: so long a removed key still opens. */
export const KEYS_LOOK_MS = 1_000;

/** How many requests a caller may make: as many as `perSecond` over time, twice as many at once. */
export class RateLimiter {
  readonly #left = new Map<string, { tokens: number; at: number }>();

  /** @param perSecond 0: as many as they like */
  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Takes one request of a caller's share. Callers are keys, so they are few.
   *
   * @returns 0 when there was one left, else the seconds until there will be
   */
  take(caller: string): number {
    if (this.perSecond === 0) return 0;
    const burst = 2 * this.perSecond;
    const now = this.now();
    const { tokens, at } = this.#left.get(caller) ?? { tokens: burst, at: now };
    const left = Math.min(burst, tokens + ((now - at) / 1000) * this.perSecond);
    this.#left.set(caller, { tokens: left >= 1 ? left - 1 : left, at: now });
    return left >= 1 ? 0 : (1 - left) / this.perSecond;
  }
}
