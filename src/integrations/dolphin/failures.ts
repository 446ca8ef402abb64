import { messageOf, XiheError, type XiheErrorCode } from '../../errors.js';
import { maskText, plainLine } from '../../text/index.js';

/** Longest piece of the server's own words that is shown, in characters. */
const MAX_SAID = 200;

/** A failed request: what to tell, and what it says about the act. */
export interface Failure {
  error: XiheError;
  /** The same request may succeed later. */
  retryable: boolean;
  /** Nobody knows whether the server carried it out: the connection broke after the request may have reached it. */
  unsure: boolean;
}

/** What messages may name: never the token. */
export interface Where {
  /** Without user and password. */
  address: string;
  token?: string | undefined;
}

/**
 * What the server's own codes mean. They are those of its `Status` enumeration (3.1.9, 3.2.2 and the 3.3 line agree on them); whatever is
 * not here is told in the server's words.
 */
const MEANINGS: Readonly<Record<number, readonly [XiheErrorCode, hint: string]>> = {
  10008: ['DOLPHIN_NOT_FOUND', '任务可能还没有派发；先看实例的状态，过一会儿再看日志。'],
  10013: [
    'DOLPHIN_AUTH',
    '检查用户名和密码；羲和用令牌：在 DolphinScheduler 的「安全中心 → 令牌管理」里建一个，放进 XIHE_DOLPHIN_TOKEN。',
  ],
  10017: ['DOLPHIN_REFUSED', '在 dolphin.tenant 里写一个服务器上有的租户，或请管理员在「安全中心 → 租户管理」里建好。'],
  10018: ['DOLPHIN_NOT_FOUND', '检查项目名（dolphin.project 或参数 project），或请管理员把项目授权给这个令牌的用户。'],
  10020: ['DOLPHIN_NOT_FOUND', '检查任务实例的编号。'],
  10024: ['CRON_INVALID', '按 Quartz 的写法改：秒 分 时 日 月 周，日和周有一个是 ?。'],
  10103: ['DOLPHIN_NOT_FOUND', '任务可能还没有写日志，或 worker 连不上；看看实例的状态，过一会儿再试。'],
  10168: ['DOLPHIN_EXISTS', '换一个名字；要改已有的工作流，请在 DolphinScheduler 里改。'],
  10190: ['DOLPHIN_NOT_FOUND', '检查项目名（dolphin.project 或参数 project）。'],
  10191: ['DOLPHIN_NOT_FOUND', '任务还没有派发到 worker，过一会儿再看日志；一直这样就看看 worker 是否在线。'],
  10204: ['DOLPHIN_EXISTS', '一个工作流只能有一个定时；先在 DolphinScheduler 里改它或删掉它。'],
  30001: ['DOLPHIN_FORBIDDEN', '换一个有权限的用户的令牌，或请管理员授权。'],
  30002: ['DOLPHIN_FORBIDDEN', '请管理员把这个项目授权给令牌的用户。'],
  30003: ['DOLPHIN_FORBIDDEN', '令牌的用户对这个项目只能看；请管理员给它写权限。'],
  50001: ['DOLPHIN_NOT_FOUND', '检查实例编号和项目。'],
  50003: ['DOLPHIN_NOT_FOUND', '检查工作流的名字和项目。'],
  50004: ['DOLPHIN_NOT_ONLINE', '先让工作流上线，再运行它或给它定时。'],
};

/** Statuses of the server's own making that a later try may escape: it ran into something inside. */
const INTERNAL_CODE = 10_000;

/** A 200 whose `code` is not 0. */
export function refusal(code: number, said: string, where: Where): Failure {
  const [kind, hint] = MEANINGS[code] ?? [
    'DOLPHIN_REFUSED',
    '按服务器的说明改；看不懂时查 DolphinScheduler 的 api-server 日志。',
  ];
  const words = sayable(said, where.token) || '没有说原因';
  const error = failure(kind, `DolphinScheduler 不接受：${words}（${code}）`, hint, where, { serverCode: code });
  return { error, retryable: false, unsure: code === INTERNAL_CODE };
}

/** An answer that is no 2xx. */
export function httpFailure(status: number, said: string, where: Where): Failure {
  const tell = (code: XiheErrorCode, what: string, hint: string, retryable = false): Failure => ({
    error: failure(code, what, hint, where, { status }),
    retryable,
    unsure: retryable && status !== 429,
  });
  if (status === 401 || status === 403)
    return tell('DOLPHIN_AUTH', `DolphinScheduler 不认这个令牌（HTTP ${status}）`, TOKEN_HINT);
  if (status >= 300 && status < 400)
    return tell('DOLPHIN_AUTH', `DolphinScheduler 要求登录（HTTP ${status} 跳转）`, LOGIN_HINT);
  if (status === 429) return tell('DOLPHIN_REFUSED', 'DolphinScheduler 限流（HTTP 429）', '过一会儿再试。', true);
  if (status === 408 || status >= 500)
    return tell(
      'DOLPHIN_UNREACHABLE',
      `DolphinScheduler 出错（HTTP ${status}）`,
      '看看 api-server 的日志，过一会儿再试。',
      true,
    );
  if (status === 404)
    return tell('DOLPHIN_BAD_REPLY', '这个地址上没有 DolphinScheduler 的接口（HTTP 404）', ADDRESS_HINT);
  const words = sayable(said.startsWith('<') ? '' : said, where.token);
  return tell('DOLPHIN_REFUSED', `DolphinScheduler 不接受请求（HTTP ${status}）${words && `：${words}`}`, ADDRESS_HINT);
}

/** A 2xx that is not the server's JSON: a page of a gateway or of its own web interface. */
export function notJson(body: string, where: Where): Failure {
  const isPage = /^\s*<(?:!doctype|html|head|body)/i.test(body);
  const error = isPage
    ? failure('DOLPHIN_AUTH', 'DolphinScheduler 的地址给的是网页（多半是登录页），不是接口', LOGIN_HINT, where)
    : failure('DOLPHIN_BAD_REPLY', 'DolphinScheduler 的回答读不懂', ADDRESS_HINT, where);
  return { error, retryable: false, unsure: false };
}

/** A JSON answer without what it should hold. */
export function strangeReply(what: string, where: Where): XiheError {
  return failure(
    'DOLPHIN_BAD_REPLY',
    `DolphinScheduler 的回答里没有${what}`,
    '支持 3.1、3.2、3.3；服务器是别的版本时，请把这条错误告诉我们。',
    where,
  );
}

/** The time limit of one request passed. */
export function timeoutFailure(seconds: number, where: Where): Failure {
  const hint = '看看服务器忙不忙；慢的服务器可以加大 dolphin.timeoutSeconds。';
  const error = failure('DOLPHIN_TIMEOUT', `DolphinScheduler ${seconds} 秒没有应答`, hint, where);
  return { error, retryable: true, unsure: true };
}

/** Errors of a connection that was never there: the request reached nobody. */
const NOBODY = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT/;
/** What another try meets again. */
const FOR_GOOD = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|bad port|ERR_INVALID_URL|Invalid URL/;

/** The connection failed or broke off. */
export function networkFailure(e: unknown, where: Where): Failure {
  const cause = (e as { cause?: unknown }).cause ?? e;
  const code = String((cause as { code?: unknown }).code ?? '');
  const text = `${code} ${messageOf(cause)}`;
  const nobody = NOBODY.test(text);
  const error = failure(
    'DOLPHIN_UNREACHABLE',
    `连不上 DolphinScheduler（${code || sayable(messageOf(cause), where.token)}）`,
    ADDRESS_HINT,
    where,
  );
  const forGood = FOR_GOOD.test(text);
  return { error, retryable: !forGood, unsure: !nobody && !forGood };
}

/** An act whose answer got lost and of which no look-up could say what became of it. */
export function unknownOutcome(what: string, look: string, cause: XiheError, where: Where): XiheError {
  return new XiheError('DOLPHIN_OUTCOME_UNKNOWN', `不知道${what}成没成：${cause.message}；没有再试，免得做两次`, {
    hint: look,
    cause,
    details: { address: where.address, reason: cause.code },
  });
}

const TOKEN_HINT =
  '在 DolphinScheduler 的「安全中心 → 令牌管理」里看它是否过期、用户是否停用；换一个新的放进 XIHE_DOLPHIN_TOKEN。';
const LOGIN_HINT =
  '检查 dolphin.address（通常以 /dolphinscheduler 结尾，不带 /ui）；前面有统一登录的网关时，请让接口地址绕过它。';
const ADDRESS_HINT = '检查 dolphin.address（例如 http://主机:12345/dolphinscheduler）和服务器是否启动。';

function failure(code: XiheErrorCode, message: string, hint: string, where: Where, details = {}): XiheError {
  return new XiheError(code, message, { hint, details: { address: where.address, ...details } });
}

/** The server's words on one line, short, without the token. */
function sayable(said: string, token: string | undefined): string {
  const bare = token ? said.replaceAll(token, '***') : said;
  const line = plainLine(maskText(bare));
  return line.length > MAX_SAID ? `${line.slice(0, MAX_SAID)}…` : line;
}
