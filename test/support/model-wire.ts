/** Turns a reply into what goes over the wire: one JSON document, or the chunks of a stream. */

import type { ChatRequest, Reply } from './model-script.js';

/** Default length of a content delta, in characters: short enough that Chinese words are cut. */
const CHUNK_CHARS = 4;

interface WireToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** Tool calls with ids that are the same whenever the same request comes again. */
function toolCallsOf(req: ChatRequest, reply: Reply): WireToolCall[] {
  return (reply.toolCalls ?? []).map((call, i) => ({
    id: call.id ?? `call_${req.messages.length}_${i}`,
    name: call.name,
    arguments: typeof call.args === 'string' ? call.args : JSON.stringify(call.args),
  }));
}

function finishOf(reply: Reply): string | null {
  if (reply.finish !== undefined) return reply.finish;
  return reply.toolCalls?.length ? 'tool_calls' : 'stop';
}

/** The usage block; without a script for it about 1 token for 2 characters, which is only meant to be stable. */
export function usageOf(req: ChatRequest, reply: Reply): Record<string, unknown> | undefined {
  if (reply.usage === false) return undefined;
  const said = (reply.text ?? '') + (reply.reasoning ?? '') + JSON.stringify(reply.toolCalls ?? '');
  const prompt = reply.usage?.prompt ?? Math.ceil(JSON.stringify(req.messages).length / 2);
  const completion = reply.usage?.completion ?? Math.ceil(said.length / 2);
  const { cached, deepSeekCached } = reply.usage ?? {};
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
    ...(deepSeekCached === undefined ? {} : { prompt_cache_hit_tokens: deepSeekCached }),
  };
}

function envelope(req: ChatRequest, object: string): Record<string, unknown> {
  return { id: `chatcmpl-${req.messages.length}`, object, created: 1_700_000_000, model: req.model };
}

/** The body of a non-streamed answer. */
export function completionOf(req: ChatRequest, reply: Reply): Record<string, unknown> {
  const calls = toolCallsOf(req, reply);
  const message: Record<string, unknown> = { role: 'assistant', content: reply.text ?? null };
  if (reply.reasoning !== undefined) message.reasoning_content = reply.reasoning;
  if (calls.length > 0) {
    message.tool_calls = calls.map((c) => ({
      id: c.id,
      type: 'function',
      function: { name: c.name, arguments: c.arguments },
    }));
  }
  const choices = reply.fault?.kind === 'no-choices' ? [] : [{ index: 0, message, finish_reason: finishOf(reply) }];
  return { ...envelope(req, 'chat.completion'), choices, usage: usageOf(req, reply) };
}

/** The chunks of a streamed answer, in order, without `[DONE]`. */
export function chunksOf(req: ChatRequest, reply: Reply): Record<string, unknown>[] {
  const head = envelope(req, 'chat.completion.chunk');
  const usage = usageOf(req, reply);
  const usageIn = reply.usageIn ?? 'own';
  const blank = reply.stream?.nullContent ? { content: null } : {};
  const chunk = (delta: object, finish: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta: { ...blank, ...delta }, finish_reason: finish }],
    ...(usageIn === 'each' ? { usage } : {}),
  });
  const size = reply.chunkChars ?? CHUNK_CHARS;
  const chunks: Record<string, unknown>[] = [];
  if (reply.fault?.kind !== 'no-choices') {
    if (reply.stream?.emptyFirst) chunks.push({ ...head, choices: [], prompt_filter_results: [] });
    chunks.push(chunk({ role: 'assistant', content: reply.stream?.nullContent ? null : '' }));
    for (const piece of pieces(reply.reasoning ?? '', size)) chunks.push(chunk({ reasoning_content: piece }));
    for (const piece of pieces(reply.text ?? '', size)) chunks.push(chunk({ content: piece }));
    for (const delta of toolDeltas(toolCallsOf(req, reply), reply)) chunks.push(chunk({ tool_calls: [delta] }));
    if (reply.fault?.kind !== 'no-finish')
      chunks.push({ ...chunk({}, finishOf(reply)), ...(usageIn === 'last' ? { usage } : {}) });
  }
  if (usage && usageIn === 'own' && req.stream_options?.include_usage) chunks.push({ ...head, choices: [], usage });
  return chunks;
}

/** Deltas of all tool calls: id and name first, then the arguments cut wherever it falls, mid-escape included. */
function toolDeltas(calls: WireToolCall[], reply: Reply): object[] {
  const style = reply.toolDeltas ?? 'openai';
  return calls.flatMap((call, index): object[] => {
    if (style === 'no-index' || style === 'nameless') {
      const id = style === 'no-index' ? { id: call.id } : {};
      const [first = '', ...rest] = unevenPieces(call.arguments);
      const more = rest.map((args) => ({ function: { arguments: args } }));
      return [{ ...id, type: 'function', function: { name: call.name, arguments: first } }, ...more];
    }
    const named = (args: string) => ({
      index,
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: args },
    });
    if (style === 'whole') return [named(call.arguments)];
    // Uneven pieces: 1, 4, 7, 3, … characters, so that names, escapes and Chinese are all cut somewhere.
    const parts = unevenPieces(call.arguments);
    if (style === 'repeat') return parts.map(named);
    return [named(''), ...parts.map((args) => ({ index, function: { arguments: args } }))];
  });
}

function pieces(text: string, size: number): string[] {
  const out: string[] = [];
  for (let i = 0; i < text.length; i += size) out.push(text.slice(i, i + size));
  return out;
}

function unevenPieces(text: string): string[] {
  const out: string[] = [];
  for (let i = 0, n = 1; i < text.length; i += n, n = ((n + 3) % 9) + 1) out.push(text.slice(i, i + n));
  return out;
}
