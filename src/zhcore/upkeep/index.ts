/** Keeping entries true: when they are due, who was used, what the query log says. */
export { dueDate, freshnessOf, REVIEW_DAYS, type ReviewKind, reviewKind, reviewPeriodDays } from './calendar.js';
export { type MonthReport, monthReport, monthText } from './month.js';
export {
  LOG_DAYS_MAX,
  QueryLog,
  type QueryRecord,
  type RecordContext,
  recordOf,
  recordOfInjection,
  recordOfLookup,
} from './queryLog.js';
export { repoFile, STALE_STATES, type StaleEntry, type StaleState, staleEntries, USED_WITHIN_DAYS } from './stale.js';
export { type Stats, statsOf } from './stats.js';
