/**
 * 微信支付渠道（APIv3，Native 扫码）
 */
import { createSign, randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import type { GatewayTransport } from '../gateway-transport.js';
import { textField } from '../gateway-transport.js';
import type {
  ChannelRefundRequest,
  NotifyAck,
  NotifyRequest,
  PaymentChannel,
  PaymentNotice,
  PrepayRequest,
  PrepayResult,
} from '../payment-channel.js';
import type { CertificateStore, WechatTransaction } from './notify.js';
import { decryptNotice, noticeOf, verifyWechatSignature } from './notify.js';

export interface WechatConfig {
  /** 网关地址，例如 https://api.mch.weixin.qq.com */
  baseUrl: string;
  appId: string;
  merchantId: string;
  /** 商户 API 证书序列号与私钥，给请求签名用。 */
  merchantSerial: string;
  merchantPrivateKey: string;
  /** APIv3 密钥，解密回调用。 */
  apiV3Key: string;
  notifyUrl: string;
}

export class WechatChannel implements PaymentChannel {
  readonly code = 'wechat';
  /** 签约费率 0.6%。 */
  readonly feeRate = 60;

  constructor(
    private readonly config: WechatConfig,
    private readonly transport: GatewayTransport,
    private readonly certificates: CertificateStore,
    private readonly clock: Clock,
  ) {}

  async prepay(request: PrepayRequest): Promise<PrepayResult> {
    const response = await this.call('POST', '/v3/pay/transactions/native', {
      appid: this.config.appId,
      mchid: this.config.merchantId,
      description: request.subject,
      out_trade_no: request.paymentNo,
      notify_url: this.config.notifyUrl,
      amount: { total: request.amount, currency: 'CNY' },
    });
    return { codeUrl: textField(response, 'code_url') };
  }

  async query(paymentNo: string): Promise<PaymentNotice | undefined> {
    const path = `/v3/pay/transactions/out-trade-no/${paymentNo}?mchid=${this.config.merchantId}`;
    return noticeOf((await this.call('GET', path)) as Partial<WechatTransaction>);
  }

  async refund(request: ChannelRefundRequest): Promise<void> {
    await this.call('POST', '/v3/refund/domestic/refunds', {
      out_trade_no: request.paymentNo,
      out_refund_no: request.refundNo,
      amount: { refund: request.refundAmount, total: request.totalAmount, currency: 'CNY' },
    });
  }

  async parseNotify(request: NotifyRequest): Promise<PaymentNotice | undefined> {
    verifyWechatSignature(request, this.certificates, this.clock);
    return decryptNotice(request.body, this.config.apiV3Key);
  }

  ack(success: boolean): NotifyAck {
    const body = success ? '' : JSON.stringify({ code: 'FAIL', message: '处理失败' });
    return { status: success ? 204 : 500, contentType: 'application/json', body };
  }

  private call(method: 'GET' | 'POST', path: string, payload?: object): Promise<Record<string, unknown>> {
    const body = payload ? JSON.stringify(payload) : '';
    return this.transport.send({
      method,
      url: `${this.config.baseUrl}${path}`,
      headers: { 'content-type': 'application/json', authorization: this.authorization(method, path, body) },
      body,
    });
  }

  /** 请求签名：方法、路径、时间戳、随机串、请求体各占一行。 */
  private authorization(method: string, path: string, body: string): string {
    const timestamp = Math.floor(this.clock.now() / 1000);
    const nonce = randomBytes(16).toString('hex');
    const message = `${method}\n${path}\n${timestamp}\n${nonce}\n${body}\n`;
    const signature = createSign('RSA-SHA256').update(message).sign(this.config.merchantPrivateKey, 'base64');
    const fields = {
      mchid: this.config.merchantId,
      nonce_str: nonce,
      signature,
      timestamp: String(timestamp),
      serial_no: this.config.merchantSerial,
    };
    const text = Object.entries(fields).map(([name, value]) => `${name}="${value}"`);
    return `WECHATPAY2-SHA256-RSA2048 ${text.join(',')}`;
  }
}
