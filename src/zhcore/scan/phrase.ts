import { isStopWord } from '../../text/index.js';
import { CLAUSE, FORM_ENDINGS, GENERIC_WORDS, LAYER_ENDINGS, PLAIN_VERBS, QUANTIFIERS } from './vocabulary.js';

/** What a text that stands beside a symbol says about it. */
export interface Phrase {
  /** The word for the symbol itself. */
  word: string;
  /** What the text says beyond the word. */
  note?: string;
  /** The word is what the symbol works on, not the symbol itself (查询订单 → 订单). */
  weak: boolean;
}

/** What kind of thing the text describes: types shed other endings than members. */
export type Described = 'type' | 'title' | 'action' | 'member' | 'label';

/** Han characters of a word: shorter says nothing alone, longer is a sentence. */
const MIN_HAN = 2;
const MAX_HAN = 8;
/** Letters, digits and signs that may stand beside the Han: IP, SSL, 24h. */
const MAX_LATIN = 10;
/** Longest remark that is kept beside a word, in characters. */
const MAX_NOTE = 60;
/** Longest text that is looked at: what is longer is prose. */
const MAX_LOOKED_AT = 400;

const SHAPE = /^(?:[A-Za-z][A-Za-z0-9+#.]{0,9})?\p{Script=Han}+(?:[A-Za-z][A-Za-z0-9+#]{0,9}\p{Script=Han}*)?$/u;
/** 通过name, 按delta递减, 改变private, 字符串转set: halves of sentences, or code that a sentence speaks of. */
const GLUED =
  /^(?:根据|通过|按照?|依据|基于|对|由|从|以|将|把|给|为|用|往|向|当|获取|设置|指定|改变|限制|存放|提供|支持|方便|仅|循环)(?=.*[A-Za-z])|\p{Script=Han}[a-z][A-Za-z]*$(?<!logo|app)|(?:^|\p{Script=Han})(?:true|false|null|name|key|value|bean|list|set|map|string|int|by|private|public|class|object|http|url|type|data)(?=$|\p{Script=Han})|结构中/u;
/** What no word begins with: the half of a clause. */
const HALF =
  /^(?:根据|通过(?!率)|按照|依据|基于|用于|往|循环|方便|仅(?!退款)|提供|存放|改变(?!类型)|按(?![揭摩钮键时期需量日月年天]))/;
const HAN = /\p{Script=Han}/gu;
const CUT =
  /[：:（()）[\]【】{}<>《》「」“”"'`，,、；;。!！?？|=~…\\/*&%$#@^+]|->|=>|--|—|\.\s|\.$|\s-\s|\s\d|\d+[\s.、)）:：-]/;
const NOT_ABOUT_CODE =
  /copyright|licen[cs]e|版权所有|保留.{0,4}权利|TODO|FIXME|XXX|HACK|待办|created by|generated|@author|https?:/i;

/**
 * Draws the word for a symbol out of a comment, a label or a title.
 *
 * @param raw as the file says it, markers stripped
 * @param kind what it describes
 * @param self the symbol's own name, which Go comments begin with
 * @returns undefined where it says nothing that a team would say
 */
export function phraseOf(raw: string, kind: Described, self = ''): Phrase | undefined {
  const line = firstLine(raw.slice(0, MAX_LOOKED_AT), self);
  if (line === undefined) return undefined;
  const { head, rest } = cutHead(line);
  const counted = head.replace(/^一(?:次|条|个|份|笔|张|组|行|项|段|种|批|位|名)(?=\p{Script=Han}{2})/u, '');
  const bare = kind === 'type' ? withoutLayer(counted) : counted;
  const found =
    kind === 'action' || ((kind === 'type' || kind === 'title') && CRUD.test(bare))
      ? actionOf(bare)
      : { word: bare, weak: false };
  const word = withoutUnit(
    kind === 'type' || kind === 'title' ? withoutGenericEnd(found.word) : withoutIdEnd(found.word),
  );
  if (!isTermLike(word)) return undefined;
  const note = rest.replace(/\s+/g, ' ').trim().slice(0, MAX_NOTE);
  return { word, weak: found.weak, ...(/\p{Script=Han}/u.test(note) ? { note } : {}) };
}

/** The first line that says something: without tags, numbering, and the name of what it describes. */
function firstLine(raw: string, self: string): string | undefined {
  for (const part of raw.split(/\r\n|\r|\n|<br\s*\/?>|<p>/i)) {
    const line = part
      .replace(/\{@\w+\s+([^}]*)\}/g, '$1')
      .replace(/<\/?[a-zA-Z][^>]{0,200}>/g, '')
      .replace(/^\s*@(?:summary|description|desc|brief|apiNote|描述|说明|功能)\s*[:：]?/i, '')
      .replace(
        /^[\s*/#-]*(?:[\d一二三四五六七八九十]+[.、)）]\s*)?(?:描述|说明|功能|名称|类名|类说明|功能说明|功能描述|Description)\s*[:：]\s*/iu,
        '',
      )
      .replace(/^[\s*/#•·-]+/, '')
      .replace(/\s*(?:GET|POST|PUT|DELETE|PATCH)(?:\s.*)?$/, '')
      .replace(/^([A-Za-z_][\w.]*)\s+(?=\p{Script=Han})/u, (whole, name: string) => (name === self ? '' : whole))
      .trim();
    if (!/\p{Script=Han}/u.test(line) || line.startsWith('@')) continue;
    return NOT_ABOUT_CODE.test(line) ? undefined : line;
  }
  return undefined;
}

/** The part up to the first mark that ends a word, and what stands behind it. */
function cutHead(given: string): { head: string; rest: string } {
  const line = withQuoted(given);
  // 公告 信息操作处理, IP 地址: a blank beside Han ends no word; before Latin that trails (角色表 sys_role) it does.
  const joined = line
    .replace(/(\p{Script=Han})\s+(?=\p{Script=Han})/gu, '$1')
    .replace(/([A-Za-z0-9])\s+(?=\p{Script=Han})/gu, '$1')
    .replace(/(\p{Script=Han})\s+(?=[A-Za-z][A-Za-z0-9]*\p{Script=Han}|[A-Z]{2,5}(?:\W|$))/gu, '$1');
  const blank = /\p{Script=Han}(?=\s+[\w`])/u.exec(joined);
  const cut = CUT.exec(joined);
  const end = Math.min(cut?.index ?? joined.length, blank ? blank.index + blank[0].length : joined.length);
  // 标签"热门"、"新品": half of what belongs together is another word.
  if (OPENED.test(joined.slice(Math.max(0, end - 1), end + 2))) return { head: '', rest: '' };
  return {
    head: joined.slice(0, end).trim(),
    rest: joined.slice(end).replace(/^[\s：:（(，,、；;。|=-]+|[)）。；;\s]+$/g, ''),
  };
}

/** Han in quotes, as people set off a word. */
const QUOTED =
  /"([^"\n]{1,20})"|'([^'\n]{1,20})'|“([^”\n]{1,20})”|‘([^’\n]{1,20})’|「([^」\n]{1,20})」|『([^』\n]{1,20})』|《([^》\n]{1,20})》/gu;
/** A quote that opens right behind a Han character, with Han in it. */
const OPENED = /^\p{Script=Han}["'“‘「『《]\p{Script=Han}/u;

/** 冻结"积分", “待付款”订单: what is quoted is part of the phrase that it stands in; one of several quoted words is an example. */
function withQuoted(line: string): string {
  return line.replace(QUOTED, (whole, ...found: (string | number)[]) => {
    const inner = found.slice(0, -2).find((part) => part !== undefined) as string;
    const at = found.at(-2) as number;
    const [before, behind] = [line.slice(0, at), line.slice(at + whole.length)];
    const isJoined = /\p{Script=Han}$/u.test(before) || /^\p{Script=Han}/u.test(behind);
    const isListed =
      /^\s*[、，,/|或和及与]\s*["'“‘「『《]/u.test(behind) || /["'”’」』》]\s*[、，,/|或和及与]\s*$/u.test(before);
    return /^[\p{Script=Han}A-Za-z0-9]+$/u.test(inner) && /\p{Script=Han}/u.test(inner) && isJoined && !isListed
      ? inner
      : whole;
  });
}

/** 订单管理Controller → 订单管理, 角色表 → 角色, 优惠券服务实现类 → 优惠券. */
function withoutLayer(head: string): string {
  let word = head;
  for (let i = 0; i < 4; i++) {
    const shorter = word.replace(LAYER_ENDINGS, '');
    if (
      shorter === word ||
      hanCount(shorter) < MIN_HAN ||
      (word.endsWith('表') && /(?:(?<!举|申|上|汇|填)报|列|时间|日程|课|钟|仪|电|水|图)$/.test(shorter)) ||
      /[分种品门人同大税]类$/.test(word)
    )
      break;
    word = shorter;
  }
  return word;
}

/** 用户信息, 用户管理 → 用户, where what is left still says something. */
function withoutGenericEnd(word: string): string {
  const shorter = word.replace(/(?:基本信息|信息管理|信息|记录信息|数据信息|管理|列表)$/, '');
  return shorter !== word && hanCount(shorter) >= MIN_HAN && !GENERIC_WORDS.has(shorter) ? shorter : word;
}

/** 订单ID, 订单id, 订单主键 → no word of its own: the number of a thing is not the thing. */
function withoutIdEnd(word: string): string {
  return /(?:id|ID|Id|主键|标识|外键)$/.test(word) ? '' : word;
}

/** 首重kg, 首重单位克 → 首重: a unit is no part of the word; 单位分 alone is none. */
function withoutUnit(word: string): string {
  return word
    .replace(/(?<=\p{Script=Han})(?:kg|g|cm|mm|km|ms|px|kb|mb|gb)$/iu, '')
    .replace(
      /单位(?:[为是])?(?:分|角|元|厘|毫|百元|千元|万元|亿元|人民币|美元|毫秒|秒|秒钟|分钟|小时|天|日|周|月|个月|年|克|千克|公斤|斤|吨|毫米|厘米|米|千米|公里|平方米|立方米|毫升|升|字节|像素|个|次|件|百分比|百分点)$/u,
      '',
    );
}

/** What a parameter object or an interface of one act begins with: 新增用户参数 is about 用户. */
const CRUD =
  /^(?:批量|分页)?(?:查询|获取|新增|添加|创建|修改|更新|编辑|删除|保存)(?!器|员|者|权|人|时间|日期|状态|条件|方式)/;
/** 登出功能, 退出方法: a method is one. */
const ACT_ENDINGS = /(?:功能|方法|接口|操作|逻辑|动作|按钮)+$/;
const PLAIN = new RegExp(`^(?:${PLAIN_VERBS})`);
const BY =
  /^(?:根据|通过|按照|按|依据|基于|用|以|从|向|给|为|对|将|把|由|当)[^，,]{1,14}?(?=(?:分页|批量|模糊)?(?:查询|查找|获取|获得|得到|删除|移除|修改|更新|判断|统计|计算|检查|校验|生成|创建|添加|新增|设置|转换|搜索|加载|读取))/;

/** 根据id查询订单列表 → 订单 (weak); 批量发货, 取消订单 stay: their verb is the business. */
function actionOf(head: string): { word: string; weak: boolean } {
  let word = head.replace(BY, '');
  let weak = word !== head;
  for (let i = 0; i < 3; i++) {
    // Quantifiers go with the verb only: 批量发货 is what people say, 批量删除订单 is not.
    const verb = PLAIN.exec(word.replace(QUANTIFIERS, ''))?.[0];
    const rest = verb === undefined ? word : word.replace(QUANTIFIERS, '').slice(verb.length).replace(QUANTIFIERS, '');
    if (rest === word || hanCount(rest) < MIN_HAN) break;
    weak = true;
    word = rest;
  }
  const ended = word.replace(ACT_ENDINGS, '');
  if (hanCount(ended) >= MIN_HAN) word = ended;
  const formless = word.replace(FORM_ENDINGS, '');
  if (formless !== word && hanCount(formless) >= MIN_HAN) return { word: formless, weak: true };
  if (weak) return { word: withoutGenericEnd(word), weak };
  return { word, weak: PLAIN.test(word) };
}

/** Tells whether a text has the shape of a word that people say. */
export function isTermLike(word: string): boolean {
  if (!SHAPE.test(word) || GLUED.test(word)) return false;
  const han = hanCount(word);
  if (han < MIN_HAN || han > MAX_HAN || word.length - han > MAX_LATIN) return false;
  if ([word, word.toLowerCase(), word.replace(/(?:信息|内容)$/, '')].some((form) => GENERIC_WORDS.has(form)))
    return false;
  if (
    CLAUSE.test(word) ||
    HALF.test(word) ||
    /的|或|地址为|为$|是$|(?<!目)的$|[时后前]候?$(?<!(?:及|临|按|计|超|实|限|定|工|课|小|售|事)[时后前])|(?:其|之|当|程)中$/.test(
      word,
    )
  )
    return false;
  return !isStopWord(word);
}

/** How many Han characters a text has. */
export function hanCount(text: string): number {
  return text.match(HAN)?.length ?? 0;
}
