import { setTimeout as sleep } from 'node:timers/promises';
import { XiheError } from '../../errors.js';
import { assertTrusted, shownAddress } from '../../trust.js';
import { type Failure, httpFailure, networkFailure, notJson, refusal, timeoutFailure, type Where } from './failures.js';
import { parseBigJson, tableOf } from './json.js';
import type { DolphinSettings } from './types.js';

/** Longest time for one request, in seconds, where the settings say nothing: the server's own pages load within a few. */
export const TIMEOUT_SECONDS = 15;
/** How often a read is tried again. */
const READ_RETRIES = 2;
/** First wait before another try, in ms, doubled each time. */
const BACKOFF_MS = 300;
/** Bytes of an answer at most: a page of 5,000 log lines of 1 KB. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/** Values of a request; what is undefined is left out. */
export type Params = Record<string, string | number | boolean | undefined>;

export interface Asked {
  method: 'GET' | 'POST' | 'PUT';
  /** Below the address, with a leading slash. */
  path: string;
  params?: Params;
  signal?: AbortSignal | undefined;
}

/** A call that failed, with what that says about the act. */
export class CallFailed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.error.message);
  }
}

/** Requests to one server: token, time limit, the server's envelope, retries of reads. Acts are sent once and never again. */
export class DolphinHttp {
  readonly where: Where;
  private readonly base: string;
  private readonly token: string;
  private readonly seconds: number;

  /** @throws XiheError UNTRUSTED_ADDRESS, DOLPHIN_NOT_CONFIGURED */
  constructor(
    settings: DolphinSettings,
    private readonly backoffMs = BACKOFF_MS,
  ) {
    assertTrusted(settings.untrusted, 'dolphin.address');
    const { address, token } = settings;
    if (!address) throw notConfigured('地址', 'XIHE_DOLPHIN_ADDRESS，或写进 .xihe/config.yaml 的 dolphin.address');
    if (!token) throw notConfigured('令牌', 'XIHE_DOLPHIN_TOKEN（DolphinScheduler 的「安全中心 → 令牌管理」里建）');
    this.base = baseOf(address);
    this.token = token;
    this.seconds = settings.timeoutSeconds ?? TIMEOUT_SECONDS;
    this.where = { address: shownAddress(this.base), token };
  }

  /**
   * Reads: tried again while that may help.
   *
   * @returns the answer's `data`
   * @throws XiheError DOLPHIN_*, CANCELLED
   */
  async read(path: string, params: Params = {}, signal?: AbortSignal): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.send({ method: 'GET', path, params, signal });
      } catch (e) {
        if (!(e instanceof CallFailed)) throw e;
        if (!e.failure.retryable || attempt >= READ_RETRIES) throw e.failure.error;
        await sleep(this.backoffMs * 2 ** attempt, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /**
   * One request, sent once.
   *
   * @returns the answer's `data`
   * @throws CallFailed; XiheError CANCELLED
   */
  async send({ method, path, params = {}, signal }: Asked): Promise<unknown> {
    if (signal?.aborted) throw cancelled(signal);
    const limit = AbortSignal.timeout(this.seconds * 1000);
    const form = formOf(params);
    try {
      const reply = await fetch(`${this.base}${path}${method === 'GET' && form.size > 0 ? `?${form}` : ''}`, {
        method,
        headers: {
          accept: 'application/json',
          token: this.token,
          // The server's messages in Chinese (its resolver of languages reads this cookie).
          cookie: 'language=zh_CN',
        },
        ...(method === 'GET' ? {} : { body: form }),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        // A redirect leads to a login page; following it would take the token elsewhere.
        redirect: 'manual',
      });
      return this.dataOf(reply.status, await readText(reply));
    } catch (e) {
      if (e instanceof CallFailed) throw e;
      if (signal?.aborted) throw cancelled(signal);
      throw new CallFailed(limit.aborted ? timeoutFailure(this.seconds, this.where) : networkFailure(e, this.where));
    }
  }

  /** Takes the server's envelope off: `{code, msg, data}`, where only code 0 is success. */
  private dataOf(status: number, body: string | undefined): unknown {
    if (status < 200 || status >= 300) throw new CallFailed(httpFailure(status, body ?? '', this.where));
    let envelope: Record<string, unknown> = {};
    try {
      envelope = tableOf(parseBigJson(body ?? ''));
    } catch {
      throw new CallFailed(notJson(body ?? '', this.where));
    }
    const { code, msg, data } = envelope;
    if (typeof code !== 'number') throw new CallFailed(notJson(body ?? '', this.where));
    if (code !== 0) throw new CallFailed(refusal(code, typeof msg === 'string' ? msg : '', this.where));
    return data ?? undefined;
  }
}

/** Without what stands before the @ (fetch refuses such an address), without the web interface's path. */
function baseOf(address: string): string {
  try {
    const url = new URL(address);
    return `${url.origin}${url.pathname.replace(/\/ui\/?$/, '').replace(/\/+$/, '')}`;
  } catch {
    throw new XiheError('CONFIG_INVALID', `dolphin.address 不是网址：${shownAddress(address)}`, {
      hint: '写成 http://主机:12345/dolphinscheduler 的样子。',
    });
  }
}

function formOf(params: Params): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== undefined) form.set(name, String(value));
  return form;
}

/** @returns undefined when it is too long */
async function readText(reply: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of reply.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_REPLY_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function notConfigured(what: string, where: string): XiheError {
  return new XiheError('DOLPHIN_NOT_CONFIGURED', `没有设置 DolphinScheduler 的${what}`, { hint: `设置 ${where}。` });
}

function cancelled(signal: AbortSignal): XiheError {
  if (XiheError.is(signal.reason, 'CANCELLED')) return signal.reason;
  return new XiheError('CANCELLED', '已取消', {
    hint: '已经发出的操作可能做成了，核对之后再决定。',
    cause: signal.reason,
  });
}
