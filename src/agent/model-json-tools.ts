import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import * as z from 'zod';
import { XiheError } from '../errors.js';
import { parseJsonReply } from './json.js';
import { GUESSES } from './loose-json.js';
import type { ModelRequest } from './model.js';
import type { ModelReply, ModelUsage } from './model-reply.js';
import { prompt } from './prompts.js';
import { freshId, repairToolCalls } from './repair-messages.js';

/** How often a reply that is no such JSON is sent back with what is wrong. */
const MAX_CORRECTIONS = 2;

const replySchema = z.object({
  calls: z.array(z.object({ tool: z.string().min(1), args: z.record(z.string(), z.unknown()).default({}) })).optional(),
  answer: z.string().optional(),
});
const replyJsonSchema = z.toJSONSchema(replySchema, { io: 'input' }) as Record<string, unknown>;

type Asked = (request: ModelRequest) => Promise<ModelReply>;

/**
 * Tools for a model that has none: they are described in the prompt, calls and results travel as text, a call is one strict JSON
 * object. What comes back looks like the reply of a model that has tools.
 *
 * @param ask sends a request without tools
 * @throws what `ask` throws; XiheError MODEL_BAD_REPLY when the model keeps writing calls that are no JSON
 */
export async function askInJson(request: ModelRequest, ask: Asked): Promise<ModelReply> {
  const { tools = [], onToken, ...rest } = request;
  const system = `${request.system}\n\n${prompt('json-tools', { tools: tools.map(described).join('\n') })}`;
  const messages = asText(repairToolCalls(request.messages));
  let spent: ModelUsage | undefined;
  let attempts = 0;
  for (let corrections = 0; ; corrections++) {
    const reply = await ask({ ...rest, system, messages, jsonSchema: replyJsonSchema });
    spent = spent === undefined ? reply.usage : together(spent, reply.usage);
    attempts += reply.attempts;
    const read = readReply(reply, request.messages);
    if (typeof read !== 'string') {
      if (read.text) onToken?.(read.text, 'text');
      return {
        ...reply,
        message: read,
        finish: read.tool_calls?.length ? 'tool_calls' : 'stop',
        usage: spent,
        attempts,
      };
    }
    if (corrections >= MAX_CORRECTIONS) throw notJson(read);
    messages.push(new AIMessage(reply.message.text), new HumanMessage(read));
  }
}

/** Whether an endpoint said that it, or the model, has no tools (Ollama, vLLM without a parser, gateways). */
export function refusesTools(e: unknown): boolean {
  if (!XiheError.is(e, 'MODEL_REFUSED')) return false;
  return /tool|function/i.test(e.message) && /support|enable|unknown|unrecognized|not allowed|不支持/i.test(e.message);
}

function described(tool: unknown): string {
  const { function: inner } = tool as { function?: { name?: string; description?: string; parameters?: unknown } };
  return `- ${inner?.name}：${inner?.description ?? ''} ${JSON.stringify(inner?.parameters ?? {})}`;
}

/** The conversation without the protocol's tools: calls as the JSON that the model wrote, results as what the user says next. */
function asText(messages: readonly BaseMessage[]): BaseMessage[] {
  const out: BaseMessage[] = [];
  let results: string[] = [];
  const flush = () => {
    if (results.length > 0) out.push(new HumanMessage(`工具结果：\n${results.join('\n\n')}`));
    results = [];
  };
  for (const message of messages) {
    if (ToolMessage.isInstance(message)) {
      results.push(`【${message.name ?? '工具'}】\n${message.text}`);
      continue;
    }
    flush();
    out.push(AIMessage.isInstance(message) && message.tool_calls?.length ? callsAsText(message) : message);
  }
  flush();
  return out;
}

function callsAsText(message: AIMessage): AIMessage {
  const calls = (message.tool_calls ?? []).map(({ name, args }) => ({ tool: name, args }));
  return new AIMessage(JSON.stringify({ calls }));
}

/** @returns the message that it stands for, or what is wrong with it, for the model */
function readReply(reply: ModelReply, before: readonly BaseMessage[]): AIMessage | string {
  const text = reply.message.text;
  const read = parseJsonReply(text, replySchema);
  // Words without any JSON are an answer: asking for braces around it would gain nothing.
  if (!read.ok) return /[{｛]/.test(text) ? read.error : messageOf(reply, text, []);
  const { calls = [], answer } = read.value;
  if (calls.length === 0 && answer === undefined) return '对象里既没有 calls 也没有 answer。请二选一，只输出 JSON。';
  if (calls.length > 0 && read.repairs.some((repair) => GUESSES.has(repair)))
    return '工具调用的 JSON 不完整，没有执行。请把它完整地再写一遍，只输出 JSON。';
  const used = new Set(
    before.flatMap((m) => (AIMessage.isInstance(m) ? (m.tool_calls ?? []).map((c) => c.id ?? '') : [])),
  );
  const toolCalls = calls.map(({ tool, args }, i) => ({
    type: 'tool_call' as const,
    id: freshId(undefined, used, `json_${before.length}_${i}`),
    name: tool,
    args,
  }));
  return messageOf(reply, toolCalls.length > 0 ? '' : (answer ?? ''), toolCalls);
}

function messageOf({ message }: ModelReply, content: string, calls: NonNullable<AIMessage['tool_calls']>): AIMessage {
  return new AIMessage({
    content,
    tool_calls: calls,
    additional_kwargs: message.additional_kwargs,
    response_metadata: message.response_metadata,
    ...(message.usage_metadata ? { usage_metadata: message.usage_metadata } : {}),
  });
}

function together(a: ModelUsage, b: ModelUsage): ModelUsage {
  const cached = (a.cached ?? 0) + (b.cached ?? 0);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    total: a.total + b.total,
    source: a.source === 'endpoint' ? b.source : a.source,
    ...(cached > 0 ? { cached } : {}),
  };
}

function notJson(why: string): XiheError {
  return new XiheError('MODEL_BAD_REPLY', `模型没有按 JSON 写出工具调用：${why.split('\n')[0]}`, {
    hint: '这个模型太小或不适合；换一个支持工具调用的模型。',
  });
}
