import { createHash } from 'node:crypto';
import { messageOf, XiheError, type XiheErrorCode } from '../errors.js';
import { embedInBatches } from './batches.js';
import { dimensionOf, forgetting } from './dimension.js';
import { causesOf, sayable } from './endpointErrors.js';
import { abortError, closedError, wrongDimension } from './errors.js';
import { type LangChainEmbeddings, loadEmbeddingsClass } from './langchainModule.js';
import type { Embedder, EmbedKind } from './types.js';
import { normalise } from './vector.js';

/** A class of LangChain, and how it is used. */
export interface LangChainSettings {
  /** A package, with the path inside: `@langchain/community/embeddings/alibaba_tongyi`. */
  module: string;
  /** Name of the class that it exports. */
  class: string;
  /** What its constructor gets; `${NAME}` in a text is the environment variable of that name. */
  options?: Record<string, unknown>;
  /** Length of its vectors; asked from it when not set. */
  dimension?: number | undefined;
  queryPrefix?: string;
  passagePrefix?: string;
  /** Texts in one call at most; most classes send a call in requests of their own size. */
  batchSize?: number;
  /** Longest time for one call, in seconds; the class may try several times in it. */
  timeoutSeconds?: number;
}

/** Where to look, and what was learnt before. */
export interface LangChainPlaces {
  /** Whose packages count first, absolute. */
  projectRoot: string;
  /** Where the lengths of vectors are kept between processes, absolute. */
  dimensionFile?: string | undefined;
  env?: NodeJS.ProcessEnv;
}

const TIMEOUT_SECONDS = 60;

/**
 * Opens an embeddings class of LangChain that the user installed. Nothing of LangChain is a dependency here.
 *
 * @throws XiheError CONFIG_INVALID (no such class, a variable that is not set), EMBED_UNAVAILABLE with what to install, and what its first
 *   call fails with when the dimension is neither set nor remembered
 */
export async function openLangChain(
  settings: LangChainSettings,
  places: LangChainPlaces,
  signal?: AbortSignal,
): Promise<Embedder> {
  const Class = await loadEmbeddingsClass(settings.module, settings.class, places.projectRoot);
  const { options, secrets } = withVariables(settings.options ?? {}, places.env ?? process.env);
  const client = new Client(settings, construct(Class, options, settings, secrets), secrets);
  const service = [settings.module, settings.class, identityOf(options)];
  const { dimension, remembered } = await dimensionOf(settings.dimension, places.dimensionFile, service, async () => {
    const [vector] = await client.call(['dimension'], 'query', undefined, signal ?? new AbortController().signal);
    return vector!.length;
  });
  const embedder: Embedder = {
    id: `langchain-${settings.class}-${shortHash([...service, settings.queryPrefix, settings.passagePrefix])}-${dimension}`,
    dimension,
    embed: (texts, embedOptions) =>
      embedInBatches(texts, embedOptions, {
        size: settings.batchSize,
        request: (asked, stop) => client.call(asked, embedOptions.kind, dimension, stop),
      }),
    async close() {
      client.closing.abort(closedError());
    },
  };
  return remembered ? forgetting(embedder, places.dimensionFile!, service) : embedder;
}

/** Names of options that hold what nobody may see, and that change no vector. */
const SECRET_NAME = /key|token|secret|passw|credential/i;

/**
 * Options with the values of environment variables put in.
 *
 * @returns the options, and every text in them that no message may show
 * @throws XiheError CONFIG_INVALID for a variable that is not set
 */
function withVariables(
  options: Record<string, unknown>,
  env: NodeJS.ProcessEnv,
): { options: Record<string, unknown>; secrets: string[] } {
  const secrets = new Set<string>();
  const fill = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => fill(item, name));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, key)]));
    if (typeof value !== 'string') return value;
    const filled = value.replace(/\$\{(\w+)\}/g, (_, variable: string) => {
      const found = env[variable];
      if (found === undefined || found === '') throw notSet(variable, name);
      secrets.add(found);
      return found;
    });
    if (SECRET_NAME.test(name)) secrets.add(filled);
    return filled;
  };
  const filled = fill(options, '') as Record<string, unknown>;
  // Longest first: one may hold another. Shorter ones than this are no keys, and hiding them would garble every message.
  return { options: filled, secrets: [...secrets].filter((s) => s.length >= 4).sort((a, b) => b.length - a.length) };
}

function notSet(variable: string, option: string): XiheError {
  return new XiheError('CONFIG_INVALID', `embedding.langchain.options.${option} 用到的环境变量 ${variable} 没有设置`, {
    hint: `设置 ${variable}，或改掉这一项。`,
    details: { key: `embedding.langchain.options.${option}`, variable },
  });
}

/** What of the options decides the vectors. A key that is changed must not make all of them anew. */
function identityOf(options: Record<string, unknown>): string {
  return JSON.stringify(options, (key, value: unknown) => (key !== '' && SECRET_NAME.test(key) ? undefined : value));
}

function shortHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8);
}

function construct(
  Class: new (options: Record<string, unknown>) => LangChainEmbeddings,
  options: Record<string, unknown>,
  settings: LangChainSettings,
  secrets: readonly string[],
): LangChainEmbeddings {
  let made: LangChainEmbeddings;
  try {
    made = new Class(options);
  } catch (e) {
    throw new XiheError('CONFIG_INVALID', `${settings.class} 建不起来：${hidden(messageOf(e), secrets)}`, {
      hint: '按这个类的说明检查 embedding.langchain.options；密钥写成 ${环境变量名}。',
      details: { key: 'embedding.langchain.options' },
    });
  }
  if (typeof made.embedQuery === 'function' && typeof made.embedDocuments === 'function') return made;
  throw new XiheError('CONFIG_INVALID', `${settings.class} 不是 LangChain 的 Embeddings`, {
    hint: '检查 embedding.langchain.class。',
    details: { key: 'embedding.langchain.class' },
  });
}

function hidden(text: string, secrets: readonly string[]): string {
  return sayable(
    secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text),
    undefined,
  );
}

class Client {
  readonly closing = new AbortController();

  constructor(
    private readonly settings: LangChainSettings,
    private readonly embeddings: LangChainEmbeddings,
    private readonly secrets: readonly string[],
  ) {}

  /** One call of the class. It can't be told to stop: when time is up, nobody waits for it any more. */
  async call(
    texts: readonly string[],
    kind: EmbedKind,
    dimension: number | undefined,
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    const { queryPrefix = '', passagePrefix = '', timeoutSeconds = TIMEOUT_SECONDS } = this.settings;
    const limit = AbortSignal.timeout(timeoutSeconds * 1000);
    const stop = AbortSignal.any([signal, this.closing.signal]);
    if (stop.aborted) throw abortError(stop);
    // As for endpoints: several services refuse an empty text.
    const asked = texts.map((text) => (kind === 'query' ? queryPrefix : passagePrefix) + text || ' ');
    let reply: unknown;
    try {
      reply = await until(AbortSignal.any([stop, limit]), this.ask(asked, kind));
    } catch (e) {
      if (stop.aborted) throw abortError(stop);
      throw limit.aborted ? this.failure('EMBED_TIMEOUT', `${timeoutSeconds} 秒没有答完`, SLOW) : this.failed(e);
    }
    return this.read(reply, texts.length, dimension);
  }

  private async ask(texts: string[], kind: EmbedKind): Promise<unknown> {
    if (kind === 'passage') return this.embeddings.embedDocuments(texts);
    const vectors: unknown[] = [];
    for (const text of texts) vectors.push(await this.embeddings.embedQuery(text));
    return vectors;
  }

  private read(reply: unknown, count: number, dimension: number | undefined): Float32Array[] {
    const bad = (what: string) =>
      this.failure('EMBED_BAD_REPLY', what, '检查 embedding.langchain 的 class 和 options。');
    if (!Array.isArray(reply) || reply.length !== count)
      throw bad(`给了 ${count} 条文本，返回 ${Array.isArray(reply) ? `${reply.length} 个向量` : '的不是列表'}`);
    let expected = dimension;
    return reply.map((numbers: unknown, i) => {
      const isVector = ArrayBuffer.isView(numbers) || (Array.isArray(numbers) && numbers.length > 0);
      if (!isVector) throw bad(`第 ${i + 1} 个向量读不出来`);
      const vector = Float32Array.from(numbers as number[]);
      expected ??= vector.length;
      if (vector.length !== expected) throw wrongDimension(expected, vector.length, this.settings.class);
      if (!normalise(vector)) throw bad(`第 ${i + 1} 个向量全是零或不是有限数`);
      return vector;
    });
  }

  private failed(e: unknown): XiheError {
    const { status, response } = (e ?? {}) as { status?: unknown; response?: { status?: unknown } };
    const code = Number(status ?? response?.status ?? /\b(401|403|429)\b/.exec(messageOf(e))?.[1]);
    const why = hidden(messageOf(e), this.secrets);
    if (code === 401 || code === 403)
      return this.failure('EMBED_AUTH', `拒绝了密钥：${why}`, '检查 embedding.langchain.options 用到的环境变量。');
    if (code === 429) return this.failure('EMBED_RATE_LIMITED', `限流：${why}`, '稍后再运行，算过的向量在缓存里。');
    const causes = causesOf(e).join('，');
    if (messageOf(e) === 'fetch failed' || NETWORK.test(causes))
      return this.failure(
        'EMBED_UNREACHABLE',
        `连不上服务（${hidden(causes, this.secrets)}）`,
        '检查网络和代理。按词检索照常可用。',
      );
    return this.failure('EMBED_FAILED', `出错：${why}`, '检查网络和 embedding.langchain.options。按词检索照常可用。');
  }

  private failure(code: XiheErrorCode, what: string, hint: string): XiheError {
    const { module, class: name } = this.settings;
    return new XiheError(code, `${name} ${what}`, { hint, details: { module, class: name } });
  }
}

const NETWORK = /ECONN|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|EPIPE|UND_ERR/;

const SLOW = '服务慢就调大 embedding.timeoutSeconds，或调小 embedding.batchSize。';

/** What a promise gives, unless the signal fires first; what comes later is dropped. */
async function until<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let fired: (() => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    fired = () => reject(signal.reason);
    signal.addEventListener('abort', fired, { once: true });
  });
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    signal.removeEventListener('abort', fired!);
  }
}
