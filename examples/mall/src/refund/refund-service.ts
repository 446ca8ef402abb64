/**
 * 退款服务：申请、审核、确认退货、打款
 *
 * 状态流转：待审核 → 已同意 →（退货退款：已退货 →）已退款；待审核 → 已拒绝。
 * 仅退款与退货退款共用这套流转，由 initiator_type 决定要不要“已退货”这一步，见 refund.ts。
 */
import type { BalanceService } from '../order/balance-service.js';
import type { OrderRow } from '../order/order.js';
import { orderPaid } from '../order/order.js';
import type { OrderService } from '../order/order-service.js';
import { OrderState } from '../order/order-state.js';
import type { PaymentRow, PaymentService } from '../payment/payment-service.js';
import type { Clock } from '../shared/clock.js';
import type { Table } from '../shared/db.js';
import { NoGenerator } from '../shared/db.js';
import { BizError, ErrorCode } from '../shared/errors.js';
import { t } from '../shared/i18n.js';
import type { Logger } from '../shared/logger.js';
import type { Fen } from '../shared/money.js';
import { sumFen } from '../shared/money.js';
import type { RefundItem, RefundRow } from './refund.js';
import { needsReturn, RefundInitiatorType, RefundState } from './refund.js';
import { amountOfItems, occupying, splitByMeans } from './refund-amount.js';

/** 各种发起类型要求订单处于什么状态。系统退款不走申请。 */
export const REFUNDABLE_STATES: Record<RefundInitiatorType, readonly OrderState[]> = {
  [RefundInitiatorType.BUYER_RETURN]: [OrderState.SHIPPED, OrderState.COMPLETED],
  [RefundInitiatorType.BUYER_NO_RETURN]: [OrderState.PAID, OrderState.SHIPPED],
  [RefundInitiatorType.MERCHANT]: [OrderState.PAID],
  [RefundInitiatorType.SYSTEM]: [],
};

export interface ApplyRefundInput {
  orderNo: string;
  initiatorType: RefundInitiatorType;
  items: RefundItem[];
  reason: string;
}

export interface RefundDeps {
  refunds: Table<RefundRow>;
  orders: OrderService;
  payments: PaymentService;
  balance: BalanceService;
  clock: Clock;
  logger: Logger;
}

export class RefundService {
  private readonly refundNo: NoGenerator;

  constructor(private readonly deps: RefundDeps) {
    this.refundNo = new NoGenerator('R', deps.clock);
  }

  async get(refundNo: string): Promise<RefundRow> {
    return this.deps.refunds.get(refundNo);
  }

  async list(where?: (row: Readonly<RefundRow>) => boolean): Promise<RefundRow[]> {
    return this.deps.refunds.list(where);
  }

  /** 申请退款，进入待审核。 */
  async apply(input: ApplyRefundInput): Promise<RefundRow> {
    const order = await this.deps.orders.get(input.orderNo);
    if (!REFUNDABLE_STATES[input.initiatorType].includes(order.state)) {
      throw new BizError(ErrorCode.ERR_ORDER_STATE, `订单 ${order.order_no} 当前是 ${order.state}，不能申请这种退款`);
    }
    if (input.items.length === 0) throw new BizError(ErrorCode.ERR_PARAM, '请选择要退的商品');
    const earlier = occupying(await this.list((row) => row.order_no === order.order_no));
    const amount = amountOfItems(order, input.items, earlier);
    const left = orderPaid(order) - sumFen(earlier.map((refund) => refund.amount));
    if (amount > left) {
      throw new BizError(ErrorCode.ERR_REFUND_EXCEEDS, `订单 ${order.order_no} 要退 ${amount} 分，可退 ${left} 分`);
    }
    const { channel, balance } = splitByMeans(order, amount, earlier);
    const paymentNo = (await this.deps.payments.paidBy(order.order_no))?.payment_no ?? null;
    return this.insert(order, { ...input, paymentNo, amount, channel, balance, state: RefundState.APPLIED });
  }

  /** 同意。不用退货的立即打款；要退货的等仓库收货。 */
  async approve(refundNo: string, auditor: string): Promise<RefundRow> {
    const refund = await this.expect(refundNo, RefundState.APPLIED);
    const approved = await this.deps.refunds.update(refund, { state: RefundState.APPROVED, audited_by: auditor });
    return needsReturn(approved.initiator_type) ? approved : this.payOut(approved);
  }

  async reject(refundNo: string, auditor: string): Promise<RefundRow> {
    const refund = await this.expect(refundNo, RefundState.APPLIED);
    return this.deps.refunds.update(refund, { state: RefundState.REJECTED, audited_by: auditor });
  }

  /** 仓库收到退货后打款。货的入库由仓库验收后另走入库单，这里不加库存。 */
  async confirmReturned(refundNo: string): Promise<RefundRow> {
    const refund = await this.expect(refundNo, RefundState.APPROVED);
    if (!needsReturn(refund.initiator_type)) {
      throw new BizError(ErrorCode.ERR_REFUND_STATE, `退款单 ${refundNo} 不需要退货`);
    }
    return this.payOut(await this.deps.refunds.update(refund, { state: RefundState.RETURNED }));
  }

  /** 打款超时后由客服再点一次。渠道按退款单号判重，不会退两次。 */
  async retryPayOut(refundNo: string): Promise<RefundRow> {
    const refund = await this.get(refundNo);
    const ready = needsReturn(refund.initiator_type) ? RefundState.RETURNED : RefundState.APPROVED;
    if (refund.state !== ready) throw new BizError(ErrorCode.ERR_REFUND_STATE, `退款单 ${refundNo} 不在待打款状态`);
    return this.payOut(refund);
  }

  /** 多收的钱系统自动原路退回，不用审核。关单时余额和券已经归还，这里只退渠道部分。 */
  async refundExtraPayment(payment: PaymentRow): Promise<RefundRow> {
    const order = await this.deps.orders.get(payment.order_no);
    const refund = await this.insert(order, {
      initiatorType: RefundInitiatorType.SYSTEM,
      items: [],
      reason: t('refund.reason.extraPayment'),
      paymentNo: payment.payment_no,
      amount: payment.amount,
      channel: payment.amount,
      balance: 0,
      state: RefundState.APPROVED,
    });
    return this.payOut(refund);
  }

  private async payOut(refund: RefundRow): Promise<RefundRow> {
    if (refund.payment_no !== null && refund.channel_amount > 0) {
      await this.deps.payments.refund(refund.payment_no, refund.refund_no, refund.channel_amount);
    }
    // 先改状态再退余额：余额入账不能按单号判重，状态更新的乐观锁保证只有一次
    const done = await this.deps.refunds.update(refund, {
      state: RefundState.REFUNDED,
      gmt_refunded: this.deps.clock.now(),
    });
    if (done.balance_amount > 0) await this.deps.balance.credit(done.user_id, done.balance_amount);
    this.deps.logger.info('退款完成', { refund_no: done.refund_no, amount: done.amount });
    return done;
  }

  private async expect(refundNo: string, state: RefundState): Promise<RefundRow> {
    const refund = await this.get(refundNo);
    if (refund.state !== state) {
      throw new BizError(ErrorCode.ERR_REFUND_STATE, `退款单 ${refundNo} 当前是 ${refund.state}，不能这样操作`);
    }
    return refund;
  }

  private insert(
    order: OrderRow,
    input: Omit<ApplyRefundInput, 'orderNo'> & {
      paymentNo: string | null;
      amount: Fen;
      channel: Fen;
      balance: Fen;
      state: RefundState;
    },
  ): Promise<RefundRow> {
    return this.deps.refunds.insert({
      refund_no: this.refundNo.next(),
      order_no: order.order_no,
      payment_no: input.paymentNo,
      user_id: order.user_id,
      initiator_type: input.initiatorType,
      state: input.state,
      items: input.items,
      reason: input.reason,
      amount: input.amount,
      channel_amount: input.channel,
      balance_amount: input.balance,
      audited_by: null,
      gmt_refunded: null,
    });
  }
}
