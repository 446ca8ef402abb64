import { XiheError } from '../../errors.js';
import { readYaml } from '../../knowledge/index.js';
import { applyTextEdits, decodeText, encodeText, type TextEdit } from '../../text/index.js';
import { emitTerm } from '../import/emit.js';
import type { TermEntry } from '../import/rawTerm.js';
import { blocksOf, fingerprint } from './blocks.js';
import { changeLayerFile, readLayerFile, removeLeftovers } from './layer-file.js';
import { NO_RECORD, RECORD_FILE, readRecord, type ScanRecord, withRecorded } from './record.js';
import type { GoneSymbol, Proposal } from './types.js';

/** Where candidates go, relative to `.xihe/`. */
export const SCANNED_FILE = 'knowledge/terms/scanned.yaml';

/** From this score on a candidate is `medium`: several independent places say the same. */
export const MEDIUM_SCORE = 0.5;

const HEADER = `# xihe scan --write 从代码里找到的候选术语。
# 核对一条就把它的 status 改成 verified（或挪到自己的文件里）；不对的删掉，下次扫描不会再写回来（见 .xihe/scan.yaml）。
# 改过的条目和其他文件，扫描都不会动。

`;

/** What {@link writeScanned} did. */
export interface WriteReport {
  /** Ids of the entries that were added. */
  added: string[];
  /** Entries of ours whose gone symbol was replaced by the one that it became. */
  updated: { id: string; from: string; to: string }[];
}

/** Where {@link writeScanned} writes. All paths are absolute. */
export interface WritePlaces {
  /** `.xihe/`. */
  layerDir: string;
  /** Folder of what is never committed: new content waits here until it takes its file's place. */
  stateDir: string;
}

/**
 * Adds proposals to `scanned.yaml` and notes them in `scan.yaml`. To be called under a lock: two at once would only wait for each other
 * here.
 *
 * What stands in the file stays byte for byte: new entries go behind its end, in its encoding and with its line ends. The only text
 * that is ever replaced is an entry that an earlier scan wrote, that is still exactly as it was written, and whose symbol is gone to a
 * place that leaves no doubt. What others have written since the scan began (a second scan, a person) is read, and stays.
 *
 * The entries first, the record after: killed between the two, it leaves entries that the record lacks, and {@link openRecord} finds
 * those. The other way round the record would say of entries that nobody ever saw that a person deleted them.
 *
 * @param today `2026-12-01`
 * @returns what was added; proposals that are written or recorded by now are left out
 * @throws XiheError ENTRY_INVALID where the file is no list that can be added to, PATH_OUTSIDE_PROJECT, STATE_UNWRITABLE, LOCK_BUSY
 */
export function writeScanned(
  { layerDir, stateDir }: WritePlaces,
  proposals: readonly Proposal[],
  gone: readonly GoneSymbol[],
  today: string,
): WriteReport {
  for (const name of [SCANNED_FILE, RECORD_FILE]) removeLeftovers(layerDir, stateDir, name);
  let report: WriteReport = { added: [], updated: [] };
  let prints = new Map<string, string>();
  changeLayerFile(layerDir, stateDir, SCANNED_FILE, (bytes) => {
    const text = bytes === undefined ? '' : decodeText(bytes).text;
    assertList(text);
    const record = completed(recordIn(layerDir), text);
    const fresh = proposals.filter(({ id }) => !record.proposed.has(id));
    prints = new Map(record.unrecorded);
    const moves = movesIn(text, gone, record, today, prints);
    const added = additions(text, fresh, today, prints);
    report = { added: fresh.map(({ id }) => id), updated: moves.map(({ id, from, to }) => ({ id, from, to })) };
    if (added === '' && moves.length === 0) return undefined;
    const edits: TextEdit[] = [
      ...moves.map(({ edit }) => edit),
      ...(added === '' ? [] : [{ start: text.length, end: text.length, text: added }]),
    ];
    const next = bytes === undefined ? Buffer.from(HEADER + added) : applyTextEdits(bytes, edits);
    assertAdded(decodeText(next).text, text, fresh.length);
    return next;
  });
  changeLayerFile(layerDir, stateDir, RECORD_FILE, (bytes) => {
    if (prints.size === 0) return undefined;
    const noted = bytes === undefined ? undefined : decodeText(bytes);
    const text = withRecorded(noted?.text, prints);
    return noted === undefined ? Buffer.from(text) : encodeText(text, noted);
  });
  return report;
}

/**
 * What was written so far: what `scan.yaml` says, and what stands in `scanned.yaml` without being noted there, because a scan was killed
 * or a merge kept only one of the two files.
 *
 * @throws XiheError as {@link readRecord} and {@link readLayerFile}
 */
export function openRecord(layerDir: string): ScanRecord {
  const bytes = readLayerFile(layerDir, SCANNED_FILE);
  return completed(recordIn(layerDir), bytes === undefined ? '' : decodeText(bytes).text);
}

function recordIn(layerDir: string): ScanRecord {
  const bytes = readLayerFile(layerDir, RECORD_FILE);
  return bytes === undefined ? NO_RECORD : readRecord(decodeText(bytes).text);
}

interface CompletedRecord extends ScanRecord {
  /** What only `scanned.yaml` knows. */
  unrecorded: Map<string, string>;
}

function completed({ ignore, proposed }: ScanRecord, text: string): CompletedRecord {
  const unrecorded = new Map(
    blocksOf(text).flatMap((block) =>
      SCAN_ID.test(block.id) && !proposed.has(block.id) ? [[block.id, printOf(block.text)] as const] : [],
    ),
  );
  return { ignore, proposed: new Map([...proposed, ...unrecorded]), unrecorded };
}

/** Ids of proposals, see `idOf`. */
const SCAN_ID = /^s-/;
/** In place of the fingerprint of an entry that a person has changed. */
const CHANGED = 'changed';

/** The fingerprint of an entry that is exactly what a scan writes for what it says; one that a person has touched gets none. */
function printOf(block: string): string {
  const yaml = readYaml(block);
  const [entry] = yaml.ok && Array.isArray(yaml.value) ? (yaml.value as Partial<TermEntry>[]) : [];
  if (entry?.status !== 'candidate') return CHANGED;
  try {
    const { aliases = [], code_symbols = [], risk = [] } = entry;
    const print = fingerprint(block);
    return fingerprint(emitTerm({ ...(entry as TermEntry), aliases, code_symbols, risk })) === print ? print : CHANGED;
  } catch {
    // A person's entry may hold what ours never do.
    return CHANGED;
  }
}

/** A term as it is written for a proposal. */
export function entryOf(proposal: Proposal, today: string): TermEntry {
  const { file, line } = proposal.evidence[0]!;
  return {
    id: proposal.id,
    keyword_ch: proposal.keyword_ch,
    aliases: proposal.aliases,
    code_symbols: proposal.code_symbols,
    ...(proposal.module === undefined ? {} : { module: proposal.module }),
    ...(proposal.note === undefined ? {} : { note: proposal.note }),
    risk: [],
    confidence: proposal.score >= MEDIUM_SCORE ? 'medium' : 'low',
    status: 'candidate',
    source: `repo://${file}#L${line}`,
    reviewed_at: today,
  };
}

/** The text behind the end of the file; notes the fingerprint of each entry. */
function additions(text: string, proposals: readonly Proposal[], today: string, prints: Map<string, string>): string {
  if (proposals.length === 0) return '';
  const indent = /^([ \t]*)- /m.exec(text)?.[1] ?? '';
  const entries = proposals.map((proposal) => {
    const block = emitTerm(entryOf(proposal, today)).replace(/^(?=.)/gm, indent);
    prints.set(proposal.id, fingerprint(block));
    return block;
  });
  const gap = text === '' || /\n[ \t]*\r?\n$/.test(text) ? '' : /[\r\n]$/.test(text) ? '\n' : '\n\n';
  return gap + entries.join('\n');
}

interface Move {
  id: string;
  from: string;
  to: string;
  edit: TextEdit;
}

/** Our own untouched entries whose symbol has a certain new place. */
function movesIn(
  text: string,
  gone: readonly GoneSymbol[],
  record: ScanRecord,
  today: string,
  prints: Map<string, string>,
): Move[] {
  const blocks = new Map(blocksOf(text).map((block) => [block.id, block]));
  return gone.flatMap(({ termId, symbol, movedTo }) => {
    const block = blocks.get(termId);
    const target = movedTo?.find(({ certain }) => certain);
    if (block === undefined || target === undefined || prints.has(termId)) return [];
    if (record.proposed.get(termId) !== fingerprint(block.text)) return [];
    const replaced = movedBlock(block.text, symbol, target.symbol, `repo://${target.file}#L${target.line}`, today);
    if (replaced === undefined) return [];
    prints.set(termId, fingerprint(replaced));
    return [
      { id: termId, from: symbol, to: target.symbol, edit: { start: block.start, end: block.end, text: replaced } },
    ];
  });
}

function movedBlock(block: string, from: string, to: string, source: string, today: string): string | undefined {
  const list = /^([ \t]*code_symbols:[ \t]*)\[([^\]\n]*)\]/m.exec(block);
  if (list === null) return undefined;
  const symbols = list[2]!.split(',').map((item) => item.trim());
  if (!symbols.includes(from)) return undefined;
  const next = [...new Set(symbols.map((symbol) => (symbol === from ? to : symbol)))];
  return block
    .replace(list[0], () => `${list[1]}[${next.join(', ')}]`)
    .replace(
      /^([ \t]*source:[ \t]*).*?(\r?)$/m,
      (_, key: string, cr: string) => `${key}'${source.replaceAll("'", "''")}'${cr}`,
    )
    .replace(/^([ \t]*reviewed_at:[ \t]*).*?(\r?)$/m, (_, key: string, cr: string) => key + today + cr);
}

function itemsOf(text: string): { ok: true; count: number } | { ok: false; line: number; reason: string } {
  const yaml = readYaml(text);
  if (!yaml.ok) return yaml;
  if (yaml.value === null || yaml.value === undefined) return { ok: true, count: 0 };
  if (!Array.isArray(yaml.value)) return { ok: false, line: 1, reason: '顶层应当是列表：每条以「- id: …」开头' };
  return { ok: true, count: yaml.value.length };
}

function assertList(text: string): void {
  const items = itemsOf(text);
  if (items.ok) return;
  throw new XiheError('ENTRY_INVALID', `.xihe/${SCANNED_FILE}:${items.line}：${items.reason}`, {
    hint: '修好这一行再运行；文件没有动。',
    details: { file: `.xihe/${SCANNED_FILE}`, line: items.line },
  });
}

/** `[]`, a flow list or a document end at its end: what is put behind would not be part of the list. */
function assertAdded(next: string, before: string, count: number): void {
  const items = itemsOf(next);
  const had = itemsOf(before);
  if (items.ok && had.ok && items.count === had.count + count) return;
  throw new XiheError('ENTRY_INVALID', `.xihe/${SCANNED_FILE} 的写法没法在末尾接着写`, {
    hint: '把它写成每条以「- id: …」开头的列表（空文件也行），再运行一次；文件没有动。',
  });
}
