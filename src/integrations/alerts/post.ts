import { messageOf, XiheError, type XiheErrorCode } from '../../errors.js';
import { shownWebhook } from '../../webhook.js';
import { cutToBytes } from './bytes.js';
import { withoutKeys } from './message.js';
import { type Meaning, PLATFORMS, requestFor } from './platforms.js';
import type { Message, Robot } from './types.js';

/** What became of one request. */
export type Posted =
  | { state: 'sent' }
  /** Surely not delivered. `soon`: once more in a moment; `later`: after a pause; `never`: not until somebody mends it. */
  | { state: 'unsent'; retry: 'soon' | 'later' | 'never'; afterMs: number; meaning?: Meaning; error: XiheError }
  /** The request was on its way and no answer came: nobody knows. */
  | { state: 'unknown'; error: XiheError };

/** Longest answer that is read, in bytes: a platform says a line. */
const REPLY_BYTES = 64_000;
/** A server that asks to wait longer is asked again by a later run, in milliseconds. */
const SOON_MS = 3_000;

/** Errors of the way to the server, before anything of the request was on it. */
const NEVER_LEFT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|ERR_SSL_.*|CERT_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|UNABLE_TO_.*|ERR_INVALID_URL)$/;

/**
 * Sends one request to a group's robot.
 *
 * Follows no redirect: the key would go along.
 *
 * @param signal cancels; what was on its way then is `unknown`
 * @returns what became of it; never throws. No error holds the key or the secret
 */
export async function post(robot: Robot, message: Message, signal?: AbortSignal): Promise<Posted> {
  const { url, body } = requestFor(robot, message, Date.now());
  const limit = AbortSignal.timeout(robot.timeoutMs);
  let status: number;
  let retryAfter: string | null;
  let text: string;
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    status = reply.status;
    retryAfter = reply.headers.get('retry-after');
    text = await readText(reply);
  } catch (cause) {
    return lost(robot, cause, limit.aborted);
  }
  return judged(robot, status, retryAfter, text);
}

async function readText(reply: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body ?? []) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).length;
    if (size > REPLY_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function lost(robot: Robot, e: unknown, isTimeout: boolean): Posted {
  const cause = (e as { cause?: { code?: unknown } }).cause;
  const code = String(cause?.code ?? (e as { code?: unknown }).code ?? '');
  if (NEVER_LEFT.test(code)) {
    const error = failure(
      robot,
      'ALERT_UNREACHABLE',
      `连不上${nameOf(robot)}（${code}）`,
      '检查网络和地址；告警留在队列里。',
    );
    return { state: 'unsent', retry: 'soon', afterMs: 0, error };
  }
  const what = isTimeout ? `${robot.timeoutMs / 1000} 秒没有应答` : code || withoutKeys(messageOf(e), keysOf(robot));
  const hint = '到群里看一眼；没有自动重发，免得发两遍。';
  return {
    state: 'unknown',
    error: failure(
      robot,
      'ALERT_UNCERTAIN',
      `告警发给${nameOf(robot)}，没有等到结果（${what}），不知道有没有送到`,
      hint,
    ),
  };
}

function judged(robot: Robot, status: number, retryAfter: string | null, text: string): Posted {
  const reply = readReply(text);
  const waitMs = retryAfterMs(retryAfter);
  const { meaning, pauseMs } = PLATFORMS[robot.platform];
  if (status === 429 || (reply && meaning(reply.code, reply.said) === 'limited')) {
    const afterMs = waitMs ?? pauseMs;
    const error = failure(
      robot,
      'ALERT_RATE_LIMITED',
      `${nameOf(robot)}说发得太多${codeOf(reply, status)}`,
      '告警留在队列里，过一会儿合成一条发。',
    );
    return { state: 'unsent', retry: afterMs <= SOON_MS ? 'soon' : 'later', afterMs, meaning: 'limited', error };
  }
  if (status >= 500 || (reply && meaning(reply.code, reply.said) === 'busy')) {
    const error = failure(
      robot,
      'ALERT_UNREACHABLE',
      `${nameOf(robot)}出错或正忙${codeOf(reply, status)}`,
      '告警留在队列里，稍后再发。',
    );
    return {
      state: 'unsent',
      retry: (waitMs ?? 0) <= SOON_MS ? 'soon' : 'later',
      afterMs: waitMs ?? 0,
      meaning: 'busy',
      error,
    };
  }
  if (!reply || (status >= 300 && status < 400)) {
    const error = failure(
      robot,
      'ALERT_BAD_REPLY',
      `应答不像${nameOf(robot)}的（HTTP ${status}）`,
      '检查地址是不是机器人的 webhook，中间有没有代理或登录页。',
    );
    return { state: 'unsent', retry: 'never', afterMs: 0, error };
  }
  const what = meaning(reply.code, reply.said);
  if (what === 'ok') return { state: 'sent' };
  const said = cutToBytes(withoutKeys(reply.said, keysOf(robot)).replace(/\s+/g, ' '), 200);
  const error =
    what === 'auth'
      ? failure(
          robot,
          'ALERT_AUTH',
          `${nameOf(robot)}不认这个机器人${codeOf(reply, status)}：${said}`,
          authHint(robot, said),
        )
      : failure(
          robot,
          'ALERT_REFUSED',
          `${nameOf(robot)}拒收了这条告警${codeOf(reply, status)}：${said}`,
          '看平台给的原因；这一条不会再发。',
        );
  return { state: 'unsent', retry: 'never', afterMs: 0, meaning: what, error };
}

/** All three answer with a number and a text, each under names of its own. */
function readReply(text: string): { code: number; said: string } | undefined {
  try {
    const read = JSON.parse(text) as Record<string, unknown>;
    const code = [read.errcode, read.code, read.StatusCode].find((one) => typeof one === 'number');
    const said = [read.errmsg, read.msg, read.StatusMessage].find((one) => typeof one === 'string') ?? '';
    return code === undefined ? undefined : { code: code as number, said: said as string };
  } catch {
    return undefined;
  }
}

function codeOf(reply: { code: number } | undefined, status: number): string {
  return reply === undefined || reply.code === 0 ? `（HTTP ${status}）` : `（${reply.code}）`;
}

/** @returns milliseconds; undefined where the server says nothing that can be read */
function retryAfterMs(header: string | null): number | undefined {
  const seconds = Number(header);
  if (header === null || header.trim() === '') return undefined;
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

function authHint(robot: Robot, said: string): string {
  if (/keyword|key words|关键词/i.test(said)) return '机器人设了关键词：加上「羲和告警」，或改用加签。';
  if (/timestamp|时间戳/i.test(said)) return '对一下这台机器的时间；签名的密钥放在 XIHE_ALERT_SECRET。';
  if (/sign|签名/i.test(said)) return '签名对不上：XIHE_ALERT_SECRET 要和机器人安全设置里的密钥一样。';
  if (/\bip\b/i.test(said)) return '把这台机器的出口 IP 加进机器人的白名单。';
  return `检查 XIHE_ALERT_WEBHOOK（现在是 ${shownWebhook(robot.address)}），机器人可能已经被移出群。`;
}

const nameOf = (robot: Robot) => PLATFORMS[robot.platform].name;

/** What must not stand in anything that is told: the address's secret parts and the signature's key. */
export function keysOf(robot: Robot): string[] {
  const url = new URL(robot.address);
  const parts = [...url.searchParams.values(), ...url.pathname.split('/').filter((part) => part.length >= 16)];
  const all = [robot.address, ...parts, robot.secret ?? '', url.password];
  return all.flatMap((key) => [key, encodeURIComponent(key)]).filter((key) => key.length >= 6);
}

function failure(robot: Robot, code: XiheErrorCode, message: string, hint: string): XiheError {
  return new XiheError(code, message, {
    hint,
    details: { platform: robot.platform, address: shownWebhook(robot.address) },
  });
}
