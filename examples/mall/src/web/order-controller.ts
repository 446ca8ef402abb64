/**
 * 订单接口：下单、查询、取消、发货、确认收货、导出、超时关单
 */
import type { App } from '../app.js';
import type { CsvEncoding } from '../export/csv-writer.js';
import { csvContentType } from '../export/csv-writer.js';
import { exportOrders } from '../export/order-exporter.js';
import type { OrderRow } from '../order/order.js';
import { PAY_TIMEOUT_MS } from '../order/order-service.js';
import { CancelReason } from '../order/order-state.js';
import { MINUTE_MS } from '../shared/clock.js';
import { BizError, ErrorCode } from '../shared/errors.js';
import type { Locale } from '../shared/i18n.js';
import { localeOf, t } from '../shared/i18n.js';
import type { Router } from './router.js';
import { json, jsonBody, requiredItems, requiredText, withUser } from './router.js';

const PAY_TIMEOUT_MINUTES = PAY_TIMEOUT_MS / MINUTE_MS;

export function orderRoutes(router: Router, app: App): void {
  buyerRoutes(router, app);
  staffRoutes(router, app);
}

function buyerRoutes(router: Router, { users, orders, permissions }: App): void {
  router.add(
    'POST',
    '/orders',
    withUser(users, async (request, _params, user) => {
      const body = jsonBody(request);
      const order = await orders.create({
        userId: user.user_id,
        items: requiredItems(body),
        ...(typeof body.couponId === 'string' ? { couponId: body.couponId } : {}),
        ...(typeof body.useBalance === 'number' ? { useBalance: body.useBalance } : {}),
      });
      const locale = localeOf(request.headers['accept-language']);
      const message = t('order.created', { minutes: PAY_TIMEOUT_MINUTES }, locale);
      return json({ ...orderView(order, locale), message }, 201);
    }),
  );

  router.add(
    'GET',
    '/orders/:orderNo',
    withUser(users, async (request, params, user) => {
      permissions.require(user, 'order:read');
      const order = await orders.get(params.orderNo ?? '');
      permissions.requireVisible(user, order);
      return json(orderView(order, localeOf(request.headers['accept-language'])));
    }),
  );

  for (const action of ['cancel', 'complete'] as const) {
    router.add(
      'POST',
      `/orders/:orderNo/${action}`,
      withUser(users, async (request, params, user) => {
        const order = await orders.get(params.orderNo ?? '');
        permissions.requireVisible(user, order);
        const changed = await orders[action](order.order_no);
        return json(orderView(changed, localeOf(request.headers['accept-language'])));
      }),
    );
  }
}

function staffRoutes(router: Router, { users, orders, permissions, clock }: App): void {
  router.add(
    'POST',
    '/staff/orders/:orderNo/ship',
    withUser(users, async (request, params, user) => {
      permissions.require(user, 'order:ship');
      const order = await orders.ship(params.orderNo ?? '', requiredText(jsonBody(request), 'trackingNo'));
      return json(orderView(order, localeOf(request.headers['accept-language'])));
    }),
  );

  router.add(
    'GET',
    '/staff/orders/export',
    withUser(users, async (request, _params, user) => {
      permissions.require(user, 'order:export');
      const encoding = csvEncodingOf(request.query.get('encoding'));
      const rows = permissions.filterVisible(user, await orders.list());
      return { status: 200, contentType: csvContentType(encoding), body: exportOrders(rows, encoding) };
    }),
  );

  // 运维脚本 scripts/close-expired.ts 用；平时由定时任务每分钟做一次
  router.add(
    'POST',
    '/ops/orders/close-expired',
    withUser(users, async (request, _params, user) => {
      permissions.require(user, 'order:close');
      if (request.query.get('dryRun') !== '1') return json(await orders.cancelExpired(clock.now()));
      const expired = await orders.listExpired(clock.now());
      return json({ expired: expired.map((order) => order.order_no) });
    }),
  );
}

function csvEncodingOf(value: string | null): CsvEncoding {
  if (value === null || value === 'utf8-bom') return 'utf8-bom';
  if (value === 'gbk') return 'gbk';
  throw new BizError(ErrorCode.ERR_PARAM, `不支持的导出编码：${value}`);
}

/** 返回给前端的订单：金额仍是分，由前端格式化。 */
function orderView(order: OrderRow, locale: Locale): Record<string, unknown> {
  return {
    orderNo: order.order_no,
    state: order.state,
    stateText: t(`order.state.${order.state}`, {}, locale),
    lines: order.lines,
    totalAmount: order.total_amount,
    discountAmount: order.discount_amount,
    balanceAmount: order.balance_amount,
    payableAmount: order.payable_amount,
    trackingNo: order.tracking_no,
    cancelText: cancelText(order.cancel_reason, locale),
    createdAt: order.gmt_create,
    paidAt: order.gmt_paid,
  };
}

function cancelText(reason: CancelReason | null, locale: Locale): string | null {
  if (reason === null) return null;
  return reason === CancelReason.TIMEOUT
    ? t('order.cancel.expired', { minutes: PAY_TIMEOUT_MINUTES }, locale)
    : t('order.cancel.byUser', {}, locale);
}
