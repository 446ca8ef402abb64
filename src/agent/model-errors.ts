import { messageOf, XiheError, type XiheErrorCode } from '../errors.js';

/** A failed call: what to tell, and whether the same request may succeed later. */
export interface ModelFailure {
  error: XiheError;
  retryable: boolean;
  /** What the endpoint asked us to wait, in milliseconds. */
  retryAfterMs?: number;
  /** HTTP status, when there was an answer. */
  status?: number;
}

/** Why our own watchdog ended a call. */
export type Trip = 'silent' | 'stalled' | 'timeout';

/** Longest piece of an endpoint's own words that is shown. */
const MAX_SAID = 300;

/** Causes behind an error that are looked at: fetch wraps the socket's, the client wraps fetch's. */
const MAX_CAUSES = 4;

/** Words of the endpoints for a request that is longer than the model's window (OpenAI, DeepSeek, Qwen, vLLM, llama.cpp, Ollama). */
const OVERFLOW =
  /context[_ ](length|size|window)|maximum context|too many tokens|input (is )?too long|range of input length|exceed.{0,40}(context|token)|prompt is too long/i;
/** A 429 that waiting does not cure: the account is empty. */
const OUT_OF_QUOTA = /insufficient[_ ]?(quota|balance)|exceeded your current quota|billing|arrearage|余额|欠费/i;

/** A page of HTML where the protocol was expected. Raised by our fetch, recognised here. */
export class NotAnApi extends Error {}

/** A stream that ended without saying so, or said nothing. */
export class BadReply extends Error {
  readonly hint: string;
  readonly retryable: boolean;

  constructor(message: string, hint: string, retryable: boolean) {
    super(message);
    this.hint = hint;
    this.retryable = retryable;
  }
}

/** What the messages name: never the key. */
export interface EndpointInfo {
  baseUrl: string;
  model: string;
  apiKey: string | undefined;
}

/** The error of a call that our watchdog ended. */
export function tripped(trip: Trip, seconds: number, info: EndpointInfo): ModelFailure {
  const what = {
    silent: `模型端点 ${seconds} 秒没有任何回应`,
    stalled: `模型的回复中途停住了，${seconds} 秒没有新内容`,
    timeout: `模型的一次回复超过了 ${seconds} 秒`,
  }[trip];
  const hint =
    trip === 'timeout'
      ? '模型太慢时调大 model.timeoutSeconds，或把任务拆小。'
      : '检查网络和端点状态；本地模型加载慢时调大 model.stallSeconds（XIHE_MODEL_STALL_SECONDS）。';
  // A call that used up its whole time would do so again.
  return failure('MODEL_STALLED', what, hint, info, { retryable: trip !== 'timeout', details: { trip, seconds } });
}

/**
 * Sorts what the OpenAI client threw: by HTTP status, by the endpoint's words, by the network error behind it.
 *
 * @param e anything that a call threw, our watchdog and the user's cancellation excepted
 */
export function classify(e: unknown, info: EndpointInfo): ModelFailure {
  const status = statusOf(e);
  const said = sayable(e, info);
  if (e instanceof BadReply)
    return failure('MODEL_BAD_REPLY', e.message, e.hint, info, { cause: e, retryable: e.retryable });
  if (isBehind(e, NotAnApi)) {
    return failure(
      'MODEL_UNREACHABLE',
      `${info.baseUrl} 返回的是网页，不是模型接口`,
      '检查 XIHE_BASE_URL：多半少了 /v1，或被代理、登录页拦住了。',
      info,
      { cause: e },
    );
  }
  if (status !== undefined) return byStatus(status, said, e, info);
  if (e instanceof SyntaxError) {
    return failure(
      'MODEL_BAD_REPLY',
      `端点发来的数据不是合法的 JSON：${said}`,
      '多半是端点或代理的问题，稍后再试；一直这样就换一个端点。',
      info,
      { cause: e, retryable: true },
    );
  }
  if (OVERFLOW.test(said)) return overflow(said, e, info);
  return network(said, e, info);
}

function byStatus(status: number, said: string, cause: unknown, info: EndpointInfo): ModelFailure {
  const options = { cause, status };
  if ([400, 413, 422].includes(status) && OVERFLOW.test(said)) return { ...overflow(said, cause, info), status };
  if (status === 402 || (status === 429 && OUT_OF_QUOTA.test(said))) {
    return failure(
      'MODEL_AUTH',
      `模型账户额度不足：${said}`,
      '充值或换一个密钥（XIHE_API_KEY）再运行。',
      info,
      options,
    );
  }
  if (status === 401 || status === 403) {
    return failure(
      'MODEL_AUTH',
      `模型端点拒绝了密钥（HTTP ${status}）：${said}`,
      '检查 XIHE_API_KEY 是否正确、有没有这个模型的权限。',
      info,
      options,
    );
  }
  if (status === 429) {
    const retryAfterMs = retryAfterOf(cause);
    const wait = retryAfterMs === undefined ? '稍等再试' : `${Math.ceil(retryAfterMs / 1000)} 秒后再试`;
    return failure(
      'MODEL_RATE_LIMITED',
      `请求太频繁，被模型端点限流：${said}`,
      `${wait}，或换一个限额更高的端点。`,
      info,
      {
        ...options,
        retryable: true,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
    );
  }
  if (status === 404) {
    return failure(
      'MODEL_UNREACHABLE',
      `模型端点没有这个地址或模型（HTTP 404）：${said}`,
      `检查 XIHE_BASE_URL（${info.baseUrl}，一般以 /v1 结尾）和 XIHE_MODEL（${info.model}）。`,
      info,
      options,
    );
  }
  // 408 and 409: the endpoint itself says that the same request may work later.
  if (status >= 500 || status === 408 || status === 409) {
    const retryAfterMs = retryAfterOf(cause);
    return failure(
      'MODEL_UNREACHABLE',
      `模型端点暂时不可用（HTTP ${status}）：${said}`,
      '稍后再试；一直这样就看看端点的状态页。',
      info,
      {
        ...options,
        retryable: true,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
    );
  }
  return failure(
    'MODEL_REFUSED',
    `模型端点不接受这个请求（HTTP ${status}）：${said}`,
    '多半是这个模型不支持请求里的某项能力（工具调用、JSON 输出等）；换一个模型，或带上 xihe trace 的输出反馈。',
    info,
    options,
  );
}

function overflow(said: string, cause: unknown, info: EndpointInfo): ModelFailure {
  return failure(
    'MODEL_CONTEXT_OVERFLOW',
    `对话超出了模型的上下文长度：${said}`,
    '把 model.contextTokens 调到模型的实际长度，或把任务拆小。',
    info,
    { cause },
  );
}

function network(said: string, cause: unknown, info: EndpointInfo): ModelFailure {
  return failure(
    'MODEL_UNREACHABLE',
    `连不上模型端点 ${info.baseUrl}：${said}`,
    '检查网络、代理和 XIHE_BASE_URL；本地端点先确认已经启动。',
    info,
    { cause, retryable: true },
  );
}

function failure(
  code: XiheErrorCode,
  message: string,
  hint: string,
  info: EndpointInfo,
  options: { retryable?: boolean; retryAfterMs?: number; status?: number; cause?: unknown; details?: object },
): ModelFailure {
  const { retryable = false, retryAfterMs, status, cause, details } = options;
  const facts = { baseUrl: info.baseUrl, model: info.model, ...(status === undefined ? {} : { status }), ...details };
  return {
    error: new XiheError(code, message, { hint, details: facts, ...(cause === undefined ? {} : { cause }) }),
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
  };
}

/** True when the error or one of its causes is of that class: the client wraps what our fetch throws. */
function isBehind(e: unknown, kind: new () => Error): boolean {
  let one = e;
  for (let depth = 0; one instanceof Error && depth < MAX_CAUSES; depth++) {
    if (one instanceof kind) return true;
    one = (one as Error).cause;
  }
  return false;
}

function statusOf(e: unknown): number | undefined {
  const status = (e as { status?: unknown } | null)?.status;
  return typeof status === 'number' ? status : undefined;
}

/** One line of the error's own words and its causes', without the key, LangChain's links and the status that we say ourselves. */
function sayable(e: unknown, { apiKey }: EndpointInfo): string {
  const words: string[] = [];
  for (let one: unknown = e, depth = 0; one instanceof Error && depth < MAX_CAUSES; one = one.cause, depth++) {
    const first = one.message
      .split('\n')[0]!
      .replace(/^\d{3} /, '')
      .trim();
    const code = (one as { code?: unknown }).code;
    const text = typeof code === 'string' && !first.includes(code) && first !== '' ? `${first} (${code})` : first;
    if (text && !words.some((w) => w.includes(text))) words.push(text);
  }
  const line = words.join(' ← ') || messageOf(e);
  const safe = apiKey ? line.replaceAll(apiKey, '***') : line;
  return safe.length > MAX_SAID ? `${safe.slice(0, MAX_SAID)}…` : safe;
}

/** `Retry-After` in milliseconds: seconds or a date (RFC 9110 §10.2.3), or OpenAI's `retry-after-ms`. */
function retryAfterOf(e: unknown): number | undefined {
  const headers = (e as { headers?: { get?: (name: string) => string | null } } | null)?.headers;
  const ms = Number(headers?.get?.('retry-after-ms') ?? Number.NaN);
  if (ms >= 0) return ms;
  const text = headers?.get?.('retry-after');
  if (!text) return undefined;
  const seconds = Number(text);
  if (seconds >= 0) return seconds * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
