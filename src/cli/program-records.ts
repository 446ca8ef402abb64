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
