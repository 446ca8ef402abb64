import type { Judgement, RunOutcome, RunRecord } from './runLog.js';

/** What went wrong, each run counted once, under the first that fits. */
export const ERROR_KINDS = ['intent', 'parameter', 'failed', 'answer'] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

export interface ErrorExample {
  kind: ErrorKind;
  t: string;
  thread: string;
  /** What was said or reported. */
  why: string;
}

/** The runs of one week, counted by what went wrong with them. */
export interface WeekOfErrors {
  /** Its Monday by the clock of this machine, `2026-11-30`. */
  week: string;
  runs: number;
  counts: Record<ErrorKind, number>;
  /** Runs that a person called good. */
  good: number;
}

export interface ErrorReport {
  weeks: WeekOfErrors[];
  /** The newest of each kind first. */
  examples: ErrorExample[];
}

/** Examples of each kind: enough to see what they have in common. */
const EXAMPLES_MAX = 5;

/** The Monday of a moment, by the clock of this machine. */
export function mondayOf(t: string): string {
  const at = new Date(t);
  const monday = new Date(at.getFullYear(), at.getMonth(), at.getDate() - ((at.getDay() + 6) % 7));
  const two = (n: number) => String(n).padStart(2, '0');
  return `${monday.getFullYear()}-${two(monday.getMonth() + 1)}-${two(monday.getDate())}`;
}

/**
 * What went wrong, week by week, the newest first.
 *
 * A person's word counts before what the run said of itself: `intent` (something else was wanted), `parameter` (one was missing or wrong),
 * `failed` (it did not end well), `answer` (a wrong answer or change, or a change that was rejected).
 *
 * @param weeks how many at most, of those with runs
 */
export function errorsByWeek(records: readonly RunRecord[], weeks: number): ErrorReport {
  const judged = new Map<string, Judgement>();
  for (const one of records) if (one.kind === 'feedback') judged.set(keyOf(one), one);
  const byWeek = new Map<string, WeekOfErrors>();
  const examples: ErrorExample[] = [];
  for (const [key, intents] of runsOf(records)) {
    const last = intents.at(-1) as RunOutcome;
    const week = mondayOf(last.t);
    const row = byWeek.get(week) ?? {
      week,
      runs: 0,
      counts: { intent: 0, parameter: 0, failed: 0, answer: 0 },
      good: 0,
    };
    byWeek.set(week, row);
    row.runs += 1;
    const word = judged.get(key);
    if (word?.verdict === 'good') row.good += 1;
    const kind = errorOf(intents, word);
    if (kind === undefined) continue;
    row.counts[kind] += 1;
    examples.push({ kind, t: last.t, thread: last.thread, why: word?.why ?? whyOf(intents) });
  }
  const shown = [...byWeek.values()].sort((a, b) => b.week.localeCompare(a.week)).slice(0, weeks);
  const oldest = shown.at(-1)?.week ?? '';
  const recent = examples.filter(({ t }) => mondayOf(t) >= oldest).sort((a, b) => b.t.localeCompare(a.t));
  return {
    weeks: shown,
    examples: ERROR_KINDS.flatMap((kind) => recent.filter((one) => one.kind === kind).slice(0, EXAMPLES_MAX)),
  };
}

function keyOf({ thread, run }: { thread: string; run: string }): string {
  return `${thread} ${run}`;
}

function runsOf(records: readonly RunRecord[]): Map<string, RunOutcome[]> {
  const runs = new Map<string, RunOutcome[]>();
  for (const one of records) if (one.kind === 'run') runs.set(keyOf(one), [...(runs.get(keyOf(one)) ?? []), one]);
  return runs;
}

function errorOf(intents: readonly RunOutcome[], word: Judgement | undefined): ErrorKind | undefined {
  if (word?.verdict === 'good') return undefined;
  if (word?.verdict === 'bad') return word.about === 'intent' || word.about === 'parameter' ? word.about : 'answer';
  if (intents.some(({ missing }) => missing)) return 'parameter';
  if (intents.some(({ ok, outcome }) => !ok || outcome === 'failed')) return 'failed';
  return intents.some(({ outcome, intent }) => outcome === 'rejected' && intent === 'edit') ? 'answer' : undefined;
}

const OUTCOMES: Record<string, string> = { failed: '没有完成', stopped: '没有开始', rejected: '改动被拒绝' };

function whyOf(intents: readonly RunOutcome[]): string {
  const worst = intents.find(({ ok, missing }) => !ok || missing) ?? (intents.at(-1) as RunOutcome);
  if (worst.missing) return '缺参数，没有补上';
  return `${OUTCOMES[worst.outcome] ?? '没有成功'}${worst.code === undefined ? '' : `（${worst.code}）`}`;
}
