import { maskText } from '../../text/index.js';
import { bytesOf, cutStartToBytes, cutToBytes } from './bytes.js';
import { type Alert, type Format, LOG_LINES, type Message } from './types.js';

/** Longest task and reason, in bytes: both and the other lines leave two thirds of WeCom's 2,048 bytes to the log. */
const TASK_BYTES = 240;
const REASON_BYTES = 480;
/** Longest line of a gathered message, in bytes: a dozen of them fit into a text. */
const LINE_BYTES = 150;
/** Characters of a log that are looked through, from its end: {@link LOG_LINES} lines of it are far less. */
const LOG_CHARS = 64_000;

/** What of an alert is kept on disk and sent: secrets masked, bounded. */
export interface Told {
  id: string;
  trace: string;
  task: string;
  reason: string;
  kind: Alert['kind'];
  /** The last lines, oldest first. */
  log: string[];
  durationMs?: number;
  at: number;
  /** How often it happened again within the window. */
  repeats: number;
}

/** Something that the next message mentions: nobody knows whether it arrived, or the platform did not take its content. */
export interface Note {
  task: string;
  trace: string;
  why: 'unknown' | 'refused' | 'dropped';
}

/**
 * Takes over what is told: control characters and colours out, secrets masked by form, and the robot's own key by value.
 *
 * @param keys values that must not stand anywhere
 */
export function toldOf(alert: Alert, keys: readonly string[], now: number): Told {
  const clean = (text: string) => withoutKeys(maskText(plain(text)), keys);
  const lines = clean((alert.log ?? '').slice(-LOG_CHARS))
    .trimEnd()
    .split('\n');
  return {
    id: alert.id,
    trace: cutToBytes(oneLine(clean(alert.trace)), 120),
    task: cutToBytes(oneLine(clean(alert.task)), TASK_BYTES),
    reason: cutToBytes(clean(alert.reason).trim(), REASON_BYTES),
    kind: alert.kind,
    log: lines.slice(-LOG_LINES).map((line) => cutToBytes(line, 1_000)),
    ...(alert.durationMs === undefined ? {} : { durationMs: alert.durationMs }),
    at: alert.at ?? now,
    repeats: 0,
  };
}

/** A text without given values, however short: they are known to be secret. */
export function withoutKeys(text: string, keys: readonly string[]): string {
  return keys.filter((key) => key !== '').reduce((t, key) => t.replaceAll(key, '***'), text);
}

function plain(text: string): string {
  // Halves of characters have no UTF-8.
  return Buffer.from(text)
    .toString()
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '  ')
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '');
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** One alert as a message. The end of the log fills what the other lines leave. */
export function single(alert: Told, notes: readonly Note[], format: Format, max: number): Message {
  const isFailure = alert.kind === 'failure';
  const title = isFailure ? '【羲和告警】任务失败' : '【羲和告警】通知';
  const again = alert.repeats > 0 ? `（5 分钟内又发生 ${alert.repeats} 次）` : '';
  const fields = [
    `任务：${alert.task}${again}`,
    `${isFailure ? '原因' : '内容'}：${alert.reason}`,
    alert.durationMs === undefined ? '' : `耗时：${spent(alert.durationMs)}`,
    `时间：${clock(alert.at)}`,
    `追踪：${alert.trace}`,
    ...noteLines(notes),
  ].filter(Boolean);
  const head = [bold(title, format), ...fields.map((field) => safe(field, format))].join('\n');
  const content = cutToBytes(head, max);
  const log = alert.log.some((line) => line.trim() !== '') ? tail(alert.log, format, max - bytesOf(content)) : '';
  return { title, content: content + log };
}

/** As many of the last lines as fit; the first of them may have lost its beginning. */
function tail(lines: readonly string[], format: Format, room: number): string {
  const shown: string[] = [];
  const head = (count: number) => `\n最后 ${count} 行：\n`;
  let left = room - bytesOf(head(LOG_LINES));
  for (const line of lines.map((one) => safe(one, format)).reverse()) {
    const size = bytesOf(line) + 1;
    if (size > left) {
      // A piece that is shorter than this says nothing.
      if (shown.length === 0 && left > 20) shown.push(cutStartToBytes(line, left - 1));
      break;
    }
    shown.push(line);
    left -= size;
  }
  return shown.length === 0 ? '' : `${head(shown.length)}${shown.reverse().join('\n')}`;
}

/** Several alerts as one message: a line each, the newest first; how many more there are is said. */
export function gathered(alerts: readonly Told[], notes: readonly Note[], format: Format, max: number): Message {
  const title = `【羲和告警】${alerts.length} 条合并`;
  const ends = noteLines(notes).map((line) => safe(line, format));
  const lines = [...alerts].reverse().map((alert) => safe(lineOf(alert), format));
  let left = max - bytesOf(bold(title, format)) - ends.reduce((sum, line) => sum + bytesOf(line) + 1, 0);
  const shown: string[] = [];
  for (const line of lines) {
    const rest = bytesOf(moreLine(lines.length));
    if (bytesOf(line) + 1 + rest + 1 > left) break;
    shown.push(line);
    left -= bytesOf(line) + 1;
  }
  const more = lines.length - shown.length;
  const all = [bold(title, format), ...shown, ...(more > 0 ? [moreLine(more)] : []), ...ends];
  return { title, content: cutToBytes(all.join('\n'), max) };
}

const moreLine = (count: number) => `还有 ${count} 条没有列出，用 xihe threads 看。`;

function lineOf(alert: Told): string {
  const times = alert.repeats > 0 ? ` ×${alert.repeats + 1}` : '';
  const end = `（${alert.trace}）${times}`;
  const said = oneLine(`${clock(alert.at).slice(5, 16)} ${alert.task}：${alert.reason}`);
  return `- ${cutToBytes(said, Math.max(40, LINE_BYTES - bytesOf(end)))}${end}`;
}

/** Notes that are named; the rest is counted. */
const NOTES_SHOWN = 3;

const WHY: Record<Note['why'], string> = {
  unknown: '条上次发到一半中断了，不知道有没有送到',
  refused: '条因为内容被平台拒收',
  dropped: '条等得太多，没有保存',
};

function noteLines(notes: readonly Note[]): string[] {
  return (['unknown', 'refused', 'dropped'] as const).flatMap((why) => {
    const some = notes.filter((note) => note.why === why);
    if (some.length === 0) return [];
    const names = some.slice(0, NOTES_SHOWN).map(({ task, trace }) => `${cutToBytes(task, 60)}（${trace}）`);
    return [`另有 ${some.length} ${WHY[why]}：${names.join('、')}${some.length > NOTES_SHOWN ? ' 等' : ''}`];
  });
}

function bold(title: string, format: Format): string {
  return format === 'markdown' ? `**${title}**` : title;
}

/**
 * What a log says must not call people or hide where a link leads: the platforms read `<@name>` and `<at …>` in texts as calls, and in
 * Markdown links and tags. Full-width marks look alike and do nothing.
 */
function safe(text: string, format: Format): string {
  if (format === 'text') return text.replace(/<(?=@|\/?at\b)/gi, '＜');
  return text
    .replace(/</g, '＜')
    .replace(/\](?=\(|\[)/g, '］')
    .replace(/\n/g, '\n\n');
}

function spent(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} 毫秒`;
  const seconds = Math.round(ms / 100) / 10;
  return seconds < 60 ? `${seconds} 秒` : `${Math.floor(seconds / 60)} 分 ${Math.round(seconds % 60)} 秒`;
}

/** Local time, `2026-12-01 19:05:31`. */
function clock(at: number): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const d = new Date(at);
  const day = `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
  return `${day} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}
