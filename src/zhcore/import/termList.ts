import { XiheError } from '../../errors.js';
import { readYaml } from '../../knowledge/index.js';
import { hasChinese } from '../../text/index.js';
import { FIELDS, type Field, fieldOf } from './headers.js';
import type { RawTerm } from './rawTerm.js';
import type { Notes } from './types.js';

type YamlMap = Record<string, unknown>;
type LineOf = (path: readonly PropertyKey[]) => number;

const isMap = (v: unknown): v is YamlMap => typeof v === 'object' && v !== null && !Array.isArray(v);
const isScalar = (v: unknown): v is string | number | boolean =>
  typeof v === 'string' || typeof v === 'number' || typeof v === 'boolean';

/**
 * Reads terms out of YAML or JSON: a list of entries (our own fields, or Chinese and English names of them), or a map from a word to
 * its symbols, or from a symbol to its word; either may be grouped by module.
 *
 * @param text without BOM
 * @throws XiheError ENTRY_INVALID when it is no YAML
 */
export function readTermList(text: string, file: string, notes: Notes): RawTerm[] {
  const yaml = readYaml(text);
  if (!yaml.ok) {
    throw new XiheError('ENTRY_INVALID', `${file}:${yaml.line}：${yaml.reason}`, {
      hint: '改好这一行再导入；词条写成「- 中文: 超时关单」加缩进的「代码: …」，或「超时关单: OrderService.cancelExpired」。',
      details: { line: yaml.line },
    });
  }
  const reader = new TermList(file, yaml.lineOf, notes);
  reader.any(yaml.value, [], undefined);
  return reader.terms;
}

/** Whether a value looks like terms at all. */
export function looksLikeTerms(value: unknown): boolean {
  const notes: Pick<Notes, 'drop' | 'guess'> = { drop() {}, guess() {} };
  const reader = new TermList('', () => 1, notes as Notes);
  reader.any(value, [], undefined);
  return reader.terms.length > 0;
}

/** Groups within groups within groups are no term list. */
const DEPTH_MAX = 3;

class TermList {
  readonly terms: RawTerm[] = [];

  constructor(
    private readonly file: string,
    private readonly lineOf: LineOf,
    private readonly notes: Notes,
  ) {}

  any(value: unknown, path: readonly PropertyKey[], module: string | undefined): void {
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) this.item(item, [...path, i], module);
    } else if (isMap(value)) {
      if (isEntry(value)) this.entry(value, path, module);
      else for (const [key, inner] of Object.entries(value)) this.keyed(key, inner, [...path, key], module);
    }
  }

  private where(path: readonly PropertyKey[]): string {
    return `${this.file}#L${this.lineOf(path)}`;
  }

  private item(item: unknown, path: readonly PropertyKey[], module: string | undefined): void {
    if (isMap(item)) this.any(item, path, module);
    else this.notes.drop(this.where(path), '列表里的这一项不是「键: 值」', isScalar(item) ? String(item) : '');
  }

  private entry(map: YamlMap, path: readonly PropertyKey[], module: string | undefined): void {
    const where = this.where(path);
    const fields: RawTerm['fields'] = [];
    for (const [key, value] of Object.entries(map)) {
      const field = fieldOf(key);
      if (field === undefined)
        this.notes.drop(where, `不认识的字段「${key}」，没有导入`, isScalar(value) ? String(value) : '');
      else for (const text of textsOf(value)) fields.push({ field, value: text });
    }
    if (module !== undefined && !fields.some(({ field }) => field === 'module'))
      fields.push({ field: 'module', value: module });
    this.terms.push({ where, fields });
  }

  /** `超时关单: cancelExpired`, `cancelExpired: 超时关单`, `超时关单: { 代码: … }`, `order: { 超时关单: … }`, `terms: [ … ]`. */
  private keyed(key: string, value: unknown, path: readonly PropertyKey[], module: string | undefined): void {
    const where = this.where(path);
    const texts = textsOf(value);
    const of = (word: Field, symbol: Field) => {
      const fields = [{ field: word, value: key }, ...texts.map((text) => ({ field: symbol, value: text }))];
      if (module !== undefined) fields.push({ field: 'module', value: module });
      this.terms.push({ where, fields });
    };
    if (texts.length > 0 && hasChinese(key)) of('keyword_ch', texts.some(hasChinese) ? 'aliases' : 'code_symbols');
    else if (texts.length > 0 && texts.every(hasChinese)) of('code_symbols', 'keyword_ch');
    else if (isMap(value) && hasChinese(key) && isEntry({ ...value, keyword_ch: key })) {
      this.entry({ ...value, keyword_ch: key }, path, module);
    } else if ((isMap(value) || Array.isArray(value)) && path.length < DEPTH_MAX) {
      const isList = /^(?:terms|entries|items|list|data|glossary|术语|词条|术语表|词汇表)$/i.test(key);
      this.any(value, path, isList ? module : key);
    } else this.notes.drop(where, '不是「中文: 代码」的写法', `${key}: ${texts.join('、')}`);
  }
}

/** A map is an entry when it names a word or symbol by one of the known names. */
function isEntry(map: YamlMap): boolean {
  const fields = Object.keys(map).map(fieldOf);
  const named = fields.filter((field) => field === 'keyword_ch' || field === 'code_symbols').length;
  return named > 0 && fields.filter(Boolean).length >= Math.min(2, FIELDS.length);
}

function textsOf(value: unknown): string[] {
  if (isScalar(value)) return [String(value)];
  return Array.isArray(value) && value.every(isScalar) ? value.map(String) : [];
}
