import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { FADE_AFTER_TURNS } from '../paths/index.js';
import { estimateTokens } from '../text/index.js';
import { textOf } from './node.js';

/** A request that would fill more than this share of the window is cut: the rest is for the reply. */
const FULL_SHARE = 0.75;
/**
 * To this share it is cut then. Well below, so that the beginning of the conversation stays the same for many turns: providers keep
 * it in their caches as long as not one byte of it changes.
 */
const CUT_SHARE = 0.5;
/** What goes with each request beside the messages, in tokens: the system prompt and the tools (measured 3,200: see the pages of what is sent). */
const OVERHEAD_TOKENS = 4_000;
/** Small windows are not all overhead: at most this share of them counts for it. */
const OVERHEAD_SHARE = 0.25;
/** Tool results kept whole whatever happens: the model is working with the newest ones. */
const KEEP_LAST = 4;
/** Old results fade together, once in so many turns, for the same reason. */
const FADE_STEP = 6;
/** Arguments of old calls that are longer, in tokens, are cut when nothing else is left: a `write_file` carries a whole file. */
const LONG_ARGUMENT = 200;
/** What an endpoint says of its usage is believed within these bounds around our own count; beyond them it counts something else. */
const RATIO_BOUNDS = [0.5, 2] as const;

const DROPPED = '（这条较早的工具结果已省略，需要时再查一次。）';
const CUT_ARGUMENT = '（较早的内容已省略，以暂存区里的文件为准）';

/** Tools whose results say what is staged: they go last. */
const EDITS = new Set(['edit_file', 'write_file', 'delete_file', 'move_file']);

/**
 * Keeps a conversation inside the window. What was told of the tree long ago fades to the one line that the tool left of it. When the
 * window is full, old results of tools that look around are left out, then those of tests, then long arguments of old calls.
 * The task with its plan and warnings, what the user said, the model's own words, what it staged and the newest results stay.
 *
 * What is cut follows from the conversation alone, request by request, and only ever grows: two requests in a row begin with the
 * same bytes, until a step of fading or the window is full again.
 *
 * @param messages the conversation, oldest first; not changed
 * @param contextTokens the model's window in tokens
 * @returns the same list when everything fits
 */
export function fitContext(messages: BaseMessage[], contextTokens: number): BaseMessage[] {
  const fitting = new Fitting(messages);
  const overhead = Math.min(OVERHEAD_TOKENS, contextTokens * OVERHEAD_SHARE);
  // How much of what was sent the endpoint counted, against our own count.
  let ratio = 1;
  for (const [i, message] of [...messages, undefined].entries()) {
    if (message !== undefined && !AIMessage.isInstance(message)) continue;
    // Here a request was made, or is about to be.
    fitting.fade(i);
    const count = () => (overhead + fitting.tokensBefore(i)) * ratio;
    if (count() > contextTokens * FULL_SHARE) fitting.cut(i, () => count() > contextTokens * CUT_SHARE);
    ratio = ratioOf(message, overhead + fitting.tokensBefore(i)) ?? ratio;
  }
  return fitting.isChanged ? fitting.messages : messages;
}

/** The tool calls whose results are left out of a conversation that is too long. */
export function droppedCalls(messages: BaseMessage[], contextTokens: number): Set<string> {
  const dropped = fitContext(messages, contextTokens).filter(
    (message): message is ToolMessage => ToolMessage.isInstance(message) && message.content === DROPPED,
  );
  return new Set(dropped.map((message) => message.tool_call_id));
}

/** The endpoint's count of a request over ours; undefined where it told none. */
function ratioOf(reply: BaseMessage | undefined, counted: number): number | undefined {
  const told = (reply as AIMessage | undefined)?.usage_metadata?.input_tokens;
  if (!told) return undefined;
  const [low, high] = RATIO_BOUNDS;
  return Math.min(high, Math.max(low, told / counted));
}

/** A conversation while it is shortened, with what each message costs. */
class Fitting {
  readonly messages: BaseMessage[];
  isChanged = false;
  readonly #tokens: number[];

  constructor(messages: readonly BaseMessage[]) {
    this.messages = [...messages];
    this.#tokens = messages.map(messageTokens);
  }

  tokensBefore(end: number): number {
    let sum = 0;
    for (let i = 0; i < end; i++) sum += this.#tokens[i]!;
    return sum;
  }

  /** At every sixth turn, results of tools that look at the tree which are then older than six shrink to their line. */
  fade(end: number): void {
    const turns = this.messages.slice(0, end).filter((message) => AIMessage.isInstance(message)).length;
    const faded = Math.floor(turns / FADE_STEP) * FADE_STEP - FADE_AFTER_TURNS;
    let turn = 0;
    for (let i = 0; i < end; i++) {
      const message = this.messages[i]!;
      if (AIMessage.isInstance(message)) turn += 1;
      if (turn > faded) return;
      if (!ToolMessage.isInstance(message)) continue;
      const { faded: line } = (message.artifact ?? {}) as { faded?: unknown };
      if (typeof line === 'string') this.#shorten(i, line);
    }
  }

  /**
   * Shortens what lies before `end`, in order of what is missed least, until enough is gone.
   *
   * @param isTooLong asked before each step
   */
  cut(end: number, isTooLong: () => boolean): void {
    const results = this.messages
      .slice(0, end)
      .flatMap((m, i) => (ToolMessage.isInstance(m) ? [{ i, name: m.name ?? '' }] : []));
    const old = results.slice(0, Math.max(0, results.length - KEEP_LAST));
    const isTest = ({ name }: { name: string }) => name === 'run_tests';
    const looks = old.filter((one) => !isTest(one) && !EDITS.has(one.name));
    for (const { i } of [...looks, ...old.filter(isTest)]) {
      if (!isTooLong()) return;
      this.#shorten(i, DROPPED);
    }
    const newest = results.at(-KEEP_LAST)?.i ?? 0;
    for (let i = 0; i < newest && isTooLong(); i++) this.#cutArguments(i);
  }

  /** Puts a shorter text in place of a result; one that is short already would only grow. */
  #shorten(i: number, text: string): void {
    const old = this.messages[i] as ToolMessage;
    if (estimateTokens(text) >= this.#tokens[i]!) return;
    this.#set(
      i,
      new ToolMessage({
        ...(old.id ? { id: old.id } : {}),
        ...(old.name ? { name: old.name } : {}),
        tool_call_id: old.tool_call_id,
        content: text,
      }),
    );
  }

  #cutArguments(i: number): void {
    const message = this.messages[i];
    if (!AIMessage.isInstance(message) || !message.tool_calls?.length) return;
    const shorter = (_key: string, value: unknown) =>
      typeof value === 'string' && estimateTokens(value) > LONG_ARGUMENT ? CUT_ARGUMENT : value;
    const before = JSON.stringify(message.tool_calls);
    const tool_calls = JSON.parse(before, shorter) as NonNullable<AIMessage['tool_calls']>;
    if (JSON.stringify(tool_calls) === before) return;
    this.#set(
      i,
      new AIMessage({
        ...(message.id ? { id: message.id } : {}),
        content: message.content,
        additional_kwargs: message.additional_kwargs,
        response_metadata: message.response_metadata,
        ...(message.usage_metadata ? { usage_metadata: message.usage_metadata } : {}),
        tool_calls,
      }),
    );
  }

  #set(i: number, message: BaseMessage): void {
    this.messages[i] = message;
    this.#tokens[i] = messageTokens(message);
    this.isChanged = true;
  }
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
