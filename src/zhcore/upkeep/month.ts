import { isExpired, today } from '../../knowledge/index.js';
import { contentWords } from '../../text/index.js';
import type { CoreEntry } from '../types.js';
import { type NamedEntry, named } from './named.js';
import type { QueryRecord } from './queryLog.js';
import { datesOf, recent, USED_WITHIN_DAYS } from './stale.js';
import { UsageIndex } from './usage.js';

/** An entry whose review fell due, and how often it was read in the month. */
export interface DueEntry extends NamedEntry {
  due: string;
  uses: number;
  tokens: number;
}

/** Requests that found nothing, those with the same words together. */
export interface MissGroup {
  /** The first of them, as it was logged. */
  text: string;
  words: string[];
  times: number;
}

/** What happened to the entries of a project in one month. */
export interface MonthReport {
  /** `2026-11`. */
  month: string;
  /** Records of the month; 0 means that nothing is known about use. */
  records: number;
  queries: number;
  /** Fell due in the month and was not reviewed since; the most read first. */
  due: DueEntry[];
  /** Fell due before the month, and still waits. */
  waiting: DueEntry[];
  /** Over by the end of the month, by what they say themselves. */
  expired: NamedEntry[];
  neverReviewed: NamedEntry[];
  /** In force, but not read in the 90 days before the end of the month (or before now, in the month that runs). */
  unused: NamedEntry[];
  misses: MissGroup[];
}

/** First moment of a month by the clock of the machine; the next one's is its end. */
function startOf(month: string, plus = 0): Date {
  const [year, n] = month.split('-').map(Number) as [number, number];
  return new Date(year, n - 1 + plus, 1);
}

/**
 * What a month brought.
 *
 * @param month `2026-11`
 * @param records of the query log, from {@link USED_WITHIN_DAYS} before the month's end at least
 */
export function monthReport(
  month: string,
  entries: readonly CoreEntry[],
  records: readonly QueryRecord[],
  now: Date,
): MonthReport {
  const [from, end] = [startOf(month), startOf(month, 1)];
  const until = end < now ? new Date(end.getTime() - 1) : now;
  const own = records.filter(({ t }) => Date.parse(t) >= from.getTime() && Date.parse(t) <= until.getTime());
  const inMonth = new UsageIndex(own);
  const inQuarter = new UsageIndex(recent(records, until));
  const dated = entries.flatMap((item): DueEntry[] => {
    const { due } = datesOf(item, today(now));
    const { uses, tokens } = inMonth.of({ ...item.entry, type: item.type }) ?? { uses: 0, tokens: 0 };
    return due === undefined ? [] : [{ ...named(item), due, uses, tokens }];
  });
  const byUse = (a: DueEntry, b: DueEntry) => b.uses - a.uses || a.due.localeCompare(b.due) || (a.id < b.id ? -1 : 1);
  const keep = (test: (item: CoreEntry) => boolean) => entries.filter(test).map(named);
  return {
    month,
    records: own.length,
    queries: own.filter((record) => record.kind !== 'inject').length,
    due: dated.filter(({ due }) => due.startsWith(month)).sort(byUse),
    waiting: dated.filter(({ due }) => due.slice(0, month.length) < month).sort(byUse),
    expired: keep(({ entry }) => isExpired(entry.provenance, today(until))),
    neverReviewed: keep(({ entry }) => entry.provenance.reviewedAt === undefined),
    unused: keep((item) => inQuarter.of({ ...item.entry, type: item.type }) === undefined),
    misses: missesOf(own),
  };
}

function missesOf(records: readonly QueryRecord[]): MissGroup[] {
  const groups = new Map<string, MissGroup>();
  for (const { text, kind, gate, found } of records) {
    if (kind === 'inject' || !gate || found) continue;
    const words = [...new Set(contentWords(text))];
    const key = [...words].sort().join(' ');
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { text, words, times: 1 });
    else known.times += 1;
  }
  return [...groups.values()].sort((a, b) => b.times - a.times || (a.text < b.text ? -1 : 1));
}

/** Lines of one list; the rest is a number. */
const LINES_MAX = 30;

const TYPES = { term: '术语', warning: '警示', playbook: '流程模板', knowledge: '知识' } as const;

/** The report as Markdown, in Chinese. */
export function monthText(report: MonthReport): string {
  const { month, records, queries, due, waiting, expired, neverReviewed, unused, misses } = report;
  const dueLine = (e: DueEntry) => `- ${line(e)}，${e.due} 到期，本月${e.uses > 0 ? `用过 ${e.uses} 次` : '没有用到'}`;
  const log =
    records === 0
      ? '这个月的查询日志是空的，下面的使用情况不作数。用 xihe run、core、lookup 时会自动记到 .xihe/state/queries.jsonl，只留在本机。'
      : `这个月查询 ${queries} 次，日志 ${records} 条。`;
  return [
    `# 数据核心月报 ${month}`,
    log,
    section('本月到期，还没复核', due.map(dueLine)),
    section('以前到期，还在等', waiting.map(dueLine)),
    section(
      '写明已经失效',
      expired.map((e) => `- ${line(e)}`),
    ),
    section(
      '从没复核过',
      neverReviewed.map((e) => `- ${line(e)}`),
    ),
    section(`最近 ${USED_WITHIN_DAYS} 天没有用到`, records === 0 ? [] : unused.map((e) => `- ${line(e)}`)),
    section(
      '查了但没找到',
      misses.map(({ text, times }) => `- 「${text}」 ${times} 次`),
    ),
    section('建议', suggestions(report)),
  ].join('\n\n');
}

function line({ type, title, file, line: at }: NamedEntry): string {
  return `${TYPES[type]}「${title}」（${file}:${at}）`;
}

function section(title: string, lines: readonly string[]): string {
  const shown = lines.slice(0, LINES_MAX);
  const rest = lines.length - shown.length;
  const list = lines.length === 0 ? '没有。' : [...shown, ...(rest > 0 ? [`- 另有 ${rest} 条`] : [])].join('\n');
  return `## ${title}${lines.length > 0 ? `（${lines.length}）` : ''}\n\n${list}`;
}

/** What is worth doing first: late and really read, gone by its own word, asked for in vain, of no use to anybody. */
function suggestions({ records, due, waiting, expired, unused, misses, neverReviewed }: MonthReport): string[] {
  const late = [...due, ...waiting].filter(({ uses }) => uses > 0).sort((a, b) => b.uses - a.uses);
  const asked = misses.filter(({ times }) => times > 1);
  const names = (list: readonly { title: string }[]) =>
    list
      .slice(0, 3)
      .map(({ title }) => `「${title}」`)
      .join('、');
  return [
    ...(late.length > 0 ? [`- 先复核${names(late)}：已经到期，而且本月真的在用`] : []),
    ...(expired.length > 0 ? [`- 更新或删掉${names(expired)}：自己写明已经失效`] : []),
    ...(asked.length > 0 ? [`- 补上「${asked[0]?.text}」一类的内容：查了 ${asked[0]?.times} 次都没有`] : []),
    ...(neverReviewed.length > 0 ? [`- 给核对过的条目补上 reviewed_at，现在有 ${neverReviewed.length} 条没有`] : []),
    ...(records > 0 && unused.length > 0
      ? [`- ${unused.length} 条在 ${USED_WITHIN_DAYS} 天里没人用到：看看触发词对不对，确实没用的删掉`]
      : []),
  ];
}
