import type { Role } from './roles.js';
import type { TaskType } from './types.js';

/**
 * What a file of this part is worth beside source code when the request does not speak of such files. The look-up takes these factors
 * to a power below one, so they are sharper here than they act.
 */
const ROLE_PRIOR: Partial<Record<Role, number>> = {
  test: 0.15,
  mock: 0.5,
  doc: 0.2,
  i18n: 0.45,
  asset: 0.4,
  ci: 0.5,
  example: 0.7,
  config: 0.9,
};

interface Asked {
  pattern: RegExp;
  roles: readonly Role[];
  factor: number;
}

/** A request that speaks of a document or a test case wants that file, unless it only mentions it. */
const ON_PURPOSE = 4;
/** A request about a page or an interface may still mean what lies behind it. */
const ABOUT = 1.25;

/**
 * Words of a request that ask for files of a part. Words that also name features are spelled out: 「测试连接」 is no test, 「图片上传」
 * no picture, 「字段说明」 no document.
 */
const ASKED: readonly Asked[] = [
  {
    pattern: /测试(?:用例|代码|文件|覆盖)|单元测试|用例|单测|[补加写]一?[个些]?测试|\btests?\b|\bspec\b/i,
    roles: ['test', 'mock'],
    factor: ON_PURPOSE,
  },
  { pattern: /文档|使用说明|指南|手册|readme|changelog|更新日志/i, roles: ['doc'], factor: ON_PURPOSE },
  { pattern: /文案|翻译|国际化|多语言|i18n|词条/i, roles: ['i18n'], factor: ON_PURPOSE },
  { pattern: /图标|logo|字体文件/i, roles: ['asset'], factor: ON_PURPOSE },
  { pattern: /流水线|\bci\b|github ?actions/i, roles: ['ci'], factor: ON_PURPOSE },
  { pattern: /示例|例子|\bdemo\b/i, roles: ['example'], factor: ON_PURPOSE },
  { pattern: /样式|主题|颜色|字号|间距|\bcss\b/i, roles: ['style'], factor: ABOUT },
  { pattern: /配置|参数项|\bconfig\b/i, roles: ['config'], factor: ABOUT },
  { pattern: /mapper|\bsql\b|\bdao\b|数据表|建表|字段/i, roles: ['mapper', 'sql', 'model'], factor: ABOUT },
  { pattern: /页面|菜单|路由/, roles: ['page', 'route'], factor: ABOUT },
  { pattern: /接口|\bapi\b/i, roles: ['controller', 'data-layer', 'types'], factor: ABOUT },
  { pattern: /定时任务|\bjob\b|调度/i, roles: ['job'], factor: ABOUT },
];

/** A bug is fixed in source; a refactoring touches neither documents nor assets. */
const TASK_PRIOR: Partial<Record<TaskType, Partial<Record<Role, number>>>> = {
  bugfix: { doc: 0.5, example: 0.7 },
  refactor: { doc: 0.6, asset: 0.5 },
  feature: { route: 1.1, config: 1.05 },
};

/** What kinds of files a request speaks of, as a factor by the part that a file plays. */
export function priorOf(request: string, taskType: TaskType | undefined): (role: Role) => number {
  const asked = new Map<Role, number>();
  for (const { pattern, roles, factor } of ASKED) {
    if (pattern.test(request)) for (const role of roles) asked.set(role, Math.max(factor, asked.get(role) ?? 0));
  }
  const byTask = taskType ? TASK_PRIOR[taskType] : undefined;
  return (role) => asked.get(role) ?? (ROLE_PRIOR[role] ?? 1) * (byTask?.[role] ?? 1);
}
