import { XiheHttpError } from './errors.js';

export interface TransportOptions {
  /** `http://127.0.0.1:7700`. */
  baseUrl: string;
  /** From `xihe keys add`; none for a server of this machine without keys. */
  key?: string;
  /** Which project; not needed where there is one. */
  project?: string;
  /** Longest time of one attempt, in milliseconds. */
  timeoutMs?: number;
  /** Further attempts where the same request may succeed later. */
  retries?: number;
  /** Answers that are kept; 0 keeps none. */
  cacheEntries?: number;
  /** For tests and for hosts with a fetch of their own. */
  fetch?: typeof fetch;
}

export interface AskOptions {
  signal?: AbortSignal;
}

/** An answer with the id of the request that brought it. */
export type Answered<T> = T & { request_id: string };

const TIMEOUT_MS = 10_000;
const RETRIES = 2;
const CACHE_ENTRIES = 200;
/** The first pause before another attempt, doubled each time, in milliseconds. */
const PAUSE_MS = 200;
/** The longest pause, whatever the server wishes: who waits longer should decide that. In milliseconds. */
const PAUSE_MAX_MS = 5_000;

interface Kept {
  etag: string;
  text: string;
}

/** Asks one server: with a time limit, again where that helps, and without transferring twice what has not changed. */
export class Transport {
  readonly #base: string;
  readonly #options: TransportOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(options: TransportOptions) {
    this.#base = options.baseUrl.replace(/\/+$/, '');
    this.#options = options;
  }

  /**
   * @param body sent as JSON; without it the request is a GET
   * @throws XiheHttpError, or the reason of `signal`
   */
  async ask<T>(path: string, body: unknown, { signal }: AskOptions = {}): Promise<Answered<T>> {
    const { retries = RETRIES } = this.#options;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt<T>(path, body, signal);
      } catch (e) {
        signal?.throwIfAborted();
        if (!(e instanceof XiheHttpError) || !e.isTransient || attempt >= retries) throw e;
        await pause(pauseMs(attempt, e.retryAfter), signal);
      }
    }
  }

  async #attempt<T>(path: string, body: unknown, signal: AbortSignal | undefined): Promise<Answered<T>> {
    const { key, project, cacheEntries = CACHE_ENTRIES } = this.#options;
    const url = `${this.#base}${path}${project === undefined ? '' : `?project=${encodeURIComponent(project)}`}`;
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const question = `${url} ${sent ?? ''}`;
    const kept = this.#kept.get(question);
    const headers: Record<string, string> = {
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(kept === undefined ? {} : { 'if-none-match': kept.etag }),
    };
    const { response, text } = await this.#fetched(
      url,
      { method: sent === undefined ? 'GET' : 'POST', headers, ...(sent === undefined ? {} : { body: sent }) },
      signal,
    );
    const requestId = response.headers.get('x-request-id') ?? '';
    if (response.status === 304 && kept !== undefined) return answered(kept.text, requestId);
    if (!response.ok) throw errorOf(response, text, requestId);
    const answer = answered<T>(text, requestId);
    const etag = response.headers.get('etag');
    if (etag !== null && cacheEntries > 0) this.#keep(question, { etag, text }, cacheEntries);
    return answer;
  }

  async #fetched(
    url: string,
    init: RequestInit,
    signal: AbortSignal | undefined,
  ): Promise<{ response: Response; text: string }> {
    const { timeoutMs = TIMEOUT_MS, fetch: get = fetch } = this.#options;
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const both = signal ? AbortSignal.any([signal, limit]) : limit;
      const response = await get(url, { ...init, signal: both });
      return { response, text: await response.text() };
    } catch (cause) {
      if (limit.aborted)
        throw new XiheHttpError(`${timeoutMs} 毫秒没有应答`, {
          code: 'TIMEOUT',
          status: 0,
          hint: '看服务忙不忙，或把 timeoutMs 调大。',
          cause,
        });
      throw new XiheHttpError(`连不上 ${this.#base}`, {
        code: 'NETWORK',
        status: 0,
        hint: '看服务开着没有、地址对不对。',
        cause,
      });
    }
  }

  #keep(question: string, kept: Kept, max: number): void {
    this.#kept.delete(question);
    this.#kept.set(question, kept);
    if (this.#kept.size > max) this.#kept.delete(this.#kept.keys().next().value as string);
  }
}

/** Read anew each time, so that nobody changes what others get. */
function answered<T>(text: string, requestId: string): Answered<T> {
  try {
    return { ...(JSON.parse(text) as T), request_id: requestId };
  } catch (cause) {
    throw new XiheHttpError('应答不是 JSON', {
      code: 'BAD_REPLY',
      status: 200,
      hint: '看地址是不是羲和的服务。',
      requestId,
      cause,
    });
  }
}

function errorOf(response: Response, text: string, requestId: string): XiheHttpError {
  const after = Number(response.headers.get('retry-after') ?? Number.NaN);
  const common = { status: response.status, requestId, retryAfter: Number.isFinite(after) ? after : undefined };
  try {
    const { error } = JSON.parse(text) as {
      error: { code: string; message: string; hint: string; details?: Record<string, unknown> };
    };
    return new XiheHttpError(error.message, { ...common, code: error.code, hint: error.hint, details: error.details });
  } catch (cause) {
    const facts = { ...common, code: 'BAD_REPLY', hint: '看地址是不是羲和的服务，中间有没有别的代理。', cause };
    return new XiheHttpError(`应答是 ${response.status}，不是羲和的错误`, facts);
  }
}

/** @param after as the server wishes, in seconds */
function pauseMs(attempt: number, after: number | undefined): number {
  const own = PAUSE_MS * 2 ** attempt * (0.5 + Math.random());
  return Math.min(PAUSE_MAX_MS, Math.max(own, (after ?? 0) * 1000));
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
