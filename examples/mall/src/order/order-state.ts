/**
 * 订单状态机
 *
 * 订单状态只描述“这笔交易走到哪一步”。退款（包括仅退款）不是订单状态：
 * 一笔订单可以部分退款多次，订单本身仍然是已付款、已发货或已完成，退款进度看退款单（refund 模块）。
 */
import { BizError, ErrorCode } from '../shared/errors.js';

export enum OrderState {
  /** 待付款 */
  PENDING_PAYMENT = 'PENDING_PAYMENT',
  /** 已付款，待发货 */
  PAID = 'PAID',
  /** 已发货 */
  SHIPPED = 'SHIPPED',
  /** 已完成 */
  COMPLETED = 'COMPLETED',
  /** 已关闭：用户取消或超时关单 */
  CANCELLED = 'CANCELLED',
}

/** 关单原因，和状态分开存：客服查“是用户取消还是超时”看这个字段。 */
export enum CancelReason {
  USER = 'USER',
  TIMEOUT = 'TIMEOUT',
}

/** 允许的流转。已完成和已关闭是终态。 */
export const ORDER_TRANSITIONS: Record<OrderState, readonly OrderState[]> = {
  [OrderState.PENDING_PAYMENT]: [OrderState.PAID, OrderState.CANCELLED],
  [OrderState.PAID]: [OrderState.SHIPPED],
  [OrderState.SHIPPED]: [OrderState.COMPLETED],
  [OrderState.COMPLETED]: [],
  [OrderState.CANCELLED]: [],
};

export function canTransit(from: OrderState, to: OrderState): boolean {
  return ORDER_TRANSITIONS[from].includes(to);
}

/** 不允许的流转抛 ERR_ORDER_STATE。 */
export function assertTransit(orderNo: string, from: OrderState, to: OrderState): void {
  if (!canTransit(from, to)) {
    throw new BizError(ErrorCode.ERR_ORDER_STATE, `订单 ${orderNo} 不能从 ${from} 变为 ${to}`);
  }
}
