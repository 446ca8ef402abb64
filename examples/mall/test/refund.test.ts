import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderState } from '../src/order/order-state.js';
import { RefundInitiatorType, RefundState } from '../src/refund/refund.js';
import { BizError, ErrorCode } from '../src/shared/errors.js';
import type { Shop } from './support/shop.js';
import { openShop, paidOrder } from './support/shop.js';

const hasCode = (code: ErrorCode) => (error: unknown) => BizError.is(error, code);

const applyFor = (shop: Shop, orderNo: string, initiatorType: RefundInitiatorType, quantity = 1) =>
  shop.refunds.apply({ orderNo, initiatorType, items: [{ sku: 'TEA', quantity }], reason: '不想要了' });

test('仅退款：同意后立即打款，订单状态不变', async () => {
  const shop = await openShop();
  const { orderNo } = await paidOrder(shop);
  const refund = await applyFor(shop, orderNo, RefundInitiatorType.BUYER_NO_RETURN);
  assert.equal(refund.state, RefundState.APPLIED);
  assert.equal(refund.amount, 10_000);
  assert.equal((await shop.refunds.approve(refund.refund_no, 'S1')).state, RefundState.REFUNDED);
  assert.equal((await shop.orders.get(orderNo)).state, OrderState.PAID);
});

test('退货退款：同意之后要等收到货才打款', async () => {
  const shop = await openShop();
  const { orderNo } = await paidOrder(shop);
  await assert.rejects(applyFor(shop, orderNo, RefundInitiatorType.BUYER_RETURN), hasCode(ErrorCode.ERR_ORDER_STATE));
  await shop.orders.ship(orderNo, 'SF1');
  const refund = await applyFor(shop, orderNo, RefundInitiatorType.BUYER_RETURN);
  assert.equal((await shop.refunds.approve(refund.refund_no, 'S1')).state, RefundState.APPROVED);
  assert.equal(shop.gateway.wechatRefunds.length, 0);
  assert.equal((await shop.refunds.confirmReturned(refund.refund_no)).state, RefundState.REFUNDED);
  assert.equal(shop.gateway.wechatRefunds.length, 1);
});

test('不用退货的退款单不能确认退货', async () => {
  const shop = await openShop();
  const { orderNo } = await paidOrder(shop);
  const refund = await applyFor(shop, orderNo, RefundInitiatorType.MERCHANT);
  shop.gateway.failNext(new BizError(ErrorCode.ERR_TIMEOUT, '支付网关超时'));
  await assert.rejects(shop.refunds.approve(refund.refund_no, 'S1'), hasCode(ErrorCode.ERR_TIMEOUT));
  await assert.rejects(shop.refunds.confirmReturned(refund.refund_no), hasCode(ErrorCode.ERR_REFUND_STATE));
});

test('审核中的退款也占额度，被拒绝的不占', async () => {
  const shop = await openShop();
  const { orderNo } = await paidOrder(shop, 2);
  const first = await applyFor(shop, orderNo, RefundInitiatorType.BUYER_NO_RETURN, 2);
  await assert.rejects(
    applyFor(shop, orderNo, RefundInitiatorType.BUYER_NO_RETURN),
    hasCode(ErrorCode.ERR_REFUND_EXCEEDS),
  );
  await shop.refunds.reject(first.refund_no, 'S1');
  assert.equal((await applyFor(shop, orderNo, RefundInitiatorType.BUYER_NO_RETURN)).amount, 10_000);
});

test('一行分三次退，加起来正好是整行实付', async () => {
  const shop = await openShop();
  shop.catalog.put({ sku: 'PEN', title: '钢笔', unit_price: 3_333 });
  await shop.inventory.stockIn('PEN', 10);
  await shop.balance.credit('U1', 9_999);
  const order = await shop.orders.create({
    userId: 'U1',
    items: [{ sku: 'PEN', quantity: 3 }],
    useBalance: 9_999,
  });
  let total = 0;
  for (let i = 0; i < 3; i += 1) {
    const refund = await shop.refunds.apply({
      orderNo: order.order_no,
      initiatorType: RefundInitiatorType.MERCHANT,
      items: [{ sku: 'PEN', quantity: 1 }],
      reason: '缺货',
    });
    total += (await shop.refunds.approve(refund.refund_no, 'S1')).amount;
  }
  assert.equal(total, 9_999);
  assert.equal(await shop.balance.available('U1'), 9_999);
  assert.equal(shop.gateway.wechatRefunds.length, 0);
});

test('先退渠道付的，再退余额付的', async () => {
  const shop = await openShop();
  await shop.balance.credit('U1', 4_000);
  const order = await shop.orders.create({
    userId: 'U1',
    items: [{ sku: 'TEA', quantity: 2 }],
    useBalance: 4_000,
  });
  await shop.orders.markPaid(order.order_no);
  const first = await applyFor(shop, order.order_no, RefundInitiatorType.MERCHANT);
  const second = await applyFor(shop, order.order_no, RefundInitiatorType.MERCHANT);
  assert.deepEqual([first.channel_amount, first.balance_amount], [10_000, 0]);
  assert.deepEqual([second.channel_amount, second.balance_amount], [6_000, 4_000]);
});

test('打款超时后重试用同一个退款单号，渠道据此判重', async () => {
  const shop = await openShop();
  const { orderNo } = await paidOrder(shop);
  const refund = await applyFor(shop, orderNo, RefundInitiatorType.BUYER_NO_RETURN);
  shop.gateway.failNext(new BizError(ErrorCode.ERR_TIMEOUT, '支付网关超时'));
  await assert.rejects(shop.refunds.approve(refund.refund_no, 'S1'), hasCode(ErrorCode.ERR_TIMEOUT));
  assert.equal((await shop.refunds.get(refund.refund_no)).state, RefundState.APPROVED);
  assert.equal((await shop.refunds.retryPayOut(refund.refund_no)).state, RefundState.REFUNDED);
  assert.deepEqual(
    shop.gateway.wechatRefunds.map((request) => request.out_refund_no),
    [refund.refund_no, refund.refund_no],
  );
});

test('审核过的退款单不能再审一次', async () => {
  const shop = await openShop();
  const { orderNo } = await paidOrder(shop);
  const refund = await applyFor(shop, orderNo, RefundInitiatorType.BUYER_NO_RETURN);
  await shop.refunds.approve(refund.refund_no, 'S1');
  await assert.rejects(shop.refunds.approve(refund.refund_no, 'S1'), hasCode(ErrorCode.ERR_REFUND_STATE));
  await assert.rejects(shop.refunds.reject(refund.refund_no, 'S1'), hasCode(ErrorCode.ERR_REFUND_STATE));
});
