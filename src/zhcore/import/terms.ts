import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fold } from '../../text/index.js';
import { loadLayer } from '../load.js';
import { loadModules } from '../merge.js';
import type { Term } from '../types.js';
import { columnsOf } from './columns.js';
import { readCsv } from './csv.js';
import { emitTerm, termFault } from './emit.js';
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
  const known = existing(options.layerDir);
  const moduleNames = moduleNamesOf(options.layerDir);
  const merger = new Merger(notes);
  const bySource: { source: Source; terms: PlacedTerm[] }[] = [];
  for (const source of sources) {
    const raw = (await readEach(source, sources, notes, () => rawTerms(source, notes))) ?? [];
    const defaults = {
      table: source.stem,
      moduleNames,
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
  const taken = new Set<string>();
  return bySource.flatMap(({ source, terms }) =>
    new Placer(options.layerDir, known, taken, notes).files(source.stem, terms),
  );
}

async function rawTerms(source: Source, notes: Notes): Promise<RawTerm[]> {
  if (['.yaml', '.yml', '.json'].includes(source.ext)) return readTermList(source.text(), source.name, notes);
  if (source.ext === '.md' || source.ext === '.markdown')
    return readMarkdownTables(source.text()).flatMap((sheet) => tableTerms(sheet, source.name, notes));
  if (!source.ext.startsWith('.xls')) return tableTerms(readCsv(source.text(), source.name, notes), source.name, notes);
  const { readXlsx } = await import('./xlsx.js');
  return readXlsx(source.bytes(), source.name, notes).flatMap((sheet) => tableTerms(sheet, source.name, notes));
}

function tableTerms(sheet: Sheet, file: string, notes: Notes): RawTerm[] {
  const place = sheet.name === '' ? file : `${file}#${sheet.name}`;
  if (sheet.rows.length === 0) {
    notes.drop(place, '是空表');
    return [];
  }
  const columns = columnsOf(sheet, place, notes);
  if (columns === undefined) return [];
  return sheet.rows.slice(columns.from).map(({ row, cells }) => ({
    where: placeOf(file, sheet, row),
    fields: columns.fields.map(({ column, field }) => ({ field, value: cells[column] ?? '' })),
  }));
}

/** The team's Chinese names of its modules. */
function moduleNamesOf(layerDir: string): Map<string, string> {
  const modules = loadModules({ dir: layerDir, layer: 'project' }).get('modules.yaml')?.entries[0]?.value;
  const names = Object.entries(modules?.titles ?? {}).map(([module, title]) => [fold(title), module] as const);
  return new Map([...names, ...Object.keys(modules?.globs ?? {}).map((module) => [fold(module), module] as const)]);
}

function existing(layerDir: string): Term[] {
  const files = loadLayer({ dir: layerDir, layer: 'project' }).terms;
  return [...files.values()].flatMap((file) => file.entries.map((entry) => entry.value));
}

const wordKey = (word: string, module: string | undefined) => `${fold(word)}\n${module ?? ''}`;

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
  private readonly byId: Map<string, Term>;
  private readonly byWord: Map<string, Term>;

  constructor(
    private readonly layerDir: string,
    known: readonly Term[],
    private readonly taken: Set<string>,
    private readonly notes: Notes,
  ) {
    this.byId = new Map(known.map((term) => [term.id, term]));
    this.byWord = new Map(known.map((term) => [wordKey(term.keyword_ch, term.module), term]));
  }

  files(stem: string, terms: readonly PlacedTerm[]): PlannedFile[] {
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
        content: '',
        entries,
        state: path === base && changed ? 'kept' : 'same',
        preview: [],
      };
    });
    if (changed && !there.has(base) && existsSync(join(this.layerDir, base)))
      files.push({ path: `.xihe/${base}`, content: '', entries: 0, state: 'kept', preview: [] });
    const good = fresh.flatMap((term) => this.written(term));
    for (let i = 0; i < good.length; i += ENTRIES_PER_FILE) {
      files.push(this.file(name, stem, good.slice(i, i + ENTRIES_PER_FILE)));
    }
    return files;
  }

  /** `new`, `changed`, or the file that has the term already. */
  private compare({ entry, where }: PlacedTerm): string {
    const known = this.byId.get(entry.id) ?? this.byWord.get(wordKey(entry.keyword_ch, entry.module));
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
