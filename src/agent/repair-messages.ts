import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';

type Call = NonNullable<AIMessage['tool_calls']>[number];

/** What stands in for a result that never came. */
const NO_RESULT = '没有执行：在它完成之前被打断了。仍需要的话请重新调用。';

/**
 * Makes a conversation one that every endpoint accepts: each tool call is answered exactly once, right behind the message
 * that made it, and nothing else is answered.
 *
 * - a call without a result (killed run, edited history) gets one that says so;
 * - a result without a call is dropped, also a second result for one call;
 * - calls with an id that was used before, or with none, get a new one, and their results follow;
 * - calls with broken arguments become calls without arguments, because endpoints refuse both broken JSON and a result
 *   whose call is missing; their results say what was wrong;
 * - an assistant message that says and calls nothing is dropped, because some endpoints refuse it.
 *
 * @param messages oldest first; neither the list nor its messages are changed
 * @returns the same list when nothing was to be mended
 */
export function repairToolCalls(messages: BaseMessage[]): BaseMessage[] {
  const used = new Set<string>();
  const repaired: BaseMessage[] = [];
  for (const [i, message] of messages.entries()) {
    if (ToolMessage.isInstance(message)) continue;
    if (!AIMessage.isInstance(message)) {
      repaired.push(message);
      continue;
    }
    const calls = callsOf(message);
    if (calls.length === 0) {
      if (!isEmpty(message)) repaired.push(message);
      continue;
    }
    const renamed = calls.map((call, n) => ({ ...call, id: freshId(call.id, used, `call_${i}_${n}`) }));
    const isSame = renamed.every((call, n) => call.id === calls[n]!.id) && !message.invalid_tool_calls?.length;
    repaired.push(isSame ? message : withCalls(message, renamed));
    repaired.push(...answers(calls, renamed, resultsAfter(messages, i)));
  }
  const isUnchanged = repaired.length === messages.length && repaired.every((m, i) => m === messages[i]);
  return isUnchanged ? messages : repaired;
}

/**
 * An id that no call of the conversation has yet.
 *
 * @param wanted the id that the call came with; kept when it is free
 * @param used the ids so far; the new one is added
 * @param fallback what a call without id is named
 */
export function freshId(wanted: string | undefined, used: Set<string>, fallback: string): string {
  const base = wanted || fallback;
  let id = base;
  for (let n = 2; used.has(id); n++) id = `${base}_${n}`;
  used.add(id);
  return id;
}

/** All calls of a message, those with broken arguments too. */
function callsOf(message: AIMessage): Call[] {
  const broken = (message.invalid_tool_calls ?? []).map(
    ({ id, name }): Call => ({ type: 'tool_call', name: name || 'unknown', args: {}, ...(id ? { id } : {}) }),
  );
  return [...(message.tool_calls ?? []), ...broken];
}

function withCalls(message: AIMessage, calls: Call[]): AIMessage {
  // The raw calls of some libraries lie here a second time, and would be sent in place of ours.
  const { tool_calls: _raw, ...kwargs } = message.additional_kwargs;
  return new AIMessage({
    ...(message.id ? { id: message.id } : {}),
    content: message.content,
    additional_kwargs: kwargs,
    response_metadata: message.response_metadata,
    tool_calls: calls,
  });
}

function isEmpty(message: AIMessage): boolean {
  return typeof message.content === 'string' ? message.content.trim() === '' : message.content.length === 0;
}

/**
 * The tool results that may belong to the message at `index`: up to the next message that makes calls, or to the end of the
 * conversation (a result may come late, behind something that the user said).
 */
function resultsAfter(messages: BaseMessage[], index: number): ToolMessage[] {
  const results: ToolMessage[] = [];
  for (const message of messages.slice(index + 1)) {
    if (AIMessage.isInstance(message) && callsOf(message).length > 0) break;
    if (ToolMessage.isInstance(message)) results.push(message);
  }
  return results;
}

/** One result for each call, in the order of the calls. The n-th call of an id takes the n-th result of that id. */
function answers(calls: Call[], renamed: Array<Call & { id: string }>, results: ToolMessage[]): ToolMessage[] {
  const left = [...results];
  return renamed.map((call, n) => {
    const at = left.findIndex((result) => result.tool_call_id === (calls[n]!.id ?? ''));
    if (at < 0) return new ToolMessage({ tool_call_id: call.id, name: call.name, status: 'error', content: NO_RESULT });
    const [result] = left.splice(at, 1);
    return result!.tool_call_id === call.id ? result! : answeredAs(result!, call.id);
  });
}

function answeredAs(result: ToolMessage, id: string): ToolMessage {
  return new ToolMessage({
    ...(result.id ? { id: result.id } : {}),
    ...(result.name ? { name: result.name } : {}),
    ...(result.status ? { status: result.status } : {}),
    content: result.content,
    tool_call_id: id,
  });
}
