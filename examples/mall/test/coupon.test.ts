import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CouponState, CouponType, discountOf } from '../src/coupon/coupon.js';
import type { IssueInput } from '../src/coupon/coupon-service.js';
import { splitDiscount } from '../src/coupon/discount-split.js';
import { DAY_MS } from '../src/shared/clock.js';
import { BizError, ErrorCode } from '../src/shared/errors.js';
import { sumFen } from '../src/shared/money.js';
import { buildShop, NOON } from './support/shop.js';

const unusable = (error: unknown) => BizError.is(error, ErrorCode.ERR_COUPON_UNUSABLE);

const reduction: IssueInput = {
  user_id: 'U1',
  type: CouponType.FULL_REDUCTION,
  threshold: 10_000,
  reduce_amount: 2_000,
  discount_rate: 10_000,
  valid_from: NOON,
  valid_until: NOON + DAY_MS,
};

test('满减券减固定金额，折扣券按折扣率且有封顶', async () => {
  const { coupons } = buildShop();
  const full = await coupons.issue(reduction);
  assert.equal(discountOf(full, 30_000), 2_000);
  const rate = await coupons.issue({ ...reduction, type: CouponType.DISCOUNT, discount_rate: 8_500 });
  assert.equal(discountOf(rate, 10_000), 1_500);
  assert.equal(discountOf(rate, 30_000), 2_000);
});

test('优惠不会超过订单金额', async () => {
  const { coupons } = buildShop();
  const coupon = await coupons.issue({ ...reduction, threshold: 0 });
  assert.equal(discountOf(coupon, 500), 500);
});

test('别人的券、没到门槛、没到时间、过期的券都不能用', async () => {
  const shop = buildShop();
  const coupon = await shop.coupons.issue({ ...reduction, valid_from: NOON + 1 });
  const lock = (userId: string, amount: number) => shop.coupons.lock(coupon.coupon_id, userId, 'SO1', amount);
  await assert.rejects(lock('U1', 10_000), unusable);
  shop.clock.advance(1);
  await assert.rejects(lock('U2', 10_000), unusable);
  await assert.rejects(lock('U1', 9_999), unusable);
  shop.clock.advance(DAY_MS);
  await assert.rejects(lock('U1', 10_000), unusable);
});

test('一张券同时只能锁给一张订单，退了之后可以再用', async () => {
  const { coupons } = buildShop();
  const { coupon_id } = await coupons.issue(reduction);
  assert.equal(await coupons.lock(coupon_id, 'U1', 'SO1', 10_000), 2_000);
  await assert.rejects(coupons.lock(coupon_id, 'U1', 'SO2', 10_000), unusable);
  await coupons.release('SO1');
  await coupons.release('SO1');
  assert.equal(await coupons.lock(coupon_id, 'U1', 'SO2', 10_000), 2_000);
});

test('核销之后退不回来', async () => {
  const { coupons } = buildShop();
  const { coupon_id } = await coupons.issue(reduction);
  await coupons.lock(coupon_id, 'U1', 'SO1', 10_000);
  await coupons.use('SO1');
  await coupons.release('SO1');
  assert.equal((await coupons.listOf('U1'))[0]?.state, CouponState.USED);
});

test('优惠按金额占比分摊，合计等于优惠总额', () => {
  assert.deepEqual(splitDiscount([20_000, 5_000], 2_500), [2_000, 500]);
  assert.deepEqual(splitDiscount([10_000, 0, 30_000], 400), [100, 0, 300]);
  assert.equal(sumFen(splitDiscount([8_000, 4_000, 4_000], 1_600)), 1_600);
});

test('优惠为 0 或订单为 0 元时分摊都是 0，优惠超过订单金额报错', () => {
  assert.deepEqual(splitDiscount([100, 200], 0), [0, 0]);
  assert.deepEqual(splitDiscount([0, 0], 0), [0, 0]);
  assert.throws(() => splitDiscount([100], 101), RangeError);
});
