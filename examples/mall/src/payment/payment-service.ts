/**
 * 支付服务：预下单、处理回调、主动查单、退款
 */
import type { OrderService } from '../order/order-service.js';
import { OrderState } from '../order/order-state.js';
import type { Clock, Timestamp } from '../shared/clock.js';
import { MINUTE_MS } from '../shared/clock.js';
import type { BaseRow, Table } from '../shared/db.js';
import { NoGenerator } from '../shared/db.js';
import { BizError, ErrorCode } from '../shared/errors.js';
import { t } from '../shared/i18n.js';
import type { Logger } from '../shared/logger.js';
import type { Fen } from '../shared/money.js';
import type { ChannelRegistry } from './channel-registry.js';
import type { ChannelCode, NotifyAck, NotifyRequest, PaymentNotice, PrepayResult } from './payment-channel.js';

export enum PaymentState {
  /** 待支付 */
  WAITING = 'WAITING',
  /** 支付成功 */
  SUCCESS = 'SUCCESS',
}

/** 支付单：一张订单可以换渠道多次发起支付，每次一张支付单；成功了两张的，后到的那张退回。 */
export interface PaymentRow extends BaseRow {
  payment_no: string;
  order_no: string;
  channel: ChannelCode;
  /** 单位分。 */
  amount: Fen;
  state: PaymentState;
  /** 渠道流水号。 */
  transaction_id: string | null;
  gmt_paid: Timestamp | null;
}

export interface PaymentDeps {
  payments: Table<PaymentRow>;
  registry: ChannelRegistry;
  orders: OrderService;
  clock: Clock;
  logger: Logger;
  /** 多收的钱（关单后才到账，或同一单付了两次）由退款模块退回。启动时接上，避免支付与退款互相依赖。 */
  refundExtraPayment: (payment: PaymentRow) => Promise<void>;
}

/** 待支付多久后开始主动查单：回调通常几秒内就到，五分钟没到多半是丢了。 */
const QUERY_AFTER_MS = 5 * MINUTE_MS;

export class PaymentService {
  private readonly paymentNo: NoGenerator;

  constructor(private readonly deps: PaymentDeps) {
    this.paymentNo = new NoGenerator('P', deps.clock);
  }

  /** 给订单发起支付，返回二维码内容。 */
  async prepay(orderNo: string, channelCode: string): Promise<PrepayResult & { paymentNo: string }> {
    const order = await this.deps.orders.get(orderNo);
    if (order.state !== OrderState.PENDING_PAYMENT) {
      throw new BizError(ErrorCode.ERR_ORDER_STATE, `订单 ${orderNo} 不在待付款状态`);
    }
    const channel = this.deps.registry.get(channelCode);
    const payment = await this.deps.payments.insert({
      payment_no: this.paymentNo.next(),
      order_no: orderNo,
      channel: channel.code,
      amount: order.payable_amount,
      state: PaymentState.WAITING,
      transaction_id: null,
      gmt_paid: null,
    });
    const subject = t('payment.subject', { orderNo });
    const result = await channel.prepay({ paymentNo: payment.payment_no, subject, amount: payment.amount });
    return { ...result, paymentNo: payment.payment_no };
  }

  /**
   * 处理渠道回调。先验签再用里面的任何内容；同一笔支付通知多少次都只生效一次。
   * 处理失败给渠道失败应答，渠道会再通知，不能吞掉。
   */
  async handleNotify(channelCode: string, request: NotifyRequest): Promise<NotifyAck> {
    const channel = this.deps.registry.get(channelCode);
    try {
      const notice = await channel.parseNotify(request);
      if (notice) await this.confirm(channel.code, notice);
      return channel.ack(true);
    } catch (error) {
      this.deps.logger.error('支付回调处理失败', error, { channel: channel.code });
      return channel.ack(false);
    }
  }

  /** 主动查单：补上丢了回调的支付。返回补上的支付单号。 */
  async queryWaiting(now: Timestamp): Promise<string[]> {
    const waiting = await this.deps.payments.list(
      (row) => row.state === PaymentState.WAITING && row.gmt_create + QUERY_AFTER_MS <= now,
    );
    const confirmed: string[] = [];
    for (const payment of waiting) {
      try {
        const notice = await this.deps.registry.get(payment.channel).query(payment.payment_no);
        if (!notice) continue;
        await this.confirm(payment.channel, notice);
        confirmed.push(payment.payment_no);
      } catch (error) {
        this.deps.logger.error('主动查单失败，下一轮再查', error, { payment_no: payment.payment_no });
      }
    }
    return confirmed;
  }

  async list(where?: (row: Readonly<PaymentRow>) => boolean): Promise<PaymentRow[]> {
    return this.deps.payments.list(where);
  }

  /** 订单第一笔成功的支付；没有返回 undefined（例如全用余额付的）。 */
  async paidBy(orderNo: string): Promise<PaymentRow | undefined> {
    const [payment] = await this.list((row) => row.order_no === orderNo && row.state === PaymentState.SUCCESS);
    return payment;
  }

  /** 原路退款。同一个退款单号重复调用，渠道只退一次。 */
  async refund(paymentNo: string, refundNo: string, amount: Fen): Promise<void> {
    const payment = await this.deps.payments.get(paymentNo);
    await this.deps.registry.get(payment.channel).refund({
      paymentNo: payment.payment_no,
      refundNo,
      totalAmount: payment.amount,
      refundAmount: amount,
    });
  }

  /** 验签之后才会走到这里。支付单最后才改成成功：前面失败了，下一次通知会从头再走一遍。 */
  private async confirm(channel: ChannelCode, notice: PaymentNotice): Promise<void> {
    const payment = await this.deps.payments.get(notice.paymentNo);
    if (payment.state === PaymentState.SUCCESS) return;
    if (payment.channel !== channel) {
      throw new BizError(ErrorCode.ERR_CHANNEL_UNKNOWN, `支付单 ${payment.payment_no} 不是 ${channel} 的`);
    }
    if (payment.amount !== notice.amount) {
      throw new BizError(
        ErrorCode.ERR_AMOUNT_MISMATCH,
        `支付单 ${payment.payment_no} 应付 ${payment.amount} 分，渠道通知 ${notice.amount} 分`,
      );
    }
    const extra = await this.isExtra(payment);
    const paid = await this.deps.payments.update(payment, {
      state: PaymentState.SUCCESS,
      transaction_id: notice.transactionId,
      gmt_paid: this.deps.clock.now(),
    });
    if (extra) await this.deps.refundExtraPayment(paid);
  }

  /** 把订单改成已付款；订单用不上这笔钱（已付过或已关闭）时返回 true。 */
  private async isExtra(payment: PaymentRow): Promise<boolean> {
    const { order_no, payment_no } = payment;
    if (await this.paidBy(order_no)) {
      this.deps.logger.warn('同一订单付了两次，转退款', { order_no, payment_no });
      return true;
    }
    try {
      await this.deps.orders.markPaid(order_no);
      return false;
    } catch (error) {
      if (!BizError.is(error, ErrorCode.ERR_ORDER_STATE)) throw error;
      this.deps.logger.warn('关单后才到账，转退款', { order_no, payment_no });
      return true;
    }
  }
}
