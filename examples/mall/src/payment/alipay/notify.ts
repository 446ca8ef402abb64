/**
 * 支付宝异步通知：验签与解析
 *
 * 通知是表单。去掉 sign 和 sign_type 两个参数，其余按参数名排序，拼成 a=1&b=2（值用解码后的原文），
 * 再用支付宝公钥按 RSA2（SHA256withRSA）验 sign。空值参数不参与签名。
 */
import type { KeyObject } from 'node:crypto';
import { createVerify } from 'node:crypto';
import { BizError, ErrorCode } from '../../shared/errors.js';
import { yuanToFen } from '../../shared/money.js';
import type { PaymentNotice } from '../payment-channel.js';

const SIGN_TYPE = 'RSA2';
/** 这两种状态都表示钱已到账；TRADE_FINISHED 是不支持退款的签约类型才有的。 */
const PAID_STATES: ReadonlySet<string> = new Set(['TRADE_SUCCESS', 'TRADE_FINISHED']);

/** 待签名串。渠道请求的签名也用它，区别只在于请求要保留 sign_type。 */
export function signContent(params: Readonly<Record<string, string>>, excluded: readonly string[]): string {
  return Object.keys(params)
    .filter((name) => !excluded.includes(name) && params[name] !== '')
    .sort()
    .map((name) => `${name}=${params[name]}`)
    .join('&');
}

/**
 * 回调验签；不通过抛 ERR_SIGN_INVALID。
 *
 * @param appId 自己的应用号：验签只能证明是支付宝发的，还要确认是发给我们的
 */
export function verifyAlipayNotify(body: string, publicKey: KeyObject, appId: string): Record<string, string> {
  const params = Object.fromEntries(new URLSearchParams(body));
  if (params.sign_type !== SIGN_TYPE) {
    throw new BizError(ErrorCode.ERR_SIGN_INVALID, `支付宝通知的 sign_type 不是 ${SIGN_TYPE}`);
  }
  const content = signContent(params, ['sign', 'sign_type']);
  if (
    !createVerify('RSA-SHA256')
      .update(content)
      .verify(publicKey, params.sign ?? '', 'base64')
  ) {
    throw new BizError(ErrorCode.ERR_SIGN_INVALID, '支付宝回调验签不通过');
  }
  if (params.app_id !== appId) throw new BizError(ErrorCode.ERR_SIGN_INVALID, '支付宝通知的 app_id 不是本应用');
  return params;
}

/** 支付宝的交易 → 支付结果。total_amount 以元为单位，在这里换算成分。 */
export function noticeOf(trade: Readonly<Record<string, string>>): PaymentNotice | undefined {
  if (!PAID_STATES.has(trade.trade_status ?? '')) return undefined;
  return {
    paymentNo: trade.out_trade_no ?? '',
    transactionId: trade.trade_no ?? '',
    amount: yuanToFen(trade.total_amount ?? ''),
  };
}
