/**
 * 订单定时任务
 */
import type { Clock } from '../shared/clock.js';
import { MINUTE_MS } from '../shared/clock.js';
import type { Logger } from '../shared/logger.js';
import type { Scheduler } from '../shared/scheduler.js';
import type { OrderService } from './order-service.js';

export const CANCEL_EXPIRED_JOB = 'order.cancel-expired';

/** 每分钟扫一次超时未付款的订单。 */
export function registerOrderJobs(scheduler: Scheduler, orders: OrderService, clock: Clock, logger: Logger): void {
  scheduler.every(CANCEL_EXPIRED_JOB, MINUTE_MS, async () => {
    const { closed, releaseFailed } = await orders.cancelExpired(clock.now());
    if (closed.length > 0) logger.info('超时关单', { closed: closed.length, release_failed: releaseFailed.length });
  });
}
