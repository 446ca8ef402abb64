import { newThreadName, type RunOptions, readOrigin } from '../../agent/index.js';
import { quoted, XiheError } from '../../errors.js';
import { type FollowOptions, withSession } from '../follow.js';

interface RunFlags extends FollowOptions {
  /** Commander sets it to false for `--no-model`. */
  model: boolean;
  yes?: 'low' | 'medium';
  thread?: string;
  from?: string;
  maxTurns?: number;
  maxTokens?: number;
  maxSeconds?: number;
  maxCost?: number;
  without?: RunOptions['without'];
  context?: RunOptions['context'];
}

/** `xihe run`: one request from start to end, or to a question; with `--from` what another thread had begun. */
export async function run(text: string | undefined, flags: RunFlags): Promise<number> {
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
  if (flags.from !== undefined) {
    const from = readOrigin(flags.from);
    return withSession(flags, thread, (session, onEvent, signal) =>
      session.branch(from, thread, { options, words: text }, onEvent, signal),
    );
  }
  if (text === undefined) throw new XiheError('USAGE', '没有写请求', { hint: '例：xihe run "给订单加上仅退款"。' });
  return withSession(flags, thread, (session, onEvent, signal) => session.run(text, options, thread, onEvent, signal));
}

interface ResumeFlags extends FollowOptions {
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
