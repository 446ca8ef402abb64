import { fold, hasChinese, secretIn, stableHash } from '../../text/index.js';
import { cleanCell, oneLine, splitList, symbolsOf } from './cells.js';
import type { Field } from './headers.js';
import type { Notes } from './types.js';

/** A term as a source gives it. */
export interface RawTerm {
  /** For people, and the default `source`. */
  where: string;
  /** Cells by field; several columns of one field are several cells. */
  fields: { field: Field; value: string }[];
}

/** A term as it is written into `terms/*.yaml`; see `termSchema`. */
export interface TermEntry {
  id: string;
  keyword_ch: string;
  aliases: string[];
  code_symbols: string[];
  module?: string;
  note?: string;
  risk: string[];
  confidence?: 'high' | 'medium' | 'low';
  status: 'verified' | 'candidate';
  source: string;
  license?: string;
  reviewed_at?: string;
}

/** A term with the place that it comes from. */
export interface PlacedTerm {
  entry: TermEntry;
  where: string;
  /** The id stood in the source. */
  idGiven: boolean;
}

/** What a whole table has in common. */
export interface TermDefaults {
  /** The name of the table, for ids that are mere numbers. */
  table: string;
  module?: string;
  /** The team's name of a module (订单) → the module (order). */
  moduleNames: ReadonlyMap<string, string>;
}

/** A term that holds more than this in one field was no term; in characters. */
const LONGEST_KEYWORD = 60;

/**
 * Makes a term of what a row says, or says why not.
 *
 * A term needs a word, and beside it something to know it by: a symbol, another word, a note.
 */
export function toTerm(raw: RawTerm, defaults: TermDefaults, notes: Notes): PlacedTerm | undefined {
  const values = (field: Field) =>
    raw.fields
      .filter((f) => f.field === field)
      .map((f) => cleanCell(f.value))
      .filter(Boolean);
  const all = raw.fields
    .map((f) => cleanCell(f.value))
    .filter(Boolean)
    .join(' | ');
  const secret = secretIn(all);
  if (secret !== undefined) return drop(raw, `里面有密钥或口令（${secret}），没有导入`, all, notes);
  const named = values('keyword_ch').flatMap(splitList);
  const listed = values('aliases').flatMap(splitList);
  // The first word may be an abbreviation; what people say in Chinese names the term.
  const keyword = [...named, ...listed].find(hasChinese);
  if (named.length === 0) return drop(raw, all === '' ? '空行' : '没有中文叫法', all, notes);
  if (keyword === undefined) {
    const same = values('code_symbols').some((cell) => named.some((word) => fold(word) === fold(cell)));
    return drop(raw, same ? '叫法和代码符号一样，等于没说' : '叫法里没有汉字，没有导入', all, notes);
  }
  if ([...keyword].length > LONGEST_KEYWORD) return drop(raw, `叫法超过 ${LONGEST_KEYWORD} 个字，像是说明`, all, notes);
  const otherWords = [...named, ...listed].filter((word) => word !== keyword);
  const found = values('code_symbols').map(symbolsOf);
  const symbols = [...new Set(found.flatMap((f) => f.symbols))];
  const rest = found.flatMap((f) => f.rest);
  const aliases = distinct(
    [...otherWords, ...found.flatMap((f) => f.phrases)].filter((word) => isWord(word, raw, notes)),
    keyword,
  );
  const note = values('note').map(oneLine).join('；');
  if (symbols.length === 0 && aliases.length === 0 && note === '') {
    return drop(
      raw,
      rest.length > 0 ? '代码符号一栏不是代码里的名字' : '只有叫法，没有代码符号，也没有别名和说明',
      all,
      notes,
    );
  }
  for (const text of rest) notes.drop(raw.where, `「${keyword}」的代码符号里这一项不像代码里的名字`, text);
  const module = moduleOf(values('module')[0], defaults, raw, notes);
  const given = values('id')[0];
  const entry: TermEntry = {
    id: given === undefined ? idOf(keyword, symbols[0], module) : givenId(given, defaults.table),
    keyword_ch: keyword,
    aliases,
    code_symbols: symbols,
    ...(module === undefined ? {} : { module }),
    ...(note === '' ? {} : { note }),
    risk: values('risk')
      .flatMap((cell) => cell.split('\n'))
      .map((s) => s.trim())
      .filter(Boolean),
    ...confidenceOf(values('confidence')[0], raw, notes),
    status: statusOf(values('status')[0]),
    source: oneLine(values('source')[0] ?? raw.where),
    ...(values('license')[0] === undefined ? {} : { license: oneLine(values('license')[0] as string) }),
    ...dayOf(values('reviewed_at')[0], raw, notes),
  };
  return { entry, where: raw.where, idGiven: given !== undefined };
}

/** Formulas of a table (`=cmd|…`), paths and addresses are no other way to say a term. */
function isWord(word: string, raw: RawTerm, notes: Notes): boolean {
  if (!/^[=@+]|^-\w*\(|\.\.[\\/]|^[\\/~]|:\/\//.test(word)) return true;
  notes.drop(raw.where, '这一项不是一种叫法，没有导入这一项', word);
  return false;
}

function drop(raw: RawTerm, reason: string, text: string, notes: Notes): undefined {
  notes.drop(raw.where, reason, text);
  return undefined;
}

function distinct(words: readonly string[], keyword: string): string[] {
  const seen = new Set([fold(keyword)]);
  return words.filter((word) => {
    const key = fold(word);
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

function moduleOf(
  given: string | undefined,
  { module, moduleNames }: TermDefaults,
  raw: RawTerm,
  notes: Notes,
): string | undefined {
  if (given === undefined) return module;
  const name = oneLine(given);
  const known = moduleNames.get(fold(name));
  if (known !== undefined || isModuleName(name)) return known ?? name;
  notes.drop(raw.where, `模块名${MODULE_NAME_RULE}，没有导入这一项`, name);
  return module;
}

/** What a module may be called: what people write into `modules.yaml`, into front matter and behind `--module`. */
export const MODULE_NAME_RULE = '只能用文字、数字、- 和 _';
export const isModuleName = (name: string) => /^[\p{L}\p{N}_-]{1,60}$/u.test(name);

/** Without an id of its own: what the term is about, and a hash of its word. Other rows never change it. */
function idOf(keyword: string, symbol: string | undefined, module: string | undefined): string {
  const words = [module, symbol].flatMap((part) => (part === undefined ? [] : [slug(part)])).filter(Boolean);
  return [...words, stableHash([fold(keyword), symbol ?? '', module ?? ''].join('\n')).slice(0, 8)].join('-');
}

function slug(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}_.]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60);
}

/** A mere number counts rows; with the table's name it is an id. */
function givenId(given: string, table: string): string {
  const id = given.replace(/\s+/g, '_');
  return /^\d+$/.test(id) ? `${slug(table)}-${id}` : id;
}

/** A term is no fact until somebody says so. */
function statusOf(given: string | undefined): TermEntry['status'] {
  return given !== undefined &&
    /^(?:verified|(?:已经?|人工)?(?:核实|核对|校对|确认|审核|审定|评审|复核)(?:通过|过|无误)?|(?:审核|评审|已)?通过|已定稿|ok|是|y|yes|true|√|✓|✔)$/i.test(
      given,
    )
    ? 'verified'
    : 'candidate';
}

const LEVELS: Record<string, 'high' | 'medium' | 'low'> = {
  high: 'high',
  medium: 'medium',
  low: 'low',
  高: 'high',
  中: 'medium',
  低: 'low',
  较高: 'high',
  一般: 'medium',
  较低: 'low',
};

/** Between the levels of `CONFIDENCE_LEVELS` (0.95, 0.75, 0.5), halfway. */
function confidenceOf(given: string | undefined, raw: RawTerm, notes: Notes): { confidence?: TermEntry['confidence'] } {
  if (given === undefined) return {};
  const level = LEVELS[given.toLowerCase()];
  if (level !== undefined) return { confidence: level };
  const n = given.endsWith('%') ? Number(given.slice(0, -1)) / 100 : Number(given);
  if (Number.isFinite(n) && n >= 0 && n <= 1) return { confidence: n >= 0.85 ? 'high' : n >= 0.625 ? 'medium' : 'low' };
  notes.drop(raw.where, '置信度要写高、中、低或 0 到 1 的数字，没有导入这一项', given);
  return {};
}

/** `2025/6/1`, `2025年6月1日`, `20250601`, with or without a time → `2025-06-01`. */
function dayOf(given: string | undefined, raw: RawTerm, notes: Notes): { reviewed_at?: string } {
  if (given === undefined) return {};
  const match = /^(\d{4})(?:[-/.年](\d{1,2})[-/.月](\d{1,2})日?|(\d{2})(\d{2}))(?:[ T].*)?$/.exec(given);
  if (match !== null) {
    const [year, month, day] = [match[1], match[2] ?? match[4], match[3] ?? match[5]].map((s) =>
      String(s).padStart(2, '0'),
    );
    const text = `${year}-${month}-${day}`;
    if (!Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text)) return { reviewed_at: text };
  }
  notes.drop(raw.where, '复核日期不是日期，没有导入这一项', given);
  return {};
}
