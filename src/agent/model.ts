import { setTimeout as sleep } from 'node:timers/promises';
import type { BindToolsInput } from '@langchain/core/language_models/chat_models';
import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages';
import type { ChatOpenAICompletions, OpenAIClient } from '@langchain/openai';
import type { XiheConfig } from '../config.js';
import { XiheError } from '../errors.js';
import { assertTrusted } from '../trust.js';
import { classify, type EndpointInfo, type ModelFailure, tripped } from './model-errors.js';
import { type ModelReply, ReplyBuilder } from './model-reply.js';
import { Watchdog } from './model-watch.js';
import { repairToolCalls } from './repair-messages.js';

export type { Finish, ModelReply, ModelUsage } from './model-reply.js';

/** What is asked of the model in one call. */
export interface ModelRequest {
  system: string;
  /** Oldest first. Dangling and doubled tool calls are mended before they are sent. */
  messages: BaseMessage[];
  /** OpenAI tool objects or LangChain tools; none forbids calls. */
  tools?: BindToolsInput[];
  signal?: AbortSignal | undefined;
  /** Each piece of text as it comes; `reasoning` is the model thinking aloud. */
  onToken?: (text: string, kind: 'text' | 'reasoning') => void;
  /** A failed attempt will be repeated: what was streamed of it is void. */
  onRetry?: (attempt: number, reason: string) => void;
  /** The reply shall be one JSON object of this JSON Schema. The caller still checks it (`parseJsonReply`). */
  jsonSchema?: Record<string, unknown>;
}

/** A model behind an OpenAI-compatible endpoint. */
export interface ChatModel {
  name: string;
  /** Its window in tokens, as configured. */
  contextTokens: number;
  /**
   * Asks the model and waits for the whole reply, streaming inside. Calls no tool, so a repeated attempt repeats no effect.
   *
   * @throws XiheError MODEL_UNREACHABLE, MODEL_AUTH, MODEL_RATE_LIMITED, MODEL_STALLED, MODEL_BAD_REPLY, MODEL_REFUSED,
   *   MODEL_CONTEXT_OVERFLOW; CANCELLED when `signal` is aborted
   */
  invoke(request: ModelRequest): Promise<ModelReply>;
}

type ModelConfig = XiheConfig['model'];

/** First pause before an attempt is repeated, in milliseconds; doubled each time, with up to a quarter of chance on top. */
const RETRY_BASE_MS = 500;
const RETRY_MAX_MS = 8_000;
/** A longer `Retry-After` is told to the user, not waited for. */
const RETRY_AFTER_MAX_MS = 60_000;
/** The client refuses to start without a key; local endpoints want none and ignore this one. */
const NO_KEY = 'no-key';

/** Parameters that some endpoints refuse and that a call can do without. */
const OPTIONAL_PARAMETERS = ['stream_options', 'response_format', 'temperature'] as const;
type OptionalParameter = (typeof OPTIONAL_PARAMETERS)[number];

/** Kept for the process, by base URL and model: each node opens its model anew. */
const refusedBy = new Map<string, Set<OptionalParameter>>();

/**
 * The configured model; nothing is loaded or sent before the first call.
 *
 * @param options.retryBaseMs for tests: the first pause before a repeated attempt
 * @returns null when base URL or name are not set
 * @throws XiheError UNTRUSTED_ADDRESS when only the repository has chosen the address
 */
export function openModel(config: ModelConfig, options: { retryBaseMs?: number } = {}): ChatModel | null {
  const { baseUrl, name } = config;
  if (!baseUrl || !name) return null;
  assertTrusted(config.untrusted, 'model.baseUrl');
  const endpoint = new Endpoint(
    config,
    { baseUrl, model: name, apiKey: config.apiKey },
    options.retryBaseMs ?? RETRY_BASE_MS,
  );
  return { name, contextTokens: config.contextTokens, invoke: (request) => endpoint.invoke(request) };
}

class Endpoint {
  readonly #config: ModelConfig;
  readonly #info: EndpointInfo;
  readonly #retryBaseMs: number;
  /** Parameters that this endpoint was found to refuse for this model. */
  readonly #refused: Set<OptionalParameter>;

  constructor(config: ModelConfig, info: EndpointInfo, retryBaseMs: number) {
    this.#config = config;
    this.#info = info;
    this.#retryBaseMs = retryBaseMs;
    const key = `${info.baseUrl} ${info.model}`;
    this.#refused = refusedBy.get(key) ?? new Set();
    refusedBy.set(key, this.#refused);
  }

  async invoke(request: ModelRequest): Promise<ModelReply> {
    const messages = repairToolCalls(request.messages);
    let attempts = 0;
    for (let retries = 0; ; ) {
      attempts++;
      const outcome = await this.#attempt({ ...request, messages });
      if ('message' in outcome) return { ...outcome, attempts };
      if (this.#dropRefused(outcome)) continue;
      const pause = this.#pauseBefore(retries, outcome);
      if (pause === null) throw outcome.error;
      retries++;
      request.onRetry?.(retries, outcome.error.message);
      await sleep(pause, undefined, { signal: request.signal }).catch(() => {});
      if (request.signal?.aborted) throw cancelled();
    }
  }

  async #attempt(request: ModelRequest): Promise<Omit<ModelReply, 'attempts'> | ModelFailure> {
    if (request.signal?.aborted) throw cancelled();
    const watchdog = new Watchdog(this.#config, request.signal);
    try {
      return await this.#stream(request, watchdog);
    } catch (e) {
      if (watchdog.trip) return tripped(watchdog.trip.kind, watchdog.trip.seconds, this.#info);
      if (request.signal?.aborted) throw cancelled();
      return classify(e, this.#info);
    } finally {
      watchdog.stop();
    }
  }

  async #stream(request: ModelRequest, watchdog: Watchdog): Promise<Omit<ModelReply, 'attempts'>> {
    const { SystemMessage } = await import('@langchain/core/messages');
    const model = await this.#client(watchdog, request.messages);
    const system = request.jsonSchema ? `${request.system}\n\n${jsonInstruction(request.jsonSchema)}` : request.system;
    const wantsJson = request.jsonSchema !== undefined && !this.#refused.has('response_format');
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
    return builder.finish(request.messages, () =>
      JSON.stringify([system, request.messages.map(sentOf), request.tools ?? []]),
    );
  }

  /** One client a call, so that its fetch reports to that call's watchdog. Building it costs well under a millisecond. */
  async #client(watchdog: Watchdog, messages: BaseMessage[]): Promise<ChatOpenAICompletions> {
    const Client = await clientClass();
    return new Client(
      {
        model: this.#info.model,
        apiKey: this.#info.apiKey ?? NO_KEY,
        ...(this.#refused.has('temperature') ? {} : { temperature: this.#config.temperature }),
        streamUsage: !this.#refused.has('stream_options'),
        // We repeat attempts ourselves, by what went wrong.
        maxRetries: 0,
        configuration: {
          baseURL: this.#info.baseUrl,
          fetch: watchdog.fetch,
          // Otherwise OPENAI_ORG_ID and OPENAI_PROJECT_ID of the user's shell go to whatever endpoint this is.
          organization: null,
          project: null,
          // The client prints the data of a broken stream to the console.
          logLevel: 'off',
        },
      },
      messages,
    );
  }

  /** @returns true when the endpoint refused a parameter that the call can do without, and it was not known before */
  #dropRefused({ status, error }: ModelFailure): boolean {
    if (status !== 400 && status !== 422) return false;
    const name = OPTIONAL_PARAMETERS.find((p) => error.message.includes(p) && !this.#refused.has(p));
    if (name === undefined) return false;
    this.#refused.add(name);
    return true;
  }

  /** @returns milliseconds to wait before the next attempt, or null when there is none */
  #pauseBefore(retries: number, { retryable, retryAfterMs }: ModelFailure): number | null {
    if (!retryable || retries >= this.#config.maxRetries) return null;
    if (retryAfterMs !== undefined) return retryAfterMs <= RETRY_AFTER_MAX_MS ? retryAfterMs : null;
    const base = Math.min(RETRY_MAX_MS, this.#retryBaseMs * 2 ** retries);
    return base * (1 + Math.random() / 4);
  }
}

type ClientFields = ConstructorParameters<typeof ChatOpenAICompletions>[0];
type ClientClass = new (fields: ClientFields, messages: BaseMessage[]) => ChatOpenAICompletions;
type Delta = OpenAIClient.Chat.Completions.ChatCompletionChunk.Choice.Delta;
type CompletionParams = { messages: Array<Record<string, unknown>> };

let loading: Promise<ClientClass> | undefined;

/** Loads the OpenAI client (0.6 s) on the first call of the process. */
function clientClass(): Promise<ClientClass> {
  loading ??= import('@langchain/openai').then(({ ChatOpenAICompletions: Base }) => {
    /**
     * The chat-completions client. Not `ChatOpenAI`: that one turns to the Responses API by the model's name, whatever the
     * endpoint is.
     */
    return class Client extends Base {
      readonly #sent: BaseMessage[];

      constructor(fields: ClientFields, messages: BaseMessage[]) {
        super(fields);
        this.#sent = messages;
      }

      /** The library drops `reasoning_content` from what it sends; endpoints that think between tool calls want it back. */
      // biome-ignore lint/suspicious/noExplicitAny: the overloads of the library's method differ in types that we pass through.
      override completionWithRetry(request: any, options?: any): any {
        restoreReasoning((request as CompletionParams).messages, this.#sent);
        return super.completionWithRetry(request, options);
      }

      override _convertCompletionsDeltaToBaseMessageChunk(delta: Record<string, unknown>, raw: never) {
        return super._convertCompletionsDeltaToBaseMessageChunk(plainDelta(delta), raw, 'assistant');
      }
    } as unknown as ClientClass;
  });
  return loading;
}

/**
 * Gives assistant messages their `reasoning_content` back: those after the last user message, that is, within the turn that
 * is going on. DeepSeek and Kimi refuse a tool loop without it; of earlier turns DeepSeek wants none, and R1 refuses it.
 *
 * @param wire what is sent: the system message and then one for each of `sent`; changed in place
 */
function restoreReasoning(wire: Array<Record<string, unknown>>, sent: readonly BaseMessage[]): void {
  const from = sent.findLastIndex((m) => m.type === 'human') + 1;
  const offset = wire.length - sent.length;
  for (const [i, message] of sent.entries()) {
    const reasoning = message.additional_kwargs.reasoning_content;
    const target = wire[i + offset];
    if (i >= from && typeof reasoning === 'string' && target?.role === 'assistant')
      target.reasoning_content = reasoning;
  }
}

/** What endpoints vary: the role (missing, empty), content in parts, the name of the reasoning field. */
function plainDelta(delta: Record<string, unknown>): Delta {
  const content = Array.isArray(delta.content)
    ? delta.content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('')
    : delta.content;
  const thought = delta.reasoning_content ?? delta.reasoning;
  const { reasoning_content: _r, ...rest } = delta;
  return {
    ...rest,
    role: 'assistant',
    content,
    ...(typeof thought === 'string' ? { reasoning_content: thought } : {}),
  } as Delta;
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

function cancelled(): XiheError {
  return new XiheError('CANCELLED', '已取消', { hint: '用 xihe resume 接着做。' });
}
