/**
 * 订单与订单行
 */
import type { Timestamp } from '../shared/clock.js';
import type { BaseRow } from '../shared/db.js';
import type { Fen } from '../shared/money.js';
import type { CancelReason, OrderState } from './order-state.js';

export interface OrderLine {
  sku: string;
  title: string;
  /** 下单时的单价，单位分；之后商品改价不影响已下的单。 */
  unit_price: Fen;
  quantity: number;
  /** 单价 × 数量，单位分。 */
  amount: Fen;
  /** 分摊到本行的优惠，单位分。 */
  discount_share: Fen;
}

export interface OrderRow extends BaseRow {
  order_no: string;
  user_id: string;
  state: OrderState;
  lines: OrderLine[];
  /** 各行金额之和，单位分。 */
  total_amount: Fen;
  /** 优惠券减免，单位分。 */
  discount_amount: Fen;
  /** 余额抵扣，单位分。 */
  balance_amount: Fen;
  /** 还要通过支付渠道付的钱 = 总额 − 优惠 − 余额抵扣，单位分。 */
  payable_amount: Fen;
  coupon_id: string | null;
  tracking_no: string | null;
  cancel_reason: CancelReason | null;
  gmt_paid: Timestamp | null;
  gmt_cancelled: Timestamp | null;
}

/** 一行的实付 = 行金额 − 行分摊，单位分。按行退款以它为准。 */
export function linePaid(line: OrderLine): Fen {
  return line.amount - line.discount_share;
}

/** 整单实付 = 渠道支付 + 余额抵扣，单位分。 */
export function orderPaid(order: OrderRow): Fen {
  return order.payable_amount + order.balance_amount;
}
