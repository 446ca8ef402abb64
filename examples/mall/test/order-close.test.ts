import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CouponState, CouponType } from '../src/coupon/coupon.js';
import { CANCEL_EXPIRED_JOB } from '../src/order/order-job.js';
import { PAY_TIMEOUT_MS } from '../src/order/order-service.js';
import { CancelReason, OrderState } from '../src/order/order-state.js';
import { DAY_MS } from '../src/shared/clock.js';
import { BizError, ErrorCode } from '../src/shared/errors.js';
import type { Shop } from './support/shop.js';
import { NOON, openShop, paidOrder } from './support/shop.js';

async function orderWithEverything(shop: Shop): Promise<{ orderNo: string; couponId: string }> {
  const coupon = await shop.coupons.issue({
    user_id: 'U1',
    type: CouponType.FULL_REDUCTION,
    threshold: 10_000,
    reduce_amount: 2_000,
    discount_rate: 10_000,
    valid_from: NOON - DAY_MS,
    valid_until: NOON + DAY_MS,
  });
  await shop.balance.credit('U1', 3_000);
  const order = await shop.orders.create({
    userId: 'U1',
    items: [{ sku: 'TEA', quantity: 2 }],
    couponId: coupon.coupon_id,
    useBalance: 3_000,
  });
  return { orderNo: order.order_no, couponId: coupon.coupon_id };
}

test('满 30 分钟没付款的订单被关掉，差一毫秒都不关', async () => {
  const shop = await openShop();
  const { orderNo } = await orderWithEverything(shop);
  shop.clock.advance(PAY_TIMEOUT_MS - 1);
  assert.deepEqual((await shop.orders.cancelExpired(shop.clock.now())).closed, []);
  shop.clock.advance(1);
  assert.deepEqual((await shop.orders.cancelExpired(shop.clock.now())).closed, [orderNo]);
  const order = await shop.orders.get(orderNo);
  assert.equal(order.state, OrderState.CANCELLED);
  assert.equal(order.cancel_reason, CancelReason.TIMEOUT);
  assert.equal(order.gmt_cancelled, shop.clock.now());
});

test('关单归还库存、优惠券和余额', async () => {
  const shop = await openShop();
  await orderWithEverything(shop);
  assert.equal(await shop.inventory.available('TEA'), 98);
  assert.equal(await shop.balance.available('U1'), 0);
  await shop.orders.cancelExpired(shop.clock.now() + PAY_TIMEOUT_MS);
  assert.equal(await shop.inventory.available('TEA'), 100);
  assert.equal(await shop.balance.available('U1'), 3_000);
  const [coupon] = await shop.coupons.listOf('U1');
  assert.equal(coupon?.state, CouponState.UNUSED);
  assert.equal(coupon?.order_no, null);
});

test('连着关两次，库存只还一次', async () => {
  const shop = await openShop();
  await orderWithEverything(shop);
  const late = shop.clock.now() + PAY_TIMEOUT_MS;
  await shop.orders.cancelExpired(late);
  assert.deepEqual((await shop.orders.cancelExpired(late)).closed, []);
  assert.equal(await shop.inventory.available('TEA'), 100);
});

test('已付款的订单不会被超时关单', async () => {
  const shop = await openShop();
  const { orderNo } = await paidOrder(shop);
  await shop.orders.cancelExpired(shop.clock.now() + PAY_TIMEOUT_MS);
  assert.equal((await shop.orders.get(orderNo)).state, OrderState.PAID);
});

test('扫描之后、关单之前被付了款的订单跳过，其余照常关', async () => {
  const shop = await openShop();
  const paying = await shop.orders.create({ userId: 'U1', items: [{ sku: 'TEA', quantity: 1 }] });
  const idle = await shop.orders.create({ userId: 'U2', items: [{ sku: 'CUP', quantity: 1 }] });
  const late = shop.clock.now() + PAY_TIMEOUT_MS;
  const closing = shop.orders.cancelExpired(late);
  await shop.orders.markPaid(paying.order_no);
  assert.deepEqual((await closing).closed, [idle.order_no]);
  assert.equal((await shop.orders.get(paying.order_no)).state, OrderState.PAID);
});

test('库存释放失败的订单照样关掉并退券，单独报出来', async () => {
  const shop = await openShop();
  const { orderNo } = await orderWithEverything(shop);
  const release = shop.inventory.release.bind(shop.inventory);
  shop.inventory.release = async () => {
    throw new BizError(ErrorCode.ERR_STOCK_BUSY, '库存正被修改：TEA');
  };
  const result = await shop.orders.cancelExpired(shop.clock.now() + PAY_TIMEOUT_MS);
  assert.deepEqual(result.closed, [orderNo]);
  assert.ok(result.releaseFailed.includes(orderNo));
  assert.equal((await shop.coupons.listOf('U1'))[0]?.state, CouponState.UNUSED);
  assert.ok(shop.logs.some((line) => line.includes('释放库存失败') && line.includes(orderNo)));
  shop.inventory.release = release;
  await shop.inventory.release(orderNo);
  assert.equal(await shop.inventory.available('TEA'), 100);
});

test('用户取消与超时关单记不同的原因，取消两次没有副作用', async () => {
  const shop = await openShop();
  const { orderNo } = await orderWithEverything(shop);
  const first = await shop.orders.cancel(orderNo);
  assert.equal(first.cancel_reason, CancelReason.USER);
  const second = await shop.orders.cancel(orderNo);
  assert.equal(second.version, first.version);
  assert.equal(await shop.inventory.available('TEA'), 100);
});

test('每分钟的定时任务会关单', async () => {
  const shop = await openShop();
  const { orderNo } = await orderWithEverything(shop);
  assert.deepEqual(
    shop.scheduler.jobs.find((job) => job.name === CANCEL_EXPIRED_JOB),
    { name: CANCEL_EXPIRED_JOB, intervalMs: 60_000 },
  );
  shop.clock.advance(PAY_TIMEOUT_MS);
  assert.equal(await shop.scheduler.runNow(CANCEL_EXPIRED_JOB), true);
  assert.equal((await shop.orders.get(orderNo)).state, OrderState.CANCELLED);
});
