import { XiheError, type XiheErrorCode } from '../errors.js';
import type { EmbedKind } from './types.js';

/** A failed request: what to tell, and whether the same one may succeed later. */
export interface EndpointFailure {
  error: XiheError;
  retryable: boolean;
  /** What the endpoint asked us to wait, in milliseconds. */
  retryAfterMs?: number;
}

/** What messages may name: never the key. */
export interface EndpointInfo {
  baseUrl: string;
  name: string;
  apiKey: string | undefined;
}

/** Longest piece of an endpoint's own words that is shown, in characters. */
const MAX_SAID = 200;
/** A 429 that waiting does not cure: the account is empty. */
const OUT_OF_QUOTA = /insufficient[_ ]?(quota|balance)|exceeded your current quota|billing|arrearage|余额|欠费/i;

/** Sorts an answer that is no success. `said` is its body. */
export function httpFailure(status: number, headers: Headers, said: string, info: EndpointInfo): EndpointFailure {
  const words = sayable(said, info.apiKey);
  const tell = (code: XiheErrorCode, what: string, hint: string, retryable = false): EndpointFailure => ({
    error: failure(code, `${what}${words === '' ? '' : `：${words}`}`, hint, info, { status }),
    retryable,
    retryAfterMs: retryAfterOf(headers),
  });
  if (status === 401 || status === 403)
    return tell('EMBED_AUTH', `向量服务拒绝了密钥（HTTP ${status}）`, '检查 XIHE_EMBED_API_KEY 和它的权限。');
  if (status === 402 || (status === 429 && OUT_OF_QUOTA.test(said)))
    return tell('EMBED_AUTH', '向量服务的账户额度不足', '充值或换一个密钥（XIHE_EMBED_API_KEY）。');
  if (status === 429)
    return tell('EMBED_RATE_LIMITED', '向量服务限流（HTTP 429）', '稍后再运行，算过的向量在缓存里。', true);
  if (status === 408 || status >= 500)
    return tell(
      'EMBED_UNREACHABLE',
      `向量服务出错（HTTP ${status}）`,
      '看看服务的日志，稍后再试。按词检索照常可用。',
      true,
    );
  if (status === 404)
    return tell(
      'EMBED_REFUSED',
      `向量服务没有这个地址或模型（HTTP 404）`,
      `检查 embedding.baseUrl（通常以 /v1 结尾）和 embedding.name（现在是 ${info.name}）。`,
    );
  return tell(
    'EMBED_REFUSED',
    `向量服务不接受请求（HTTP ${status}）`,
    '按服务的说明检查模型名、文本长度和 embedding 里的设置。',
  );
}

/** Nobody is there now. A build waits for a service that is being started; a question does not. */
const NOBODY = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/;

/** What another try meets again: a certificate, a port that fetch refuses, TLS spoken to a server without it. */
const FOR_GOOD = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|bad port|ERR_INVALID_URL/;

/** For people, beside the code. */
const PLAINLY: Record<string, string> = {
  ECONNREFUSED: '没有服务在这个地址上',
  ENOTFOUND: '找不到这台主机',
  EAI_AGAIN: '找不到这台主机',
};

/**
 * The connection failed, or broke off.
 *
 * @param kind of the texts: who asks a question wants its answer now
 */
export function networkFailure(e: unknown, info: EndpointInfo, kind: EmbedKind): EndpointFailure {
  const said = sayable(causesOf(e).join('，') || String(e), info.apiKey);
  const plain = Object.entries(PLAINLY).find(([code]) => said.includes(code))?.[1];
  const why = plain === undefined ? said : `${plain}：${said}`;
  return {
    error: failure(
      'EMBED_UNREACHABLE',
      `连不上向量服务 ${info.baseUrl}（${why}）`,
      '检查 XIHE_EMBED_BASE_URL 或 embedding.baseUrl 和网络，确认服务已经启动。按词检索照常可用。',
      info,
    ),
    retryable: !FOR_GOOD.test(said) && !(kind === 'query' && NOBODY.test(said)),
  };
}

/** Why a connection failed: error codes, else messages, from the outside in. `fetch failed` alone says nothing. */
export function causesOf(e: unknown): string[] {
  const causes: string[] = [];
  for (let cause: unknown = e, i = 0; cause instanceof Error && i < 4; cause = cause.cause, i++)
    causes.push((cause as { code?: string }).code ?? cause.message);
  return causes.filter((cause) => cause !== 'fetch failed');
}

export function timeoutFailure(seconds: number, info: EndpointInfo): EndpointFailure {
  return {
    error: failure(
      'EMBED_TIMEOUT',
      `向量服务 ${seconds} 秒没有答完`,
      '服务慢就调大 embedding.timeoutSeconds，或调小 embedding.batchSize。',
      info,
      { seconds },
    ),
    retryable: true,
  };
}

/** An answer that does not follow the protocol. Half an answer is worth another try, a web page is not. */
export function badReply(what: string, info: EndpointInfo, retryable = true): EndpointFailure {
  return {
    error: failure(
      'EMBED_BAD_REPLY',
      `向量服务的回答不对：${sayable(what, info.apiKey)}`,
      '检查 embedding.baseUrl 是不是 OpenAI 兼容的 /v1 地址，有没有被代理或登录页拦住。',
      info,
    ),
    retryable,
  };
}

function failure(
  code: XiheErrorCode,
  message: string,
  hint: string,
  info: EndpointInfo,
  details: Record<string, unknown> = {},
): XiheError {
  return new XiheError(code, message, { hint, details: { baseUrl: info.baseUrl, model: info.name, ...details } });
}

/** The endpoint's own words, short, on one line, without the key and what looks like one. */
export function sayable(said: string, apiKey: string | undefined): string {
  let text = said;
  try {
    const json = JSON.parse(said) as { error?: { message?: unknown } | string; message?: unknown; detail?: unknown };
    const inner = typeof json.error === 'object' ? json.error?.message : json.error;
    const words = inner ?? json.message ?? json.detail;
    if (typeof words === 'string') text = words;
  } catch {
    // Plain text, or a page: shown as it is.
  }
  if (apiKey) text = text.replaceAll(apiKey, '***');
  return text
    .replace(/\b(sk-|Bearer\s+)[\w.-]{6,}/g, '$1***')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_SAID);
}

/** `Retry-After` as seconds or as a date, or the milliseconds of `retry-after-ms`. */
function retryAfterOf(headers: Headers): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const text = headers.get('retry-after');
  if (text === null || text.trim() === '') return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
