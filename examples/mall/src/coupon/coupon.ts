/**
 * 优惠券与优惠计算：一张券在一笔订单上能不能用、能减多少
 */
import type { Timestamp } from '../shared/clock.js';
import type { BaseRow } from '../shared/db.js';
import { BizError, ErrorCode } from '../shared/errors.js';
import type { Fen } from '../shared/money.js';
import { portionFen } from '../shared/money.js';

export enum CouponType {
  /** 满减：满 threshold 减 reduce_amount */
  FULL_REDUCTION = 'FULL_REDUCTION',
  /** 折扣：按 discount_rate 打折，最多优惠 reduce_amount */
  DISCOUNT = 'DISCOUNT',
}

export enum CouponState {
  /** 未使用 */
  UNUSED = 'UNUSED',
  /** 已锁定：下单占住，等付款 */
  LOCKED = 'LOCKED',
  /** 已核销 */
  USED = 'USED',
}

export interface CouponRow extends BaseRow {
  coupon_id: string;
  user_id: string;
  type: CouponType;
  state: CouponState;
  /** 使用门槛，单位分，0 表示无门槛。 */
  threshold: Fen;
  /** 满减的减免额，或折扣券的最高优惠额，单位分。 */
  reduce_amount: Fen;
  /** 折扣率，万分比：8500 是八五折。满减券填 10000。 */
  discount_rate: number;
  valid_from: Timestamp;
  /** 到期时间，不含这一刻。 */
  valid_until: Timestamp;
  /** 锁定或核销它的订单；未使用时为空。 */
  order_no: string | null;
}

/** 不打折时的折扣率，万分比。 */
const FULL_RATE = 10_000;

/** 检查这张券现在能不能用在这笔订单上，不能就抛 ERR_COUPON_UNUSABLE 并说明原因。 */
export function assertUsable(coupon: CouponRow, userId: string, orderAmount: Fen, now: Timestamp): void {
  const reason = unusableReason(coupon, userId, orderAmount, now);
  if (reason) throw new BizError(ErrorCode.ERR_COUPON_UNUSABLE, `优惠券 ${coupon.coupon_id} 不可用：${reason}`);
}

function unusableReason(coupon: CouponRow, userId: string, orderAmount: Fen, now: Timestamp): string | undefined {
  if (coupon.user_id !== userId) return '不是本人的券';
  if (coupon.state !== CouponState.UNUSED) return '已被占用或已核销';
  if (now < coupon.valid_from) return '还没到使用时间';
  if (now >= coupon.valid_until) return '已过期';
  if (orderAmount < coupon.threshold) return '没达到使用门槛';
  return undefined;
}

/**
 * 优惠额，单位分。不会超过订单金额，也不会是负数。
 */
export function discountOf(coupon: CouponRow, orderAmount: Fen): Fen {
  const wanted =
    coupon.type === CouponType.FULL_REDUCTION
      ? coupon.reduce_amount
      : Math.min(portionFen(orderAmount, FULL_RATE - coupon.discount_rate), coupon.reduce_amount);
  return Math.max(0, Math.min(wanted, orderAmount));
}
