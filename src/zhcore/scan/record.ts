import { XiheError } from '../../errors.js';
import { readYaml } from '../../knowledge/index.js';

/** Where the record lies, relative to `.xihe/`. */
export const RECORD_FILE = 'scan.yaml';

/** What `scan --write` remembers, and what a team never wants to see. */
export interface ScanRecord {
  /** Ids or Chinese words. */
  ignore: string[];
  /** Ids of everything that was ever written, each with the fingerprint of the entry as it was written. */
  proposed: Map<string, string>;
}

const HEADER = `# xihe scan --write 的记录，和术语一起提交。
# ignore：不想再看到的建议，写 id 或中文词，如 [s-oms-order, 首字母]。
# proposed：写进 scanned.yaml 过的建议，和当时内容的指纹。从 scanned.yaml 删掉的条目不会再写回去；
#           想让它回来，删掉这里对应的一行。
ignore: []
proposed:
`;

/** The record of a text; an absent file records nothing. */
export const NO_RECORD: ScanRecord = { ignore: [], proposed: new Map() };

/**
 * Reads `scan.yaml`.
 *
 * @param text undefined where there is no file
 * @throws XiheError ENTRY_INVALID where it can't be read: to go on without it would write again what people deleted
 */
export function readRecord(text: string | undefined): ScanRecord {
  if (text === undefined || text.trim() === '') return NO_RECORD;
  const yaml = readYaml(text);
  if (!yaml.ok) throw broken(yaml.line, yaml.reason);
  const { ignore, proposed, ...rest } = (yaml.value ?? {}) as Record<string, unknown>;
  const [stranger] = Object.keys(rest);
  if (stranger !== undefined) throw broken(yaml.lineOf([stranger]), `不认识的键 ${stranger}`);
  const ignored = ignore ?? [];
  if (!Array.isArray(ignored) || !ignored.every((item) => typeof item === 'string'))
    throw broken(yaml.lineOf(['ignore']), 'ignore 应当是列表：[id, 词]');
  if (proposed !== undefined && proposed !== null && (typeof proposed !== 'object' || Array.isArray(proposed)))
    throw broken(yaml.lineOf(['proposed']), 'proposed 应当是「id: 指纹」，一行一条');
  const pairs = Object.entries((proposed ?? {}) as Record<string, unknown>).map(
    ([id, print]) => [id, String(print)] as const,
  );
  return { ignore: ignored, proposed: new Map(pairs) };
}

function broken(line: number, reason: string): XiheError {
  return new XiheError('ENTRY_INVALID', `.xihe/${RECORD_FILE}:${line}：${reason}`, {
    hint: '修好这一行再运行；它记着哪些建议已经写过，读不了就可能把删掉的又写回去。',
    details: { file: `.xihe/${RECORD_FILE}`, line },
  });
}

/**
 * Adds ids to the text of `scan.yaml`, and gives those that it has their new fingerprints. Every other line stays as it is.
 *
 * @param text undefined where there is no file yet
 * @param prints id → fingerprint
 */
export function withRecorded(text: string | undefined, prints: ReadonlyMap<string, string>): string {
  const base = text === undefined || text.trim() === '' ? HEADER : text;
  const eol = base.includes('\r\n') ? '\r\n' : '\n';
  const lines = base.split(/\r?\n/);
  const start = lines.findIndex((line) => /^proposed\s*:/.test(line));
  if (start < 0) return withRecorded(`${base.replace(/\s*$/, eol)}proposed:${eol}`, prints);
  lines[start] = lines[start]!.replace(/:\s*(?:\{\s*\}|null|~)\s*(?=#|$)/, ':');
  let end = start + 1;
  let last = start;
  for (; end < lines.length && !/^[^\s#]/.test(lines[end]!); end++) if (/^\s+\S/.test(lines[end]!)) last = end;
  const indent = /^\s+/.exec(lines[last]!)?.[0] ?? '  ';
  const fresh = new Map(prints);
  for (let i = start + 1; i <= last; i++) {
    const id = /^\s+(["']?)([^\s"':#]+)\1\s*:/.exec(lines[i]!)?.[2];
    const print = id === undefined ? undefined : fresh.get(id);
    if (print === undefined) continue;
    lines[i] = lines[i]!.replace(/(:\s*)\S+/, (_, colon: string) => colon + print);
    fresh.delete(id!);
  }
  lines.splice(last + 1, 0, ...[...fresh].map(([id, print]) => `${indent}${id}: ${print}`));
  const joined = lines.join(eol);
  return joined.endsWith(eol) ? joined : joined + eol;
}
