/**
 * Some gateways do not stream whatever is asked of them: they answer with the whole completion as one JSON document. It is given
 * to the client as the stream that it expects. A stream that only calls itself JSON passes as it is.
 *
 * @param body bytes of an answer that says it is JSON
 */
export async function streamed(body: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array> | string> {
  const text = await new Response(body).text();
  const chunk = asChunk(text);
  return chunk === undefined ? text : `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
}

interface Completion {
  error?: unknown;
  choices?: { message?: { tool_calls?: object[] }; finish_reason?: unknown; index?: number }[];
}

/** A completion, or an error, as one chunk of a stream; undefined for anything else. */
function asChunk(text: string): object | undefined {
  let whole: Completion;
  try {
    whole = JSON.parse(text) as Completion;
  } catch {
    return undefined;
  }
  if (typeof whole !== 'object' || whole === null) return undefined;
  if (whole.error !== undefined) return { error: whole.error };
  if (!Array.isArray(whole.choices)) return undefined;
  const choices = whole.choices.map(({ message, finish_reason, index }, i) => ({
    index: index ?? i,
    delta: {
      ...message,
      ...(message?.tool_calls ? { tool_calls: message.tool_calls.map((call, n) => ({ index: n, ...call })) } : {}),
    },
    finish_reason: finish_reason ?? 'stop',
  }));
  return { ...whole, object: 'chat.completion.chunk', choices };
}
