import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { XiheError } from '../errors.js';
import { embedInBatches } from './batches.js';
import { dimensionOf, forgetting } from './dimension.js';
import {
  badReply,
  type EndpointFailure,
  type EndpointInfo,
  httpFailure,
  networkFailure,
  timeoutFailure,
} from './endpointErrors.js';
import { readReply } from './endpointReply.js';
import { abortError, closedError } from './errors.js';
import type { Embedder, EmbedKind, EmbedOptions, EndpointSettings } from './types.js';

const TIMEOUT_SECONDS = 60;
const MAX_RETRIES = 3;
/** First wait before another try, doubled each time, with up to a half more by chance so that clients drift apart. */
const BACKOFF_MS = 500;
/** The same for a question: all tries together must fit into the 2.5 s that an answer waits, so that it can tell what is wrong. */
const QUERY_BACKOFF_MS = 100;
/** An endpoint that asks for more than this is told to the user instead. */
const MAX_WAIT_MS = 30_000;
/** Bytes of an answer at most: 2,048 vectors of 4,096 numbers as text are about 90 MB. */
const MAX_REPLY_BYTES = 128 * 1024 * 1024;

export interface EndpointTuning {
  /** How long to wait between tries; tests shorten it. */
  backoffMs?: number;
  maxWaitMs?: number;
  /** Where the lengths of vectors are kept between processes, absolute. */
  dimensionFile?: string | undefined;
}

/**
 * Opens an OpenAI-compatible endpoint (Ollama, vLLM, TEI, DashScope, SiliconFlow, …).
 *
 * Without `settings.dimension`, and where `dimensionFile` does not know it yet, one short text is sent to learn it, so that id and
 * dimension are known from here on: only the first opening of all needs a service that answers.
 *
 * @throws XiheError EMBED_UNREACHABLE, EMBED_AUTH, EMBED_RATE_LIMITED, EMBED_REFUSED, EMBED_BAD_REPLY, EMBED_TIMEOUT, CANCELLED
 */
export async function openEndpoint(
  settings: EndpointSettings,
  signal?: AbortSignal,
  tuning: EndpointTuning = {},
): Promise<Embedder> {
  const client = new Client(settings, tuning);
  const service = [settings.baseUrl, settings.name];
  const { dimension, remembered } = await dimensionOf(settings.dimension, tuning.dimensionFile, service, async () => {
    const [vector] = await client.request(['维度'], 'query', undefined, signal);
    return vector!.length;
  });
  const embedder: Embedder = {
    id: idOf(settings, dimension),
    dimension,
    embed: (texts, options) => client.embed(texts, options, dimension),
    async close() {
      client.closing.abort(closedError());
    },
  };
  return remembered ? forgetting(embedder, tuning.dimensionFile!, service) : embedder;
}

/** Vectors depend on the prefixes as well, so they are part of the key; where the model runs is not. */
function idOf(settings: EndpointSettings, dimension: number): string {
  const { queryPrefix = '', passagePrefix = '', inputType = false } = settings;
  const variant =
    queryPrefix === '' && passagePrefix === '' && !inputType
      ? ''
      : `-${createHash('sha256')
          .update(JSON.stringify([queryPrefix, passagePrefix, inputType]))
          .digest('hex')
          .slice(0, 8)}`;
  return `endpoint-${settings.name}${variant}-${dimension}`;
}

class Client {
  readonly closing = new AbortController();
  private readonly info: EndpointInfo;
  private readonly url: string;
  private readonly authorization: string | undefined;

  constructor(
    private readonly settings: EndpointSettings,
    private readonly tuning: EndpointTuning,
  ) {
    const url = new URL(`${settings.baseUrl.replace(/\/+$/, '')}/embeddings`);
    // `https://user:password@host`: fetch refuses such an address, and no message may show it.
    const basic = url.username === '' ? undefined : decodeURIComponent(`${url.username}:${url.password}`);
    url.username = '';
    url.password = '';
    this.url = url.href;
    this.info = { baseUrl: url.href.replace(/\/embeddings$/, ''), name: settings.name, apiKey: settings.apiKey };
    if (settings.apiKey) this.authorization = `Bearer ${settings.apiKey}`;
    else if (basic !== undefined) this.authorization = `Basic ${Buffer.from(basic).toString('base64')}`;
  }

  embed(texts: readonly string[], options: EmbedOptions, dimension: number): Promise<Float32Array[]> {
    return embedInBatches(texts, options, {
      size: this.settings.batchSize,
      request: (asked, signal) => this.request(asked, options.kind, dimension, signal),
      maybeTooMuch,
    });
  }

  /** One request, tried again while that may help. */
  async request(
    texts: string[],
    kind: EmbedKind,
    dimension: number | undefined,
    signal?: AbortSignal,
  ): Promise<Float32Array[]> {
    const stop = signal === undefined ? this.closing.signal : AbortSignal.any([signal, this.closing.signal]);
    const retries = this.settings.maxRetries ?? MAX_RETRIES;
    for (let attempt = 0; ; attempt++) {
      if (stop.aborted) throw abortError(stop);
      const got = await this.once(texts, kind, dimension, stop);
      if (Array.isArray(got)) return got;
      if (stop.aborted) throw abortError(stop);
      const first = this.tuning.backoffMs ?? (kind === 'query' ? QUERY_BACKOFF_MS : BACKOFF_MS);
      const wait = got.retryAfterMs ?? first * 2 ** attempt * (1 + Math.random() / 2);
      if (!got.retryable || attempt >= retries || wait > (this.tuning.maxWaitMs ?? MAX_WAIT_MS)) throw got.error;
      await sleep(wait, undefined, { signal: stop }).catch(() => undefined);
    }
  }

  private async once(
    texts: string[],
    kind: EmbedKind,
    dimension: number | undefined,
    stop: AbortSignal,
  ): Promise<Float32Array[] | EndpointFailure> {
    const seconds = this.settings.timeoutSeconds ?? TIMEOUT_SECONDS;
    const limit = AbortSignal.timeout(seconds * 1000);
    try {
      const reply = await fetch(this.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(this.authorization === undefined ? {} : { authorization: this.authorization }),
        },
        body: JSON.stringify(this.bodyOf(texts, kind)),
        signal: AbortSignal.any([stop, limit]),
        // A redirect of a POST is a login page or a moved service; following it would send texts and key elsewhere.
        redirect: 'manual',
      });
      const body = await readText(reply, MAX_REPLY_BYTES);
      if (body === undefined) return badReply('回答太长', this.info);
      if (!reply.ok) return httpFailure(reply.status, reply.headers, body, this.info);
      return readReply(body, texts.length, dimension, this.info);
    } catch (e) {
      if (XiheError.is(e)) throw e;
      return limit.aborted && !stop.aborted ? timeoutFailure(seconds, this.info) : networkFailure(e, this.info, kind);
    }
  }

  private bodyOf(texts: string[], kind: EmbedKind): Record<string, unknown> {
    const { name, queryPrefix = '', passagePrefix = '', inputType, dimension } = this.settings;
    const prefix = kind === 'query' ? queryPrefix : passagePrefix;
    return {
      model: name,
      // Several services refuse an empty text; a space means as little.
      input: texts.map((text) => prefix + text || ' '),
      encoding_format: 'float',
      ...(inputType ? { input_type: kind } : {}),
      ...(this.settings.sendDimensions && dimension !== undefined ? { dimensions: dimension } : {}),
    };
  }
}

/** A refusal that a smaller request may escape: services differ in how many texts and tokens they take at once. */
function maybeTooMuch(e: unknown): boolean {
  return XiheError.is(e, 'EMBED_REFUSED') && [400, 413, 422].includes(e.details.status as number);
}

async function readText(reply: Response, maxBytes: number): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of reply.body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
