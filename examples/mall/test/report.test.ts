import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefundInitiatorType } from '../src/refund/refund.js';
import { DAY_MS, HOUR_MS } from '../src/shared/clock.js';
import { BizError, ErrorCode } from '../src/shared/errors.js';
import { openShop, paidOrder } from './support/shop.js';

test('日活按用户去重，没人来的日子是 0', async () => {
  const shop = await openShop();
  for (const userId of ['U1', 'U2', 'U1']) await shop.users.recordVisit(userId);
  shop.clock.advance(2 * DAY_MS + HOUR_MS);
  await shop.users.recordVisit('U1');
  assert.deepEqual(await shop.activeUsers.daily('2024-05-01', '2024-05-03'), [
    { date: '2024-05-01', activeUsers: 2 },
    { date: '2024-05-02', activeUsers: 0 },
    { date: '2024-05-03', activeUsers: 1 },
  ]);
});

test('经营日报：下单、付款、成交额、退款、客单价', async () => {
  const shop = await openShop();
  const { orderNo } = await paidOrder(shop, 2);
  await paidOrder(shop, 1);
  await shop.orders.create({ userId: 'U1', items: [{ sku: 'CUP', quantity: 1 }] });
  const refund = await shop.refunds.apply({
    orderNo,
    initiatorType: RefundInitiatorType.BUYER_NO_RETURN,
    items: [{ sku: 'TEA', quantity: 1 }],
    reason: '少发一件',
  });
  await shop.refunds.approve(refund.refund_no, 'S1');
  assert.deepEqual(await shop.dailyReport.of('2024-05-01'), {
    date: '2024-05-01',
    orderCount: 3,
    paidCount: 2,
    gmv: 30_000,
    refundAmount: 10_000,
    averagePaid: 15_000,
  });
});

test('经营日报按北京时间零点切日', async () => {
  const shop = await openShop(Date.parse('2024-05-01T23:59:59+08:00'));
  await paidOrder(shop, 1);
  shop.clock.advance(1_000);
  await paidOrder(shop, 2);
  assert.equal((await shop.dailyReport.of('2024-05-01')).gmv, 10_000);
  assert.equal((await shop.dailyReport.of('2024-05-02')).gmv, 20_000);
});

test('财务结算：净额 = 收款 − 退款 − 逐笔手续费', async () => {
  const shop = await openShop();
  const { orderNo } = await paidOrder(shop, 2);
  await paidOrder(shop, 1);
  const refund = await shop.refunds.apply({
    orderNo,
    initiatorType: RefundInitiatorType.MERCHANT,
    items: [{ sku: 'TEA', quantity: 1 }],
    reason: '缺货',
  });
  await shop.refunds.approve(refund.refund_no, 'S1');
  shop.clock.advance(DAY_MS);
  const [wechat, alipay] = await shop.settlement.settle('2024-05-01');
  assert.deepEqual(
    [wechat?.payment_count, wechat?.gross_amount, wechat?.refund_amount, wechat?.fee_amount, wechat?.net_amount],
    [2, 30_000, 10_000, 180, 19_820],
  );
  assert.equal(alipay?.net_amount, 0);
});

test('当天没过完不能结算，结算过的不重算', async () => {
  const shop = await openShop();
  await paidOrder(shop, 1);
  await assert.rejects(shop.settlement.settle('2024-05-01'), (error) => BizError.is(error, ErrorCode.ERR_PARAM));
  shop.clock.advance(DAY_MS);
  const first = await shop.settlement.settle('2024-05-01');
  const again = await shop.settlement.settle('2024-05-01');
  assert.deepEqual(again, first);
});
