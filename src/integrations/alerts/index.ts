/** Alerts to group robots: WeCom, DingTalk, Feishu. */
export type { Platform } from './types.js';
