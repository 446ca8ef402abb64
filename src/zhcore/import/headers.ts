import { fold, hasChinese } from '../../text/index.js';

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

/** `mixed` is a column of words and symbols in one cell (「中文/英文」). */
export type ColumnField = Field | 'mixed';

/** What a field is called for people who look at their table. */
export const FIELD_NAMES: Record<ColumnField, string> = {
  id: '编号',
  keyword_ch: '中文叫法',
  aliases: '别名',
  code_symbols: '代码符号',
  module: '模块',
  note: '说明',
  risk: '风险',
  status: '是否核实',
  confidence: '置信度',
  source: '来源',
  reviewed_at: '复核日期',
  license: '许可',
  mixed: '中文叫法和代码符号',
};

/** How Chinese and English sources name the fields, folded, without blanks and brackets. */
const NAMES: Record<Field, string> = {
  id: 'id 术语id 条目id 词条id',
  keyword_ch:
    '中文 术语 关键词 关键字 中文名 中文名称 中文词 中文词语 中文叫法 中文术语 中文说法 术语名 术语名称 业务术语 业务名词 业务词 业务词语 业务词汇 业务叫法 业务名称 专业术语 名词 名词术语 词 词条 词语 词汇 叫法 说法 概念 概念名 概念名称 名称 标准名 标准名称 规范名称 字段中文名 中文字段名 中文字段 keyword_ch keyword term termname word concept chinese chinesename chineseterm zh zh_cn cn zhname businessterm phrase',
  aliases:
    '别名 同义词 近义词 又称 又名 也叫 俗称 简称 别称 缩写 其他叫法 其它叫法 其他名称 其他说法 口语 口头叫法 曾用名 旧称 alias aliases synonym synonyms abbreviation abbr aka othername othernames',
  code_symbols:
    '代码 符号 代码符号 代码名 代码名称 代码命名 代码标识 代码标识符 代码里的名字 代码中的名字 代码位置 对应代码 识别码 英文 英文名 英文名称 英文词 英文术语 英文命名 英文标识 英文缩写 英文字段 英文字段名 英文单词 字段 字段名 字段名称 字段英文名 列名 类名 类 方法 方法名 函数 函数名 表 表名 变量 变量名 标识符 标识 程序标识 命名 枚举 枚举值 枚举名 常量 常量名 接口 接口名 属性 属性名 code codes codename symbol symbols code_symbol code_symbols english englishname englishterm en enname identifier identifiers field fieldname class classname method methodname function functionname column columnname table tablename variable variablename enum enumname constant property codeidentifier name_in_code',
  module:
    '模块 模块名 所属模块 业务模块 领域 业务域 业务领域 所属领域 所属域 域 子域 子系统 系统 系统名 所属系统 所属服务 业务线 module modulename domain subsystem system boundedcontext context area',
  note: '说明 备注 释义 解释 含义 意思 描述 定义 业务含义 业务说明 业务定义 业务解释 详细说明 名词解释 术语解释 用途 注释 补充 补充说明 note notes remark remarks description desc comment comments definition meaning explanation details',
  risk: '风险 注意 注意事项 注意点 风险点 风险提示 坑 坑点 易错 易错点 警示 risk risks caution cautions pitfall pitfalls attention gotcha gotchas',
  status:
    '状态 审核状态 核实状态 确认状态 评审状态 是否核实 是否已核实 是否确认 是否审核 核实 status state verified reviewed approved',
  confidence: '置信度 可信度 confidence',
  source: '来源 出处 依据 参考 参考来源 参考资料 文档来源 source sources reference references origin',
  reviewed_at:
    '复核日期 复核时间 核实日期 核实时间 核对日期 审核日期 审核时间 确认日期 评审日期 reviewed_at reviewedat reviewdate verifiedat lastreviewed',
  license: '许可 许可证 license licence',
};

const FIELD_BY_NAME = new Map(
  FIELDS.flatMap((field) => NAMES[field].split(' ').map((name) => [nameOf(name), field] as const)),
);

/**
 * Titles that no list foresees, by their parts; the first that fits holds. Only for tables: keys of a YAML map may be words themselves.
 */
const PATTERNS: readonly [RegExp, Field][] = [
  [/(?:说明|描述|备注|含义|定义|解释|释义|注释|用途)$/, 'note'],
  [/(?:description|definition|meaning|explanation|remarks?|notes?|comments?)$/, 'note'],
  [/^(?:别名|同义|近义|又称|俗称|简称)|(?:别名|同义词|近义词|简称|俗称)$/, 'aliases'],
  [/(?:中文|术语|名词|词语|词汇|叫法|说法|黑话|行话)(?:名称?)?$|^(?:中文|业务)(?:名|词|术语|叫法|说法)/, 'keyword_ch'],
  [
    /^(?:英文|代码|程序|code|english)|(?:标识符?|代码|符号|类名?|方法名?|函数名?|字段名?|表名?|变量名?|常量名?|枚举名?|列名|英文名?)$/,
    'code_symbols',
  ],
  [/(?:类|方法|函数|字段|表|变量|常量|枚举|接口|属性)(?:名称|命名)$/, 'code_symbols'],
  [/(?:模块|领域|业务域|子系统|系统)名?(?:称)?$/, 'module'],
  [/^(?:风险|注意)/, 'risk'],
];

/** Columns that say nothing about a term; they are never taken for one of its fields by what they hold. */
const USELESS =
  /负责|责任人|维护人|作者|创建|更新|修改|变更|历史|记录|提出|录入|登记|审批|审核人|评审人|核实人|确认人|联系|部门|团队|小组|类型|长度|精度|必填|非空|主键|默认|示例|样例|举例|例子|优先级|版本|拼音|日期|时间|次数|频率|分类|类别|级别|等级|^(?:owner|author|maintainer|team|department|type|datatype|length|required|nullable|default|example|examples|priority|version|date|time|category|level|contact|createdby|createdat|updatedby|updatedat)$/;

/** Columns that only count rows. */
const COUNTERS = /^(?:序号|编号|行号|no|num|number|index|#|№)\.?$/;

/** Marks around a title that say nothing: 「1. 中文名（必填）*」 is 中文名. */
function nameOf(header: string): string {
  const folded = fold(header).trim();
  const bare = folded.replace(/[（(【[〔<《「][^）)】\]〕>》」]*[）)】\]〕>》」]/g, '');
  // 「【中文】」 is nothing but its brackets.
  return (strip(bare) === '' ? strip(folded) : strip(bare)).replace(/^\d+[.、)]/, '');
}

function strip(text: string): string {
  return text.replace(/[\s_*:：/\\·.。"'“”`（）()【】[\]〔〕<>《》「」-]+/g, '');
}

/** The field that a name stands for, by the lists alone. */
export function fieldOf(header: string): Field | undefined {
  return FIELD_BY_NAME.get(nameOf(header));
}

/** What the title of a column stands for: also of one that names several things (「类/方法」, 「中文、英文」). */
export function headerField(header: string): ColumnField | undefined {
  const whole = fieldOf(header);
  if (whole !== undefined) return whole;
  const parts = fold(header)
    .replace(/[（(【[〔][^）)】\]〕]*[）)】\]〕]/g, '')
    .split(/[/／、|｜,，;；&+\n]|(?:\s|^)(?:or|and)(?:\s|$)|或者?|和|及/)
    .filter((part) => nameOf(part) !== '');
  const fields = parts.map((part) => fieldOf(part) ?? patternField(part));
  if (parts.length <= 1 || fields.includes(undefined)) return patternField(header);
  if (fields.includes('keyword_ch') && fields.includes('code_symbols')) return 'mixed';
  return fields[0];
}

function patternField(header: string): Field | undefined {
  const name = nameOf(header);
  // Sentences above a table end in such words, too.
  if ([...name].length > (hasChinese(name) ? LONGEST_HEADER : LONGEST_ENGLISH)) return undefined;
  return PATTERNS.find(([pattern]) => pattern.test(name))?.[1];
}

/** Titles of columns are short; in characters without blanks and brackets. */
const LONGEST_HEADER = 12;
const LONGEST_ENGLISH = 30;

/** Whether a column has a title that says that it counts rows. */
export function isCounter(header: string): boolean {
  return COUNTERS.test(nameOf(header));
}

/** Whether a column's title says that it is about something else than the term. */
export function isUseless(header: string): boolean {
  return isCounter(header) || USELESS.test(nameOf(header));
}
