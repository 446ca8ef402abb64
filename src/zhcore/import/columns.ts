import { fold, hasChinese, identifiersOf } from '../../text/index.js';
import type { Sheet, SheetRow } from './sheet.js';
import type { Notes } from './types.js';

/** Fields of a term that a table can give. */
export const FIELDS = [
  'id',
  'keyword_ch',
  'aliases',
  'code_symbols',
  'module',
  'note',
  'risk',
  'status',
  'confidence',
  'source',
  'reviewed_at',
  'license',
] as const;
export type Field = (typeof FIELDS)[number];

/** How Chinese and English tables name their columns, folded, without blanks and brackets. */
const NAMES: Record<Field, string> = {
  id: 'id 术语id 条目id',
  keyword_ch:
    '中文 术语 关键词 关键字 中文名 中文名称 中文术语 业务术语 业务名词 专业术语 名词 词 词条 词语 叫法 中文叫法 业务叫法 概念 名称 字段中文名 中文字段名 中文字段 keyword_ch keyword term word chinese chinesename zh zh_cn cn zhname',
  aliases:
    '别名 同义词 近义词 又称 又名 也叫 俗称 简称 别称 其他叫法 其他名称 口语 alias aliases synonym synonyms abbreviation',
  code_symbols:
    '代码 符号 代码符号 英文 英文名 英文名称 英文字段 英文字段名 字段 字段名 字段英文名 类名 类 方法 方法名 函数 函数名 表名 变量 变量名 标识符 代码标识 命名 枚举 枚举值 常量 接口 代码名 代码里的名字 code codes symbol symbols code_symbol code_symbols english englishname en identifier field fieldname class classname method methodname column columnname table tablename variable enum',
  module: '模块 模块名 所属模块 业务模块 领域 业务域 所属领域 域 子系统 所属系统 module modulename domain',
  note: '说明 备注 释义 解释 含义 描述 定义 业务含义 业务说明 用途 注释 note notes remark remarks description desc comment comments definition meaning explanation',
  risk: '风险 注意 注意事项 风险点 风险提示 坑 易错 易错点 警示 risk risks caution cautions pitfall pitfalls attention',
  status: '状态 审核状态 核实状态 确认状态 是否核实 是否确认 status state verified',
  confidence: '置信度 可信度 confidence',
  source: '来源 出处 依据 参考 参考来源 文档来源 source sources reference origin',
  reviewed_at: '复核日期 复核时间 核实日期 核实时间 审核日期 审核时间 确认日期 reviewed_at reviewedat reviewdate',
  license: '许可 许可证 license licence',
};

const FIELD_BY_NAME = new Map(
  FIELDS.flatMap((field) => NAMES[field].split(' ').map((name) => [nameOf(name), field] as const)),
);

/** Columns that only count rows. */
const COUNTERS = /^(?:序号|编号|行号|no|num|number|index|#|№)$/;

/** A header as it is compared: 「中文名（必填）*」 is 中文名. */
function nameOf(header: string): string {
  return fold(header)
    .replace(/[（(【[].*?[)）】\]]/g, '')
    .replace(/[\s_*:：/\\-]+/g, '');
}

/** The field that a column's title names. */
export function fieldOf(header: string): Field | undefined {
  return FIELD_BY_NAME.get(nameOf(header));
}

/** Which column holds which field; several may give symbols or notes. */
export interface Columns {
  fields: { column: number; field: Field; header: string }[];
  /** Where the entries start, as an index into the rows. */
  from: number;
}

/** A header stands among the first so many rows: titles and notes may come before it. */
const HEADER_ROWS = 10;

/**
 * Finds out which column is what: by a header in Chinese or English, else by what the columns hold (Chinese words, identifiers).
 *
 * @returns undefined when it is no term table; the reason is in `notes`
 */
export function columnsOf(sheet: Sheet, place: string, notes: Notes): Columns | undefined {
  for (const [i, { cells }] of sheet.rows.slice(0, HEADER_ROWS).entries()) {
    const fields = headerFields(cells);
    const kinds = new Set(fields.map(({ field }) => field));
    if (kinds.size < 2 || !(kinds.has('keyword_ch') || kinds.has('code_symbols'))) continue;
    for (const row of sheet.rows.slice(0, i))
      notes.drop(`${place}（第 ${row.row} 行）`, '表头以上的文字', row.cells.join(' '));
    for (const [column, header] of cells.entries()) {
      if (header.trim() === '' || fields.some((f) => f.column === column) || COUNTERS.test(nameOf(header))) continue;
      notes.drop(place, `不认识的列「${header.trim()}」，没有导入`);
    }
    const completed = withWords(fields, sheet, i + 1, place, notes);
    if (completed !== undefined) return { fields: completed, from: i + 1 };
  }
  const guessed = byContent(sheet.rows);
  if (guessed === undefined) {
    notes.drop(
      place,
      '没认出表头，也看不出哪一列是中文、哪一列是代码符号；表头写「中文」「代码」「别名」「模块」「说明」这样的列名',
    );
    return undefined;
  }
  const said = guessed.map(
    ({ column, field }) =>
      `第 ${column + 1} 列是${field === 'keyword_ch' ? '中文' : field === 'note' ? '说明' : '代码符号'}`,
  );
  notes.guess(place, `没有表头，按内容判断：${said.join('，')}`);
  return { fields: guessed, from: 0 };
}

function headerFields(cells: readonly string[]): Columns['fields'] {
  const fields: Columns['fields'] = [];
  for (const [column, header] of cells.entries()) {
    const field = fieldOf(header);
    if (field === undefined) continue;
    const several = field === 'code_symbols' || field === 'note' || field === 'aliases' || field === 'risk';
    if (several || !fields.some((f) => f.field === field)) fields.push({ column, field, header: header.trim() });
  }
  return fields;
}

/** A data dictionary (字段名 | 类型 | 说明) has its Chinese words in the description. */
function withWords(
  fields: Columns['fields'],
  sheet: Sheet,
  from: number,
  place: string,
  notes: Notes,
): Columns['fields'] | undefined {
  if (fields.some(({ field }) => field === 'keyword_ch')) return fields;
  const described = fields.find(({ field }) => field === 'note');
  if (described === undefined) return undefined;
  const cells = sheet.rows.slice(from).map(({ cells: row }) => (row[described.column] ?? '').trim());
  const words = cells.filter((cell) => hasChinese(cell) && [...cell].length <= LONGEST_WORD).length;
  if (words === 0 || words < cells.filter(Boolean).length / 2) return undefined;
  notes.guess(place, `没有「中文」一列，把「${described.header}」当作中文叫法`);
  return fields.map((f) => (f === described ? { ...f, field: 'keyword_ch' as const } : f));
}

/** A Chinese term is short; longer cells are explanations. In characters. */
const LONGEST_WORD = 20;

/** So large a share of the filled cells must look like what the column is taken for. */
const COLUMN_SHARE = 0.6;

function byContent(rows: readonly SheetRow[]): Columns['fields'] | undefined {
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  const share = (column: number, test: (cell: string) => boolean): number => {
    const filled = rows.map(({ cells }) => (cells[column] ?? '').trim()).filter(Boolean);
    return filled.length === 0 ? 0 : filled.filter(test).length / filled.length;
  };
  const columns = Array.from({ length: width }, (_, column) => column);
  const word = columns.find(
    (c) => share(c, (cell) => hasChinese(cell) && [...cell].length <= LONGEST_WORD) >= COLUMN_SHARE,
  );
  const symbol = columns.find((c) => share(c, isSymbolCell) >= COLUMN_SHARE);
  if (word === undefined || symbol === undefined) return undefined;
  const note = columns.find((c) => c !== word && c !== symbol && share(c, hasChinese) >= COLUMN_SHARE);
  return [
    { column: word, field: 'keyword_ch' as const, header: '' },
    { column: symbol, field: 'code_symbols' as const, header: '' },
    ...(note === undefined ? [] : [{ column: note, field: 'note' as const, header: '' }]),
  ];
}

function isSymbolCell(cell: string): boolean {
  return !hasChinese(cell) && (identifiersOf(cell).length > 0 || /^[A-Za-z_$][\w$]*$/.test(cell));
}
