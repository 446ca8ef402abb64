import { isExpired, today } from '../../knowledge/index.js';
import type { CoreEntry } from '../types.js';
import { addDays, daysBetween, dueDate, type ReviewKind, reviewKind } from './calendar.js';
import { type NamedEntry, named } from './named.js';
import type { QueryRecord } from './queryLog.js';
import { UsageIndex } from './usage.js';

/** Uses are counted over this many days: a quarter, as long as the shortest review period. */
export const USED_WITHIN_DAYS = 90;

/**
 * What is the matter with an entry, worst first: its `version_until` is over, a symbol of it is gone, the file it was read out of changed,
 * its date is past, nobody ever reviewed it, its date is near.
 */
export const STALE_STATES = ['expired', 'gone', 'changed', 'overdue', 'never', 'soon'] as const;
export type StaleState = (typeof STALE_STATES)[number];

/** An entry that somebody should look at. */
export interface StaleEntry extends NamedEntry {
  state: StaleState;
  kind: ReviewKind;
  candidate: boolean;
  reviewedAt?: string;
  /** The day on which it should be read again. */
  due?: string;
  /** Days until then; negative when it is past. */
  daysLeft?: number;
  /** Day or version after which it says itself not to hold. */
  validUntil?: string;
  /** Symbols of it that are nowhere in the repository. */
  gone?: string[];
  /** The file of its source, and the day of its last commit, when that is after the review. */
  changed?: { file: string; day: string };
  /** Within {@link USED_WITHIN_DAYS}. */
  uses: number;
  lastUsed?: string;
}

export interface StaleOptions {
  entries: readonly CoreEntry[];
  now: Date;
  /** Days ahead of the due date from which an entry counts as near. */
  within: number;
  /** Of the query log; older ones are left out here. */
  records: readonly QueryRecord[];
  /** Where a symbol stands in the repository; without it no symbol is looked up. */
  symbols?: ((symbol: string) => Promise<readonly unknown[]>) | undefined;
  /** The day of a file's last commit, if there is one; without it no source is looked at. */
  lastChange?: ((path: string) => string | undefined) | undefined;
}

/** Entries that should be looked at, those first that are late and really used. */
export async function staleEntries(options: StaleOptions): Promise<StaleEntry[]> {
  const { entries, now, records } = options;
  const day = today(now);
  const usage = new UsageIndex(recent(records, now));
  const found: StaleEntry[] = [];
  for (const item of entries) {
    const facts = { ...datesOf(item, day), ...(await codeOf(item, options)) };
    const state = stateOf(item, facts, day, options.within);
    if (state === undefined) continue;
    const used = usage.of({ ...item.entry, type: item.type });
    const uses = { uses: used?.uses ?? 0, ...(used ? { lastUsed: used.lastUsed } : {}) };
    found.push({ ...named(item), state, ...facts, ...uses });
  }
  return found.sort(byUrgency);
}

/** Records of the last {@link USED_WITHIN_DAYS} before a moment. */
export function recent(records: readonly QueryRecord[], until: Date): QueryRecord[] {
  const from = until.getTime() - USED_WITHIN_DAYS * 86_400_000;
  return records.filter(({ t }) => Date.parse(t) >= from && Date.parse(t) <= until.getTime());
}

type Dates = Pick<StaleEntry, 'kind' | 'candidate' | 'reviewedAt' | 'due' | 'daysLeft' | 'validUntil'>;
type Code = Pick<StaleEntry, 'gone' | 'changed'>;

/** When an entry was and should be reviewed. */
export function datesOf({ type, entry }: CoreEntry, day: string): Dates {
  const { reviewedAt, versionUntil, status } = entry.provenance;
  const kind = reviewKind(type, entry);
  const due = dueDate(reviewedAt, kind);
  return {
    kind,
    candidate: status === 'candidate',
    ...(reviewedAt === undefined ? {} : { reviewedAt }),
    ...(due === undefined ? {} : { due, daysLeft: daysBetween(day, due) as number }),
    ...(versionUntil === undefined ? {} : { validUntil: versionUntil }),
  };
}

/** What the code of today says about an entry. */
async function codeOf(item: CoreEntry, { symbols, lastChange }: StaleOptions): Promise<Code> {
  const code: Code = {};
  if (symbols !== undefined) {
    const gone: string[] = [];
    for (const symbol of symbolsOf(item)) if ((await symbols(symbol)).length === 0) gone.push(symbol);
    if (gone.length > 0) code.gone = gone;
  }
  const { source, reviewedAt } = item.entry.provenance;
  const file = repoFile(source);
  if (file !== undefined && reviewedAt !== undefined && file !== named(item).file) {
    const day = lastChange?.(file);
    if (day !== undefined && day > reviewedAt) code.changed = { file, day };
  }
  return code;
}

/** Symbols by which an entry stands and falls: a project's own; those of what ships are usual names, in no repository all of them. */
export function symbolsOf({ type, entry }: CoreEntry): readonly string[] {
  if (entry.provenance.layer !== 'project') return [];
  if (type === 'term') return entry.code_symbols;
  return type === 'warning' ? entry.when.symbols : [];
}

/** The file of a `repo://path#L12` source. */
export function repoFile(source: string): string | undefined {
  return /^repo:\/\/([^#?]+)/.exec(source)?.[1]?.replace(/^\/+/, '');
}

function stateOf(item: CoreEntry, facts: Dates & Code, day: string, within: number): StaleState | undefined {
  if (isExpired(item.entry.provenance, day)) return 'expired';
  if (facts.gone !== undefined) return 'gone';
  if (facts.changed !== undefined) return 'changed';
  if (facts.due !== undefined && facts.due < day) return 'overdue';
  if (facts.reviewedAt === undefined) return 'never';
  return facts.due !== undefined && facts.due <= (addDays(day, within) as string) ? 'soon' : undefined;
}

/** Late and used, then late, then near its date; the more used and the longer late the sooner. */
function byUrgency(a: StaleEntry, b: StaleEntry): number {
  const rank = ({ state, uses }: StaleEntry) => (state === 'soon' ? 2 : uses > 0 ? 0 : 1);
  return (
    rank(a) - rank(b) ||
    b.uses - a.uses ||
    STALE_STATES.indexOf(a.state) - STALE_STATES.indexOf(b.state) ||
    (a.due ?? '').localeCompare(b.due ?? '') ||
    (a.id < b.id ? -1 : 1)
  );
}
