import pc from 'picocolors';
import { Session, type ThreadStep } from '../../agent/index.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson } from '../output.js';
import { NODE_NAMES } from '../progress.js';
import type { CommonOptions } from './options.js';

const STATUS: Record<string, string> = {
  done: '完成',
  failed: '失败',
  waiting: '等你决定',
  rejected: '已拒绝',
  interrupted: '中断',
  empty: '空',
};

/** `xihe threads`: the newest threads and where they stand, or the steps of one. */
export async function threads(thread: string | undefined, options: CommonOptions): Promise<number> {
  const session = await Session.open(options.repo);
  try {
    if (thread !== undefined) return showSteps(thread, await session.steps(thread), options);
    const views = await session.threads(session.project.config.state.keepThreads);
    const rows = views.map((v) => ({
      thread: v.thread,
      at: v.updatedAt,
      request: v.state.request?.text ?? '',
      status: v.status === 'empty' ? ('interrupted' as const) : v.status,
    }));
    if (options.json) printJson({ threads: rows });
    else if (rows.length === 0) print('还没有会话。试试：xihe run "…"');
    else
      print(
        rows
          .map(
            (r) =>
              `${pc.bold(r.thread)}  ${STATUS[r.status]}  ${pc.dim(r.at.slice(0, 16).replace('T', ' '))}  ${r.request.slice(0, 50)}`,
          )
          .join('\n'),
      );
    return EXIT.done;
  } finally {
    session.close();
  }
}

function showSteps(thread: string, steps: ThreadStep[], options: CommonOptions): number {
  const rows = steps.map((one) => ({ ...one, id: `${thread}@${one.step}` }));
  if (options.json) printJson({ thread, steps: rows });
  else {
    const name = (node: string | null) => (node === null ? '（没有）' : (NODE_NAMES[node] ?? node));
    const lines = rows.map(({ step, at, after, next, run, turn }) => {
      const turns = turn > 0 ? `，第 ${turn} 轮` : '';
      const what = `${after === null ? '开始' : `做完${name(after)}`}，${next === null ? '结束' : `接下来${name(next)}`}`;
      return `${pc.bold(`@${step}`)}  ${what}  ${pc.dim(`第 ${run} 次运行${turns}  ${at.slice(0, 19).replace('T', ' ')}`)}`;
    });
    print(`${lines.join('\n')}\n\n从某一步另开一个会话：xihe run --from ${thread}@步 "要补的话"`);
  }
  return EXIT.done;
}
