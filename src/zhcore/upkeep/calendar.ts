import type { EntryType } from '../types.js';

/**
 * How an entry ages: by an official page behind it, by a team's experience, or by the code that it names.
 */
export type ReviewKind = 'official' | 'experience' | 'symbol';

/**
 * Days after which an entry should be read again (DESIGN of the data core: official quarterly, experience half-yearly, symbols at
 * each commit).
 *
 * - `official`: platforms announce changes of their interfaces a quarter ahead; 91 days are 13 weeks, so that a review falls on the same
 *   weekday.
 * - `experience`: a team's habits change slowly; 182 days are two of these quarters.
 * - `symbol`: no date says when code changes. It is looked up in the tree each time (`xihe stale`, `xihe lint` in CI), so nothing falls due.
 */
export const REVIEW_DAYS: Readonly<Record<ReviewKind, number | undefined>> = {
  official: 91,
  experience: 182,
  symbol: undefined,
};

const DAY_MS = 86_400_000;

/** Milliseconds since 1970 of a day at midnight UTC; undefined for what is no real day (`2025-02-30`). */
function dayMs(day: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const ms = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== day ? undefined : ms;
}

/** The day `n` days after `day` (before it, when negative). @returns undefined when `day` is none */
export function addDays(day: string, n: number): string | undefined {
  const ms = dayMs(day);
  return ms === undefined ? undefined : new Date(ms + n * DAY_MS).toISOString().slice(0, 10);
}

/** Days from one day to another; negative when `to` is earlier. @returns undefined when one of them is no day */
export function daysBetween(from: string, to: string): number | undefined {
  const a = dayMs(from);
  const b = dayMs(to);
  return a === undefined || b === undefined ? undefined : Math.round((b - a) / DAY_MS);
}

/**
 * The day on which an entry should be read again.
 *
 * @param reviewedAt `2025-06-01`, the day of its last review
 * @returns undefined when it was never reviewed, or when its kind has no calendar (`symbol`)
 */
export function dueDate(reviewedAt: string | undefined, kind: ReviewKind): string | undefined {
  const days = REVIEW_DAYS[kind];
  return reviewedAt === undefined || days === undefined ? undefined : addDays(reviewedAt, days);
}

/** What of an entry decides how it ages; terms, warnings, playbooks, documents and chunks all fit. */
export interface Ageing {
  provenance: { source: string; layer: 'general' | 'project' };
  /** Of a knowledge document. */
  kind?: string;
  /** Of a term. */
  code_symbols?: readonly string[];
}

/**
 * How an entry ages: `official` with an address behind it, `symbol` for a project's term that names code or was read out of it,
 * `experience` for everything else.
 */
export function reviewKind(type: EntryType, { provenance, kind, code_symbols = [] }: Ageing): ReviewKind {
  if (/^https?:\/\//i.test(provenance.source) || (type === 'knowledge' && kind === 'official')) return 'official';
  if (type === 'term' && provenance.layer === 'project' && code_symbols.length > 0) return 'symbol';
  return 'experience';
}

/** Days that an entry stays fresh after a review; undefined for code, which is looked up each time. */
export function reviewPeriodDays(type: EntryType, entry: Ageing): number | undefined {
  return REVIEW_DAYS[reviewKind(type, entry)];
}

/** How old an entry is: looked up each time, never reviewed, still good, or past its date. */
export type Freshness = 'live' | 'never' | 'fresh' | 'overdue';

/**
 * Where an entry stands in its calendar.
 *
 * @param today `2026-11-03`
 */
export function freshnessOf(reviewedAt: string | undefined, kind: ReviewKind, today: string): Freshness {
  if (REVIEW_DAYS[kind] === undefined) return 'live';
  const due = dueDate(reviewedAt, kind);
  if (due === undefined) return 'never';
  return due < today ? 'overdue' : 'fresh';
}
