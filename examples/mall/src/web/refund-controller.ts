/**
 * 退款接口
 *
 * 买家从订单页只能申请退货退款；仅退款、商家退款目前由客服在工作台代为发起。
 */
import type { App } from '../app.js';
import type { RefundRow } from '../refund/refund.js';
import { RefundInitiatorType } from '../refund/refund.js';
import { BizError, ErrorCode } from '../shared/errors.js';
import type { Locale } from '../shared/i18n.js';
import { localeOf, t } from '../shared/i18n.js';
import type { Router } from './router.js';
import { json, jsonBody, requiredItems, requiredText, withUser } from './router.js';

/** 客服可以代为发起的类型；系统退款只能由程序发起。 */
const STAFF_INITIATORS: readonly RefundInitiatorType[] = [
  RefundInitiatorType.BUYER_RETURN,
  RefundInitiatorType.BUYER_NO_RETURN,
  RefundInitiatorType.MERCHANT,
];

export function refundRoutes(router: Router, app: App): void {
  applyRoutes(router, app);
  auditRoutes(router, app);
}

function applyRoutes(router: Router, { users, orders, refunds, permissions }: App): void {
  router.add(
    'POST',
    '/orders/:orderNo/refunds',
    withUser(users, async (request, params, user) => {
      const order = await orders.get(params.orderNo ?? '');
      permissions.requireVisible(user, order);
      const body = jsonBody(request);
      const refund = await refunds.apply({
        orderNo: order.order_no,
        initiatorType: RefundInitiatorType.BUYER_RETURN,
        items: requiredItems(body),
        reason: requiredText(body, 'reason'),
      });
      return json(refundView(refund, localeOf(request.headers['accept-language'])), 201);
    }),
  );

  router.add(
    'POST',
    '/staff/refunds',
    withUser(users, async (request, _params, user) => {
      permissions.require(user, 'refund:create');
      const body = jsonBody(request);
      const refund = await refunds.apply({
        orderNo: requiredText(body, 'orderNo'),
        initiatorType: initiatorOf(requiredText(body, 'initiatorType')),
        items: requiredItems(body),
        reason: requiredText(body, 'reason'),
      });
      return json(refundView(refund, localeOf(request.headers['accept-language'])), 201);
    }),
  );
}

function auditRoutes(router: Router, { users, refunds, permissions }: App): void {
  for (const action of ['approve', 'reject', 'confirmReturned', 'retryPayOut'] as const) {
    router.add(
      'POST',
      `/staff/refunds/:refundNo/${action}`,
      withUser(users, async (request, params, user) => {
        permissions.require(user, 'refund:audit');
        const refund = await refunds[action](params.refundNo ?? '', user.user_id);
        return json(refundView(refund, localeOf(request.headers['accept-language'])));
      }),
    );
  }
}

function initiatorOf(value: string): RefundInitiatorType {
  const found = STAFF_INITIATORS.find((initiator) => initiator === value);
  if (!found) throw new BizError(ErrorCode.ERR_PARAM, `不支持的退款类型：${value}`);
  return found;
}

function refundView(refund: RefundRow, locale: Locale): Record<string, unknown> {
  return {
    refundNo: refund.refund_no,
    orderNo: refund.order_no,
    initiatorType: refund.initiator_type,
    initiatorText: t(`refund.initiator.${refund.initiator_type}`, {}, locale),
    state: refund.state,
    stateText: t(`refund.state.${refund.state}`, {}, locale),
    amount: refund.amount,
    items: refund.items,
    reason: refund.reason,
  };
}
