import type { Provenance } from './types.js';

/** A day or a month, as people write them: `2026-11-03`, `2026/11/3`, `2026-11`. */
const DAY = /^(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?$/;

/** The day of a moment by the clock of the machine: `2026-11-03`. */
export function today(now = new Date()): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/**
 * The last day for which something holds, as a number that compares: `2026-11-03` → 20261103, `2026-11` → 20261131 (no day of the
 * month is later).
 *
 * @returns undefined for a version (`3.2`), which no clock can judge, and where nothing is said
 */
export function lastDayOf(versionUntil: string | undefined): number | undefined {
  const [, year, month, day = '31'] = DAY.exec(versionUntil ?? '') ?? [];
  return year === undefined ? undefined : Number(year + month!.padStart(2, '0') + day.padStart(2, '0'));
}

/**
 * Whether an entry says of itself that its time is over; see {@link lastDayOf} for what `version_until` may be.
 *
 * @param day `2026-11-03`
 */
export function isExpired({ versionUntil }: Pick<Provenance, 'versionUntil'>, day: string): boolean {
  const last = lastDayOf(versionUntil);
  return last !== undefined && Number(day.replaceAll('-', '')) > last;
}
