/**
 * 订单服务：下单、付款成功、发货、完成、取消、超时关单
 */
import type { CouponService } from '../coupon/coupon-service.js';
import { splitDiscount } from '../coupon/discount-split.js';
import type { StockKeeper } from '../inventory/stock.js';
import type { Clock, Timestamp } from '../shared/clock.js';
import { MINUTE_MS } from '../shared/clock.js';
import type { Table } from '../shared/db.js';
import { NoGenerator } from '../shared/db.js';
import { BizError, ErrorCode } from '../shared/errors.js';
import type { Logger } from '../shared/logger.js';
import type { Fen } from '../shared/money.js';
import { assertFen, sumFen } from '../shared/money.js';
import type { BalanceService } from './balance-service.js';
import type { Catalog } from './catalog.js';
import type { OrderLine, OrderRow } from './order.js';
import { assertTransit, CancelReason, OrderState } from './order-state.js';

/** 下单后多久不付款就关单。与收银台上的倒计时一致，改这里要同步前端。 */
export const PAY_TIMEOUT_MS = 30 * MINUTE_MS;

export interface CreateOrderInput {
  userId: string;
  items: { sku: string; quantity: number }[];
  couponId?: string;
  /** 用多少余额抵扣，单位分。 */
  useBalance?: Fen;
}

export interface CancelExpiredResult {
  /** 本次关掉的订单号。 */
  closed: string[];
  /** 已关单但库存没释放成功的订单号，要人工处理。 */
  releaseFailed: string[];
}

export interface OrderDeps {
  orders: Table<OrderRow>;
  catalog: Catalog;
  stock: StockKeeper;
  coupons: CouponService;
  balance: BalanceService;
  clock: Clock;
  logger: Logger;
}

export class OrderService {
  private readonly orderNo: NoGenerator;

  constructor(private readonly deps: OrderDeps) {
    this.orderNo = new NoGenerator('SO', deps.clock);
  }

  async get(orderNo: string): Promise<OrderRow> {
    return this.deps.orders.get(orderNo);
  }

  async list(where?: (row: Readonly<OrderRow>) => boolean): Promise<OrderRow[]> {
    return this.deps.orders.list(where);
  }

  /**
   * 下单：预占库存 → 锁券 → 冻结余额 → 落库。中途失败把前面占住的都还回去。
   * 优惠和余额盖住全款时不用再付钱，直接算付款成功。
   */
  async create(input: CreateOrderInput): Promise<OrderRow> {
    const lines = this.buildLines(input.items);
    const orderNo = this.orderNo.next();
    const total = sumFen(lines.map((line) => line.amount));
    await this.deps.stock.reserve(orderNo, lines);
    try {
      const discount = input.couponId ? await this.deps.coupons.lock(input.couponId, input.userId, orderNo, total) : 0;
      const balance = Math.min(assertFen(input.useBalance ?? 0), total - discount);
      if (balance < 0) throw new BizError(ErrorCode.ERR_PARAM, '余额抵扣不能为负');
      if (balance > 0) await this.deps.balance.freeze(input.userId, orderNo, balance);
      const order = await this.insert(input, orderNo, lines, { total, discount, balance });
      return order.payable_amount === 0 ? await this.markPaid(orderNo) : order;
    } catch (error) {
      await this.releaseResources(orderNo);
      throw error;
    }
  }

  /**
   * 付款成功。支付回调可能重复通知：状态和付款时间只改一次；扣库存、核销券、结算余额各自幂等，
   * 每次都走一遍，上一次做到一半失败的能被下一次通知补上。
   *
   * @throws BizError ERR_ORDER_STATE 订单已关闭（关单后钱才到账），由支付模块退回
   */
  async markPaid(orderNo: string): Promise<OrderRow> {
    let order = await this.deps.orders.get(orderNo);
    if (order.gmt_paid === null) {
      assertTransit(orderNo, order.state, OrderState.PAID);
      order = await this.deps.orders.update(order, { state: OrderState.PAID, gmt_paid: this.deps.clock.now() });
      this.deps.logger.info('订单付款成功', { order_no: orderNo, payable_amount: order.payable_amount });
    }
    await this.deps.stock.deduct(orderNo);
    await this.deps.coupons.use(orderNo);
    await this.deps.balance.settle(orderNo);
    return order;
  }

  async ship(orderNo: string, trackingNo: string): Promise<OrderRow> {
    const order = await this.deps.orders.get(orderNo);
    assertTransit(orderNo, order.state, OrderState.SHIPPED);
    return this.deps.orders.update(order, { state: OrderState.SHIPPED, tracking_no: trackingNo });
  }

  /** 确认收货。 */
  async complete(orderNo: string): Promise<OrderRow> {
    const order = await this.deps.orders.get(orderNo);
    assertTransit(orderNo, order.state, OrderState.COMPLETED);
    return this.deps.orders.update(order, { state: OrderState.COMPLETED });
  }

  /** 用户取消未付款的订单；已经关掉的再取消一次没有副作用。 */
  async cancel(orderNo: string): Promise<OrderRow> {
    const order = await this.deps.orders.get(orderNo);
    if (order.state === OrderState.CANCELLED) return order;
    const closed = await this.close(order, CancelReason.USER, this.deps.clock.now());
    await this.releaseResources(orderNo);
    return closed;
  }

  /** 到了关单时间还没付款的订单。 */
  async listExpired(now: Timestamp): Promise<OrderRow[]> {
    return this.deps.orders.list(
      (row) => row.state === OrderState.PENDING_PAYMENT && row.gmt_create + PAY_TIMEOUT_MS <= now,
    );
  }

  /**
   * 超时关单：关掉超过 30 分钟没付款的订单，归还库存、优惠券和余额。
   *
   * 先改状态再归还：状态更新带乐观锁，同一张单只有一个人关得掉，归还也就只做一次；
   * 改状态时发现版本变了，说明用户刚好付了款或自己取消了，跳过。
   */
  async cancelExpired(now: Timestamp): Promise<CancelExpiredResult> {
    const result: CancelExpiredResult = { closed: [], releaseFailed: [] };
    for (const order of await this.listExpired(now)) {
      try {
        await this.close(order, CancelReason.TIMEOUT, now);
      } catch (error) {
        if (!BizError.is(error, ErrorCode.ERR_VERSION_CONFLICT)) throw error;
        this.deps.logger.info('订单刚被修改，本轮不关', { order_no: order.order_no });
        continue;
      }
      result.closed.push(order.order_no);
      const released = await this.releaseResources(order.order_no);
      if (!released) result.releaseFailed.push(order.order_no);
    }
    return result;
  }

  private async close(order: OrderRow, reason: CancelReason, now: Timestamp): Promise<OrderRow> {
    assertTransit(order.order_no, order.state, OrderState.CANCELLED);
    return this.deps.orders.update(order, {
      state: OrderState.CANCELLED,
      cancel_reason: reason,
      gmt_cancelled: now,
    });
  }

  /**
   * 归还库存、优惠券和余额。库存释放失败不影响退券和解冻。
   *
   * @returns 库存是否释放成功
   */
  private async releaseResources(orderNo: string): Promise<boolean> {
    let released = true;
    try {
      await this.deps.stock.release(orderNo);
    } catch (error) {
      released = false;
      this.deps.logger.error('释放库存失败', error, { order_no: orderNo });
    }
    await this.deps.coupons.release(orderNo);
    await this.deps.balance.unfreeze(orderNo);
    return released;
  }

  private buildLines(items: CreateOrderInput['items']): OrderLine[] {
    if (items.length === 0) throw new BizError(ErrorCode.ERR_PARAM, '至少要有一件商品');
    if (new Set(items.map((item) => item.sku)).size !== items.length) {
      throw new BizError(ErrorCode.ERR_PARAM, '同一商品请合并成一行');
    }
    return items.map(({ sku, quantity }) => {
      if (!Number.isInteger(quantity) || quantity < 1) throw new BizError(ErrorCode.ERR_PARAM, `数量不正确：${sku}`);
      const { title, unit_price } = this.deps.catalog.get(sku);
      return { sku, title, unit_price, quantity, amount: unit_price * quantity, discount_share: 0 };
    });
  }

  private async insert(
    input: CreateOrderInput,
    orderNo: string,
    lines: OrderLine[],
    money: { total: Fen; discount: Fen; balance: Fen },
  ): Promise<OrderRow> {
    const amounts = lines.map((line) => line.amount);
    const shares = splitDiscount(amounts, money.discount);
    return this.deps.orders.insert({
      order_no: orderNo,
      user_id: input.userId,
      state: OrderState.PENDING_PAYMENT,
      lines: lines.map((line, index) => ({ ...line, discount_share: shares[index] ?? 0 })),
      total_amount: money.total,
      discount_amount: money.discount,
      balance_amount: money.balance,
      payable_amount: money.total - money.discount - money.balance,
      coupon_id: input.couponId ?? null,
      tracking_no: null,
      cancel_reason: null,
      gmt_paid: null,
      gmt_cancelled: null,
    });
  }
}
