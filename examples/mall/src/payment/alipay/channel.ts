/**
 * 支付宝渠道（当面付扫码）
 */
import type { KeyObject } from 'node:crypto';
import { createPublicKey, createSign } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import { shanghaiDateTime } from '../../shared/clock.js';
import { BizError, ErrorCode } from '../../shared/errors.js';
import { fenToYuan } from '../../shared/money.js';
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
import { noticeOf, signContent, verifyAlipayNotify } from './notify.js';

export interface AlipayConfig {
  /** 网关地址，例如 https://openapi.alipay.com/gateway.do */
  gatewayUrl: string;
  appId: string;
  /** 应用私钥，给请求签名用。 */
  appPrivateKey: string;
  /** 支付宝公钥，验通知用。 */
  alipayPublicKey: string;
  notifyUrl: string;
}

/** 业务成功的返回码；HTTP 200 不代表业务成功。 */
const CODE_SUCCESS = '10000';
/** 交易不存在：用户还没扫码，不算错误。 */
const SUB_CODE_NOT_EXIST = 'ACQ.TRADE_NOT_EXIST';

export class AlipayChannel implements PaymentChannel {
  readonly code = 'alipay';
  /** 签约费率 0.55%。 */
  readonly feeRate = 55;
  private readonly publicKey: KeyObject;

  constructor(
    private readonly config: AlipayConfig,
    private readonly transport: GatewayTransport,
    private readonly clock: Clock,
  ) {
    this.publicKey = createPublicKey(config.alipayPublicKey);
  }

  async prepay(request: PrepayRequest): Promise<PrepayResult> {
    const response = await this.call('alipay.trade.precreate', {
      out_trade_no: request.paymentNo,
      subject: request.subject,
      total_amount: fenToYuan(request.amount),
    });
    return { codeUrl: textField(response, 'qr_code') };
  }

  async query(paymentNo: string): Promise<PaymentNotice | undefined> {
    const response = await this.call('alipay.trade.query', { out_trade_no: paymentNo });
    if (response.sub_code === SUB_CODE_NOT_EXIST) return undefined;
    return noticeOf(response as Record<string, string>);
  }

  async refund(request: ChannelRefundRequest): Promise<void> {
    await this.call('alipay.trade.refund', {
      out_trade_no: request.paymentNo,
      out_request_no: request.refundNo,
      refund_amount: fenToYuan(request.refundAmount),
    });
  }

  async parseNotify(request: NotifyRequest): Promise<PaymentNotice | undefined> {
    return noticeOf(verifyAlipayNotify(request.body, this.publicKey, this.config.appId));
  }

  /** 支付宝只认纯文本 success，多一个空格或换行都会继续通知。 */
  ack(success: boolean): NotifyAck {
    return { status: 200, contentType: 'text/plain', body: success ? 'success' : 'failure' };
  }

  private async call(method: string, content: object): Promise<Record<string, unknown>> {
    const params: Record<string, string> = {
      app_id: this.config.appId,
      method,
      charset: 'utf-8',
      sign_type: 'RSA2',
      timestamp: shanghaiDateTime(this.clock.now()),
      version: '1.0',
      notify_url: this.config.notifyUrl,
      biz_content: JSON.stringify(content),
    };
    const message = signContent(params, ['sign']);
    params.sign = createSign('RSA-SHA256').update(message).sign(this.config.appPrivateKey, 'base64');
    const response = await this.transport.send({
      method: 'POST',
      url: this.config.gatewayUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded;charset=utf-8' },
      body: new URLSearchParams(params).toString(),
    });
    return this.unwrap(response, `${method.replaceAll('.', '_')}_response`);
  }

  private unwrap(response: Record<string, unknown>, field: string): Record<string, unknown> {
    const inner = (response[field] ?? {}) as Record<string, unknown>;
    if (inner.code !== CODE_SUCCESS && inner.sub_code !== SUB_CODE_NOT_EXIST) {
      throw new BizError(ErrorCode.ERR_CHANNEL_REJECTED, `支付宝返回 ${inner.code}：${inner.sub_msg ?? inner.msg}`);
    }
    return inner;
  }
}
