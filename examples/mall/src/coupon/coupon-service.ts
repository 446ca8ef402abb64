/**
 * 优惠券服务：发券、锁券、核销、退券
 *
 * 下单锁券，付款核销，关单退券。锁券与退券都按订单号做，重复调用没有副作用。
 */
import type { Clock } from '../shared/clock.js';
import type { Table } from '../shared/db.js';
import { NoGenerator } from '../shared/db.js';
import type { Fen } from '../shared/money.js';
import type { CouponRow } from './coupon.js';
import { assertUsable, CouponState, discountOf } from './coupon.js';

export type IssueInput = Pick<
  CouponRow,
  'user_id' | 'type' | 'threshold' | 'reduce_amount' | 'discount_rate' | 'valid_from' | 'valid_until'
>;

export class CouponService {
  private readonly couponNo: NoGenerator;

  constructor(
    private readonly coupons: Table<CouponRow>,
    private readonly clock: Clock,
  ) {
    this.couponNo = new NoGenerator('C', clock);
  }

  async issue(input: IssueInput): Promise<CouponRow> {
    return this.coupons.insert({
      ...input,
      coupon_id: this.couponNo.next(),
      state: CouponState.UNUSED,
      order_no: null,
    });
  }

  /** 下单时锁券，返回优惠额（分）。 */
  async lock(couponId: string, userId: string, orderNo: string, orderAmount: Fen): Promise<Fen> {
    const coupon = await this.coupons.get(couponId);
    assertUsable(coupon, userId, orderAmount, this.clock.now());
    await this.coupons.update(coupon, { state: CouponState.LOCKED, order_no: orderNo });
    return discountOf(coupon, orderAmount);
  }

  /** 付款后核销这张订单锁住的券。 */
  async use(orderNo: string): Promise<void> {
    for (const coupon of await this.lockedBy(orderNo)) {
      await this.coupons.update(coupon, { state: CouponState.USED });
    }
  }

  /** 关单后退券。到期的券也退回未使用，由有效期挡住再次使用。 */
  async release(orderNo: string): Promise<void> {
    for (const coupon of await this.lockedBy(orderNo)) {
      await this.coupons.update(coupon, { state: CouponState.UNUSED, order_no: null });
    }
  }

  async listOf(userId: string): Promise<CouponRow[]> {
    return this.coupons.list((row) => row.user_id === userId);
  }

  private lockedBy(orderNo: string): Promise<CouponRow[]> {
    return this.coupons.list((row) => row.state === CouponState.LOCKED && row.order_no === orderNo);
  }
}
