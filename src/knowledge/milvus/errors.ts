import { XiheError, type XiheErrorCode } from '../../errors.js';
import { shownAddress } from '../../trust.js';

const LOCAL_GOES_ON = '本机的检索照常可用。';

/**
 * No connection: wrong address, server down, network gone.
 *
 * @param address where nobody answered, if it came to that
 */
export function unavailable(why: string, hint?: string, address?: string): XiheError {
  const where = address === undefined ? '' : `（${shownAddress(address)}）`;
  return new XiheError('MILVUS_UNAVAILABLE', `连不上 Milvus${where}：${why}`, {
    hint: hint ?? `检查 milvus.address 和服务是否启动；${LOCAL_GOES_ON}`,
  });
}

export function timedOut(what: string, ms: number): XiheError {
  return new XiheError('MILVUS_TIMEOUT', `Milvus ${ms / 1000} 秒内没有完成：${what}`, {
    hint: `服务太忙或网络不通；可以放宽 milvus.timeoutSeconds，${LOCAL_GOES_ON}`,
    details: { what, ms },
  });
}

/** The caller's signal has fired. A time limit of its own (`AbortSignal.timeout`) is a timeout. */
export function aborted(what: string, signal: AbortSignal): XiheError {
  const reason: unknown = signal.reason;
  if (XiheError.is(reason)) return reason;
  if ((reason as { name?: string } | undefined)?.name === 'TimeoutError')
    return new XiheError('MILVUS_TIMEOUT', `Milvus 没有在时限内完成：${what}`, {
      hint: `服务太忙或网络不通；${LOCAL_GOES_ON}`,
      details: { what },
    });
  return new XiheError('CANCELLED', `Milvus 的操作已取消：${what}`, { hint: '再次运行会从停下的地方接着做。' });
}

export function closed(): XiheError {
  return new XiheError('CANCELLED', 'Milvus 的连接已关闭', { hint: '重新打开后再用。' });
}

/**
 * The server said no.
 *
 * @param code the server's own code, kept for {@link isMissing} and its like
 */
export function refused(what: string, reason: string, code?: number): XiheError {
  const [kind, hint] = kindOf(reason, code);
  return new XiheError(kind, `Milvus 拒绝了${what}：${reason}`, { hint, details: { what, milvusCode: code } });
}

function kindOf(reason: string, code: number | undefined): [XiheErrorCode, string] {
  if (code === DATABASE_MISSING || /database .*(not exist|not found)/i.test(reason))
    return ['MILVUS_SCHEMA', '先在 Milvus 里建好这个数据库，或改 milvus.database。'];
  if (/auth check|unauthenticated|permission denied|privilege|api key/i.test(reason)) return unauthorised;
  if (code === RATE_LIMITED) return ['MILVUS_REFUSED', `服务限流，稍后再试；${LOCAL_GOES_ON}`];
  return ['MILVUS_REFUSED', `看 Milvus 的日志；${LOCAL_GOES_ON}`];
}

const unauthorised: [XiheErrorCode, string] = [
  'MILVUS_AUTH',
  '检查 XIHE_MILVUS_TOKEN（「用户名:密码」或 API key），以及这个用户能不能建集合、读写集合。',
];

export function notAuthorised(reason: string): XiheError {
  return new XiheError('MILVUS_AUTH', `Milvus 不接受这个身份：${reason}`, { hint: unauthorised[1] });
}

/** A collection that is not as it should be, or data that the server can't hold. */
export function wrongSchema(message: string, hint: string, details: Record<string, unknown> = {}): XiheError {
  return new XiheError('MILVUS_SCHEMA', message, { hint, details });
}

export function deadArm(arm: string, collection: string): XiheError {
  return new XiheError('MILVUS_PROBE_FAILED', `Milvus 里的索引 ${collection} 有问题：${arm}检索找不到已有的片段`, {
    hint: `重建索引；还是这样，就看 Milvus 的版本（2.5 以上）和日志。${LOCAL_GOES_ON}`,
    details: { collection },
  });
}

export function wrongVector(expected: number, got: number): XiheError {
  return got === expected
    ? new XiheError('EMBED_BAD_REPLY', '向量全是零或不是有限数', { hint: '检查向量服务给出的结果。' })
    : new XiheError('EMBED_DIMENSION', `向量是 ${got} 维，索引是 ${expected} 维`, {
        hint: '换了向量模型，重建索引即可。',
        details: { expected, got },
      });
}

// Codes of Milvus since 2.3.2, from `pkg/util/merr/errors.go` in its repository.
const RATE_LIMITED = 8;
const COLLECTION_MISSING = 100;
const NOT_LOADED = [101, 103];
const INDEX_MISSING = 700;
const DATABASE_MISSING = 800;
const ALIAS_MISSING = 1600;

function codeOf(e: unknown): number | undefined {
  return XiheError.is(e) ? (e.details.milvusCode as number | undefined) : undefined;
}

/** The collection, alias or index that was asked for is not there. */
export function isMissing(e: unknown): boolean {
  return [COLLECTION_MISSING, INDEX_MISSING, ALIAS_MISSING].includes(codeOf(e) ?? 0);
}

/** After a restart of the server a collection has to be loaded again. */
export function isNotLoaded(e: unknown): boolean {
  return NOT_LOADED.includes(codeOf(e) ?? 0);
}

export function isRateLimited(e: unknown): boolean {
  return codeOf(e) === RATE_LIMITED;
}

/** Somebody else was faster: what should be made is there. */
export function isThere(e: unknown): boolean {
  return XiheError.is(e, 'MILVUS_REFUSED') && /already exist|file exists|duplicate|distinct index/i.test(e.message);
}
