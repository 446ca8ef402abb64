import pc from 'picocolors';
import { newThreadName, type RunOptions, runJsonOf, Session, spentLine, type ThreadView } from '../../agent/index.js';
import { quoted, XiheError } from '../../errors.js';
import { askUser, show } from '../ask-user.js';
import { EXIT } from '../exit-codes.js';
import { reportProblems } from '../open.js';
import { log, print, printJson, visible } from '../output.js';
import { progressPrinter } from '../progress.js';
import type { CommonOptions } from './options.js';

interface RunFlags extends CommonOptions {
  /** Commander sets it to false for `--no-model`. */
  model: boolean;
  yes?: 'low' | 'medium';
  thread?: string;
  maxTurns?: number;
  maxTokens?: number;
  maxSeconds?: number;
  maxCost?: number;
  without?: RunOptions['without'];
  context?: RunOptions['context'];
}

/** `xihe run`: one request from start to end, or to a question. */
export async function run(text: string, flags: RunFlags): Promise<number> {
  const { maxTurns, maxTokens, maxSeconds, maxCost } = flags;
  const budget = Object.fromEntries(
    Object.entries({ maxTurns, maxTokens, maxSeconds, maxCost }).filter(([, bound]) => bound !== undefined),
  );
  const options: RunOptions = {
    noModel: !flags.model,
    autoApprove: flags.yes ?? 'none',
    ...(Object.keys(budget).length > 0 ? { budget } : {}),
    ...(flags.without ? { without: flags.without } : {}),
    ...(flags.context ? { context: flags.context } : {}),
  };
  const thread = flags.thread ?? newThreadName();
  if (thread.trim() === '') throw new XiheError('USAGE', '会话名不能是空的', { hint: '去掉 --thread，会自动起名。' });
  return withSession(flags, thread, (session, onEvent, signal) => session.run(text, options, thread, onEvent, signal));
}

interface ResumeFlags extends CommonOptions {
  approve?: boolean;
  reject?: boolean;
  comment?: string;
  answer?: string;
  param?: string[];
}

/** `xihe resume`: goes on after a crash, or with the answer that the flags give. */
export async function resume(thread: string, flags: ResumeFlags): Promise<number> {
  const answer = answerOf(flags);
  return withSession(flags, thread, (session, onEvent, signal) => session.resume(thread, answer, onEvent, signal));
}

/** The flags of `resume` as an answer; undefined when they say nothing. */
function answerOf(flags: ResumeFlags): unknown {
  if (flags.approve && flags.reject)
    throw new XiheError('USAGE', '--approve 和 --reject 只能选一个', { hint: '去掉其中一个。' });
  const words = flags.comment ?? flags.answer;
  // The words of an answer may be a plain yes or no.
  const plain = flags.comment === undefined ? words : undefined;
  if (flags.reject) return { decisions: [{ type: 'reject', ...(words ? { message: words } : {}) }] };
  if (flags.param) return Object.fromEntries(flags.param.map(parameter));
  if (flags.approve) return { decisions: [{ type: 'approve', ...(words ? { message: words } : {}) }] };
  if (plain !== undefined) return { decisions: [plain] };
  return words === undefined ? undefined : { decisions: [{ type: 'edit', message: words }] };
}

function parameter(pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new XiheError('USAGE', `参数要写成 名=值：${quoted(pair)}`, { hint: '例如 --param env=staging' });
  // As text: only the tool's contract knows whether 007 is a number.
  return [pair.slice(0, at), pair.slice(at + 1)];
}

type Step = (session: Session, onEvent: ReturnType<typeof progressPrinter>, signal: AbortSignal) => Promise<ThreadView>;

async function withSession(flags: CommonOptions, thread: string, step: Step): Promise<number> {
  const stop = new AbortController();
  // Ctrl-C once: stop and keep; the default of a second one ends the process.
  const onInterrupt = () => {
    log(`\n正在停下…（再按一次立即退出）`);
    process.once('SIGINT', () => process.exit(EXIT.interrupted));
    stop.abort();
  };
  process.once('SIGINT', onInterrupt);
  const session = await Session.open(flags.repo);
  // The embedding model loads in a thread of its own while the graph and the path index are opened.
  session.project.core.vectors?.warm();
  try {
    reportProblems(session.project.core.problems, flags.json);
    for (const p of session.project.toolProblems)
      if (!flags.json) log(`${pc.yellow('没能加载')} ${p.file}:${p.line}：${p.reason}`);
    const onEvent = progressPrinter(!flags.json);
    let view = await step(session, onEvent, stop.signal);
    while (view.status === 'waiting' && view.pending && isInteractive(flags)) {
      const answer = await askUser(view.pending, session, stop.signal);
      if (answer === undefined) break;
      view = await session.resume(thread, answer, onEvent, stop.signal);
    }
    return finish(view, session, flags);
  } finally {
    process.removeListener('SIGINT', onInterrupt);
    session.close();
    await session.project.mcp.close();
    await session.project.core.close();
  }
}

function isInteractive(flags: CommonOptions): boolean {
  return !flags.json && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

function finish(view: ThreadView, session: Session, flags: CommonOptions): number {
  if (flags.json) printJson(runJsonOf(view, session.project));
  else if (view.status === 'waiting' && view.pending) {
    if (!isInteractive(flags)) show(view.pending, session);
    print(`\n在等你决定。继续：${commandFor(view)}${repoFlag(flags)}`);
  } else {
    for (const report of view.state.reports) print(`\n${visible(report.text)}`);
    if (view.state.usage.calls > 0)
      log(pc.dim(`\n模型：${spentLine(view.state, session.project.config.model.currency)}`));
    log(pc.dim(`\n会话 ${view.thread}；追溯：xihe trace ${view.thread}${repoFlag(flags)}`));
  }
  if (view.status === 'waiting') return EXIT.waiting;
  return view.status === 'done' || view.status === 'rejected' ? EXIT.done : EXIT.failed;
}

function commandFor(view: ThreadView): string {
  const choices = {
    ask: '--answer "…" 或 --reject',
    fill: '--param 名=值',
    approve: '--approve 或 --reject',
    confirm: '--approve、--reject 或 --comment "…"',
  };
  return `xihe resume ${view.thread} ${choices[view.pending!.kind]}`;
}

function repoFlag(flags: CommonOptions): string {
  return flags.repo === '.' ? '' : ` --repo ${flags.repo}`;
}
