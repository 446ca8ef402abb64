import { XiheError } from '../../errors.js';
import { readYaml } from '../../knowledge/index.js';
import { applyTextEdits, decodeText, encodeText, type TextEdit } from '../../text/index.js';
import { emitTerm } from '../import/emit.js';
import type { TermEntry } from '../import/rawTerm.js';
import { blocksOf, fingerprint } from './blocks.js';
import { readLayerFile, writeLayerFile } from './layer-file.js';
import { RECORD_FILE, readRecord, type ScanRecord, withRecorded } from './record.js';
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

/**
 * Adds proposals to `scanned.yaml` and notes them in `scan.yaml`.
 *
 * What stands in the file stays byte for byte: new entries go behind its end, in its encoding and with its line ends. The only text
 * that is ever replaced is an entry that an earlier scan wrote, that is still exactly as it was written, and whose symbol is gone to a
 * place that leaves no doubt.
 *
 * @param layerDir absolute path of `.xihe/`
 * @param today `2026-12-01`
 * @throws XiheError ENTRY_INVALID where the file is no list that can be added to, PATH_OUTSIDE_PROJECT, STATE_UNWRITABLE
 */
export function writeScanned(
  layerDir: string,
  proposals: readonly Proposal[],
  gone: readonly GoneSymbol[],
  record: ScanRecord,
  today: string,
): WriteReport {
  const bytes = readLayerFile(layerDir, SCANNED_FILE);
  const text = bytes === undefined ? '' : decodeText(bytes).text;
  assertList(text);
  const prints = new Map<string, string>();
  const moves = movesIn(text, gone, record, today, prints);
  const added = additions(text, proposals, today, prints);
  const report = { added: proposals.map(({ id }) => id), updated: moves.map(({ id, from, to }) => ({ id, from, to })) };
  if (added === '' && moves.length === 0) return report;
  const edits: TextEdit[] = [
    ...moves.map(({ edit }) => edit),
    ...(added === '' ? [] : [{ start: text.length, end: text.length, text: added }]),
  ];
  const next = bytes === undefined ? Buffer.from(HEADER + added) : applyTextEdits(bytes, edits);
  assertAdded(decodeText(next).text, text, proposals.length);
  const recordBytes = readLayerFile(layerDir, RECORD_FILE);
  const noted = recordBytes === undefined ? undefined : decodeText(recordBytes);
  const recordText = withRecorded(noted?.text, prints);
  // The record first: an entry that is noted and not written is missed once; one that is written and not noted would come back forever.
  writeLayerFile(layerDir, RECORD_FILE, noted === undefined ? Buffer.from(recordText) : encodeText(recordText, noted));
  try {
    writeLayerFile(layerDir, SCANNED_FILE, next);
  } catch (e) {
    writeLayerFile(layerDir, RECORD_FILE, recordBytes ?? Buffer.from(withRecorded(undefined, new Map())));
    throw e;
  }
  return report;
}

/**
 * Reads `scan.yaml` of a project, in whatever encoding it is.
 *
 * @throws XiheError as {@link readRecord} and {@link readLayerFile}
 */
export function openRecord(layerDir: string): ScanRecord {
  const bytes = readLayerFile(layerDir, RECORD_FILE);
  return readRecord(bytes === undefined ? undefined : decodeText(bytes).text);
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
