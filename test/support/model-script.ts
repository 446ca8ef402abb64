/**
 * The scenario language of the scripted model server: what a request looks like, how rules match it, what a reply is.
 *
 * Nothing here counts requests unless a rule asks for it (`times`, `stepBy: 'count'`): a killed run repeats requests, and
 * a script that answers by what the request holds gives the repeated request the same answer.
 */

/** One message of a chat-completions request, as it came over the wire. */
export interface WireMessage {
  role: string;
  content?: string | null | Array<{ type: string; text?: string }>;
  name?: string;
  tool_call_id?: string;
  tool_calls?: Array<{ id: string; type: string; function: { name: string; arguments: string } }>;
  reasoning_content?: string;
}

/** The body of a chat-completions request: the fields that scripts look at, the rest untyped. */
export interface ChatRequest {
  model: string;
  messages: WireMessage[];
  tools?: Array<{ type: string; function: { name: string; description?: string; parameters?: unknown } }>;
  tool_choice?: unknown;
  response_format?: { type: string; json_schema?: unknown };
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  temperature?: number;
  [key: string]: unknown;
}

/** What can go wrong; `afterChunks` counts the SSE events sent before it happens (default 2). */
export type Fault =
  | { kind: 'status'; status: number; retryAfterSeconds?: number; retryAfter?: string; message?: string; code?: string }
  | { kind: 'stall'; afterChunks?: number }
  | { kind: 'cut'; afterChunks?: number }
  | { kind: 'garbage'; afterChunks?: number }
  | { kind: 'error-event'; afterChunks?: number; message?: string }
  | { kind: 'no-finish' }
  | { kind: 'no-choices' }
  /** A web page; with 200 when no status is given. */
  | { kind: 'html'; status?: number };

/** A tool call of a reply. A string in `args` is sent as it is, so that broken JSON can be sent. */
export interface ScriptedToolCall {
  name: string;
  args: Record<string, unknown> | string;
  /** Default: made from the number of messages in the request and the index, the same for a repeated request. */
  id?: string;
}

/** What servers and the proxies before them do to a stream. */
export interface StreamStyle {
  /** Lines end with CR LF. */
  crlf?: boolean;
  /** Comments between events, as servers send to keep a connection alive. */
  comments?: boolean;
  /** No `[DONE]` at the end. */
  noDone?: boolean;
  /** What it says it is. */
  contentType?: string;
  /** Bytes of one write; 1 cuts every Chinese character. */
  bytes?: number;
  /** A first chunk without choices (Azure's filter results). */
  emptyFirst?: boolean;
  /** `content: null` in each delta that has no content. */
  nullContent?: boolean;
  /** The whole completion as one JSON document, although a stream was asked for. */
  whole?: boolean;
}

/** One answer of the server. */
export interface Reply {
  text?: string;
  reasoning?: string;
  toolCalls?: ScriptedToolCall[];
  /** Default: `tool_calls` when there are any, else `stop`. Endpoints say other things too; null is never said. */
  finish?: 'stop' | 'tool_calls' | 'length' | 'content_filter' | (string & {}) | null;
  /** Default: counted from the text; `false` for an endpoint that never tells. */
  usage?: { prompt: number; completion: number; cached?: number; deepSeekCached?: number } | false;
  /** Where the usage stands in a stream: in a chunk without choices (OpenAI), in the one that ends, in every one. */
  usageIn?: 'own' | 'last' | 'each';
  /** Characters in one content delta; default 4. */
  chunkChars?: number;
  /** Milliseconds before the first byte, headers included. */
  delayMs?: number;
  /** Milliseconds between two chunks. */
  chunkDelayMs?: number;
  /**
   * How tool-call deltas look: OpenAI's way, id and name in every delta (llama.cpp), the call in one delta, without an index, without
   * index and id.
   */
  toolDeltas?: 'openai' | 'repeat' | 'whole' | 'no-index' | 'nameless';
  /** How the stream is written down. */
  stream?: StreamStyle;
  fault?: Fault;
}

/** What a reply function learns beside the request. */
export interface ReplyInfo {
  /** Assistant messages in the request. */
  turn: number;
  /** Requests that this rule answered before this one. */
  count: number;
}

export type ReplyLike =
  | Reply
  | string
  | ((req: ChatRequest, info: ReplyInfo) => Reply | string | Promise<Reply | string>);

/** A text to be found: a part of it, or a pattern. In JSON files a pattern is written `"/…/flags"`. */
export type TextMatch = string | RegExp;

/** All given fields must hold. */
export interface Matcher {
  /** In the system prompt. */
  system?: TextMatch;
  /** In the last user message. */
  user?: TextMatch;
  /** In any user message. */
  anyUser?: TextMatch;
  /** In the last message, which must be a tool result. */
  toolResult?: TextMatch;
  /** In any tool result. */
  anyToolResult?: TextMatch;
  /** Tools are offered at all (true/false), or the tool of this name is. */
  tools?: boolean | string;
  /** A JSON answer is asked for by `response_format`. */
  json?: boolean;
  /** Assistant messages in the request. */
  turn?: number;
  model?: TextMatch;
  test?: (req: ChatRequest) => boolean;
}

/** One rule: the first whose `when` holds and whose steps are not used up answers. */
export interface Rule {
  /** Shown in the records. */
  name?: string;
  when?: Matcher;
  /** One reply for every match, or steps; a rule whose steps are over does not match any more. */
  reply: ReplyLike | ReplyLike[];
  /**
   * What chooses the step: the assistant messages in the whole request (`turn`, the default: a script reads from top to
   * bottom), those after the last user message (`turnSinceUser`), or how often the rule has answered (`count`: not safe
   * when a run is killed and repeats its request).
   */
  stepBy?: 'turn' | 'turnSinceUser' | 'count';
  /** Answers at most so often; for faults that go away. */
  times?: number;
}

export interface Scenario {
  /** Names that `GET /v1/models` lists; default `scripted-model`. */
  models?: string[];
  /** When set, any other bearer token gets 401. */
  apiKey?: string;
  /** Refuse what strict endpoints refuse (unanswered tool calls and the like). Default true. */
  strict?: boolean;
  rules: Rule[];
}

/** The text of a message, parts joined. */
export function textOf(message: WireMessage | undefined): string {
  const content = message?.content;
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('');
}

export function systemText(req: ChatRequest): string {
  return req.messages
    .filter((m) => m.role === 'system' || m.role === 'developer')
    .map(textOf)
    .join('\n');
}

export function lastUserText(req: ChatRequest): string {
  return textOf(req.messages.findLast((m) => m.role === 'user'));
}

/** The text of the last message when it is a tool result, else undefined. */
export function lastToolResult(req: ChatRequest): string | undefined {
  const last = req.messages.at(-1);
  return last?.role === 'tool' ? textOf(last) : undefined;
}

export function toolNames(req: ChatRequest): string[] {
  return (req.tools ?? []).map((t) => t.function.name);
}

/** Assistant messages in the request, all of them or only those after the last user message. */
export function turnOf(req: ChatRequest, sinceUser = false): number {
  const from = sinceUser ? req.messages.findLastIndex((m) => m.role === 'user') + 1 : 0;
  return req.messages.slice(from).filter((m) => m.role === 'assistant').length;
}

function toPattern(match: TextMatch): RegExp | string {
  if (typeof match !== 'string') return match;
  const written = /^\/(.+)\/([a-z]*)$/s.exec(match);
  return written ? new RegExp(written[1]!, written[2]) : match;
}

function hit(match: TextMatch, text: string): boolean {
  const pattern = toPattern(match);
  // A pattern with the g flag keeps its place between calls: search() ignores it, test() would not.
  return typeof pattern === 'string' ? text.includes(pattern) : text.search(pattern) >= 0;
}

function hitsAny(match: TextMatch, req: ChatRequest, role: string): boolean {
  return req.messages.some((m) => m.role === role && hit(match, textOf(m)));
}

/** Tells whether all given fields of `when` hold for the request. */
export function matches(when: Matcher, req: ChatRequest): boolean {
  if (when.system !== undefined && !hit(when.system, systemText(req))) return false;
  if (when.user !== undefined && !hit(when.user, lastUserText(req))) return false;
  if (when.anyUser !== undefined && !hitsAny(when.anyUser, req, 'user')) return false;
  if (when.anyToolResult !== undefined && !hitsAny(when.anyToolResult, req, 'tool')) return false;
  if (when.toolResult !== undefined) {
    const result = lastToolResult(req);
    if (result === undefined || !hit(when.toolResult, result)) return false;
  }
  if (typeof when.tools === 'boolean' && toolNames(req).length > 0 !== when.tools) return false;
  if (typeof when.tools === 'string' && !toolNames(req).includes(when.tools)) return false;
  if (when.json !== undefined && (req.response_format !== undefined) !== when.json) return false;
  if (when.turn !== undefined && turnOf(req) !== when.turn) return false;
  if (when.model !== undefined && !hit(when.model, req.model)) return false;
  return when.test?.(req) ?? true;
}

/** Chooses replies for requests; holds the counts that rules with `times` or `stepBy: 'count'` need. */
export class Script {
  readonly #rules: Rule[];
  readonly #counts: number[];

  constructor(rules: Rule[]) {
    this.#rules = rules;
    this.#counts = rules.map(() => 0);
  }

  /** @returns the reply and the name of its rule, or null when no rule matches */
  async choose(req: ChatRequest): Promise<{ reply: Reply; rule: string } | null> {
    for (const [i, rule] of this.#rules.entries()) {
      const count = this.#counts[i]!;
      if (rule.times !== undefined && count >= rule.times) continue;
      if (rule.when && !matches(rule.when, req)) continue;
      const like = Array.isArray(rule.reply) ? rule.reply[stepOf(rule, req, count)] : rule.reply;
      if (like === undefined) continue;
      this.#counts[i] = count + 1;
      const made = typeof like === 'function' ? await like(req, { turn: turnOf(req), count }) : like;
      return { reply: typeof made === 'string' ? { text: made } : made, rule: rule.name ?? `rule ${i}` };
    }
    return null;
  }
}

function stepOf(rule: Rule, req: ChatRequest, count: number): number {
  if (rule.stepBy === 'count') return count;
  return turnOf(req, rule.stepBy === 'turnSinceUser');
}

/** What a strict endpoint would say against this request, or null. */
export function objection(req: ChatRequest): string | null {
  if (typeof req.model !== 'string' || req.model === '') return 'you must provide a model parameter';
  if (!Array.isArray(req.messages) || req.messages.length === 0) return "'messages' must be a non-empty array";
  let open = new Set<string>();
  for (const [i, message] of req.messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? '')) {
        return `messages[${i}]: role 'tool' must be a response to a preceding message with 'tool_calls' (${message.tool_call_id})`;
      }
      continue;
    }
    if (open.size > 0) return `messages[${i}]: tool_call_ids did not have response messages: ${[...open].join(', ')}`;
    const calls = message.tool_calls ?? [];
    open = new Set(calls.map((c) => c.id));
    if (open.size !== calls.length) return `messages[${i}]: duplicate tool call ids`;
    const broken = calls.find((c) => !isJsonObject(c.function.arguments));
    if (broken) return `messages[${i}]: arguments of ${broken.id} are not a JSON object`;
  }
  if (open.size > 0) return `tool_call_ids did not have response messages: ${[...open].join(', ')}`;
  return null;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
