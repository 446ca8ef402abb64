/**
 * 支付接口：发起支付、渠道回调
 */
import type { App } from '../app.js';
import type { NotifyAck } from '../payment/payment-channel.js';
import { handleLegacyNotify } from '../支付网关/notify.js';
import type { HttpResponse, Router } from './router.js';
import { json, jsonBody, requiredText, withUser } from './router.js';

export function paymentRoutes(router: Router, { users, orders, payments, permissions, registry }: App): void {
  router.add('GET', '/payments/channels', async () => json({ channels: registry.codes }));

  router.add(
    'POST',
    '/orders/:orderNo/payments',
    withUser(users, async (request, params, user) => {
      const order = await orders.get(params.orderNo ?? '');
      permissions.requireVisible(user, order);
      return json(await payments.prepay(order.order_no, requiredText(jsonBody(request), 'channel')), 201);
    }),
  );

  // 回调没有登录态，靠渠道验签。请求体必须原样传下去
  router.add('POST', '/payments/notify/:channel', async (request, params) =>
    ackResponse(await payments.handleNotify(params.channel ?? '', request)),
  );

  // 一期网关转来的回调，地址登记在门店收银机里，不能改
  router.add('POST', '/支付网关/notify', async (request) =>
    ackResponse(await handleLegacyNotify(payments, request.body)),
  );
}

function ackResponse(ack: NotifyAck): HttpResponse {
  return { status: ack.status, contentType: ack.contentType, body: ack.body };
}
