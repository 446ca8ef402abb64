import { AIMessage, type AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { estimateTokens } from '../text/index.js';
import { callsInText } from './calls-in-text.js';
import { parseArguments } from './json.js';
import { BadReply } from './model-errors.js';
import { freshId } from './repair-messages.js';

/** Tokens of one call; `estimate` where the endpoint told none. */
export interface ModelUsage {
  input: number;
  output: number;
  total: number;
  /** Of the input: what the provider had in its cache, where it tells. */
  cached?: number;
  source: 'endpoint' | 'estimate';
}

/** Why the model stopped, in the words of the protocol; others are passed on as the endpoint sent them. */
export type Finish = 'stop' | 'tool_calls' | 'length' | 'content_filter' | (string & {});

export interface ModelReply {
  /** Calls with arguments that are no JSON object lie in `invalid_tool_calls`; ids are unique within the conversation. */
  message: AIMessage;
  usage: ModelUsage;
  finish: Finish;
  /** Requests that were sent for it, failed ones included. */
  attempts: number;
  /** Name of the model that answered: with fallbacks not always the first. */
  model: string;
}

/** What is known of a reply beside its chunks. */
export interface ReplyFacts {
  /** The stream ended with its own end mark: nothing was cut off, whatever `finish_reason` says. */
  saidDone: boolean;
  /** Names of the tools that were offered. */
  tools: readonly string[];
}

interface RawCall {
  id: string | undefined;
  name: string;
  args: string;
}

/** DeepSeek tells its cache hits in a field of its own. */
function deepSeekCached({ response_metadata }: AIMessageChunk): number | undefined {
  const hit = (response_metadata.usage as { prompt_cache_hit_tokens?: unknown } | undefined)?.prompt_cache_hit_tokens;
  return typeof hit === 'number' ? hit : undefined;
}

function isWhole(args: string): boolean {
  try {
    JSON.parse(args);
    return true;
  } catch {
    return false;
  }
}

type CallDelta = NonNullable<AIMessageChunk['tool_call_chunks']>[number];

/**
 * Puts a streamed reply together.
 *
 * LangChain's own concatenation completes cut-off arguments to valid JSON and glues names that an endpoint repeats in every
 * delta; both would run a tool with something that the model did not say.
 */
export class ReplyBuilder {
  #text = '';
  #reasoning = '';
  #finish: string | undefined;
  #usage: Omit<ModelUsage, 'source'> | undefined;
  readonly #calls: RawCall[] = [];
  readonly #byIndex = new Map<number, RawCall>();
  #last: RawCall | undefined;

  /** @returns what is new in it for people to read */
  add(chunk: AIMessageChunk): { text: string; reasoning: string } {
    const text = typeof chunk.content === 'string' ? chunk.content : '';
    const thought = chunk.additional_kwargs.reasoning_content;
    const reasoning = typeof thought === 'string' ? thought : '';
    this.#text += text;
    this.#reasoning += reasoning;
    for (const delta of chunk.tool_call_chunks ?? []) this.#addCall(delta);
    const finish: unknown = chunk.response_metadata.finish_reason;
    if (typeof finish === 'string' && finish !== '') this.#finish = finish;
    const usage = chunk.usage_metadata;
    if (usage && (usage.input_tokens > 0 || usage.output_tokens > 0)) {
      const cached = usage.input_token_details?.cache_read ?? deepSeekCached(chunk);
      this.#usage = {
        input: usage.input_tokens,
        output: usage.output_tokens,
        total: usage.input_tokens + usage.output_tokens,
        ...(cached ? { cached: Math.min(cached, usage.input_tokens) } : {}),
      };
    }
    return { text, reasoning };
  }

  /**
   * A delta goes on with the call of its index, unless it carries another id: some endpoints give every parallel call the
   * index 0, others leave the index out, others repeat id and name each time. Without index and id a name begins a call, once
   * the arguments of the one before are whole.
   */
  #addCall(delta: CallDelta): void {
    const known = delta.index === undefined ? this.#last : this.#byIndex.get(delta.index);
    let call = known;
    const isNext =
      delta.index === undefined && !delta.id && Boolean(delta.name) && call !== undefined && isWhole(call.args);
    if (!call || isNext || (delta.id && call.id && delta.id !== call.id)) {
      call = { id: undefined, name: '', args: '' };
      this.#calls.push(call);
      if (delta.index !== undefined) this.#byIndex.set(delta.index, call);
    }
    this.#last = call;
    if (delta.id) call.id = delta.id;
    if (delta.name && call.name !== delta.name) call.name += delta.name;
    if (typeof delta.args === 'string') call.args += delta.args;
    else if (delta.args) call.args += JSON.stringify(delta.args);
  }

  /**
   * The whole reply.
   *
   * @param before the conversation that was sent: for ids that are taken, and for an estimate of the usage
   * @param sentText everything that was sent, as text, for the same
   * @throws BadReply when the stream broke off or the model said nothing
   */
  finish(
    before: readonly BaseMessage[],
    sentText: () => string,
    facts: ReplyFacts,
  ): Omit<ModelReply, 'attempts' | 'model'> {
    if (this.#finish === undefined && facts.saidDone) this.#finish = 'stop';
    if (this.#calls.length === 0) this.#callsInText(facts.tools);
    const { good, broken } = this.#sortCalls(before);
    this.#check(good.length + broken.length);
    const usage: ModelUsage = this.#usage ? { ...this.#usage, source: 'endpoint' } : this.#estimate(sentText());
    const finish = good.length + broken.length > 0 && this.#finish === 'stop' ? 'tool_calls' : this.#finish!;
    const message = new AIMessage({
      content: this.#text,
      additional_kwargs: this.#reasoning ? { reasoning_content: this.#reasoning } : {},
      tool_calls: good,
      invalid_tool_calls: broken,
      usage_metadata: { input_tokens: usage.input, output_tokens: usage.output, total_tokens: usage.total },
      response_metadata: { finish_reason: finish },
    });
    return { message, usage, finish };
  }

  /** Calls that the model wrote into its text, in the marks that it was trained on, instead of into the protocol. */
  #callsInText(tools: readonly string[]): void {
    const found = callsInText(this.#text, tools);
    if (found === null) return;
    this.#text = found.text;
    this.#calls.push(...found.calls.map(({ name, args }) => ({ id: undefined, name, args })));
  }

  #sortCalls(before: readonly BaseMessage[]) {
    const used = new Set(
      before.flatMap((m) => (AIMessage.isInstance(m) ? (m.tool_calls ?? []).map((c) => c.id ?? '') : [])),
    );
    const good: NonNullable<AIMessage['tool_calls']> = [];
    const broken: NonNullable<AIMessage['invalid_tool_calls']> = [];
    for (const [i, call] of this.#calls.entries()) {
      const id = freshId(call.id, used, `call_${before.length}_${i}`);
      const parsed = parseArguments(call.args);
      if (parsed.ok && call.name) good.push({ type: 'tool_call', id, name: call.name, args: parsed.args });
      else {
        const error = parsed.ok ? '没有工具名' : parsed.error;
        broken.push({ type: 'invalid_tool_call', id, name: call.name, args: call.args, error });
      }
    }
    return { good, broken };
  }

  #check(calls: number): void {
    if (this.#finish === undefined) {
      throw new BadReply('模型的回复没有发完就断了', '多半是端点或网络的问题，稍后再试。', true);
    }
    if (this.#text.trim() !== '' || calls > 0) return;
    if (this.#finish === 'content_filter') {
      throw new BadReply('模型端点的内容过滤拦下了回复', '换个说法，或换一个端点。', false);
    }
    if (this.#finish === 'length') {
      throw new BadReply('模型还没开始回答就用完了输出长度', '换一个输出更长的模型，或把任务拆小。', false);
    }
    throw new BadReply('模型的回复是空的', '多半是端点的问题，稍后再试；一直这样就换一个模型。', true);
  }

  #estimate(sent: string): ModelUsage {
    const input = estimateTokens(sent);
    const output = estimateTokens(this.#text + this.#reasoning + this.#calls.map((c) => c.name + c.args).join(''));
    return { input, output, total: input + output, source: 'estimate' };
  }
}
