/**
 * 组装：建表、建服务、接定时任务和路由
 */
import type { CouponRow } from './coupon/coupon.js';
import { CouponService } from './coupon/coupon-service.js';
import type { SettlementRow } from './finance/settlement-service.js';
import { SettlementService } from './finance/settlement-service.js';
import { InventoryService } from './inventory/inventory-service.js';
import type { ReservationRow, StockRow } from './inventory/stock.js';
import type { BalanceRow, FreezeRow } from './order/balance-service.js';
import { BalanceService } from './order/balance-service.js';
import { Catalog } from './order/catalog.js';
import type { OrderRow } from './order/order.js';
import { registerOrderJobs } from './order/order-job.js';
import { OrderService } from './order/order-service.js';
import type { ChannelRegistry } from './payment/channel-registry.js';
import type { PaymentRow } from './payment/payment-service.js';
import { PaymentService } from './payment/payment-service.js';
import { PermissionService } from './permission/permission-service.js';
import type { RefundRow } from './refund/refund.js';
import { RefundService } from './refund/refund-service.js';
import { ActiveUserService } from './report/active-users.js';
import { DailyReportService } from './report/daily-report.js';
import type { Clock } from './shared/clock.js';
import { MINUTE_MS } from './shared/clock.js';
import { Table } from './shared/db.js';
import type { Logger } from './shared/logger.js';
import { Scheduler } from './shared/scheduler.js';
import { SessionStore } from './user/session.js';
import type { UserRow, VisitRow } from './user/user.js';
import { UserService } from './user/user-service.js';
import { orderRoutes } from './web/order-controller.js';
import { paymentRoutes } from './web/payment-controller.js';
import { refundRoutes } from './web/refund-controller.js';
import { reportRoutes } from './web/report-controller.js';
import { Router } from './web/router.js';
import { userRoutes } from './web/user-controller.js';

export interface AppOptions {
  clock: Clock;
  logger: Logger;
  registry: ChannelRegistry;
}

export type App = ReturnType<typeof buildServices>;

/** 建好全部服务，定时任务已登记但没有启动。 */
export function buildApp(options: AppOptions): App & { router: Router; scheduler: Scheduler } {
  const app = buildServices(options);
  const router = new Router(options.logger.child('web'));
  for (const routes of [userRoutes, orderRoutes, paymentRoutes, refundRoutes, reportRoutes]) routes(router, app);

  const scheduler = new Scheduler(options.logger.child('scheduler'));
  registerOrderJobs(scheduler, app.orders, options.clock, options.logger.child('order'));
  scheduler.every('payment.query-waiting', 5 * MINUTE_MS, async () => {
    await app.payments.queryWaiting(options.clock.now());
  });
  return { ...app, router, scheduler };
}

function buildServices({ clock, logger, registry }: AppOptions) {
  const tables = createTables(clock);
  const catalog = new Catalog();
  const inventory = new InventoryService(tables.stocks, tables.reservations);
  const coupons = new CouponService(tables.coupons, clock);
  const balance = new BalanceService(tables.balances, tables.freezes);
  const orders = new OrderService({
    orders: tables.orders,
    catalog,
    stock: inventory,
    coupons,
    balance,
    clock,
    logger: logger.child('order'),
  });
  const payments: PaymentService = new PaymentService({
    payments: tables.payments,
    registry,
    orders,
    clock,
    logger: logger.child('payment'),
    refundExtraPayment: async (payment) => {
      await refunds.refundExtraPayment(payment);
    },
  });
  const refunds = new RefundService({
    refunds: tables.refunds,
    orders,
    payments,
    balance,
    clock,
    logger: logger.child('refund'),
  });
  return {
    clock,
    registry,
    catalog,
    inventory,
    coupons,
    balance,
    orders,
    payments,
    refunds,
    users: new UserService(tables.users, tables.visits, new SessionStore(clock), clock, logger.child('user')),
    permissions: new PermissionService(),
    settlement: new SettlementService({ settlements: tables.settlements, payments, refunds, registry, clock }),
    dailyReport: new DailyReportService(orders, refunds),
    activeUsers: new ActiveUserService(tables.visits),
  };
}

function createTables(clock: Clock) {
  return {
    users: new Table<UserRow>('users', clock, (row) => row.user_id),
    visits: new Table<VisitRow>('visits', clock, (row) => row.visit_no),
    stocks: new Table<StockRow>('stocks', clock, (row) => row.sku),
    reservations: new Table<ReservationRow>('reservations', clock, (row) => row.order_no),
    coupons: new Table<CouponRow>('coupons', clock, (row) => row.coupon_id),
    balances: new Table<BalanceRow>('balances', clock, (row) => row.user_id),
    freezes: new Table<FreezeRow>('freezes', clock, (row) => row.order_no),
    orders: new Table<OrderRow>('orders', clock, (row) => row.order_no),
    payments: new Table<PaymentRow>('payments', clock, (row) => row.payment_no),
    refunds: new Table<RefundRow>('refunds', clock, (row) => row.refund_no),
    settlements: new Table<SettlementRow>('settlements', clock, (row) => row.settlement_no),
  };
}
