import { type Role, roleOf } from './roles.js';
import { baseOf, extensionOf, folderOf } from './rules.js';

/** Endings that say a file's part in a feature; what remains names the feature. */
const PART =
  /(?:ServiceImpl|Service|Controller|Mapper|Dao|DAO|Repository|Manager|Handler|Entity|Model|DTO|Dto|VO|Vo|Tests?|TestCase|IT|Spec)$/;
const PART_SUFFIX =
  /[._-](?:test|tests|spec|e2e|stories|module|service|controller|mapper|repository|dao|model|dto|types?|api|d|styles?|wxml|wxss)$/i;
const TEST_PREFIX = /^(?:test[_-])|(?:_test)$/i;
/** Stems that many folders have: only beside each other, or mirrored below a test folder, do they belong together. */
const GENERIC =
  /^(?:index|main|app|types?|utils?|common|config|constants?|readme|init|__init__|mod|helper|base|style|styles|api|service|controller|mapper|model|router|routes|store)$/i;
const MAX_COMPANIONS = 8;

export interface Companion {
  path: string;
  /** In Chinese: 测试, 样式, … */
  kind: string;
}

const KIND_NAMES: Partial<Record<Role, string>> = {
  test: '测试',
  style: '样式',
  mapper: '数据访问',
  service: '服务',
  controller: '接口入口',
  model: '数据模型',
  types: '类型',
  page: '页面',
  ui: '组件',
  'data-layer': '接口调用',
  mock: '测试数据',
  doc: '说明',
  store: '状态',
  route: '路由',
};

/** Files that belong together by name: a source and its test, its style, its mapper; controller, service and mapper of one feature. */
export class Companions {
  readonly #groups = new Map<string, string[]>();

  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      const key = groupOf(path, featureOf(path));
      const group = this.#groups.get(key);
      if (group) group.push(path);
      else this.#groups.set(key, [path]);
    }
  }

  /** The companions of a file, nearest first. */
  of(path: string): Companion[] {
    const feature = featureOf(path);
    const group = this.#groups.get(groupOf(path, feature)) ?? [];
    const generic = GENERIC.test(feature);
    return group
      .filter((other) => other !== path && (generic ? isMirrored(path, other) : isRelated(path, other)))
      .map((other) => ({ path: other, kind: KIND_NAMES[roleOf(other)] ?? '同名' }))
      .sort((a, b) => distance(path, a.path) - distance(path, b.path) || (a.path < b.path ? -1 : 1))
      .slice(0, MAX_COMPANIONS);
  }
}

/** Files of one group may belong together. An `index.ts` meets only those of its own place, of the thousands that a tree may have. */
function groupOf(path: string, feature: string): string {
  return GENERIC.test(feature) ? `${feature.toLowerCase()}/${placeOf(path)}` : feature.toLowerCase();
}

function featureOf(path: string): string {
  let stem = baseOf(path);
  const extension = extensionOf(path);
  if (extension !== '') stem = stem.slice(0, -extension.length - 1);
  stem = stem.replace(TEST_PREFIX, '');
  for (let before = ''; before !== stem && stem !== ''; ) {
    before = stem;
    const shorter = stem.replace(PART_SUFFIX, '').replace(PART, '');
    if (shorter !== '') stem = shorter;
  }
  return stem;
}

/** Two files of one feature name: another part, or the same part in another language, but not the same part of another module. */
function isRelated(a: string, b: string): boolean {
  if (folderOf(a) === folderOf(b)) return true;
  const [roleA, roleB] = [roleOf(a), roleOf(b)];
  return roleA !== roleB || extensionOf(a) !== extensionOf(b) || baseOf(a) !== baseOf(b);
}

/** Of files of one place: beside each other, or one below a test folder: `src/order/index.ts` and `test/order/index.test.ts`. */
function isMirrored(a: string, b: string): boolean {
  return folderOf(a) === folderOf(b) || (roleOf(a) === 'test') !== (roleOf(b) === 'test');
}

/** The folder of a file without the names that only tell sources from tests. */
function placeOf(path: string): string {
  return folderOf(path)
    .split('/')
    .filter((segment) => !/^(?:src|lib|app|tests?|__tests__|spec|main|java)$/.test(segment))
    .join('/');
}

function distance(a: string, b: string): number {
  const left = folderOf(a).split('/');
  const right = folderOf(b).split('/');
  let common = 0;
  while (common < left.length && left[common] === right[common]) common += 1;
  return left.length + right.length - 2 * common;
}
