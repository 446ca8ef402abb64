import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAY_TIMEOUT_MS } from '../src/order/order-service.js';
import { OrderState } from '../src/order/order-state.js';
import { PaymentState } from '../src/payment/payment-service.js';
import { RefundInitiatorType, RefundState } from '../src/refund/refund.js';
import { MINUTE_MS } from '../src/shared/clock.js';
import { BizError, ErrorCode } from '../src/shared/errors.js';
import { handleLegacyNotify, unwrapEnvelope } from '../src/支付网关/notify.js';
import type { Shop } from './support/shop.js';
import { alipayNotify, openShop, paidOrder, wechatHeaders, wechatNotify } from './support/shop.js';

async function waitingPayment(shop: Shop, channel: string): Promise<{ orderNo: string; paymentNo: string }> {
  const order = await shop.orders.create({ userId: 'U1', items: [{ sku: 'TEA', quantity: 1 }] });
  const { paymentNo } = await shop.payments.prepay(order.order_no, channel);
  return { orderNo: order.order_no, paymentNo };
}

const stateOf = async (shop: Shop, orderNo: string) => (await shop.orders.get(orderNo)).state;

test('微信回调验签通过后订单变为已付款，库存扣减', async () => {
  const shop = await openShop();
  const { orderNo, paymentNo } = await paidOrder(shop);
  assert.equal(await stateOf(shop, orderNo), OrderState.PAID);
  const payment = await shop.payments.paidBy(orderNo);
  assert.equal(payment?.payment_no, paymentNo);
  assert.equal(payment?.transaction_id, `WX-${paymentNo}`);
  assert.equal(await shop.inventory.available('TEA'), 98);
});

test('微信回调改一个字节、改时间戳、换证书都验签不过，订单不动', async () => {
  const shop = await openShop();
  const { orderNo, paymentNo } = await waitingPayment(shop, 'wechat');
  const good = wechatNotify(shop.clock, { paymentNo, amount: 10_000 });
  const forged = [
    { ...good, body: `${good.body} ` },
    { ...good, headers: { ...good.headers, 'wechatpay-timestamp': '1714536001' } },
    { ...good, headers: { ...good.headers, 'wechatpay-nonce': 'other' } },
    { ...good, headers: { ...good.headers, 'wechatpay-serial': 'UNKNOWN' } },
    { ...good, headers: { ...good.headers, 'wechatpay-signature': '' } },
    { ...good, headers: {} },
  ];
  for (const request of forged) assert.equal((await shop.payments.handleNotify('wechat', request)).status, 500);
  assert.equal(await stateOf(shop, orderNo), OrderState.PENDING_PAYMENT);
  assert.equal((await shop.payments.handleNotify('wechat', good)).status, 204);
});

test('微信回调超过五分钟就当重放', async () => {
  const shop = await openShop();
  const { orderNo, paymentNo } = await waitingPayment(shop, 'wechat');
  const request = wechatNotify(shop.clock, { paymentNo, amount: 10_000 });
  shop.clock.advance(5 * MINUTE_MS + 1);
  assert.equal((await shop.payments.handleNotify('wechat', request)).status, 500);
  assert.equal(await stateOf(shop, orderNo), OrderState.PENDING_PAYMENT);
  // 签名是对的，只是旧了：换上新的时间戳重新签名就能过
  const headers = wechatHeaders(shop.clock, request.body);
  assert.equal((await shop.payments.handleNotify('wechat', { ...request, headers })).status, 204);
});

test('不是支付成功的通知应答成功但不改订单', async () => {
  const shop = await openShop();
  const { orderNo, paymentNo } = await waitingPayment(shop, 'wechat');
  const request = wechatNotify(shop.clock, { paymentNo, amount: 10_000, state: 'PAYERROR' });
  assert.equal((await shop.payments.handleNotify('wechat', request)).status, 204);
  assert.equal(await stateOf(shop, orderNo), OrderState.PENDING_PAYMENT);
});

test('同一条通知收到三次只扣一次库存', async () => {
  const shop = await openShop();
  const { orderNo, paymentNo } = await paidOrder(shop, 3);
  const again = wechatNotify(shop.clock, { paymentNo, amount: 30_000 });
  await shop.payments.handleNotify('wechat', again);
  await shop.payments.handleNotify('wechat', again);
  assert.equal(await shop.inventory.available('TEA'), 97);
  assert.equal((await shop.payments.list((row) => row.order_no === orderNo)).length, 1);
});

test('通知金额和支付单对不上就拒绝', async () => {
  const shop = await openShop();
  const { orderNo, paymentNo } = await waitingPayment(shop, 'wechat');
  const ack = await shop.payments.handleNotify('wechat', wechatNotify(shop.clock, { paymentNo, amount: 1 }));
  assert.equal(ack.status, 500);
  assert.equal(await stateOf(shop, orderNo), OrderState.PENDING_PAYMENT);
  assert.ok(shop.logs.some((line) => line.includes('应付 10000 分')));
});

test('支付宝通知：sign 和 sign_type 不参与签名，元换算成分', async () => {
  const shop = await openShop();
  const { orderNo, paymentNo } = await waitingPayment(shop, 'alipay');
  const fields = { out_trade_no: paymentNo, trade_no: 'ALI-1', trade_status: 'TRADE_SUCCESS', total_amount: '100.00' };
  const ack = await shop.payments.handleNotify('alipay', alipayNotify(fields));
  assert.equal(ack.body, 'success');
  assert.equal(await stateOf(shop, orderNo), OrderState.PAID);
});

test('支付宝通知被改过、签名类型不对、不是发给本应用的都拒绝', async () => {
  const shop = await openShop();
  const { orderNo, paymentNo } = await waitingPayment(shop, 'alipay');
  const fields = { out_trade_no: paymentNo, trade_no: 'ALI-1', trade_status: 'TRADE_SUCCESS', total_amount: '100.00' };
  const changed = alipayNotify({ ...fields, total_amount: '1.00' });
  const bodies = [
    changed.body.replace('total_amount=1.00', 'total_amount=100.00'),
    alipayNotify({ ...fields, sign_type: 'RSA' }).body,
    alipayNotify({ ...fields, app_id: 'someone-else' }).body,
  ];
  for (const body of bodies) {
    assert.equal((await shop.payments.handleNotify('alipay', { headers: {}, body })).body, 'failure');
  }
  assert.equal(await stateOf(shop, orderNo), OrderState.PENDING_PAYMENT);
});

test('关单后才到账的钱由系统自动退回', async () => {
  const shop = await openShop();
  const { orderNo, paymentNo } = await waitingPayment(shop, 'wechat');
  shop.clock.advance(PAY_TIMEOUT_MS);
  await shop.orders.cancelExpired(shop.clock.now());
  const ack = await shop.payments.handleNotify('wechat', wechatNotify(shop.clock, { paymentNo, amount: 10_000 }));
  assert.equal(ack.status, 204);
  assert.equal(await stateOf(shop, orderNo), OrderState.CANCELLED);
  const [refund] = await shop.refunds.list();
  assert.equal(refund?.initiator_type, RefundInitiatorType.SYSTEM);
  assert.equal(refund?.state, RefundState.REFUNDED);
  assert.equal(shop.gateway.wechatRefunds.length, 1);
});

test('同一订单用两个渠道各付一次，后到的退回', async () => {
  const shop = await openShop();
  const { orderNo, paymentNo } = await waitingPayment(shop, 'wechat');
  const second = await shop.payments.prepay(orderNo, 'alipay');
  await shop.payments.handleNotify('wechat', wechatNotify(shop.clock, { paymentNo, amount: 10_000 }));
  const fields = { trade_no: 'ALI-2', trade_status: 'TRADE_SUCCESS', total_amount: '100.00' };
  await shop.payments.handleNotify('alipay', alipayNotify({ out_trade_no: second.paymentNo, ...fields }));
  const [refund] = await shop.refunds.list();
  assert.equal(refund?.payment_no, second.paymentNo);
  assert.equal(refund?.amount, 10_000);
  assert.equal(await shop.inventory.available('TEA'), 99);
});

test('回调丢了由主动查单补上', async () => {
  const shop = await openShop();
  const { orderNo, paymentNo } = await waitingPayment(shop, 'wechat');
  shop.gateway.wechatTransaction = {
    out_trade_no: paymentNo,
    transaction_id: 'WX-Q',
    trade_state: 'SUCCESS',
    amount: { total: 10_000 },
  };
  assert.deepEqual(await shop.payments.queryWaiting(shop.clock.now()), []);
  shop.clock.advance(5 * MINUTE_MS);
  assert.deepEqual(await shop.payments.queryWaiting(shop.clock.now()), [paymentNo]);
  assert.equal(await stateOf(shop, orderNo), OrderState.PAID);
});

test('查单超时不影响下一笔，也不当成没付款', async () => {
  const shop = await openShop();
  const first = await waitingPayment(shop, 'wechat');
  const second = await waitingPayment(shop, 'alipay');
  shop.clock.advance(5 * MINUTE_MS);
  shop.gateway.failNext(new BizError(ErrorCode.ERR_TIMEOUT, '支付网关超时'));
  shop.gateway.alipayTrade = {
    code: '10000',
    out_trade_no: second.paymentNo,
    trade_no: 'ALI-Q',
    trade_status: 'TRADE_SUCCESS',
    total_amount: '100.00',
  };
  assert.deepEqual(await shop.payments.queryWaiting(shop.clock.now()), [second.paymentNo]);
  const [waiting] = await shop.payments.list((row) => row.payment_no === first.paymentNo);
  assert.equal(waiting?.state, PaymentState.WAITING);
});

test('一期网关转来的回调拆开信封后仍要验签', async () => {
  const shop = await openShop();
  const { orderNo, paymentNo } = await waitingPayment(shop, 'wechat');
  const { headers, body } = wechatNotify(shop.clock, { paymentNo, amount: 10_000 });
  const envelope = (text: string) =>
    JSON.stringify({ channel: 'WX', headers, body_base64: Buffer.from(text).toString('base64') });
  assert.equal((await handleLegacyNotify(shop.payments, envelope(body.replace('SUCCESS', 'CLOSED')))).status, 500);
  assert.equal((await handleLegacyNotify(shop.payments, envelope(body))).status, 204);
  assert.equal(await stateOf(shop, orderNo), OrderState.PAID);
  assert.throws(
    () => unwrapEnvelope('{"channel":"UNION"}'),
    (error) => BizError.is(error, ErrorCode.ERR_CHANNEL_UNKNOWN),
  );
});

test('没登记过的渠道不能发起支付', async () => {
  const shop = await openShop();
  const order = await shop.orders.create({ userId: 'U1', items: [{ sku: 'TEA', quantity: 1 }] });
  await assert.rejects(shop.payments.prepay(order.order_no, 'unionpay'), (error) =>
    BizError.is(error, ErrorCode.ERR_CHANNEL_UNKNOWN),
  );
});
