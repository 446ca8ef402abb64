/**
 * 支付渠道接口
 *
 * 每个渠道一个目录（wechat、alipay），实现本接口并在 ChannelRegistry 登记。
 * 支付单、退款单只跟接口打交道，不按渠道写 if 分支，差异都收在各渠道里。
 * 金额在接口上一律是分；渠道要求元的（支付宝）在渠道内部换算。
 */
import type { Fen } from '../shared/money.js';

/** 渠道编码，落库并出现在回调地址里：/payments/notify/:channel。 */
export type ChannelCode = 'wechat' | 'alipay';

export interface PrepayRequest {
  paymentNo: string;
  subject: string;
  amount: Fen;
}

export interface PrepayResult {
  /** 二维码内容，前端画成图给用户扫。 */
  codeUrl: string;
}

export interface ChannelRefundRequest {
  paymentNo: string;
  /** 渠道按退款单号判重：同一个退款单号重复请求只退一次，超时后可以放心重试。 */
  refundNo: string;
  /** 原支付金额，微信退款接口要求带上。 */
  totalAmount: Fen;
  refundAmount: Fen;
}

/** 渠道发来的原始回调，一个字节都不能改：验签用的就是原文。 */
export interface NotifyRequest {
  /** 请求头，名称一律小写。 */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** 验签通过之后的支付结果。 */
export interface PaymentNotice {
  paymentNo: string;
  /** 渠道侧流水号，对账用。 */
  transactionId: string;
  amount: Fen;
}

/** 给渠道的应答。应答不对渠道会反复通知。 */
export interface NotifyAck {
  status: number;
  contentType: string;
  body: string;
}

export interface PaymentChannel {
  readonly code: ChannelCode;
  /** 手续费，万分比，财务结算用。 */
  readonly feeRate: number;
  /** 预下单。 */
  prepay(request: PrepayRequest): Promise<PrepayResult>;
  /** 主动查单；没付款返回 undefined。 */
  query(paymentNo: string): Promise<PaymentNotice | undefined>;
  refund(request: ChannelRefundRequest): Promise<void>;
  /** 回调验签并解析；不是支付成功的通知返回 undefined。验签不过抛 ERR_SIGN_INVALID，不返回任何内容。 */
  parseNotify(request: NotifyRequest): Promise<PaymentNotice | undefined>;
  /** 告诉渠道收到了没有。 */
  ack(success: boolean): NotifyAck;
}
