/**
 * 财务结算
 *
 * 财务侧说的“结算”是按天、按渠道出结算单：收了多少、退了多少、渠道扣多少手续费、净得多少，拿去和渠道账单核对。
 * 订单侧的余额结算是另一回事，见 order/balance-service.ts。
 */
import type { ChannelRegistry } from '../payment/channel-registry.js';
import type { ChannelCode } from '../payment/payment-channel.js';
import type { PaymentRow, PaymentService } from '../payment/payment-service.js';
import { PaymentState } from '../payment/payment-service.js';
import { RefundState } from '../refund/refund.js';
import type { RefundService } from '../refund/refund-service.js';
import type { Clock, Timestamp } from '../shared/clock.js';
import { DAY_MS, shanghaiDate, startOfShanghaiDay } from '../shared/clock.js';
import type { BaseRow, Table } from '../shared/db.js';
import { BizError, ErrorCode } from '../shared/errors.js';
import type { Fen } from '../shared/money.js';
import { portionFen, sumFen } from '../shared/money.js';

/** 结算单，一天一个渠道一张。金额单位都是分。 */
export interface SettlementRow extends BaseRow {
  /** 日期加渠道，例如 2024-05-01-wechat。 */
  settlement_no: string;
  date: string;
  channel: ChannelCode;
  payment_count: number;
  gross_amount: Fen;
  refund_amount: Fen;
  fee_amount: Fen;
  net_amount: Fen;
}

export interface SettlementDeps {
  settlements: Table<SettlementRow>;
  payments: PaymentService;
  refunds: RefundService;
  registry: ChannelRegistry;
  clock: Clock;
}

export class SettlementService {
  constructor(private readonly deps: SettlementDeps) {}

  /**
   * 结算某一天，返回各渠道的结算单。已经结算过的直接返回当时的结果，不重算：结算单要和当时的渠道账单对得上。
   *
   * @param date 东八区日期；当天还没过完不能结算
   */
  async settle(date: string): Promise<SettlementRow[]> {
    if (this.deps.clock.now() < startOfShanghaiDay(date) + DAY_MS) {
      throw new BizError(ErrorCode.ERR_PARAM, `${date} 还没过完，不能结算`);
    }
    const rows: SettlementRow[] = [];
    for (const channel of this.deps.registry.codes) {
      const existing = await this.deps.settlements.find(`${date}-${channel}`);
      rows.push(existing ?? (await this.settleChannel(date, channel)));
    }
    return rows;
  }

  /** 某天某渠道成功的支付，对账导出也用它。 */
  async paymentsOf(date: string, channel: ChannelCode): Promise<PaymentRow[]> {
    return this.deps.payments.list(
      (row) => row.channel === channel && row.state === PaymentState.SUCCESS && isOn(row.gmt_paid, date),
    );
  }

  private async settleChannel(date: string, channel: ChannelCode): Promise<SettlementRow> {
    const payments = await this.paymentsOf(date, channel);
    const gross = sumFen(payments.map((row) => row.amount));
    const refund = await this.refundedOn(date, channel);
    // 渠道逐笔收手续费、逐笔取整，按总额一次算会差几分钱
    const fee = sumFen(payments.map((row) => portionFen(row.amount, this.deps.registry.get(channel).feeRate)));
    return this.deps.settlements.insert({
      settlement_no: `${date}-${channel}`,
      date,
      channel,
      payment_count: payments.length,
      gross_amount: gross,
      refund_amount: refund,
      fee_amount: fee,
      net_amount: gross - refund - fee,
    });
  }

  /** 按退款完成的日期算，不管原支付是哪天的，与渠道账单口径一致。 */
  private async refundedOn(date: string, channel: ChannelCode): Promise<Fen> {
    const refunds = await this.deps.refunds.list(
      (row) => row.state === RefundState.REFUNDED && isOn(row.gmt_refunded, date),
    );
    const ofChannel = new Set(
      (await this.deps.payments.list((row) => row.channel === channel)).map((row) => row.payment_no),
    );
    return sumFen(refunds.filter((row) => ofChannel.has(row.payment_no ?? '')).map((row) => row.channel_amount));
  }
}

function isOn(ts: Timestamp | null, date: string): boolean {
  return ts !== null && shanghaiDate(ts) === date;
}
