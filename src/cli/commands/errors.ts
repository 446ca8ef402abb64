import pc from 'picocolors';
import { ERROR_KINDS, type ErrorKind, errorsByWeek, RunLog } from '../../zhcore/index.js';
import { EXIT } from '../exit-codes.js';
import { openCore } from '../open.js';
import { print, printJson, visible } from '../output.js';
import type { CommonOptions } from './options.js';

export interface ErrorsOptions extends CommonOptions {
  weeks: number;
}

const NAMES: Record<ErrorKind, string> = {
  intent: '意图弄错',
  parameter: '缺参数',
  failed: '运行失败',
  answer: '答错或改错',
};

/** `xihe errors`: what goes wrong, in shares of the runs of each week. */
export async function errors(options: ErrorsOptions): Promise<number> {
  const { layout } = await openCore(options.repo);
  const { weeks, examples } = errorsByWeek(new RunLog(layout.stateDir).read(), options.weeks);
  if (options.json) {
    const rows = weeks.map(({ counts, ...row }) => ({ ...row, counts, shares: sharesOf(counts, row.runs) }));
    printJson({ weeks: rows, examples });
    return EXIT.done;
  }
  if (weeks.length === 0) {
    print('还没有运行记录。xihe run 会自动记到 .xihe/state/runs.jsonl；用 xihe feedback 说哪次好、哪次不好。');
    return EXIT.done;
  }
  const rows = weeks.map(({ week, runs, counts, good }) => {
    const parts = ERROR_KINDS.map((kind) => `${NAMES[kind]} ${counts[kind]}（${percent(counts[kind] / runs)}）`);
    return `${pc.bold(`${week} 起的一周`)}  ${runs} 次：${parts.join('，')}；说好的 ${good}`;
  });
  const lines = examples.map(
    ({ kind, thread, why, t }) => `${NAMES[kind]}  ${visible(why)}  ${pc.dim(`${thread}，${t.slice(0, 10)}`)}`,
  );
  print([...rows, ...(lines.length > 0 ? ['', pc.bold('最近的例子'), ...lines] : [])].join('\n'));
  return EXIT.done;
}

function sharesOf(counts: Record<ErrorKind, number>, runs: number): Record<ErrorKind, number> {
  const share = (kind: ErrorKind) => Math.round((counts[kind] / runs) * 1000) / 1000;
  return { intent: share('intent'), parameter: share('parameter'), failed: share('failed'), answer: share('answer') };
}

const percent = (share: number) => `${Math.round(share * 100)}%`;
