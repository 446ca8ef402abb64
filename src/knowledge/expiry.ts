import type { Provenance } from './types.js';

/** A day, or a month: `2026-11-03`, `2026-11`. */
const DAY = /^\d{4}-\d{2}(?:-\d{2})?$/;

/** The day of a moment by the clock of the machine: `2026-11-03`. */
export function today(now = new Date()): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/**
 * Whether an entry says of itself that its time is over. `version_until` may also be a version (`3.2`), which no clock can judge:
 * then it is not.
 *
 * @param day `2026-11-03`
 */
export function isExpired({ versionUntil }: Pick<Provenance, 'versionUntil'>, day: string): boolean {
  return versionUntil !== undefined && DAY.test(versionUntil) && day.slice(0, versionUntil.length) > versionUntil;
}
