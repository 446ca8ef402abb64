import pc from 'picocolors';
import { keptOf, type RunEvent, runJsonOf, Session, spentLine, stamped, type ThreadView } from '../agent/index.js';
import { XiheError } from '../errors.js';
import { askUser, show } from './ask-user.js';
import type { CommonOptions } from './commands/options.js';
import { EXIT } from './exit-codes.js';
import { reportProblems } from './open.js';
import { asXiheError, exitCodeOf, log, print, printJson, visible } from './output.js';
import { progressPrinter } from './progress.js';
import { Stopper } from './stopper.js';

/** What a run says on stdout: text, one JSON document, or each event as a line of JSON. */
export interface FollowOptions extends CommonOptions {
  events?: boolean;
}

type Step = (session: Session, onEvent: (event: RunEvent) => void, signal: AbortSignal) => Promise<ThreadView>;

/**
 * Opens the project, follows a thread to its end, to a question or until the user stops it, and says how it stands.
 *
 * @param step begins or goes on with the thread
 * @returns the exit code
 */
export async function withSession(flags: FollowOptions, thread: string, step: Step): Promise<number> {
  if (flags.json && flags.events)
    throw new XiheError('USAGE', '--json 和 --events 只能选一个', { hint: '只要结果用 --json，要看过程用 --events。' });
  if (!flags.events) return follow(flags, thread, step);
  try {
    return await follow(flags, thread, step);
  } catch (e) {
    const { code, message, hint } = asXiheError(e);
    printEvent(stamped({ type: 'error', code, message, hint }));
    return exitCodeOf(code);
  }
}

async function follow(flags: FollowOptions, thread: string, step: Step): Promise<number> {
  const stopper = new Stopper(thread, flags.json === true);
  let session: Session | undefined;
  try {
    session = await Session.open(flags.repo);
    // The embedding model loads in a thread of its own while the graph and the path index are opened.
    session.project.core.vectors?.warm();
    reportTroubles(session, flags);
    const { signal } = stopper;
    const progress = progressPrinter(!flags.json && !flags.events);
    const onEvent = (event: RunEvent) => {
      if (flags.events) printEvent(event);
      progress(event);
    };
    let view = await step(session, onEvent, signal);
    while (view.status === 'waiting' && view.pending && isInteractive(flags)) {
      const answer = await askUser(view.pending, session, stopper);
      if (answer === undefined) break;
      view = await session.resume(thread, answer, onEvent, signal);
    }
    return signal.aborted && view.status === 'waiting' ? stopped(view, session, flags) : finish(view, session, flags);
  } catch (e) {
    if (session === undefined || !stopper.signal.aborted || !XiheError.is(e, 'CANCELLED')) throw e;
    return stopped(await session.view(thread), session, flags);
  } finally {
    if (session !== undefined) {
      session.close();
      await session.project.mcp.close();
      await session.project.core.close();
    }
    stopper.dispose();
  }
}

function reportTroubles({ project }: Session, flags: FollowOptions): void {
  if (flags.events) return;
  reportProblems(project.core.problems, flags.json);
  for (const p of project.toolProblems)
    if (!flags.json) log(`${pc.yellow('没能加载')} ${p.file}:${p.line}：${p.reason}`);
}

function printEvent(event: RunEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

function isInteractive(flags: FollowOptions): boolean {
  return !flags.json && !flags.events && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

function finish(view: ThreadView, session: Session, flags: FollowOptions): number {
  if (flags.json) printJson(runJsonOf(view, session.project));
  else if (!flags.events) showEnd(view, session, flags);
  if (view.status === 'waiting') return EXIT.waiting;
  return view.status === 'done' || view.status === 'rejected' ? EXIT.done : EXIT.failed;
}

function showEnd(view: ThreadView, session: Session, flags: FollowOptions): void {
  if (view.status === 'waiting' && view.pending) {
    if (!isInteractive(flags)) show(view.pending, session);
    print(`\n在等你决定。继续：${commandFor(view, flags)}`);
    return;
  }
  for (const report of view.state.reports) print(`\n${visible(report.text)}`);
  if (view.state.usage.calls > 0)
    log(pc.dim(`\n模型：${spentLine(view.state, session.project.config.model.currency)}`));
  log(pc.dim(`\n会话 ${view.thread}；追溯：xihe trace ${view.thread}${repoFlag(flags)}`));
}

/** Two lines for whoever stopped a run: what was kept, and what it cost and how it goes on. */
function stopped(view: ThreadView, session: Session, flags: FollowOptions): number {
  const { staged, receipt } = keptOf(view, session.project);
  const next = view.status === 'empty' ? '重新发起就行' : `接着跑：${commandFor(view, flags)}`;
  const calls = view.state.usage?.calls ?? 0;
  const spent = calls > 0 ? `用了 ${spentLine(view.state, session.project.config.model.currency)}` : '没有用模型';
  const lines = [`已停下。${keptLine(staged, receipt)}`, `${spent}。${next}`];
  if (flags.json) {
    const { input = 0, output = 0 } = view.state.usage ?? {};
    const details = { thread: view.thread, staged, receipt: receipt?.id ?? null, usage: { input, output, calls } };
    printJson({ error: { code: 'CANCELLED', message: lines[0], hint: `${next}。`, details } });
  } else log(lines.join('\n'));
  return EXIT.interrupted;
}

function keptLine(staged: string[], receipt: ReturnType<typeof keptOf>['receipt']): string {
  if (receipt) return `已经写入 ${receipt.files.length} 个文件（撤销：xihe undo ${receipt.id}）。`;
  if (staged.length === 0) return '还没有修改，工作区没有变。';
  const names = staged.length > 3 ? `${staged.slice(0, 3).join('、')} 等` : staged.join('、');
  return `暂存的 ${staged.length} 个文件的修改都留着（${visible(names)}），工作区没有变。`;
}

function commandFor(view: ThreadView, flags: FollowOptions): string {
  const choices = {
    ask: ' --answer "…" 或 --reject',
    fill: ' --param 名=值',
    approve: ' --approve 或 --reject',
    confirm: ' --approve、--reject 或 --comment "…"',
  };
  return `xihe resume ${view.thread}${view.pending ? choices[view.pending.kind] : ''}${repoFlag(flags)}`;
}

function repoFlag(flags: CommonOptions): string {
  return flags.repo === '.' ? '' : ` --repo ${flags.repo}`;
}
