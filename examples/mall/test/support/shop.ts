/**
 * 测试用的商城：固定时间、内存网关、真实签名
 */
import { createCipheriv, createSign, generateKeyPairSync } from 'node:crypto';
import { buildApp } from '../../src/app.js';
import { AlipayChannel } from '../../src/payment/alipay/channel.js';
import { signContent } from '../../src/payment/alipay/notify.js';
import { ChannelRegistry } from '../../src/payment/channel-registry.js';
import type { GatewayRequest, GatewayTransport } from '../../src/payment/gateway-transport.js';
import type { NotifyRequest } from '../../src/payment/payment-channel.js';
import { WechatChannel } from '../../src/payment/wechat/channel.js';
import { CertificateStore } from '../../src/payment/wechat/notify.js';
import type { Clock } from '../../src/shared/clock.js';
import { ManualClock } from '../../src/shared/clock.js';
import { Logger } from '../../src/shared/logger.js';

/** 2024-05-01 12:00 北京时间，离两边的零点都远。 */
export const NOON = Date.parse('2024-05-01T12:00:00+08:00');
export const WECHAT_SERIAL = 'PLATFORM-2024';
export const API_V3_KEY = 'test-api-v3-key-0123456789abcdef';
export const ALIPAY_APP_ID = 'alipay-app-1';

// 1024 位只为测试跑得快；线上密钥一律 2048 位
const keyPair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 1024,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
export const platformKeys = keyPair();
const merchantKeys = keyPair();

/** 内存里的支付网关：记下请求，按路径给预设的应答。 */
export class FakeGateway implements GatewayTransport {
  readonly requests: GatewayRequest[] = [];
  private readonly failures: Error[] = [];
  wechatTransaction: Record<string, unknown> = { trade_state: 'NOTPAY' };
  alipayTrade: Record<string, unknown> = { code: '40004', sub_code: 'ACQ.TRADE_NOT_EXIST' };

  /** 下一个请求抛这个错。 */
  failNext(error: Error): void {
    this.failures.push(error);
  }

  async send(request: GatewayRequest): Promise<Record<string, unknown>> {
    this.requests.push(request);
    const failure = this.failures.shift();
    if (failure) throw failure;
    if (request.url.includes('/native')) return { code_url: 'weixin://wxpay/test' };
    if (request.url.includes('/out-trade-no/')) return this.wechatTransaction;
    if (request.url.includes('/refunds')) return { status: 'PROCESSING' };
    const method = new URLSearchParams(request.body).get('method');
    if (method === 'alipay.trade.precreate') {
      return { alipay_trade_precreate_response: { code: '10000', qr_code: 'https://qr.test/1' } };
    }
    if (method === 'alipay.trade.query') return { alipay_trade_query_response: this.alipayTrade };
    return { alipay_trade_refund_response: { code: '10000' } };
  }

  /** 发往微信退款接口的请求体。 */
  get wechatRefunds(): Record<string, unknown>[] {
    return this.requests
      .filter((request) => request.url.endsWith('/refunds'))
      .map((request) => JSON.parse(request.body) as Record<string, unknown>);
  }
}

export function buildShop(start = NOON) {
  const clock = new ManualClock(start);
  const gateway = new FakeGateway();
  const logs: string[] = [];
  const certificates = new CertificateStore().add(WECHAT_SERIAL, platformKeys.publicKey);
  const registry = new ChannelRegistry()
    .register(wechatChannel(gateway, certificates, clock))
    .register(alipayChannel(gateway, clock));
  const app = buildApp({ clock, registry, logger: new Logger(clock, (line) => logs.push(line)) });
  app.catalog.put({ sku: 'TEA', title: '龙井', unit_price: 10_000 });
  app.catalog.put({ sku: 'CUP', title: '茶杯', unit_price: 5_000 });
  return { ...app, clock, gateway, logs };
}

export type Shop = ReturnType<typeof buildShop>;

/** 有 100 件库存的商城。 */
export async function openShop(start = NOON): Promise<Shop> {
  const shop = buildShop(start);
  await shop.inventory.stockIn('TEA', 100);
  await shop.inventory.stockIn('CUP', 100);
  return shop;
}

/** 下单并用微信付款，返回订单号和支付单号。 */
export async function paidOrder(shop: Shop, quantity = 2): Promise<{ orderNo: string; paymentNo: string }> {
  const order = await shop.orders.create({ userId: 'U1', items: [{ sku: 'TEA', quantity }] });
  const { paymentNo } = await shop.payments.prepay(order.order_no, 'wechat');
  await shop.payments.handleNotify('wechat', wechatNotify(shop.clock, { paymentNo, amount: order.payable_amount }));
  return { orderNo: order.order_no, paymentNo };
}

/** 一条签名正确的微信支付成功通知。 */
export function wechatNotify(clock: Clock, { paymentNo = '', amount = 0, state = 'SUCCESS' }): NotifyRequest {
  const plain = JSON.stringify({
    out_trade_no: paymentNo,
    transaction_id: `WX-${paymentNo}`,
    trade_state: state,
    amount: { total: amount },
  });
  const nonce = 'nonce-12byte';
  const cipher = createCipheriv('aes-256-gcm', API_V3_KEY, nonce).setAAD(Buffer.from('transaction'));
  const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const body = JSON.stringify({
    event_type: 'TRANSACTION.SUCCESS',
    resource: { ciphertext: data.toString('base64'), nonce, associated_data: 'transaction' },
  });
  return { body, headers: wechatHeaders(clock, body) };
}

export function wechatHeaders(clock: Clock, body: string): Record<string, string> {
  const timestamp = String(Math.floor(clock.now() / 1000));
  const message = `${timestamp}\nabc123\n${body}\n`;
  return {
    'wechatpay-timestamp': timestamp,
    'wechatpay-nonce': 'abc123',
    'wechatpay-serial': WECHAT_SERIAL,
    'wechatpay-signature': createSign('RSA-SHA256').update(message).sign(platformKeys.privateKey, 'base64'),
  };
}

/** 一条签名正确的支付宝异步通知。 */
export function alipayNotify(fields: Record<string, string>): NotifyRequest {
  const params: Record<string, string> = { app_id: ALIPAY_APP_ID, sign_type: 'RSA2', ...fields };
  const content = signContent(params, ['sign', 'sign_type']);
  params.sign = createSign('RSA-SHA256').update(content).sign(platformKeys.privateKey, 'base64');
  return { headers: {}, body: new URLSearchParams(params).toString() };
}

function wechatChannel(gateway: GatewayTransport, certificates: CertificateStore, clock: Clock): WechatChannel {
  const config = {
    baseUrl: 'https://wechat.test',
    appId: 'wx-app-1',
    merchantId: '1900000001',
    merchantSerial: 'MERCHANT-1',
    merchantPrivateKey: merchantKeys.privateKey,
    apiV3Key: API_V3_KEY,
    notifyUrl: 'https://mall.test/payments/notify/wechat',
  };
  return new WechatChannel(config, gateway, certificates, clock);
}

function alipayChannel(gateway: GatewayTransport, clock: Clock): AlipayChannel {
  const config = {
    gatewayUrl: 'https://alipay.test/gateway.do',
    appId: ALIPAY_APP_ID,
    appPrivateKey: merchantKeys.privateKey,
    alipayPublicKey: platformKeys.publicKey,
    notifyUrl: 'https://mall.test/payments/notify/alipay',
  };
  return new AlipayChannel(config, gateway, clock);
}
