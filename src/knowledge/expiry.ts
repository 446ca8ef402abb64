import type { Provenance } from './types.js';

/** A day or a month, as people write them: `2026-11-03`, `2026/11/3`, `2026-11`. */
const DAY = /^(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?$/;

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
  const parts = DAY.exec(versionUntil ?? '');
  if (parts === null) return false;
  const until = parts
    .slice(1)
    .filter((part) => part !== undefined)
    .map((part) => part.padStart(2, '0'))
    .join('-');
  return day.slice(0, until.length) > until;
}
