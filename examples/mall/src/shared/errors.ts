/**
 * 业务异常与错误码
 *
 * 错误码是对外契约：前端按码弹提示，客服按码查原因，文案在 i18n 的 error.* 下。
 * 新增一个码要同时补：ErrorCode、ERROR_RULES、i18n/zh-CN.json、i18n/en.json。
 */

export enum ErrorCode {
  /** 调用支付网关超时，结果未知：不能当成失败，要去查单。 */
  ERR_TIMEOUT = 'ERR_TIMEOUT',
  /** 渠道明确拒绝，例如余额不足、商户号被限。 */
  ERR_CHANNEL_REJECTED = 'ERR_CHANNEL_REJECTED',
  /** 没有登记过的支付渠道。 */
  ERR_CHANNEL_UNKNOWN = 'ERR_CHANNEL_UNKNOWN',
  /** 回调验签不通过。 */
  ERR_SIGN_INVALID = 'ERR_SIGN_INVALID',
  /** 回调时间戳与本机相差过大，可能是重放。 */
  ERR_NOTIFY_EXPIRED = 'ERR_NOTIFY_EXPIRED',
  /** 找不到证书序列号对应的平台证书。 */
  ERR_CERT_UNKNOWN = 'ERR_CERT_UNKNOWN',
  /** 回调金额与支付单金额不一致。 */
  ERR_AMOUNT_MISMATCH = 'ERR_AMOUNT_MISMATCH',
  ERR_NOT_FOUND = 'ERR_NOT_FOUND',
  /** 当前订单状态不允许这个操作。 */
  ERR_ORDER_STATE = 'ERR_ORDER_STATE',
  /** 库存不足。 */
  ERR_STOCK_SHORT = 'ERR_STOCK_SHORT',
  /** 库存行正被别人修改（乐观锁冲突），稍后重试可能成功。 */
  ERR_STOCK_BUSY = 'ERR_STOCK_BUSY',
  ERR_BALANCE_SHORT = 'ERR_BALANCE_SHORT',
  ERR_COUPON_UNUSABLE = 'ERR_COUPON_UNUSABLE',
  /** 退款金额超过可退金额。 */
  ERR_REFUND_EXCEEDS = 'ERR_REFUND_EXCEEDS',
  /** 当前退款单状态不允许这个操作。 */
  ERR_REFUND_STATE = 'ERR_REFUND_STATE',
  ERR_UNAUTHORIZED = 'ERR_UNAUTHORIZED',
  ERR_FORBIDDEN = 'ERR_FORBIDDEN',
  ERR_PARAM = 'ERR_PARAM',
  /** 数据版本冲突（乐观锁）。 */
  ERR_VERSION_CONFLICT = 'ERR_VERSION_CONFLICT',
  /** 文本里有目标编码表示不了的字符。 */
  ERR_ENCODING = 'ERR_ENCODING',
}

interface ErrorRule {
  httpStatus: number;
  /** 原样再来一次有没有可能成功。 */
  retryable: boolean;
}

const ERROR_RULES: Record<ErrorCode, ErrorRule> = {
  [ErrorCode.ERR_TIMEOUT]: { httpStatus: 504, retryable: true },
  [ErrorCode.ERR_CHANNEL_REJECTED]: { httpStatus: 502, retryable: false },
  [ErrorCode.ERR_CHANNEL_UNKNOWN]: { httpStatus: 400, retryable: false },
  [ErrorCode.ERR_SIGN_INVALID]: { httpStatus: 401, retryable: false },
  [ErrorCode.ERR_NOTIFY_EXPIRED]: { httpStatus: 401, retryable: false },
  [ErrorCode.ERR_CERT_UNKNOWN]: { httpStatus: 401, retryable: false },
  [ErrorCode.ERR_AMOUNT_MISMATCH]: { httpStatus: 409, retryable: false },
  [ErrorCode.ERR_NOT_FOUND]: { httpStatus: 404, retryable: false },
  [ErrorCode.ERR_ORDER_STATE]: { httpStatus: 409, retryable: false },
  [ErrorCode.ERR_STOCK_SHORT]: { httpStatus: 409, retryable: false },
  [ErrorCode.ERR_STOCK_BUSY]: { httpStatus: 503, retryable: true },
  [ErrorCode.ERR_BALANCE_SHORT]: { httpStatus: 409, retryable: false },
  [ErrorCode.ERR_COUPON_UNUSABLE]: { httpStatus: 409, retryable: false },
  [ErrorCode.ERR_REFUND_EXCEEDS]: { httpStatus: 409, retryable: false },
  [ErrorCode.ERR_REFUND_STATE]: { httpStatus: 409, retryable: false },
  [ErrorCode.ERR_UNAUTHORIZED]: { httpStatus: 401, retryable: false },
  [ErrorCode.ERR_FORBIDDEN]: { httpStatus: 403, retryable: false },
  [ErrorCode.ERR_PARAM]: { httpStatus: 400, retryable: false },
  [ErrorCode.ERR_VERSION_CONFLICT]: { httpStatus: 409, retryable: true },
  [ErrorCode.ERR_ENCODING]: { httpStatus: 422, retryable: false },
};

/** 业务异常。message 给日志看，给用户看的文案由 code 经 i18n 得出。 */
export class BizError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options);
    this.name = 'BizError';
  }

  get httpStatus(): number {
    return ERROR_RULES[this.code].httpStatus;
  }

  get retryable(): boolean {
    return ERROR_RULES[this.code].retryable;
  }

  static is(error: unknown, code?: ErrorCode): error is BizError {
    return error instanceof BizError && (code === undefined || error.code === code);
  }
}
