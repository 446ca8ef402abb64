import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { FADE_AFTER_TURNS } from '../paths/index.js';
import { estimateTokens } from '../text/index.js';
import { textOf } from './node.js';

/** Share of the context window that messages may fill: the rest is for the system prompt, tools and the reply. */
const MESSAGE_SHARE = 0.7;
/** Tool results kept whole whatever happens: the model is working with the newest ones. */
const KEEP_LAST = 4;

const DROPPED = '（这条较早的工具结果已省略，需要时再查一次。）';

/**
 * Keeps a conversation inside the window by shortening the oldest tool results first. The task, what the user said and the
 * model's own words stay.
 *
 * @param messages the conversation, oldest first; not changed
 * @param contextTokens the model's window in tokens
 * @returns the same list when everything fits
 */
export function fitContext(messages: BaseMessage[], contextTokens: number): BaseMessage[] {
  const limit = contextTokens * MESSAGE_SHARE;
  let total = messages.reduce((sum, m) => sum + messageTokens(m), 0);
  if (total <= limit) return messages;
  const toolIndexes = messages.flatMap((m, i) => (ToolMessage.isInstance(m) ? [i] : []));
  const fitted = [...messages];
  for (const i of toolIndexes.slice(0, Math.max(0, toolIndexes.length - KEEP_LAST))) {
    if (total <= limit) break;
    const old = fitted[i] as ToolMessage;
    const saved = messageTokens(old) - estimateTokens(DROPPED);
    // A result that is shorter than the note would only grow.
    if (saved <= 0) continue;
    total -= saved;
    fitted[i] = shortenedTo(old, DROPPED);
  }
  return fitted;
}

/** The tool calls whose results are left out of a conversation that is too long. */
export function droppedCalls(messages: BaseMessage[], contextTokens: number): Set<string> {
  const dropped = fitContext(fadeOld(messages), contextTokens).filter(
    (message): message is ToolMessage => ToolMessage.isInstance(message) && message.content === DROPPED,
  );
  return new Set(dropped.map((message) => message.tool_call_id));
}

/**
 * What was told of the tree long ago fades to the one line that the tool left of it, so that what an earlier step looked at does not
 * weigh on later ones. The conversation itself is not changed.
 *
 * @param messages the conversation, oldest first
 * @returns the same messages, old results of tools that look at the tree shortened
 */
export function fadeOld(messages: BaseMessage[]): BaseMessage[] {
  let turnsSince = 0;
  return messages
    .toReversed()
    .map((message) => {
      if (AIMessage.isInstance(message)) turnsSince += 1;
      // The turn that is about to begin is one further on.
      if (!ToolMessage.isInstance(message) || turnsSince + 1 <= FADE_AFTER_TURNS) return message;
      const { faded } = (message.artifact ?? {}) as { faded?: unknown };
      if (typeof faded !== 'string' || estimateTokens(faded) >= messageTokens(message)) return message;
      return shortenedTo(message, faded);
    })
    .toReversed();
}

function shortenedTo(message: ToolMessage, content: string): ToolMessage {
  return new ToolMessage({
    ...(message.id ? { id: message.id } : {}),
    ...(message.name ? { name: message.name } : {}),
    tool_call_id: message.tool_call_id,
    content,
  });
}

/** Tokens that a message costs when it is sent: a call's arguments count (a `write_file` carries a whole file), thoughts too. */
function messageTokens(message: BaseMessage): number {
  const text = estimateTokens(textOf(message));
  if (!AIMessage.isInstance(message)) return text;
  const calls = [...(message.tool_calls ?? []), ...(message.invalid_tool_calls ?? [])];
  const thoughts = message.additional_kwargs.reasoning_content;
  return (
    text +
    (calls.length > 0 ? estimateTokens(JSON.stringify(calls.map(({ name, args }) => [name, args]))) : 0) +
    (typeof thoughts === 'string' ? estimateTokens(thoughts) : 0)
  );
}
