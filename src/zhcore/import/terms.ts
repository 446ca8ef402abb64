import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fold } from '../../text/index.js';
import type { Term } from '../types.js';
import { mixedCell } from './cells.js';
import { type Column, columnsOf } from './columns.js';
import { readCsv } from './csv.js';
import { emitTerm, termFault } from './emit.js';
import { headerField } from './headers.js';
import { KnownTerms, ModuleNames, wordKey } from './known.js';
import { readMarkdownTables } from './markdownTable.js';
import { freeName, safeName } from './names.js';
import { type PlacedTerm, type RawTerm, type TermEntry, toTerm } from './rawTerm.js';
import { placeOf, type Sheet } from './sheet.js';
import { readEach, type Source } from './source.js';
import { readTermList } from './termList.js';
import type { ImportOptions, Notes, PlannedFile } from './types.js';

/** A written file holds at most so many entries, so that it stays far below the 5 MB that the loader reads. */
const ENTRIES_PER_FILE = 5_000;
/** Entries that are shown of a file. */
const PREVIEW = 3;

const FOLDER = 'knowledge/terms';

/**
 * Terms out of tables and lists, one file for each source.
 *
 * @param tick called between rows; throws when the import was cancelled
 */
export async function planTerms(
  sources: readonly Source[],
  options: ImportOptions,
  notes: Notes,
  tick: (done: number, total: number) => Promise<void>,
): Promise<PlannedFile[]> {
  const known = new KnownTerms(options.layerDir);
  const modules = new ModuleNames(options.layerDir);
  const merger = new Merger(notes);
  const bySource: { source: Source; terms: PlacedTerm[] }[] = [];
  for (const source of sources) {
    const raw = (await readEach(source, sources, notes, () => rawTerms(source, modules.byName, notes))) ?? [];
    const defaults = {
      table: source.stem,
      moduleNames: modules.byName,
      ...(options.module === undefined ? {} : { module: options.module }),
    };
    const terms: PlacedTerm[] = [];
    for (const [i, one] of raw.entries()) {
      if (i % 500 === 0) await tick(i, raw.length);
      const term = toTerm(one, defaults, notes);
      if (term !== undefined && merger.add(term)) terms.push(term);
    }
    bySource.push({ source, terms });
  }
  const placer = new Placer(options, known, modules, notes);
  return bySource.flatMap(({ source, terms }) => placer.files(source, terms));
}

type ModuleByName = ReadonlyMap<string, string>;

async function rawTerms(source: Source, modules: ModuleByName, notes: Notes): Promise<RawTerm[]> {
  if (['.yaml', '.yml', '.json'].includes(source.ext)) return readTermList(source.text(), source.name, notes);
  if (source.ext === '.md' || source.ext === '.markdown')
    return readMarkdownTables(source.text()).flatMap((sheet) => tableTerms(sheet, source.name, modules, notes));
  if (!source.ext.startsWith('.xls'))
    return tableTerms(readCsv(source.text(), source.name, notes), source.name, modules, notes);
  const { readXlsx } = await import('./xlsx.js');
  return readXlsx(source.bytes(), source.name, notes).flatMap((sheet) =>
    tableTerms(sheet, source.name, modules, notes),
  );
}

function tableTerms(sheet: Sheet, file: string, modules: ModuleByName, notes: Notes): RawTerm[] {
  const place = sheet.name === '' ? file : `${file}#${sheet.name}`;
  if (sheet.rows.length === 0) {
    notes.drop(place, '是空表');
    return [];
  }
  const columns = columnsOf(sheet, place, modules, notes);
  if (columns === undefined) return [];
  const rows = sheet.rows.slice(columns.from);
  if (rows.length === 0) notes.drop(place, '只有表头，下面没有词条');
  const entries = rows.filter(({ row, cells }) => {
    if (!isHeaderAgain(cells, columns.fields)) return true;
    notes.drop(placeOf(file, sheet, row), '又是一行表头', cells.join(' | '));
    return false;
  });
  return entries.map(({ row, cells }) => ({
    where: placeOf(file, sheet, row),
    fields: columns.fields.flatMap(({ column, field }) =>
      field === 'mixed' ? mixedCell(cells[column] ?? '') : [{ field, value: cells[column] ?? '' }],
    ),
  }));
}

/** Printed tables repeat their header on each page, and files put together hold those of all. */
function isHeaderAgain(cells: readonly string[], columns: readonly Column[]): boolean {
  const titled = columns.filter(({ header, by }) => header !== '' && by === 'header');
  const bare = (text: string) => fold(text).replace(/\s+/g, '');
  return (
    titled.length >= 2 &&
    titled.every(({ column, header, field }) => {
      const cell = cells[column] ?? '';
      return bare(cell) === bare(header) || (cell.trim() !== '' && headerField(cell) === field);
    })
  );
}

/** Rows that say the same become one. */
class Merger {
  private readonly byWord = new Map<string, PlacedTerm>();
  private readonly byId = new Map<string, PlacedTerm>();

  constructor(private readonly notes: Notes) {}

  /** @returns false when the term went into another or is left out */
  add(term: PlacedTerm): boolean {
    const { entry, where } = term;
    const key = wordKey(entry.keyword_ch, entry.module);
    const same = this.byWord.get(key);
    const bothNamed = same?.idGiven === true && term.idGiven && same.entry.id !== entry.id;
    if (same !== undefined && !bothNamed) {
      merge(same.entry, entry);
      this.notes.drop(where, `和 ${same.where} 重复，已合并`, entry.keyword_ch);
      return false;
    }
    const other = this.byId.get(entry.id);
    if (other !== undefined) {
      this.notes.drop(where, `id ${entry.id} 和 ${other.where} 重复，叫法不同，没有导入`, entry.keyword_ch);
      return false;
    }
    this.byWord.set(key, term);
    this.byId.set(entry.id, term);
    return true;
  }
}

function merge(into: TermEntry, from: TermEntry): void {
  const union = (a: string[], b: readonly string[]) => [...a, ...b.filter((x) => !a.some((y) => fold(y) === fold(x)))];
  into.aliases = union(into.aliases, from.aliases).filter((alias) => fold(alias) !== fold(into.keyword_ch));
  into.code_symbols = [...new Set([...into.code_symbols, ...from.code_symbols])];
  into.risk = union(into.risk, from.risk);
  if (from.note !== undefined && !into.note?.includes(from.note)) {
    into.note = into.note === undefined ? from.note : `${into.note}；${from.note}`;
  }
}

/** Decides which terms are new, and where they go. */
class Placer {
  private readonly taken = new Set<string>();
  private readonly layerDir: string;

  constructor(
    private readonly options: ImportOptions,
    private readonly known: KnownTerms,
    private readonly modules: ModuleNames,
    private readonly notes: Notes,
  ) {
    this.layerDir = options.layerDir;
  }

  files({ stem, name: where }: Source, terms: readonly PlacedTerm[]): PlannedFile[] {
    const name = `imported-${safeName(stem, 'terms')}`;
    const base = `${FOLDER}/${name}.yaml`;
    const fresh: PlacedTerm[] = [];
    const there = new Map<string, number>();
    let changed = false;
    for (const term of terms) {
      const verdict = this.compare(term);
      if (verdict === 'new') fresh.push(term);
      else if (verdict === 'changed') changed = true;
      else there.set(verdict, (there.get(verdict) ?? 0) + 1);
    }
    const files = [...there].map(([path, entries]): PlannedFile => {
      return {
        path: `.xihe/${path}`,
        kind: 'terms',
        content: '',
        entries,
        state: path === base && changed ? 'kept' : 'same',
        preview: [],
      };
    });
    if (changed && !there.has(base) && existsSync(join(this.layerDir, base)))
      files.push({ path: `.xihe/${base}`, kind: 'terms', content: '', entries: 0, state: 'kept', preview: [] });
    const good = fresh.map((term) => this.settled(term)).flatMap((term) => this.written(term));
    this.remark(where, fresh, good);
    for (let i = 0; i < good.length; i += ENTRIES_PER_FILE) {
      files.push(this.file(name, stem, good.slice(i, i + ENTRIES_PER_FILE)));
    }
    return files;
  }

  /** `new`, `changed`, or the file that has the term already. */
  private compare({ entry, where }: PlacedTerm): string {
    const scanned = this.known.scannedById.get(entry.id);
    // The file of a scan, imported itself.
    if (scanned !== undefined && sameTerm(entry, scanned)) return scanned.provenance.file;
    const known = this.known.byId.get(entry.id) ?? this.known.byWord.get(wordKey(entry.keyword_ch, entry.module));
    if (known === undefined) return 'new';
    const { file, line } = known.provenance;
    if (sameTerm(entry, known)) return file;
    const at = `.xihe/${file}:${line}`;
    const what =
      known.id === entry.id ? `${at} 已有 id ${entry.id}，内容不同` : `${at} 已有「${entry.keyword_ch}」，内容不同`;
    this.notes.drop(
      where,
      `${what}，没有动它；要改请直接改那个文件`,
      [entry.keyword_ch, ...entry.code_symbols].join('，'),
    );
    return 'changed';
  }

  /** Confirmed entries get the day, and an id that a scanned candidate has gets another one. */
  private settled(term: PlacedTerm): PlacedTerm {
    const { entry } = term;
    const undated = entry.status === 'verified' && entry.reviewed_at === undefined;
    const isFree = (id: string) => !this.known.scannedById.has(id) && !this.known.byId.has(id);
    const id = this.known.scannedById.has(entry.id) ? freeName(entry.id, (one) => !isFree(one)) : entry.id;
    return { ...term, entry: { ...entry, id, ...(undated ? { reviewed_at: this.options.today } : {}) } };
  }

  /** What whoever imports should know about what will be written. */
  private remark(where: string, fresh: readonly PlacedTerm[], written: readonly { term: PlacedTerm }[]): void {
    const { today } = this.options;
    const undated = fresh.filter(({ entry }) => entry.status === 'verified' && entry.reviewed_at === undefined).length;
    if (undated > 0) this.notes.remark(where, `${undated} 条写了已核实、没写日期，reviewed_at 记为导入的这天 ${today}`);
    const modules = new Map<string, number>();
    for (const { term } of written) {
      const { module } = term.entry;
      if (module !== undefined) modules.set(module, (modules.get(module) ?? 0) + 1);
      this.remarkScanned(term);
    }
    for (const [module, count] of modules) {
      const advice = this.modules.advice(module);
      if (advice !== undefined)
        this.notes.remark(where, `模块「${module}」不在 .xihe/modules.yaml 里，${count} 条照原样写：${advice}`);
    }
  }

  private remarkScanned({ entry, where }: PlacedTerm): void {
    for (const scanned of this.known.scanned(entry.keyword_ch)) {
      const at = `.xihe/${scanned.provenance.file}:${scanned.provenance.line}`;
      const wins =
        entry.status === 'verified'
          ? '以导入的这条为准，查询时不再出那条候选，可以删掉它'
          : '导入的这条也是候选，现在两条都查得到；核实后写上 status: verified，就以它为准';
      this.notes.remark(where, `「${entry.keyword_ch}」在 ${at} 有 xihe scan 写的候选：${wins}`);
    }
  }

  private written(term: PlacedTerm): { term: PlacedTerm; text: string }[] {
    const text = emitTerm(term.entry);
    const fault = termFault(term.entry, text);
    if (fault === undefined) return [{ term, text }];
    this.notes.drop(term.where, `写进去会加载不了：${fault}`, term.entry.keyword_ch);
    return [];
  }

  private file(name: string, stem: string, terms: readonly { term: PlacedTerm; text: string }[]): PlannedFile {
    const pathOf = (n: string) => `${FOLDER}/${n}.yaml`;
    const free = freeName(name, (n) => this.taken.has(pathOf(n)) || existsSync(join(this.layerDir, pathOf(n))));
    this.taken.add(pathOf(free));
    const head = `# 由 xihe import 从「${stem}」导入；没写 status: verified 的都是候选，核实一条改一条。\n`;
    return {
      path: `.xihe/${pathOf(free)}`,
      kind: 'terms',
      content: head + terms.map(({ text }) => text).join(''),
      entries: terms.length,
      state: 'new',
      preview: terms.slice(0, PREVIEW).map(({ term: { entry } }) => shown(entry)),
    };
  }
}

function shown({ keyword_ch, aliases, code_symbols, module }: TermEntry): string {
  const also = aliases.length > 0 ? `（${aliases.join('、')}）` : '';
  const where = module === undefined ? '' : `  [${module}]`;
  return `${keyword_ch}${also} → ${code_symbols.join(', ') || '（没有代码符号）'}${where}`;
}

/** Whether a term says what one in force says. Its source may differ: a row has moved. */
function sameTerm(entry: TermEntry, known: Term): boolean {
  const sorted = (list: readonly string[]) => [...list].sort();
  return isDeepStrictEqual(
    [entry.keyword_ch, sorted(entry.aliases), sorted(entry.code_symbols), entry.module, entry.note, entry.risk],
    [known.keyword_ch, sorted(known.aliases), sorted(known.code_symbols), known.module, known.note, known.risk],
  );
}
