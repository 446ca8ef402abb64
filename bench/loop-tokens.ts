// What a run sends to the model, beside the same run of a plain agent: the same requests, the same scripted colleague, the same tools for
// reading, searching, editing and testing.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunOptions } from '../src/agent/state.js';
import type { Job, Opens } from '../test/agent/scenarios/colleague.js';
import * as jobs from '../test/agent/scenarios/mall-jobs.js';
import { Desk, PLAIN } from '../test/agent/scenarios/mall-run.js';
import { removeDir } from '../test/support/mall.js';

/** The arms: options of the run, and how its colleague opens files. */
export const ARMS: Record<string, { options: Partial<RunOptions>; opens: Opens }> = {
  xihe: { options: {}, opens: 'window' },
  // Every path in the prompt, nothing of the core or the path context, files opened whole.
  tree: { options: PLAIN, opens: 'whole' },
  // The same, and every document and knowledge file of the repository: what a plain agent needs to know what the core knows.
  'tree+docs': { options: { ...PLAIN, context: 'tree+docs' }, opens: 'whole' },
};

/** What can go wrong on the way costs requests in every arm alike. */
interface Scenario {
  name: string;
  job: Job;
  model?: string;
  /** Runs the job's own tests: where their result decides what is done next. */
  realTests?: boolean;
  prepare?(dir: string): void;
  instead?: () => Desk['instead'];
}

const SCENARIOS: Scenario[] = [
  { name: '三处修改，测试变红再改好', job: jobs.exportColumn, realTests: true },
  { name: '长文件里改一处', job: jobs.retryOnClose },
  { name: 'GBK 文件', job: jobs.feeRate },
  {
    name: '修好失败的测试',
    job: jobs.activeUsers,
    realTests: true,
    prepare: (dir) => appendFileSync(join(dir, 'test/report.test.ts'), jobs.RED_TEST),
  },
  { name: '听从警示', job: jobs.yuanColumn },
  { name: '写错的路径', job: jobs.wrongPath },
  {
    name: '流停住',
    job: jobs.retryOnClose,
    model: ', stallSeconds: 0.5, maxRetries: 1',
    instead: () => {
      let stalls = 1;
      return (_, { turn }) => (turn === 1 && stalls-- > 0 ? { text: '我', fault: { kind: 'stall' } } : undefined);
    },
  },
  {
    name: '换备用模型',
    job: jobs.retryOnClose,
    model: ', maxRetries: 0, fallbacks: [{ name: spare }]',
    instead:
      () =>
      ({ model }, { turn }) =>
        model === 'scripted' && turn >= 1 ? { fault: { kind: 'status', status: 503 } } : undefined,
  },
  { name: '窗口小，要压缩', job: jobs.exportColumn, model: ', contextTokens: 7500' },
];

export interface TokenRow {
  name: string;
  /** By arm: tokens of all requests, turns, and whether the result keeps the team's rules. */
  arms: Record<string, { tokens: number; turns: number; right: boolean }>;
}

/** The first scenarios in every arm, each in a fresh copy; all of them when nothing else is said. */
export async function tokenRows(
  makeRepo: () => string,
  names: readonly string[],
  first = SCENARIOS.length,
): Promise<TokenRow[]> {
  const rows: TokenRow[] = [];
  for (const scenario of SCENARIOS.slice(0, first)) {
    const row: TokenRow = { name: scenario.name, arms: {} };
    for (const name of names) row.arms[name] = await measured(scenario, ARMS[name]!, makeRepo());
    rows.push(row);
    console.error(JSON.stringify(row));
  }
  return rows;
}

async function measured(
  { job, model, realTests, prepare, instead }: Scenario,
  arm: (typeof ARMS)[string],
  dir: string,
) {
  prepare?.(dir);
  const desk = await Desk.open(dir);
  try {
    desk.settings(realTests ? `node --import tsx --test ${job.tests!.join(' ')}` : undefined, model);
    desk.opens = arm.opens;
    if (instead) desk.instead = instead();
    const view = await desk.run(job, 'bench', arm.options);
    if (view.status !== 'waiting') throw new Error(`${job.request}: ${view.status} ${view.state.error?.message ?? ''}`);
    const { core, changeset } = desk.session.project;
    const against = core.warningsForDiff(changeset(view.state.changesetId!).diff());
    const right = against.every(({ warning }) => warning.severity !== 'block') && view.state.tests?.ok === true;
    return { tokens: desk.tokens, turns: desk.turns.length, right };
  } finally {
    await desk.close();
    await desk.session.project.core.close();
    removeDir(dir);
  }
}
