/**
 * 经营日报：下单数、付款数、成交额、退款额、客单价
 */
import type { OrderRow } from '../order/order.js';
import { orderPaid } from '../order/order.js';
import type { OrderService } from '../order/order-service.js';
import { RefundInitiatorType, RefundState } from '../refund/refund.js';
import type { RefundService } from '../refund/refund-service.js';
import type { Timestamp } from '../shared/clock.js';
import { shanghaiDate, startOfShanghaiDay } from '../shared/clock.js';
import type { Fen } from '../shared/money.js';
import { sumFen } from '../shared/money.js';

export interface DailyReport {
  /** 东八区日期。 */
  date: string;
  /** 当天下单数，含后来关闭的。 */
  orderCount: number;
  /** 当天付款的订单数。 */
  paidCount: number;
  /** 成交额 GMV：当天付款订单的实付，单位分，不扣退款。 */
  gmv: Fen;
  /** 当天完成的退款额，单位分；多收退回的不算。 */
  refundAmount: Fen;
  /** 客单价 = 成交额 ÷ 付款订单数，向下取整到分；没有付款订单为 0。 */
  averagePaid: Fen;
}

export class DailyReportService {
  constructor(
    private readonly orders: OrderService,
    private readonly refunds: RefundService,
  ) {}

  async of(date: string): Promise<DailyReport> {
    startOfShanghaiDay(date);
    const created = await this.orders.list((row) => shanghaiDate(row.gmt_create) === date);
    const paid = await this.orders.list((row) => isOn(row.gmt_paid, date));
    const gmv = sumFen(paid.map((row: OrderRow) => orderPaid(row)));
    const refunds = await this.refunds.list(
      (row) =>
        row.state === RefundState.REFUNDED &&
        row.initiator_type !== RefundInitiatorType.SYSTEM &&
        isOn(row.gmt_refunded, date),
    );
    return {
      date,
      orderCount: created.length,
      paidCount: paid.length,
      gmv,
      refundAmount: sumFen(refunds.map((row) => row.amount)),
      averagePaid: paid.length === 0 ? 0 : Math.floor(gmv / paid.length),
    };
  }
}

function isOn(ts: Timestamp | null, date: string): boolean {
  return ts !== null && shanghaiDate(ts) === date;
}
