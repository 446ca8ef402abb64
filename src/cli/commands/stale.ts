import pc from 'picocolors';
import { packageRoot } from '../../assets.js';
import type { History } from '../../history/index.js';
import type { CoreEntry, MonthReport, StaleEntry, StaleState } from '../../zhcore/index.js';
import { EXIT } from '../exit-codes.js';
import { openPathContext, reportProblems } from '../open.js';
import { print, printJson, visible, visibleLine } from '../output.js';
import { symbolFinder, symbolsIn } from '../symbols.js';
import type { CommonOptions } from './options.js';

interface StaleOptions extends CommonOptions {
  within: number;
  month?: string;
}

/** Entries of one state that are listed; `--json` has them all. */
const SHOWN = 30;

/** `xihe stale`: which entries should be looked at again, those first that are late and really used; `--month` prints a report. */
export async function stale(options: StaleOptions): Promise<number> {
  const { layout, core, paths, history } = await openPathContext(options.repo);
  const [{ LOG_DAYS_MAX, monthReport, monthText, QueryLog, staleEntries }, { today }] = await Promise.all([
    import('../../zhcore/index.js'),
    import('../../knowledge/index.js'),
  ]);
  reportProblems(core.problems, options.json);
  const now = new Date();
  const records = new QueryLog(layout.stateDir).read({ since: new Date(now.getTime() - LOG_DAYS_MAX * 86_400_000) });
  const entries = core.entries().filter((item) => isOurs(item, layout.root));
  if (options.month !== undefined) {
    const report = monthReport(options.month, entries, records, now);
    if (options.json) printJson(toMonthJson(report));
    else print(visible(monthText(report)));
    return EXIT.done;
  }
  const found = await staleEntries({
    entries,
    now,
    within: options.within,
    records,
    symbols: symbolFinder(layout.root, paths.files, symbolsIn(entries), {
      unreadable: paths.lastRefresh.unreadable,
      entries,
    }),
    lastChange: lastChangeIn(history, today),
  });
  if (options.json) {
    printJson({ entries: found.map(toJson), looked_at: entries.length, log_records: records.length });
  } else print(toText(found, entries.length, records.length > 0, options.within));
  return EXIT.done;
}

/** What ships is reviewed by who ships it: in the package's own repository. */
function isOurs({ entry }: CoreEntry, root: string): boolean {
  return entry.provenance.layer === 'project' || root === packageRoot();
}

/** The day of a file's newest commit. @param dayOf by the clock of the machine */
function lastChangeIn(history: History, dayOf: (time: Date) => string): (path: string) => string | undefined {
  const newest = new Map<string, number>();
  for (const { files, time } of history.recent(history.size)) {
    for (const file of files) newest.set(file, Math.max(newest.get(file) ?? 0, time));
  }
  return (path) => {
    const seconds = newest.get(path);
    return seconds === undefined ? undefined : dayOf(new Date(seconds * 1000));
  };
}

const TYPES = { term: '术语', warning: '警示', playbook: '流程模板', knowledge: '知识' } as const;

const STATES: Record<StaleState, string> = {
  expired: '写明已经失效',
  gone: '代码符号没了',
  changed: '来源的文件改过了',
  overdue: '过了复核日期',
  never: '从没复核过',
  soon: '快到复核日期',
};

function toText(found: readonly StaleEntry[], total: number, hasLog: boolean, within: number): string {
  const log = hasLog
    ? '使用次数按最近 90 天的查询日志算。'
    : '查询日志还是空的，看不出哪些条目真的在用：用 xihe run、core、lookup 时会自动记到 .xihe/state/queries.jsonl，只留在本机。';
  if (total === 0) return '这里还没有条目。运行 xihe init 建 .xihe/，或 xihe scan 从代码里找术语。';
  if (found.length === 0) return `${total} 条都不用复核，${within} 天内也没有到期的。\n${pc.dim(log)}`;
  const late = found.filter(({ state }) => state !== 'soon');
  const sections = [
    section(
      '在用，而且该看了',
      late.filter(({ uses }) => uses > 0),
    ),
    section(
      '该看了',
      late.filter(({ uses }) => uses === 0),
    ),
    section(
      `${within} 天内到期`,
      found.filter(({ state }) => state === 'soon'),
    ),
  ].filter((text) => text !== '');
  const advice = '核对过的，把 reviewed_at 改成当天；不再成立的，改掉或删掉。';
  return [...sections, `共 ${total} 条，${found.length} 条要看。${advice}`, pc.dim(log)].join('\n\n');
}

function section(title: string, entries: readonly StaleEntry[]): string {
  if (entries.length === 0) return '';
  const rest = entries.length - SHOWN;
  const more = rest > 0 ? [pc.dim(`另有 ${rest} 条，用 --json 看全部`)] : [];
  return [pc.bold(`${title}（${entries.length}）`), ...entries.slice(0, SHOWN).map(lineOf), ...more].join('\n');
}

function lineOf(entry: StaleEntry): string {
  const used = entry.uses > 0 ? `，90 天内用过 ${entry.uses} 次` : '';
  const where = pc.dim(visibleLine(`${entry.file}:${entry.line}`));
  return `${TYPES[entry.type]}「${visible(entry.title)}」 ${STATES[entry.state]}${visible(detailOf(entry))}${used}  ${where}`;
}

function detailOf({ state, gone, changed, due, daysLeft, validUntil, reviewedAt }: StaleEntry): string {
  if (state === 'gone') return `：${gone?.join('、')}`;
  if (state === 'changed') return `：${changed?.file}（${changed?.day}，上次复核 ${reviewedAt}）`;
  if (state === 'expired') return `：到 ${validUntil}`;
  if (state === 'never' || due === undefined || daysLeft === undefined) return '';
  return daysLeft < 0 ? `：${due}，晚了 ${-daysLeft} 天` : `：${due}，还有 ${daysLeft} 天`;
}

function toJson({ reviewedAt, daysLeft, validUntil, lastUsed, ...rest }: StaleEntry) {
  return {
    ...rest,
    ...(reviewedAt === undefined ? {} : { reviewed_at: reviewedAt }),
    ...(daysLeft === undefined ? {} : { days_left: daysLeft }),
    ...(validUntil === undefined ? {} : { valid_until: validUntil }),
    ...(lastUsed === undefined ? {} : { last_used: lastUsed }),
  };
}

function toMonthJson({ neverReviewed, ...report }: MonthReport) {
  return { ...report, never_reviewed: neverReviewed };
}
