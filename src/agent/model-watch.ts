import { NotAnApi, type Trip } from './model-errors.js';

/** Limits of one call, in seconds. */
export interface WatchLimits {
  stallSeconds: number;
  timeoutSeconds: number;
}

/**
 * The first byte may take this many times longer than a gap in the stream: a local endpoint loads its model first, and a
 * long prompt is read before anything is said.
 */
const FIRST_BYTE_FACTOR = 3;

/**
 * Ends a call that hangs: no first byte, no further byte, or no end. The library's own timeout ends with the headers and
 * does not see a stream that stalls.
 *
 * It watches bytes, not chunks: endpoints under load keep a connection alive with comments that never become a chunk.
 */
export class Watchdog {
  readonly signal: AbortSignal;
  /** What ended the call; undefined while it runs, and when the caller's own signal ended it. */
  trip: { kind: Trip; seconds: number } | undefined;
  /** Rejects once the call must end. */
  readonly ended: Promise<never>;
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #onOuter = () => this.#controller.abort();
  readonly #limits: WatchLimits;
  readonly #total: NodeJS.Timeout;
  #gap: NodeJS.Timeout;

  constructor(limits: WatchLimits, outer: AbortSignal | undefined) {
    this.#limits = limits;
    this.#outer = outer;
    this.signal = this.#controller.signal;
    this.ended = new Promise((_, reject) => {
      this.signal.addEventListener('abort', () => reject(new Error('the call was ended')), { once: true });
    });
    // Whoever races against it handles the rejection; when nobody does any more, it is no error.
    this.ended.catch(() => {});
    this.#total = this.#after(limits.timeoutSeconds, 'timeout');
    this.#gap = this.#after(limits.stallSeconds * FIRST_BYTE_FACTOR, 'silent');
    if (outer?.aborted) this.#controller.abort();
    else outer?.addEventListener('abort', this.#onOuter, { once: true });
  }

  /** Something arrived. */
  touch(): void {
    clearTimeout(this.#gap);
    if (!this.signal.aborted) this.#gap = this.#after(this.#limits.stallSeconds, 'stalled');
  }

  /** The call is over; nothing trips any more. */
  stop(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#gap);
    this.#outer?.removeEventListener('abort', this.#onOuter);
  }

  /** `fetch` that tells this watchdog of every byte, and refuses a web page in place of an answer. */
  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    this.touch();
    if (response.ok && response.headers.get('content-type')?.includes('text/html')) {
      await response.body?.cancel();
      throw new NotAnApi('HTML where the protocol was expected');
    }
    if (!response.body) return response;
    const touch = () => this.touch();
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, out) {
        touch();
        out.enqueue(bytes);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(watched), { status, statusText, headers });
  };

  #after(seconds: number, kind: Trip): NodeJS.Timeout {
    return setTimeout(() => {
      this.trip = { kind, seconds };
      this.#controller.abort();
    }, seconds * 1000);
  }
}
