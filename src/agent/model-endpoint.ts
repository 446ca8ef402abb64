import { setTimeout as sleep } from 'node:timers/promises';
import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages';
import type { ChatOpenAICompletions } from '@langchain/openai';
import type { XiheConfig } from '../config.js';
import { XiheError } from '../errors.js';
import { OPTIONAL_PARAMETERS, type OptionalParameter } from '../modelPresets.js';
import type { ModelRequest } from './model.js';
import { clientClass, type ReasoningRule } from './model-client.js';
import { classify, type EndpointInfo, type ModelFailure, tripped } from './model-errors.js';
import { askInJson, refusesTools } from './model-json-tools.js';
import { type ModelReply, ReplyBuilder } from './model-reply.js';
import { Watchdog } from './model-watch.js';
import { repairToolCalls } from './repair-messages.js';

/** First pause before an attempt is repeated, in milliseconds; doubled each time, with up to a quarter of chance on top. */
export const RETRY_BASE_MS = 500;
const RETRY_MAX_MS = 8_000;
/** A longer `Retry-After` is told to the user, or the next model of the chain is asked; it is not waited for. */
const RETRY_AFTER_MAX_MS = 60_000;
/** The client refuses to start without a key; local endpoints want none and ignore this one. */
const NO_KEY = 'no-key';

/** What was found out about an endpoint. Kept for the process, by base URL and model: each node opens its model anew. */
interface Learned {
  /** Parameters that it refuses for this model. */
  refused: Set<OptionalParameter>;
  /** It said that it has no tools. */
  noTools: boolean;
}

const learnedOf = new Map<string, Learned>();

/** One model at one address. */
export interface EndpointSettings extends EndpointInfo {
  tools: 'auto' | 'native' | 'json';
  reasoning: ReasoningRule;
  /** Parameters that are known to be refused. */
  omit: readonly OptionalParameter[];
  retryBaseMs: number;
}

type Limits = Pick<XiheConfig['model'], 'temperature' | 'stallSeconds' | 'timeoutSeconds' | 'maxRetries'>;

/** Calls to one model at one address: repeated where that may help, with what was learned about it. */
export class Endpoint {
  readonly #limits: Limits;
  readonly #settings: EndpointSettings;
  readonly #learned: Learned;

  constructor(limits: Limits, settings: EndpointSettings) {
    this.#limits = limits;
    this.#settings = settings;
    const key = `${settings.baseUrl} ${settings.model}`;
    this.#learned = learnedOf.get(key) ?? { refused: new Set(settings.omit), noTools: false };
    learnedOf.set(key, this.#learned);
  }

  /** Parameters that this endpoint has refused so far, and those that are known to be refused. */
  get refused(): readonly OptionalParameter[] {
    return [...this.#learned.refused];
  }

  /** One reply; tools go as JSON in the text where the endpoint has none. @throws XiheError as `ChatModel.invoke` */
  async invoke(request: ModelRequest): Promise<ModelReply> {
    if (!request.tools?.length) return this.#invoke(request);
    if (!this.#usesJson()) {
      try {
        return await this.#invoke(request);
      } catch (e) {
        if (this.#settings.tools !== 'auto' || !refusesTools(e)) throw e;
        this.#learned.noTools = true;
      }
    }
    return askInJson(request, (inJson) => this.#invoke(inJson));
  }

  #usesJson(): boolean {
    return this.#settings.tools === 'json' || (this.#settings.tools === 'auto' && this.#learned.noTools);
  }

  async #invoke(request: ModelRequest): Promise<ModelReply> {
    const messages = repairToolCalls(request.messages);
    let attempts = 0;
    for (let retries = 0; ; ) {
      attempts++;
      const outcome = await this.#attempt({ ...request, messages });
      if ('message' in outcome) return { ...outcome, attempts, model: this.#settings.model };
      if (this.#dropRefused(outcome)) continue;
      const pause = this.#pauseBefore(retries, outcome);
      if (pause === null) throw outcome.error;
      retries++;
      request.onRetry?.(retries, outcome.error.message);
      await sleep(pause, undefined, { signal: request.signal }).catch(() => {});
      if (request.signal?.aborted) throw cancelled();
    }
  }

  async #attempt(request: ModelRequest): Promise<Omit<ModelReply, 'attempts' | 'model'> | ModelFailure> {
    if (request.signal?.aborted) throw cancelled();
    const watchdog = new Watchdog(this.#limits, request.signal);
    try {
      return await this.#stream(request, watchdog);
    } catch (e) {
      if (watchdog.trip) return tripped(watchdog.trip.kind, watchdog.trip.seconds, this.#settings);
      if (request.signal?.aborted) throw cancelled();
      return classify(e, this.#settings);
    } finally {
      watchdog.stop();
    }
  }

  async #stream(request: ModelRequest, watchdog: Watchdog): Promise<Omit<ModelReply, 'attempts' | 'model'>> {
    const { SystemMessage } = await import('@langchain/core/messages');
    const model = await this.#client(watchdog, request);
    const system = request.jsonSchema ? `${request.system}\n\n${jsonInstruction(request.jsonSchema)}` : request.system;
    const wantsJson = request.jsonSchema !== undefined && !this.#learned.refused.has('response_format');
    const bound = request.tools?.length ? model.bindTools(request.tools) : model;
    const builder = new ReplyBuilder();
    const stream = bound.stream([new SystemMessage(system), ...request.messages], {
      signal: watchdog.signal,
      ...(wantsJson ? { response_format: { type: 'json_object' as const } } : {}),
    });
    for await (const chunk of untilEnded(stream, watchdog)) {
      const fresh = builder.add(chunk as AIMessageChunk);
      if (fresh.reasoning) request.onToken?.(fresh.reasoning, 'reasoning');
      if (fresh.text) request.onToken?.(fresh.text, 'text');
    }
    return builder.finish(
      request.messages,
      () => JSON.stringify([system, request.messages.map(sentOf), request.tools ?? []]),
      { saidDone: watchdog.saidDone, tools: toolNames(request) },
    );
  }

  /** One client a call, so that its fetch reports to that call's watchdog. Building it costs well under a millisecond. */
  async #client(watchdog: Watchdog, { messages, maxTokens }: ModelRequest): Promise<ChatOpenAICompletions> {
    const Client = await clientClass();
    const { refused } = this.#learned;
    return new Client(
      {
        model: this.#settings.model,
        apiKey: this.#settings.apiKey ?? NO_KEY,
        ...(refused.has('temperature') ? {} : { temperature: this.#limits.temperature }),
        ...(maxTokens === undefined || refused.has('max_tokens') ? {} : { maxTokens }),
        streamUsage: !refused.has('stream_options'),
        // We repeat attempts ourselves, by what went wrong.
        maxRetries: 0,
        configuration: {
          baseURL: this.#settings.baseUrl,
          fetch: watchdog.fetch,
          // Otherwise OPENAI_ORG_ID and OPENAI_PROJECT_ID of the user's shell go to whatever endpoint this is.
          organization: null,
          project: null,
          // The client prints the data of a broken stream to the console.
          logLevel: 'off',
        },
      },
      messages,
      this.#settings.reasoning,
    );
  }

  /** @returns true when the endpoint refused a parameter that the call can do without, and it was not known before */
  #dropRefused({ status, error }: ModelFailure): boolean {
    if (status !== 400 && status !== 422) return false;
    const name = OPTIONAL_PARAMETERS.find((p) => error.message.includes(p) && !this.#learned.refused.has(p));
    if (name === undefined) return false;
    this.#learned.refused.add(name);
    return true;
  }

  /** @returns milliseconds to wait before the next attempt, or null when there is none */
  #pauseBefore(retries: number, { retryable, retryAfterMs }: ModelFailure): number | null {
    if (!retryable || retries >= this.#limits.maxRetries) return null;
    if (retryAfterMs !== undefined) return retryAfterMs <= RETRY_AFTER_MAX_MS ? retryAfterMs : null;
    const base = Math.min(RETRY_MAX_MS, this.#settings.retryBaseMs * 2 ** retries);
    return base * (1 + Math.random() / 4);
  }
}

/** The chunks of a stream until its end or the watchdog's; the stream is closed either way. */
async function* untilEnded<T>(opening: Promise<AsyncIterable<T>>, watchdog: Watchdog): AsyncGenerator<T> {
  // When the watchdog wins the race, the loser's own error interests nobody.
  opening.catch(() => {});
  const stream = (await Promise.race([opening, watchdog.ended]))[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = stream.next();
      next.catch(() => {});
      const { value, done } = await Promise.race([next, watchdog.ended]);
      if (done) return;
      yield value;
    }
  } finally {
    stream.return?.()?.catch(() => {});
  }
}

function jsonInstruction(schema: Record<string, unknown>): string {
  return `只输出一个 JSON 对象，不要解释，不要代码块标记。它符合这个 JSON Schema：\n${JSON.stringify(schema)}`;
}

/** The part of a message that costs tokens. */
function sentOf(message: BaseMessage): unknown {
  return [message.content, (message as { tool_calls?: unknown }).tool_calls ?? []];
}

/** Names of the tools that a request offers. */
export function toolNames({ tools = [] }: ModelRequest): string[] {
  return tools.flatMap((tool) => {
    const { name, function: inner } = tool as { name?: unknown; function?: { name?: unknown } };
    const named = inner?.name ?? name;
    return typeof named === 'string' ? [named] : [];
  });
}

function cancelled(): XiheError {
  return new XiheError('CANCELLED', '已取消', { hint: '用 xihe resume 接着做。' });
}
