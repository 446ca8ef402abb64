import type { BindToolsInput } from '@langchain/core/language_models/chat_models';
import type { BaseMessage } from '@langchain/core/messages';
import type { XiheConfig } from '../config.js';
import { MODEL_PRESETS, type ModelPreset, type PresetName, presetOf } from '../modelPresets.js';
import { assertTrusted } from '../trust.js';
import { Chain } from './model-chain.js';
import { Endpoint, RETRY_BASE_MS } from './model-endpoint.js';
import type { ModelReply } from './model-reply.js';

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
  /** A model has failed for good and the next one of the chain is asked: what was streamed is void. */
  onFallback?: (from: string, to: string, reason: string) => void;
  /** Longest reply in tokens, thoughts included; as long as the endpoint likes when not set. */
  maxTokens?: number;
  /** The reply shall be one JSON object of this JSON Schema. The caller still checks it (`parseJsonReply`). */
  jsonSchema?: Record<string, unknown>;
}

/** A model behind an OpenAI-compatible endpoint, with those that stand in for it. */
export interface ChatModel {
  name: string;
  /** Its window in tokens, as configured; the smallest of the chain. */
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

/** An endpoint that nobody has described: everything is tried, thoughts go back to where tools were called. */
const UNKNOWN: Pick<ModelPreset, 'reasoning' | 'reasoningField' | 'omit'> = {
  reasoning: 'tool-calls',
  reasoningField: 'reasoning_content',
  omit: [],
};

/**
 * The configured model with its fallbacks; nothing is loaded or sent before the first call.
 *
 * @param options.retryBaseMs for tests: the first pause before a repeated attempt
 * @returns null when base URL or name are not set
 * @throws XiheError UNTRUSTED_ADDRESS when only the repository has chosen the address
 */
export function openModel(config: ModelConfig, options: { retryBaseMs?: number } = {}): ChatModel | null {
  const members = membersOf(config, options);
  const [first] = members;
  if (first === undefined) return null;
  const contextTokens = Math.min(...members.map((member) => member.contextTokens));
  const chain = new Chain(members);
  return { name: first.name, contextTokens, invoke: (request) => chain.invoke(request) };
}

/** One model of the chain, at its address. */
export interface Member {
  name: string;
  baseUrl: string;
  apiKey: string | undefined;
  /** Tokens that a conversation may fill. */
  contextTokens: number;
  preset: PresetName | undefined;
  endpoint: Endpoint;
}

/**
 * The model and its fallbacks, each by itself; none when base URL or name are not set.
 *
 * @param options.tools in place of what the settings say
 * @throws XiheError UNTRUSTED_ADDRESS
 */
export function membersOf(
  config: ModelConfig,
  options: { retryBaseMs?: number; tools?: 'native' | 'json' } = {},
): Member[] {
  const { baseUrl, name } = config;
  if (!baseUrl || !name) return [];
  assertTrusted(config.untrusted, 'model.baseUrl');
  return [config, ...(config.fallbacks ?? [])].flatMap((one) => {
    if (!one.name) return [];
    const address = one.baseUrl ?? baseUrl;
    const preset = one.preset ?? presetOf(address);
    const known: typeof UNKNOWN = preset === undefined ? UNKNOWN : MODEL_PRESETS[preset];
    const endpoint = new Endpoint(config, {
      baseUrl: address,
      model: one.name,
      apiKey: one.apiKey,
      tools: options.tools ?? one.tools ?? config.tools,
      reasoning: { back: known.reasoning, field: known.reasoningField },
      omit: known.omit,
      retryBaseMs: options.retryBaseMs ?? RETRY_BASE_MS,
    });
    const contextTokens = one.contextTokens ?? config.contextTokens;
    return [{ name: one.name, baseUrl: address, apiKey: one.apiKey, contextTokens, preset, endpoint }];
  });
}
