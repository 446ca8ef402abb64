/** Alerts to group robots: WeCom, DingTalk, Feishu. */
export { Alerts, type AlertsOptions, type Flushed, hasRobot, type Notified } from './alerts.js';
export { PLATFORMS, platformOf } from './platforms.js';
export type { Lock } from './queue.js';
export { type Alert, type Format, LOG_LINES, type Platform, TRACE_WINDOW_MS } from './types.js';
