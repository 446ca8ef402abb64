/**
 * 自建支付网关（一期）的回调适配
 *
 * 为什么目录名是中文：一期网关 2019 年立项时就叫“支付网关”，发布脚本和门店收银机登记的都是这个路径，
 * 改名要同步所有门店，所以目录保留，等最后一批收银机下线后再并入 payment/（见 docs/支付网关/迁移说明.md）。
 *
 * 一期网关收到微信、支付宝的回调后不处理，原样装进信封转给商城。这里只拆信封，
 * 验签仍由各渠道做：信封来自内网，但不能因此就相信里面的内容。
 */
import type { NotifyAck, NotifyRequest } from '../payment/payment-channel.js';
import type { PaymentService } from '../payment/payment-service.js';
import { BizError, ErrorCode } from '../shared/errors.js';

/** 一期网关的渠道代号 → 现在的渠道编码。 */
const LEGACY_CHANNELS: Readonly<Record<string, string>> = { WX: 'wechat', ALI: 'alipay' };

/** 信封：原始回调的请求头和请求体，请求体转成 base64 以免被中途改动。 */
interface LegacyEnvelope {
  channel: string;
  headers: Record<string, string>;
  body_base64: string;
}

/** 拆出原始回调。 */
export function unwrapEnvelope(text: string): { channel: string; request: NotifyRequest } {
  const envelope = JSON.parse(text) as Partial<LegacyEnvelope>;
  const channel = LEGACY_CHANNELS[envelope.channel ?? ''];
  if (!channel) throw new BizError(ErrorCode.ERR_CHANNEL_UNKNOWN, `一期网关的渠道代号不认识：${envelope.channel}`);
  const headers = Object.entries(envelope.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  const body = Buffer.from(envelope.body_base64 ?? '', 'base64').toString('utf8');
  return { channel, request: { headers: Object.fromEntries(headers), body } };
}

/** 处理一期网关转来的回调。 */
export async function handleLegacyNotify(payments: PaymentService, text: string): Promise<NotifyAck> {
  const { channel, request } = unwrapEnvelope(text);
  return payments.handleNotify(channel, request);
}
