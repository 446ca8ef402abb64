/**
 * 时钟与东八区时间
 *
 * 全站时间一律存毫秒时间戳（number），展示和按天统计时再换算到 Asia/Shanghai。
 * 业务代码不直接 new Date() / Date.now()，一律从 Clock 取，否则测试里没法拨表，
 * 服务器时区不同也会算出不同的“今天”。
 */

/** 毫秒时间戳。 */
export type Timestamp = number;

export interface Clock {
  now(): Timestamp;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** 中国自 1991 年后不再实行夏令时，东八区可以按固定偏移换算，不依赖运行机器的 TZ。 */
const SHANGHAI_OFFSET_MS = 8 * HOUR_MS;

export const systemClock: Clock = { now: () => Date.now() };

/** 可以拨动的时钟：测试和补数脚本使用。 */
export class ManualClock implements Clock {
  constructor(private current: Timestamp) {}

  now(): Timestamp {
    return this.current;
  }

  advance(ms: number): void {
    this.current += ms;
  }
}

/** 东八区日期，形如 2024-05-01。 */
export function shanghaiDate(ts: Timestamp): string {
  return shanghaiIso(ts).slice(0, 10);
}

/** 东八区日期时间，形如 2024-05-01 09:30:00，给页面和导出用。 */
export function shanghaiDateTime(ts: Timestamp): string {
  return shanghaiIso(ts).slice(0, 19).replace('T', ' ');
}

/**
 * 东八区某天零点对应的时间戳。
 *
 * @param date 形如 2024-05-01
 */
export function startOfShanghaiDay(date: string): Timestamp {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) throw new RangeError(`日期格式应为 YYYY-MM-DD：${date}`);
  const ts = Date.parse(`${date}T00:00:00+08:00`);
  // 2024-02-30 会被解析成 3 月 1 日，换算回来对不上就说明这一天不存在
  if (Number.isNaN(ts) || shanghaiDate(ts) !== date) throw new RangeError(`日期不存在：${date}`);
  return ts;
}

/** 从 from 到 to（都包含）的东八区日期。 */
export function shanghaiDays(from: string, to: string): string[] {
  const days: string[] = [];
  for (let ts = startOfShanghaiDay(from); ts <= startOfShanghaiDay(to); ts += DAY_MS) days.push(shanghaiDate(ts));
  return days;
}

function shanghaiIso(ts: Timestamp): string {
  return new Date(ts + SHANGHAI_OFFSET_MS).toISOString();
}
