import { messageOf, XiheError } from '../../errors.js';
import { aborted, closed, notAuthorised, refused, timedOut, unavailable, wrongSchema } from './errors.js';
import { type Answer, loadSdk, type Sdk, type SdkClient } from './sdk.js';

export interface ConnectionOptions {
  /** `host:port`, `http://…` or `https://…`. */
  address: string;
  /** `user:password` or an API key. In no message. */
  token?: string | undefined;
  database?: string | undefined;
  /** Longest time for one reading call; those that write or load may take {@link SLOW} times as long. */
  timeoutMs: number;
}

/** Writing, loading and building indexes take that much longer than a search. */
const SLOW = 6;

/** After a pause of the server the first call should find it again; gRPC would wait up to two minutes between attempts. */
const RECONNECT_MS = { first: 200, longest: 2_000 };

/** The SDK's 10 s is a flood to servers with gRPC's own rule of one idle ping in five minutes: they hang up. */
const KEEPALIVE_MS = 330_000;

/** BM25 inside the server came with this version. */
const OLDEST = [2, 5] as const;

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** For calls that write, load or build. */
  slow?: boolean;
}

type Call = (client: SdkClient, timeout: number) => Promise<unknown>;

/** A connection whose every call has a time limit, can be aborted and has its answer checked. */
export class Connection {
  private isClosed = false;
  /** Errors that the SDK threw without the server's reason. */
  private readonly unexplained = new WeakSet<object>();

  private constructor(
    private readonly client: SdkClient,
    readonly sdk: Sdk,
    private readonly options: ConnectionOptions,
  ) {}

  /**
   * Loads the SDK and connects.
   *
   * @throws XiheError MILVUS_UNAVAILABLE, MILVUS_TIMEOUT, MILVUS_AUTH; MILVUS_SCHEMA for a server that is too old; CANCELLED
   */
  static async open(options: ConnectionOptions, signal?: AbortSignal): Promise<Connection> {
    if (!/^(https?:\/\/)?[^\s/@]+\/?$/.test(options.address))
      throw unavailable(
        '地址写法不对',
        'milvus.address 写成「主机:端口」或「https://主机:端口」，密钥放 XIHE_MILVUS_TOKEN。',
      );
    const sdk = await loadSdk();
    const client = new sdk.MilvusClient({
      address: options.address,
      ...(options.token === undefined ? {} : { token: options.token }),
      ...(options.database === undefined ? {} : { database: options.database }),
      timeout: options.timeoutMs,
      // Its own retries would start the time limit anew each time.
      maxRetries: 0,
      telemetry: { enabled: false },
      channelOptions: {
        'grpc.keepalive_time_ms': KEEPALIVE_MS,
        'grpc.initial_reconnect_backoff_ms': RECONNECT_MS.first,
        'grpc.max_reconnect_backoff_ms': RECONNECT_MS.longest,
        // Else a new connection to a server that is back would wait out the pauses of an old one.
        'grpc.use_local_subchannel_pool': 1,
      },
    });
    const connection = new Connection(client, sdk, options);
    try {
      await connection.call('连接', (c) => c.connectPromise, { signal });
      await connection.checkVersion(signal);
    } catch (e) {
      await connection.close();
      throw e;
    }
    return connection;
  }

  private async checkVersion(signal: AbortSignal | undefined): Promise<void> {
    const { version } = await this.call('查询版本', (c) => c.getVersion(), { signal });
    const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(String(version)) ?? [];
    // Small servers name themselves before the number and are all new enough.
    if (major === undefined) return;
    if (Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1])) return;
    throw wrongSchema(`Milvus 是 ${version}，没有按词检索`, `升级到 ${OLDEST.join('.')} 以上，或不用 milvus.address。`);
  }

  limitMs(slow: boolean): number {
    return this.options.timeoutMs * (slow ? SLOW : 1);
  }

  /**
   * One call of the SDK.
   *
   * @param what in Chinese, for messages: 「写入片段」
   * @param run gets the client and the time limit in ms to pass on
   * @returns the answer, whose status is good
   */
  async call(what: string, run: Call, { signal, slow = false }: CallOptions = {}): Promise<Answer> {
    if (this.isClosed) throw closed();
    if (signal?.aborted) throw aborted(what, signal);
    const limit = this.limitMs(slow);
    try {
      return this.checked(what, await withLimits(what, run(this.client, limit), limit, signal));
    } catch (e) {
      throw this.translate(what, e, limit);
    }
  }

  /**
   * A call on a collection. Where the SDK stumbles by itself, the server is asked about the collection: either that gives the reason (the
   * SDK hides a refusal behind a bare TypeError), or it renews the description that the SDK keeps, which is of no use once another process
   * has moved the alias, and the call is made once more.
   */
  async callOn(collection: string, what: string, run: Call, options: CallOptions = {}): Promise<Answer> {
    try {
      return await this.call(what, run, options);
    } catch (e) {
      if (!this.unexplained.has(e as object)) throw e;
      await this.call(what, (c, timeout) => c.describeCollection({ collection_name: collection, timeout }), options);
      return this.call(what, run, options);
    }
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    // A pending call to a dead server would hold it; its promise ends by its own deadline.
    await Promise.race([this.client.closeConnection().catch(() => {}), pause(CLOSE_MS)]);
  }

  private checked(what: string, answer: unknown): Answer {
    const status = statusOf(answer);
    // The SDK turns "unimplemented" into an empty answer.
    if (status === undefined) throw refused(what, '服务器不支持这个操作');
    if (status.ok) return answer as Answer;
    throw refused(what, this.clean(status.reason), status.code);
  }

  /** Whatever was thrown as one of our errors, without the token. */
  private translate(what: string, e: unknown, limit: number): XiheError {
    if (XiheError.is(e)) return e;
    const reason = this.clean((e as { details?: string } | null)?.details ?? messageOf(e));
    const grpc = (e as { code?: unknown } | null)?.code;
    // The SDK throws the answer itself when it stumbles over it on the way.
    const status = e instanceof Error ? undefined : statusOf(e);
    if (status !== undefined) return refused(what, this.clean(status.reason), status.code);
    if (grpc === GRPC.unavailable || grpc === GRPC.cancelled)
      return unavailable(plainly(reason), undefined, this.options.address);
    if (grpc === GRPC.deadline) return timedOut(what, limit);
    if (grpc === GRPC.unauthenticated || grpc === GRPC.denied) return notAuthorised(reason);
    const error = refused(what, reason);
    if (grpc === undefined) this.unexplained.add(error);
    return error;
  }

  private clean(text: string): string {
    const { token } = this.options;
    if (!token) return text;
    const secrets = [token, Buffer.from(token, 'utf8').toString('base64'), token.slice(token.indexOf(':') + 1)];
    return secrets.reduce((clean, secret) => (secret === '' ? clean : clean.replaceAll(secret, '***')), text);
  }
}

/** How long closing waits for calls that are under way. */
const CLOSE_MS = 1_000;

/** gRPC's status codes. */
const GRPC = { cancelled: 1, deadline: 4, denied: 7, unavailable: 14, unauthenticated: 16 } as const;

/** gRPC's words for the two most common reasons, for people. */
function plainly(reason: string): string {
  if (/ECONNREFUSED/.test(reason)) return '没有服务在这个地址上（ECONNREFUSED）';
  if (/ENOTFOUND|EAI_AGAIN|Name resolution/i.test(reason)) return '找不到这台主机（ENOTFOUND）';
  return reason.replace(/\s*Resolution note:.*$/, '');
}

interface Status {
  ok: boolean;
  reason: string;
  code: number | undefined;
}

/** Both ways in which servers say how it went (`error_code` of old, `code` of new); either may be missing or a number. */
function statusOf(answer: unknown): Status | undefined {
  const holder = answer as { status?: unknown } | null | undefined;
  const status = (holder?.status ?? holder) as { error_code?: unknown; code?: unknown; reason?: unknown } | undefined;
  if (status === null || typeof status !== 'object') return undefined;
  const { error_code: old, code, reason } = status;
  if (old === undefined && code === undefined) return undefined;
  const good = [undefined, null, 0, '0', 'Success', 'SUCCESS'];
  const number = Number(code ?? 0);
  const name = typeof old === 'string' && reason === '' ? old : String(reason ?? '');
  return { ok: number === 0 && good.includes(old as never), reason: name, code: number || undefined };
}

/** `work`, unless time is over or `signal` fires first: the SDK knows no signals, and a deadline only on the wire. */
async function withLimits(what: string, work: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut(what, ms)), ms);
    onAbort = () => reject(aborted(what, signal!));
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  // Whoever loses the race may still reject, and nobody listens then.
  work.catch(() => {});
  limit.catch(() => {});
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort!);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
