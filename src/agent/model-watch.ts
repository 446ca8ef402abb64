import { NotAnApi, type Trip } from './model-errors.js';
import { streamed } from './whole-completion.js';

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

/** What a stream ends with, on a line of its own: inside of a chunk line breaks are escaped. */
const END_MARK = /(?:^|[\r\n])data: ?\[DONE\]/;
/** Characters of the last chunks in which the mark is looked for: it may be cut between two of them. */
const END_MARK_ROOM = 256;

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
  /** The stream has said `[DONE]`. */
  saidDone = false;
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

  /**
   * `fetch` that tells this watchdog of every byte, refuses a web page in place of an answer, and turns a whole completion into the
   * stream that was asked for.
   */
  readonly fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    this.touch();
    if (response.headers.get('content-type')?.includes('text/html')) {
      await response.body?.cancel();
      if (response.ok) throw new NotAnApi('HTML where the protocol was expected');
      // The page of a gateway says nothing that is fit for a line: the status is all there is.
      const { status, statusText, headers } = response;
      return Response.json(
        { error: { message: `${statusText || status}（网页）` } },
        { status, headers: kept(headers) },
      );
    }
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const watched = response.body.pipeThrough(this.#watching());
    const isWhole = response.ok && headers.get('content-type')?.includes('json') === true;
    const body = isWhole ? await streamed(watched) : watched;
    return new Response(body, { status, statusText, headers });
  };

  #watching(): TransformStream<Uint8Array, Uint8Array> {
    const seen = (bytes: Uint8Array) => {
      this.touch();
      tail = (tail + Buffer.from(bytes).toString('latin1')).slice(-END_MARK_ROOM);
      if (END_MARK.test(tail)) this.saidDone = true;
    };
    let tail = '';
    return new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, out) {
        seen(bytes);
        out.enqueue(bytes);
      },
    });
  }

  #after(seconds: number, kind: Trip): NodeJS.Timeout {
    return setTimeout(() => {
      this.trip = { kind, seconds };
      this.#controller.abort();
    }, seconds * 1000);
  }
}

/** The headers that still hold for another body. */
function kept(headers: Headers): Record<string, string> {
  const wait = headers.get('retry-after');
  return wait === null ? {} : { 'retry-after': wait };
}
