import type { BaseMessage } from '@langchain/core/messages';
import type { ChatOpenAICompletions, OpenAIClient } from '@langchain/openai';
import type { ReasoningBack } from '../modelPresets.js';

/** How thoughts go back to this endpoint. */
export interface ReasoningRule {
  back: ReasoningBack;
  field: 'reasoning_content' | 'reasoning';
}

type ClientFields = ConstructorParameters<typeof ChatOpenAICompletions>[0];
export type ClientClass = new (
  fields: ClientFields,
  messages: BaseMessage[],
  reasoning: ReasoningRule,
) => ChatOpenAICompletions;
type Delta = OpenAIClient.Chat.Completions.ChatCompletionChunk.Choice.Delta;
type CompletionParams = { messages: Array<Record<string, unknown>> };

let loading: Promise<ClientClass> | undefined;

/** Loads the OpenAI client (0.6 s) on the first call of the process. */
export function clientClass(): Promise<ClientClass> {
  loading ??= import('@langchain/openai').then(({ ChatOpenAICompletions: Base }) => {
    /**
     * The chat-completions client. Not `ChatOpenAI`: that one turns to the Responses API by the model's name, whatever the
     * endpoint is.
     */
    return class Client extends Base {
      readonly #sent: BaseMessage[];
      readonly #reasoning: ReasoningRule;

      constructor(fields: ClientFields, messages: BaseMessage[], reasoning: ReasoningRule) {
        super(fields);
        this.#sent = messages;
        this.#reasoning = reasoning;
      }

      /** The library drops `reasoning_content` from what it sends; endpoints that think between tool calls want it back. */
      // biome-ignore lint/suspicious/noExplicitAny: the overloads of the library's method differ in types that we pass through.
      override completionWithRetry(request: any, options?: any): any {
        restoreReasoning((request as CompletionParams).messages, this.#sent, this.#reasoning);
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
 * Gives assistant messages their thoughts back, in every later request alike, so that what was sent stays the beginning of what is
 * sent. DeepSeek refuses a conversation in which a message that called tools has none (once it thinks, an empty one is
 * wanted); Kimi wants those of all messages. DeepSeek's R1, which refused any, knew no tools.
 *
 * @param wire what is sent: the system message and then one for each of `sent`; changed in place
 */
function restoreReasoning(
  wire: Array<Record<string, unknown>>,
  sent: readonly BaseMessage[],
  { back, field }: ReasoningRule,
): void {
  if (back === 'never') return;
  const offset = wire.length - sent.length;
  const thinks = sent.some((message) => typeof message.additional_kwargs.reasoning_content === 'string');
  if (!thinks) return;
  for (const [i, message] of sent.entries()) {
    const target = wire[i + offset];
    if (target?.role !== 'assistant') continue;
    const called = Array.isArray(target.tool_calls) && target.tool_calls.length > 0;
    if (back === 'tool-calls' && !called) continue;
    const thought = message.additional_kwargs.reasoning_content;
    if (typeof thought === 'string' || called) target[field] = typeof thought === 'string' ? thought : '';
  }
}

/** What endpoints vary: the role (missing, empty), content in parts or null, the name of the reasoning field. */
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
