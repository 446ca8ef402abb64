/**
 * 支付渠道注册表
 *
 * 启动时登记，运行中只读。没配商户参数的渠道不登记，收银台也就不展示它。
 */
import { BizError, ErrorCode } from '../shared/errors.js';
import type { ChannelCode, PaymentChannel } from './payment-channel.js';

export class ChannelRegistry {
  private readonly channels = new Map<string, PaymentChannel>();

  register(channel: PaymentChannel): this {
    if (this.channels.has(channel.code)) throw new Error(`支付渠道重复登记：${channel.code}`);
    this.channels.set(channel.code, channel);
    return this;
  }

  /** @param code 可能来自回调地址，所以是任意字符串；没登记过抛 ERR_CHANNEL_UNKNOWN */
  get(code: string): PaymentChannel {
    const channel = this.channels.get(code);
    if (!channel) throw new BizError(ErrorCode.ERR_CHANNEL_UNKNOWN, `没有这个支付渠道：${code}`);
    return channel;
  }

  get codes(): ChannelCode[] {
    return [...this.channels.values()].map((channel) => channel.code);
  }
}
