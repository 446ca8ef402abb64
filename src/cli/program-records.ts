import { type Command, InvalidArgumentError, Option } from 'commander';
import { quoted } from '../errors.js';

type SetExit = (code: number) => void;
type Sub = (program: Command, spec: string, description: string) => Command;

/** Entries that one look at the log may show. */
const ENTRIES_MAX = 100_000;

function entries(raw: string): number {
  const n = Number(raw);
  if (Number.isInteger(n) && n >= 1 && n <= ENTRIES_MAX) return n;
  throw new InvalidArgumentError(`「${quoted(raw)}」不是 1 到 ${ENTRIES_MAX} 之间的整数`);
}

/** Weeks that one look at the errors may show: a year. */
const WEEKS_MAX = 52;

function weeks(raw: string): number {
  const n = Number(raw);
  if (Number.isInteger(n) && n >= 1 && n <= WEEKS_MAX) return n;
  throw new InvalidArgumentError(`「${quoted(raw)}」不是 1 到 ${WEEKS_MAX} 之间的整数`);
}

/** The beginning of a day on this machine's clock. */
function day(raw: string): Date {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(raw) ?? [];
  const found = new Date(Number(year), Number(month) - 1, Number(date));
  if (found.getDate() === Number(date) && found.getMonth() === Number(month) - 1) return found;
  throw new InvalidArgumentError(`「${quoted(raw)}」不是日期，要写成 2026-11-05 的样子`);
}

function anchor(raw: string): { seq: number; hash: string } {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(raw) ?? [];
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash };
  throw new InvalidArgumentError(`「${quoted(raw)}」不是链尾，照抄 xihe audit --check 打印的「链尾」`);
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

function within(min: number, max: number) {
  return (raw: string): number => {
    const n = Number(raw);
    if (raw.trim() !== '' && Number.isFinite(n) && n >= min && n <= max) return n;
    throw new InvalidArgumentError(`「${quoted(raw)}」不是 ${min} 到 ${max} 之间的数`);
  };
}

function whole(min: number, max: number) {
  const inside = within(min, max);
  return (raw: string): number => {
    if (Number.isInteger(inside(raw))) return Number(raw);
    throw new InvalidArgumentError(`「${quoted(raw)}」不是整数`);
  };
}

/** 2 and 2% are the same. */
function percent(raw: string): number {
  return within(0, 100)(raw.replace(/%$/, ''));
}

/** Runs of an evaluation at once, and repeats: more than these are a mistyped number. */
const PARALLEL_MAX = 32;
const REPEATS_MAX = 100;

/** `xihe eval`: numbers from the team's own repository and model. */
export function addEvalCommand(program: Command, sub: Sub, setExit: SetExit): void {
  sub(program, 'eval [动作]', '同样的任务，数据核开和关各跑一遍，成对比较；lint 验证任务自己分得出对错')
    .option('--no-model', '不用模型，只看决定成败的东西摆出了多少')
    .option('--tasks <目录>', '任务（*.yaml）在哪里；不写就用羲和仓库里的')
    .option('--only <开头或类>', '只跑 id 这样开头的，或这一类的，可以写多次', collect)
    .option('--arms <名字>', '比哪几组，逗号隔开，第一组是基准；all 是全部', 'on,off')
    .option('--repeats <次>', '有模型时每个任务每组跑几次', whole(1, REPEATS_MAX), 3)
    .option('--parallel <个>', '同时跑几个', whole(1, PARALLEL_MAX), 2)
    .option('--seed <数>', '定顺序和区间', whole(0, 1e9), 1)
    .option('--out <目录>', '结果放哪里；跑过的不再跑', '.xihe/state/eval')
    .option('--max-tokens <个>', '总共最多用多少 token', whole(1, 1e10))
    .option('--max-cost <钱>', '总共最多花多少，要先写 model.prices', within(0, 1e6))
    .option('--baseline <报告>', '和以前的 report.json 比')
    .option('--ci', '比基准退步超过 --max-regression 时以 1 退出')
    .option('--max-regression <百分比>', '允许退步多少个百分点', percent, 0)
    .action(async (act: string | undefined, options) =>
      setExit(await (await import('./commands/eval.js')).evaluate(act, options)),
    );
}

/** The commands that look at what was done, what may be done and what was learned: `audit`, `policy`, `feedback`, `proposals`, `errors`. */
export function addRecordCommands(program: Command, sub: Sub, setExit: SetExit): void {
  sub(program, 'audit', '看做过什么：谁、何时、什么、结果；--check 查日志有没有被改过')
    .option('--limit <条数>', '最多几条，最近的', entries, 50)
    .option('--thread <会话>', '只看这个会话的')
    .option('--tool <名字>', '只看这个工具的')
    .option('--since <日期>', '只看这一天起的，如 2026-11-05', day)
    .option('--check', '核对整条链，说出第一处断开的文件和行')
    .option('--anchor <链尾>', '和以前留底的链尾比对', anchor)
    .action(async (options) => setExit(await (await import('./commands/audit.js')).audit(options)));
  sub(program, 'policy [工具] [名=值...]', '看一个操作会放行、先问还是不许，由哪条规则定；不写工具就列出规则')
    .option('--role <角色>', '当作有这个角色，可以写多次；不写就是本机用户的角色', collect)
    .addOption(new Option('--yes <等级>', '当作运行时写了 --yes').choices(['low', 'medium']))
    .action(async (tool: string | undefined, args: string[], options) =>
      setExit(await (await import('./commands/policy.js')).policy(tool, args, options)),
    );
  sub(program, 'feedback <会话> <好坏>', '说这个会话最近一次运行是好（good）还是不好（bad）；只记在本机')
    .option('--why <原因>', '一句话；规矩类的话会变成给数据核心的建议')
    .addOption(
      new Option('--about <方面>', '不好在哪里，不写就从原因里看').choices(['intent', 'parameter', 'answer', 'edit']),
    )
    .action(async (thread: string, verdict: string, options) =>
      setExit(await (await import('./commands/feedback.js')).feedback(thread, verdict, options)),
    );
  sub(program, 'proposals [动作] [编号]', '从反馈和评审意见里看出的术语、警示、流程步骤；accept 采纳，dismiss 放弃')
    .option('--all', '连已经采纳和放弃的一起列出')
    .action(async (act: string | undefined, id: string | undefined, options) =>
      setExit(await (await import('./commands/proposals.js')).proposals(act, id, options)),
    );
  sub(program, 'errors', '每周错在哪里：意图弄错、缺参数、运行失败、答错，各占多少')
    .option('--weeks <周数>', '最近几周，1 到 52', weeks, 8)
    .action(async (options) => setExit(await (await import('./commands/errors.js')).errors(options)));
}
