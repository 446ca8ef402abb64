/**
 * 退款单
 *
 * 约定：谁发起、要不要退货，由 initiator_type 区分，不靠状态区分。
 * 仅退款就是 initiator_type = BUYER_NO_RETURN 的退款单，和退货退款走同一套状态（只是少了“已退货”这一步）。
 * 订单状态 OrderState 和退款状态 RefundState 都不为它加新值：加了以后，所有按状态统计的报表、
 * 结算和客服筛选都要跟着改，而它们关心的只是“退了没有”。
 */
import type { Timestamp } from '../shared/clock.js';
import type { BaseRow } from '../shared/db.js';
import type { Fen } from '../shared/money.js';

/** 退款发起类型。 */
export enum RefundInitiatorType {
  /** 买家退货退款 */
  BUYER_RETURN = 'BUYER_RETURN',
  /** 买家仅退款，不退货 */
  BUYER_NO_RETURN = 'BUYER_NO_RETURN',
  /** 商家主动退款，例如缺货 */
  MERCHANT = 'MERCHANT',
  /** 系统退款：多收的钱，例如关单后才到账、同一单付了两次 */
  SYSTEM = 'SYSTEM',
}

export enum RefundState {
  /** 待审核 */
  APPLIED = 'APPLIED',
  /** 已同意：退货的等买家寄回，其余等打款 */
  APPROVED = 'APPROVED',
  /** 已退货：仓库收到货，等打款 */
  RETURNED = 'RETURNED',
  /** 已退款 */
  REFUNDED = 'REFUNDED',
  /** 已拒绝 */
  REJECTED = 'REJECTED',
}

export interface RefundItem {
  sku: string;
  quantity: number;
}

export interface RefundRow extends BaseRow {
  refund_no: string;
  order_no: string;
  /** 退的是哪一笔支付；全用余额付的订单为空。 */
  payment_no: string | null;
  user_id: string;
  initiator_type: RefundInitiatorType;
  state: RefundState;
  /** 退哪些货；系统退款为空。 */
  items: RefundItem[];
  reason: string;
  /** 退款总额 = 渠道部分 + 余额部分，单位分。 */
  amount: Fen;
  /** 原路退回支付渠道的部分，单位分。 */
  channel_amount: Fen;
  /** 退回余额的部分，单位分。 */
  balance_amount: Fen;
  /** 审核人。 */
  audited_by: string | null;
  gmt_refunded: Timestamp | null;
}

/** 这种退款要不要等买家把货寄回来。 */
export function needsReturn(initiator: RefundInitiatorType): boolean {
  return initiator === RefundInitiatorType.BUYER_RETURN;
}
