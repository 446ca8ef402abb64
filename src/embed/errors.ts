import { XiheError } from '../errors.js';

/** What to tell when `signal` has fired: its own time limit (`AbortSignal.timeout`) is a timeout, everything else a cancellation. */
export function abortError(signal: AbortSignal | undefined): XiheError {
  const reason: unknown = signal?.reason;
  if (XiheError.is(reason)) return reason;
  if ((reason as { name?: string } | undefined)?.name === 'TimeoutError')
    return new XiheError('EMBED_TIMEOUT', '计算向量超过了时限', {
      hint: '按词检索照常可用；机器忙时稍后再试，或放宽时限。',
      cause: reason,
    });
  return new XiheError('CANCELLED', '计算向量已取消', { hint: '再次运行会从缓存接着做，算过的不会重算。' });
}

export function closedError(): XiheError {
  return new XiheError('CANCELLED', '向量模型已关闭', { hint: '重新打开后再用。' });
}

/** The embedded model can't be loaded. */
export function unavailable(why: string, cause?: unknown): XiheError {
  return new XiheError('EMBED_UNAVAILABLE', `内置向量模型加载不了：${why}`, {
    hint: '重新安装羲和可以修复；也可以配置 embedding.baseUrl 改用向量服务。按词检索照常可用。',
    cause,
  });
}

export function workerFailed(why: string): XiheError {
  return new XiheError('EMBED_FAILED', `内置向量模型计算失败：${why}`, {
    hint: '多半是内存不足；关掉一些程序再试，或配置 embedding.baseUrl 改用向量服务。按词检索照常可用。',
  });
}

export function computeTimeout(seconds: number): XiheError {
  return new XiheError('EMBED_TIMEOUT', `内置向量模型 ${seconds} 秒没有算出一条文本`, {
    hint: '机器太忙；稍后再试，算过的向量在缓存里。按词检索照常可用。',
    details: { seconds },
  });
}

/** Vectors of the wrong length must never reach an index. */
export function wrongDimension(expected: number, got: number, model: string): XiheError {
  return new XiheError('EMBED_DIMENSION', `${model} 给出 ${got} 维的向量，应当是 ${expected} 维`, {
    hint: '模型换过就重建索引；不然检查 embedding.name 和 embedding.dimension。',
    details: { expected, got, model },
  });
}
