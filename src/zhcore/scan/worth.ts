import { splitIdentifier } from '../../text/index.js';
import { isAct, MACHINERY, ownerRole } from './acts.js';
import type { Group, TypeIndex } from './groups.js';
import { coreOf, TYPE_ROLES } from './names.js';
import { hanCount } from './phrase.js';
import { isPlumbingWord } from './plumbing.js';
import type { SymbolRef } from './types.js';
import { PLAIN_VERBS } from './vocabulary.js';

/**
 * What a pair is worth to a team beside its evidence. Factors on the score, set by reading what scans of shops, consoles and admin
 * systems proposed: business acts are asked about most, attributes that everybody has least.
 */
const WORTH = {
  /** What a person does with the system: 批量发货, 申请退货. */
  act: 1.55,
  /** What a method or function does that is no act of the business, as far as its words tell. */
  other: 0.7,
  field: 0.88,
  /** 商品名称, 菜单图标: anybody can put that together. */
  derived: 0.72,
  /** 邮箱, 性别, 备注: every system has them. */
  everyone: 0.38,
  /** Helpers, constants, wrappers of requests and of results. */
  infrastructure: 0.42,
  /** A helper by its name alone: 雪花发号器 is one that people speak of. */
  helper: 0.7,
  /** Talk about lists, states, types in a back end's own columns. */
  plumbing: 0.5,
} as const;

/** Attributes of persons and records that every system has. */
const EVERYONE =
  /^(?:(?:用户|会员|管理员|账号|帐号|账户|帐户|联系人|收货人|收件人|退货人|收票人|负责人|员工|客户|成员|登录|个人|评论用户|收发货人|文档联系人)的?)?(?:电子邮箱|邮箱|邮箱地址|邮件|性别|手机|手机号码?|电话|电话号码|联系电话|联系方式|头像|头像地址|昵称|姓名|真实姓名|排序|备注|图标|名称|名字|编号|编码|序号|密码|用户名|用户名称|生日|出生日期|年龄|职业|城市|省份|国家|地区|邮编|邮政编码|个性签名|身份证号?|网址|描述|主键)$/;
/** An attribute behind the name of what has it. */
const DERIVED = /(?:名称|名字|编号|编码|序号|图标|图片|排序|备注|标题|描述|说明|键值|标签|主图|大图|内容)$/;

/** Tables that frameworks bring with them: Quartz, Activiti, Flyway, Liquibase, Seata. */
const FRAMEWORK_TABLE = /^(?:qrtz_|act_(?:re|ru|hi|id|ge|evt)_|flyway_|databasechangelog|undo_log$|leaf_alloc$)/i;
/** Members and classes that say what a program is built of. */
const MACHINE_WORD =
  /(?:过滤器|拦截器|切面|异常|异常类|工具类?|基类|注解|校验器|转换器|序列化|返回结果|返回码|状态码|线程池|跨域|数据源|枚举|常量|生成器|启动入口|监听器|处理类|通用配置|基础配置|自定义配置|配置属性|对象属性|构造方法|异步执行任务|异步任务|全局限流|序列数|序列类型|字符串|前缀|分隔符|工作表|反射|占位符)$/;

const BARE_VERBS = new Set(
  'add create save insert update edit modify delete remove del get query find search select list page detail details info export import upload download submit cancel close open enable disable init load run handle process send index main reset change check by id ids all one new set put post data test view show'.split(
    ' ',
  ),
);

const PLAIN_ACT = new RegExp(`^(?:${PLAIN_VERBS})`);

/** Tells whether a name is a verb and nothing else (`delete`, `getById`): without its class it says nothing. */
export function isBareVerb(name: string): boolean {
  return splitIdentifier(name).every((part) => BARE_VERBS.has(part));
}

/**
 * The factor for a group; 0 for what must not be proposed.
 */
export function worthOf({ word, symbols, nameKey, evidence }: Group, types: TypeIndex): number {
  const first = symbols[0]!;
  const isType = TYPE_ROLES.has(first.role);
  const joined = nameKey.startsWith('t:') && symbols.some(({ role }) => TYPE_ROLES.has(role));
  const alone = first.container === undefined && !isType && !joined;
  if (alone && first.role !== 'column' && isBareVerb(first.name.split('.').at(-1)!)) return 0;
  // A menu's path that stands in rows only: no code has that name.
  if (alone && first.role === 'route' && /\.(?:sql|ddl)$/i.test(first.file) && !first.name.includes('_')) return 0;
  // { create: '新增设备', update: '修改设备' }: titles of a dialog.
  if (first.role === 'enum-member' && isBareVerb(first.name) && PLAIN_ACT.test(word)) return 0;
  const isFront = /\.(?:vue|[cm]?[jt]sx?)$/.test(first.file);
  if (isPlumbingWord(word)) {
    if (isFront || first.role === 'key' || first.role === 'route' || !(isType || first.role === 'column')) return 0;
    const kinds = new Set(evidence.map(({ kind }) => kind)).size;
    return isType && kinds > 1 ? 1 : WORTH.plumbing;
  }
  if (EVERYONE.test(word) || /^ids?$/.test(splitIdentifier(first.name).at(-1) ?? '')) return WORTH.everyone;
  if (isMachinery(word, first, types))
    return first.role === 'helper' && !MACHINE_WORD.test(word) && !MACHINERY.test(first.name)
      ? WORTH.helper
      : WORTH.infrastructure;
  if (isAct(word, first)) return WORTH.act;
  if (isType || joined) return 1;
  if (first.role === 'method' || first.role === 'function') return WORTH.other;
  return DERIVED.test(word) && hanCount(word) > 2 ? WORTH.derived : WORTH.field;
}

function isMachinery(word: string, { name, container, role }: SymbolRef, types: TypeIndex): boolean {
  const isType = TYPE_ROLES.has(role);
  const owner = isType ? name : container;
  // `SysConfig` is no configuration of the program where there is a table of that name.
  const core = owner === undefined ? '' : types.canonical(coreOf(owner));
  const isStored = [core, owner === undefined ? '' : splitIdentifier(owner).join('_')].some((key) =>
    types.about(key).some((other) => other.role === 'table' && !FRAMEWORK_TABLE.test(other.name)),
  );
  if (isStored) return false;
  if (role === 'helper' || MACHINE_WORD.test(word)) return true;
  if (owner === undefined) return false;
  return FRAMEWORK_TABLE.test(owner) || MACHINERY.test(owner) || (!isType && ownerRole(owner) === 'helper');
}
