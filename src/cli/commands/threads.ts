import pc from 'picocolors';
import { Session } from '../../agent/index.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson } from '../output.js';
import type { CommonOptions } from './options.js';

const STATUS: Record<string, string> = {
  done: '完成',
  failed: '失败',
  waiting: '等你决定',
  rejected: '已拒绝',
  interrupted: '中断',
  empty: '空',
};

/** `xihe threads`: the newest threads and where they stand. */
export async function threads(options: CommonOptions): Promise<number> {
  const session = await Session.open(options.repo);
  try {
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
