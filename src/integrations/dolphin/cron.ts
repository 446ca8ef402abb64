import { quoted, XiheError } from '../../errors.js';

/** One field of a Quartz expression: what its numbers may be, and the names for them. */
interface Field {
  name: string;
  min: number;
  max: number;
  names?: readonly string[];
  /** Number of the first name. */
  firstName?: number;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** Quartz (what the server parses with): seconds first, Sunday is 1, the year may be left out. */
const FIELDS: readonly Field[] = [
  { name: '秒', min: 0, max: 59 },
  { name: '分', min: 0, max: 59 },
  { name: '时', min: 0, max: 23 },
  { name: '日', min: 1, max: 31 },
  { name: '月', min: 1, max: 12, names: MONTHS, firstName: 1 },
  { name: '周', min: 1, max: 7, names: DAYS, firstName: 1 },
  { name: '年', min: 1970, max: 2099 },
];
const [DAY, WEEKDAY] = [3, 5];

/** What only the day fields know: last day, nearest working day, the n-th weekday of the month. */
const DAY_FORMS = /^(?:L|LW|L-\d{1,2}|\d{1,2}W)$/;
const WEEKDAY_FORMS = /^(?:L|(?:[1-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(?:L|#[1-5]))$/;

const HINT =
  '六段：秒 分 时 日 月 周，日和周有一个是 ?。例如每天凌晨 2 点是 0 0 2 * * ?，每周一 9 点是 0 0 9 ? * MON。';

/**
 * Checks an expression the way the server's Quartz parser does, before anything is sent.
 *
 * @returns the expression, blanks put in order, names in capitals
 * @throws XiheError CRON_INVALID with the field that is wrong; a five-field expression of Unix is told as what it is
 */
export function checkedCron(expression: string): string {
  const fields = expression.trim().toUpperCase().split(/\s+/);
  if (fields.length === 5) throw invalid(expression, `这是五段的 Unix 写法，前面要加秒：${quartzOf(fields)}`);
  if (fields.length < 6 || fields.length > 7)
    throw invalid(expression, `有 ${fields.length} 段，应当是 6 段（或带年的 7 段）`);
  const unknown = [DAY, WEEKDAY].filter((i) => fields[i] === '?').length;
  if (unknown !== 1) throw invalid(expression, '日和周要恰好有一个写 ?');
  fields.forEach((text, i) => {
    const fault = faultOf(text, FIELDS[i] as Field, i);
    if (fault !== undefined) throw invalid(expression, `「${FIELDS[i]?.name}」这一段 ${quoted(text)} ${fault}`);
  });
  return fields.join(' ');
}

/** Unix counts weekdays from Sunday = 0, Quartz from 1: numbers become names, which mean the same in both. */
function quartzOf([minute, hour, day, month, weekday]: string[]): string {
  const named = (weekday ?? '*').replace(/(?<!\/)\b[0-7]\b/g, (n) => DAYS[Number(n) % 7] as string);
  const [d, w] = named === '*' ? [day, '?'] : ['?', named];
  return `0 ${minute} ${hour} ${d} ${month} ${w}`;
}

/** In Chinese; undefined when nothing is wrong. */
function faultOf(text: string, field: Field, i: number): string | undefined {
  if (text === '?') return i === DAY || i === WEEKDAY ? undefined : '不能写 ?，只有日和周可以';
  for (const part of text.split(',')) {
    if ((i === DAY && DAY_FORMS.test(part)) || (i === WEEKDAY && WEEKDAY_FORMS.test(part))) continue;
    const fault = partFault(part, field);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A star, a number, a range, each with or without a step. */
function partFault(part: string, field: Field): string | undefined {
  const [, from, to, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? [];
  if (from === undefined || (from === '*' && to !== undefined)) return '看不懂';
  if (step !== undefined && (Number(step) < 1 || Number(step) > field.max)) return `的间隔要在 1 到 ${field.max} 之间`;
  const ends = [from, to]
    .filter((end) => end !== undefined && end !== '*')
    .map((end) => numberOf(end as string, field));
  if (ends.some((end) => end === undefined)) return '看不懂';
  const outside = ends.find((end) => (end as number) < field.min || (end as number) > field.max);
  return outside === undefined ? undefined : `超出范围，应当在 ${field.min} 到 ${field.max} 之间`;
}

function numberOf(text: string, { names = [], firstName = 0 }: Field): number | undefined {
  const at = names.indexOf(text);
  if (at >= 0) return at + firstName;
  return /^\d{1,4}$/.test(text) ? Number(text) : undefined;
}

/**
 * Checks a time zone's name (`Asia/Shanghai`), as the server's runtime knows it.
 *
 * @throws XiheError CRON_INVALID
 */
export function checkedTimezone(name: string): string {
  try {
    return new Intl.DateTimeFormat('zh-CN', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new XiheError('CRON_INVALID', `没有这个时区：${quoted(name)}`, {
      hint: '写 IANA 的名字，例如 Asia/Shanghai、UTC、America/New_York。',
    });
  }
}

const STAMP = /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d)?$/;

/**
 * Checks a date or a time of a schedule.
 *
 * @param text `2026-12-01` or `2026-12-01 08:00:00`
 * @returns as the server wants it, with the time
 * @throws XiheError CRON_INVALID
 */
export function checkedStamp(text: string, what: string): string {
  const whole = text.length === 10 ? `${text} 00:00:00` : text;
  const read = new Date(`${whole.replace(' ', 'T')}Z`);
  // 2026-02-30 is read as March 2.
  if (STAMP.test(text) && !Number.isNaN(read.getTime()) && read.toISOString().startsWith(whole.slice(0, 10)))
    return whole;
  throw new XiheError('CRON_INVALID', `${what}不是有效的日期：${quoted(text)}`, {
    hint: '写成 2026-12-01 或 2026-12-01 08:00:00。',
  });
}

function invalid(expression: string, reason: string): XiheError {
  return new XiheError('CRON_INVALID', `定时表达式 ${quoted(expression)} 有误：${reason}`, { hint: HINT });
}
