/**
 * 报表与结算接口
 */
import type { App } from '../app.js';
import { exportReconciliation } from '../export/recon-exporter.js';
import { shanghaiDate, shanghaiDays, startOfShanghaiDay } from '../shared/clock.js';
import { BizError, ErrorCode } from '../shared/errors.js';
import type { HttpRequest, Router } from './router.js';
import { json, withUser } from './router.js';

/** 一次最多查多少天。 */
const MAX_DAYS = 92;

export function reportRoutes(router: Router, app: App): void {
  const { users, permissions, dailyReport, activeUsers, clock } = app;
  router.add(
    'GET',
    '/reports/daily',
    withUser(users, async (request, _params, user) => {
      permissions.require(user, 'report:view');
      return json(await dailyReport.of(dateOf(request, 'date', shanghaiDate(clock.now()))));
    }),
  );

  router.add(
    'GET',
    '/reports/active-users',
    withUser(users, async (request, _params, user) => {
      permissions.require(user, 'report:view');
      const from = dateOf(request, 'from');
      const to = dateOf(request, 'to');
      if (shanghaiDays(from, to).length > MAX_DAYS) {
        throw new BizError(ErrorCode.ERR_PARAM, `一次最多查 ${MAX_DAYS} 天`);
      }
      return json(await activeUsers.daily(from, to));
    }),
  );

  settlementRoutes(router, app);
}

function settlementRoutes(router: Router, { users, permissions, settlement, registry }: App): void {
  router.add(
    'POST',
    '/settlements/:date',
    withUser(users, async (_request, params, user) => {
      permissions.require(user, 'settlement:run');
      return json(await settlement.settle(checkedDate(params.date ?? '')));
    }),
  );

  router.add(
    'GET',
    '/settlements/:date/:channel/export',
    withUser(users, async (_request, params, user) => {
      permissions.require(user, 'settlement:run');
      const date = checkedDate(params.date ?? '');
      const channel = registry.get(params.channel ?? '');
      const payments = await settlement.paymentsOf(date, channel.code);
      const body = exportReconciliation({ date, channel: channel.code, feeRate: channel.feeRate, payments });
      return { status: 200, contentType: 'text/csv; charset=gbk', body };
    }),
  );
}

function dateOf(request: HttpRequest, name: string, fallback?: string): string {
  const value = request.query.get(name) ?? fallback;
  if (value === undefined) throw new BizError(ErrorCode.ERR_PARAM, `缺少 ${name}`);
  return checkedDate(value);
}

function checkedDate(value: string): string {
  try {
    startOfShanghaiDay(value);
    return value;
  } catch (cause) {
    throw new BizError(ErrorCode.ERR_PARAM, `日期不正确：${value}`, { cause });
  }
}
