import pc from 'picocolors';
import { Session } from '../../agent/index.js';
import { ownPlaybook, pathsOf } from '../../agent/learning.js';
import { quoted, XiheError } from '../../errors.js';
import { aboutOf, type FeedbackAbout, type Proposal, proposalsFrom } from '../../zhcore/index.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson } from '../output.js';
import type { CommonOptions } from './options.js';
import { proposalLine } from './proposals.js';

export interface FeedbackOptions extends CommonOptions {
  why?: string;
  about?: FeedbackAbout;
}

export const ABOUT_NAMES = {
  intent: '意图弄错',
  parameter: '参数不对或缺了',
  answer: '答案不对',
  edit: '改得不对',
} as const;

const GOOD = /^(?:good|好|对)$/i;
const BAD = /^(?:bad|不好|坏|差|不对|错)$/i;

/** `xihe feedback`: keeps what somebody says of the newest run of a thread, and proposes what it would teach the core. */
export async function feedback(thread: string, said: string, options: FeedbackOptions): Promise<number> {
  const verdict = GOOD.test(said) ? 'good' : BAD.test(said) ? 'bad' : undefined;
  if (verdict === undefined)
    throw new XiheError('USAGE', `${quoted(said)} 说不清是好还是不好`, { hint: '写 good（好）或 bad（不好）。' });
  const session = await Session.open(options.repo);
  try {
    const view = await session.view(thread);
    if (view.status === 'empty')
      throw new XiheError('THREAD_NOT_FOUND', `没有会话 ${quoted(thread)}`, { hint: '用 xihe threads 看有哪些会话。' });
    const { state } = view;
    const { project } = session;
    const why = options.why?.trim() || undefined;
    const kind = state.routed?.intents.at(-1)?.kind ?? 'qa';
    const about = verdict === 'bad' ? (options.about ?? aboutOf(why ?? '', kind)) : undefined;
    const kept = project.runLog.append({
      t: new Date().toISOString(),
      kind: 'feedback',
      thread,
      run: state.runId,
      verdict,
      ...(about === undefined ? {} : { about }),
      ...(why === undefined ? {} : { why }),
    });
    if (!kept)
      throw new XiheError('STATE_UNWRITABLE', '没能记下这条反馈', { hint: '看 .xihe/state 能不能写、磁盘满没满。' });
    const context = { thread, run: state.runId, paths: pathsOf(state, project), playbook: ownPlaybook(state) };
    const proposals = why === undefined ? [] : project.proposals.add(proposalsFrom(why, context));
    if (options.json)
      printJson({ thread, run: state.runId, verdict, about: about ?? null, why: why ?? null, proposals });
    else print(toText(verdict, about, options.about === undefined, why, proposals));
    return EXIT.done;
  } finally {
    session.close();
  }
}

function toText(
  verdict: 'good' | 'bad',
  about: FeedbackAbout | undefined,
  guessed: boolean,
  why: string | undefined,
  proposals: readonly Proposal[],
): string {
  const named =
    about === undefined ? '' : `，算作「${ABOUT_NAMES[about]}」${guessed ? '（不对就加 --about 再记一次）' : ''}`;
  const lines = [`已记下：${verdict === 'good' ? '好' : '不好'}${named}。只留在本机。`];
  if (verdict === 'bad' && why === undefined) lines.push('用 --why 说一句原因，规矩类的话会变成给数据核心的建议。');
  if (proposals.length > 0)
    lines.push(
      '',
      pc.bold('从原因里看出的建议，采纳后才生效：'),
      ...proposals.map(proposalLine),
      `采纳：xihe proposals accept ${proposals[0]?.id}`,
    );
  return lines.join('\n');
}
