import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAY_TIMEOUT_MS } from '../src/order/order-service.js';
import { HOUR_MS } from '../src/shared/clock.js';
import { UserRole } from '../src/user/user.js';
import type { HttpResponse } from '../src/web/router.js';
import type { Shop } from './support/shop.js';
import { openShop, wechatNotify } from './support/shop.js';

const PASSWORD = 'a-good-password';

interface CallOptions {
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

function send(shop: Shop, method: string, path: string, options: CallOptions = {}): Promise<HttpResponse> {
  const { token, body, headers } = options;
  const url = new URL(path, 'http://mall.test');
  return shop.router.dispatch({
    method,
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers: { ...headers, ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: typeof body === 'string' ? body : JSON.stringify(body ?? {}),
  });
}

/** 发请求并把应答当 JSON 读。 */
async function call(shop: Shop, method: string, path: string, options: CallOptions = {}) {
  const { status, body } = await send(shop, method, path, options);
  return { status, body: JSON.parse(String(body)) as Record<string, unknown> };
}

let phones = 13_800_000_000;

/** 注册一个这种角色的人并登录，返回令牌。 */
async function login(shop: Shop, role: UserRole): Promise<string> {
  phones += 1;
  const phone = String(phones);
  await shop.users.register({ phone, password: PASSWORD, nickname: '测试', role });
  return shop.users.login(phone, PASSWORD);
}

const oneTea = { items: [{ sku: 'TEA', quantity: 1 }] };

test('注册、登录、下单、付款、发货、退货退款走通', async () => {
  const shop = await openShop();
  const service = await login(shop, UserRole.SERVICE);
  const account = { phone: '13900000001', password: PASSWORD, nickname: '小满' };
  assert.equal((await call(shop, 'POST', '/users', { body: account })).status, 201);
  const { token } = (await call(shop, 'POST', '/login', { body: account })).body as { token: string };
  const order = await call(shop, 'POST', '/orders', { token, body: oneTea });
  assert.equal(order.status, 201);
  assert.equal(order.body.message, '下单成功，请在 30 分钟内付款');
  const orderNo = String(order.body.orderNo);
  const prepay = await call(shop, 'POST', `/orders/${orderNo}/payments`, { token, body: { channel: 'wechat' } });
  const notify = wechatNotify(shop.clock, { paymentNo: String(prepay.body.paymentNo), amount: 10_000 });
  assert.equal((await send(shop, 'POST', '/payments/notify/wechat', notify)).status, 204);
  const ship = { token: service, body: { trackingNo: 'SF1' } };
  assert.equal((await call(shop, 'POST', `/staff/orders/${orderNo}/ship`, ship)).body.stateText, '已发货');
  const refund = await call(shop, 'POST', `/orders/${orderNo}/refunds`, {
    token,
    body: { ...oneTea, reason: '不合适' },
  });
  assert.equal(refund.body.initiatorText, '退货退款');
  const path = `/staff/refunds/${refund.body.refundNo}`;
  await call(shop, 'POST', `${path}/approve`, { token: service });
  assert.equal((await call(shop, 'POST', `${path}/confirmReturned`, { token: service })).body.stateText, '已退款');
});

test('没登录、登录失效都是 401', async () => {
  const shop = await openShop();
  const buyer = await login(shop, UserRole.BUYER);
  assert.equal((await call(shop, 'POST', '/orders', { body: oneTea })).status, 401);
  shop.clock.advance(3 * HOUR_MS);
  assert.equal((await call(shop, 'POST', '/orders', { token: buyer, body: oneTea })).body.code, 'ERR_UNAUTHORIZED');
});

test('看别人的订单得到 404，和单号不存在一样', async () => {
  const shop = await openShop();
  const buyer = await login(shop, UserRole.BUYER);
  const other = await login(shop, UserRole.BUYER);
  const service = await login(shop, UserRole.SERVICE);
  const order = await call(shop, 'POST', '/orders', { token: buyer, body: oneTea });
  const path = `/orders/${order.body.orderNo}`;
  const stolen = await call(shop, 'GET', path, { token: other });
  assert.deepEqual(stolen, await call(shop, 'GET', '/orders/SO-none', { token: other }));
  assert.equal(stolen.status, 404);
  assert.equal((await call(shop, 'POST', `${path}/cancel`, { token: other })).status, 404);
  assert.equal((await call(shop, 'GET', path, { token: service })).status, 200);
});

test('买家不能发货、导出、看报表、代客退款、手工关单', async () => {
  const shop = await openShop();
  const buyer = await login(shop, UserRole.BUYER);
  const forbidden: [string, string][] = [
    ['POST', '/staff/orders/SO1/ship'],
    ['GET', '/staff/orders/export'],
    ['GET', '/reports/daily'],
    ['POST', '/staff/refunds'],
    ['POST', '/ops/orders/close-expired'],
    ['POST', '/settlements/2024-05-01'],
  ];
  for (const [method, path] of forbidden) {
    assert.equal((await call(shop, method, path, { token: buyer })).status, 403, path);
  }
});

test('手工关单：先看会关哪些，再关', async () => {
  const shop = await openShop();
  const buyer = await login(shop, UserRole.BUYER);
  const admin = await login(shop, UserRole.ADMIN);
  const order = await call(shop, 'POST', '/orders', { token: buyer, body: oneTea });
  shop.clock.advance(PAY_TIMEOUT_MS);
  const path = '/ops/orders/close-expired';
  const preview = await call(shop, 'POST', `${path}?dryRun=1`, { token: admin });
  assert.deepEqual(preview.body, { expired: [order.body.orderNo] });
  const done = await call(shop, 'POST', path, { token: admin });
  assert.deepEqual(done.body.closed, [order.body.orderNo]);
  const view = await call(shop, 'GET', `/orders/${order.body.orderNo}`, { token: buyer });
  assert.equal(view.body.cancelText, '超过 30 分钟未付款，订单已自动关闭');
});

test('一期网关的中文地址可用', async () => {
  const shop = await openShop();
  const body = JSON.stringify({ channel: 'ALI', headers: {}, body_base64: '' });
  assert.equal((await send(shop, 'POST', '/支付网关/notify', { body })).body, 'failure');
});

test('参数不对给 400 和错误码，英文请求给英文文案', async () => {
  const shop = await openShop();
  const buyer = await login(shop, UserRole.BUYER);
  for (const body of ['不是 JSON', [], {}, { items: [{ sku: 'TEA', quantity: -1 }] }, { items: [null] }]) {
    assert.equal((await call(shop, 'POST', '/orders', { token: buyer, body })).body.code, 'ERR_PARAM');
  }
  const english = await call(shop, 'GET', '/nope', { headers: { 'accept-language': 'en' } });
  assert.deepEqual(english, { status: 404, body: { code: 'ERR_NOT_FOUND', message: 'Not found' } });
});
