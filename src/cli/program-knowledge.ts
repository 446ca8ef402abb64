import { type Command, InvalidArgumentError, Option } from 'commander';
import { quoted } from '../errors.js';

type SetExit = (code: number) => void;
type Sub = (program: Command, spec: string, description: string) => Command;

/** Days that a window of `stale` or `stats` may reach; the query log keeps no more than a year. */
const DAYS_MAX = 366;

function whole(min: number, max: number) {
  return (raw: string): number => {
    const n = Number(raw);
    if (Number.isInteger(n) && n >= min && n <= max) return n;
    throw new InvalidArgumentError(`「${quoted(raw)}」不是 ${min} 到 ${max} 之间的整数`);
  };
}

function month(raw: string): string {
  if (/^\d{4}-(?:0[1-9]|1[0-2])$/.test(raw)) return raw;
  throw new InvalidArgumentError(`「${quoted(raw)}」不是月份，要写成 2026-11 的样子`);
}

/** The commands for whoever keeps the knowledge: `scan`, `lint`, `stale`, `stats`, `import`, `index`, `watch`. */
export function addKnowledgeCommands(program: Command, sub: Sub, setExit: SetExit): void {
  sub(program, 'scan [路径...]', '从代码里找出团队的中文叫法，作为候选术语；默认只看不写')
    .option('--write', '把建议写进 .xihe/knowledge/terms/scanned.yaml，人写的条目不动')
    .option(
      '--top <个数>',
      '最多几条建议，1 到 5000；不写时显示前 50 条，--write 写入分数 0.2 以上的全部',
      whole(1, 5000),
    )
    .action(async (paths: string[], options) =>
      setExit(await (await import('./commands/scan.js')).scan(paths, options)),
    );
  sub(program, 'lint [文件...]', '检查术语、知识、流程模板、警示写得对不对')
    .option('--ci', '有错误时以 1 退出')
    .option('--general', '连随包自带的通用层一起检查')
    .option('--pages <目录>', '已存下的官方页面，查有没有整段照抄')
    .addOption(new Option('--format <格式>', '输出格式').choices(['text', 'sarif']).default('text'))
    .action(async (files: string[], options) =>
      setExit(await (await import('./commands/lint.js')).lint(files, options)),
    );
  sub(program, 'stale', '哪些条目该复核了：官方每季度，经验每半年，代码符号随时')
    .option('--within <天数>', '多少天内到期也算，0 到 366', whole(0, DAYS_MAX), 30)
    .option('--month <月份>', '出这个月的月报，如 2026-11', month)
    .action(async (options) => setExit(await (await import('./commands/stale.js')).stale(options)));
  sub(program, 'stats', '查询统计：命中、落空、闸门、各条目花的 token')
    .option('--days <天数>', '最近多少天，1 到 366', whole(1, DAYS_MAX), 30)
    .action(async (options) => setExit(await (await import('./commands/stats.js')).stats(options)));
  sub(program, 'import <来源>', '导入术语表（xlsx、csv、yaml）、Agent Skills 目录、AGENTS.md 或文档；默认只看不写')
    .addOption(new Option('--as <类型>', '当作什么导入，默认按内容判断').choices(['terms', 'playbooks', 'knowledge']))
    .option('--module <模块>', '导入的条目属于这个模块')
    .option('--no-references', '不带上技能的参考资料（references 里的 Markdown）')
    .option('--write', '写进 .xihe/，已有的文件不动')
    .action(async (source: string, options) =>
      setExit(await (await import('./commands/import.js')).importInto(source, options)),
    );
  sub(program, 'index', '给知识建向量，好按意思查；只建缺的，设了 Milvus 就同步过去')
    .option('--status', '只看建好了多少')
    .option('--rebuild', 'Milvus 上另建一份新的，建好再切换')
    .action(async (options) => setExit(await (await import('./commands/index-knowledge.js')).index(options)));
  sub(program, 'watch', '盯着 .xihe/，存一次盘就重新加载一次，并说明哪里坏了').action(async (options) =>
    setExit(await (await import('./commands/watch.js')).watch(options)),
  );
}
