import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CouponType } from '../src/coupon/coupon.js';
import { canTransit, ORDER_TRANSITIONS, OrderState } from '../src/order/order-state.js';
import { DAY_MS } from '../src/shared/clock.js';
import { BizError, ErrorCode } from '../src/shared/errors.js';
import { NOON, openShop, paidOrder } from './support/shop.js';

const hasCode = (code: ErrorCode) => (error: unknown) => BizError.is(error, code);

test('下单按价目表算钱，预占库存', async () => {
  const shop = await openShop();
  const order = await shop.orders.create({
    userId: 'U1',
    items: [
      { sku: 'TEA', quantity: 2 },
      { sku: 'CUP', quantity: 1 },
    ],
  });
  assert.equal(order.total_amount, 25_000);
  assert.equal(order.payable_amount, 25_000);
  assert.equal(order.state, OrderState.PENDING_PAYMENT);
  assert.match(order.order_no, /^SO20240501\d{6}$/);
  assert.equal(await shop.inventory.available('TEA'), 98);
});

test('优惠与余额抵扣之后才是应付，优惠落到每一行', async () => {
  const shop = await openShop();
  const coupon = await shop.coupons.issue({
    user_id: 'U1',
    type: CouponType.FULL_REDUCTION,
    threshold: 10_000,
    reduce_amount: 2_500,
    discount_rate: 10_000,
    valid_from: NOON - DAY_MS,
    valid_until: NOON + DAY_MS,
  });
  await shop.balance.credit('U1', 1_000);
  const order = await shop.orders.create({
    userId: 'U1',
    items: [
      { sku: 'TEA', quantity: 2 },
      { sku: 'CUP', quantity: 1 },
    ],
    couponId: coupon.coupon_id,
    useBalance: 1_000,
  });
  assert.equal(order.discount_amount, 2_500);
  assert.equal(order.payable_amount, 21_500);
  assert.deepEqual(
    order.lines.map((line) => line.discount_share),
    [2_000, 500],
  );
});

test('券不能用时整单失败，库存退回去', async () => {
  const shop = await openShop();
  const input = { userId: 'U1', items: [{ sku: 'TEA', quantity: 2 }], couponId: 'C-none' };
  await assert.rejects(shop.orders.create(input), hasCode(ErrorCode.ERR_NOT_FOUND));
  assert.equal(await shop.inventory.available('TEA'), 100);
});

test('余额盖住全款的订单不用再付，直接算付款成功', async () => {
  const shop = await openShop();
  await shop.balance.credit('U1', 10_000);
  const order = await shop.orders.create({
    userId: 'U1',
    items: [{ sku: 'TEA', quantity: 1 }],
    useBalance: 10_000,
  });
  assert.equal(order.state, OrderState.PAID);
  assert.equal(order.payable_amount, 0);
  assert.equal(await shop.balance.available('U1'), 0);
});

test('余额不够时不下单，占住的都还回去', async () => {
  const shop = await openShop();
  const input = { userId: 'U1', items: [{ sku: 'TEA', quantity: 1 }], useBalance: 100 };
  await assert.rejects(shop.orders.create(input), hasCode(ErrorCode.ERR_BALANCE_SHORT));
  assert.equal(await shop.inventory.available('TEA'), 100);
});

test('付款、发货、完成按顺序流转，跳步报 ERR_ORDER_STATE', async () => {
  const shop = await openShop();
  const { orderNo } = await paidOrder(shop);
  await assert.rejects(shop.orders.complete(orderNo), hasCode(ErrorCode.ERR_ORDER_STATE));
  await assert.rejects(shop.orders.cancel(orderNo), hasCode(ErrorCode.ERR_ORDER_STATE));
  const shipped = await shop.orders.ship(orderNo, 'SF123');
  assert.equal(shipped.tracking_no, 'SF123');
  assert.equal((await shop.orders.complete(orderNo)).state, OrderState.COMPLETED);
});

test('终态之后哪里也去不了', () => {
  for (const to of Object.values(OrderState)) {
    assert.equal(canTransit(OrderState.COMPLETED, to), false);
    assert.equal(canTransit(OrderState.CANCELLED, to), false);
  }
  assert.equal(Object.keys(ORDER_TRANSITIONS).length, Object.values(OrderState).length);
});

test('空单、重复的行、不正确的数量都拒绝', async () => {
  const shop = await openShop();
  const bad = [
    [],
    [
      { sku: 'TEA', quantity: 1 },
      { sku: 'TEA', quantity: 1 },
    ],
    [{ sku: 'TEA', quantity: 0 }],
    [{ sku: 'TEA', quantity: 1.5 }],
    [{ sku: 'NOPE', quantity: 1 }],
  ];
  for (const items of bad) {
    await assert.rejects(shop.orders.create({ userId: 'U1', items }), hasCode(ErrorCode.ERR_PARAM));
  }
});
