import * as z from 'zod';
import { XiheError } from '../../errors.js';
import {
  detectTestCommand,
  focused,
  nearestTestCommand,
  type RunResult,
  type TestCommand,
} from '../../sandbox/index.js';
import { builtIn } from '../contract.js';
import { toolCeilingMs } from '../limits.js';
import { locate, withNote } from '../locate.js';
import { baselineOf, comparedWith, renderVerdict, type TestVerdictOfChange } from '../project-tests.js';
import { readTestOutput, testSummary } from '../test-reports/index.js';
import type { ToolContext } from '../types.js';
import { renderRun, runInScratch } from './command-tools.js';

/** Bytes of output that are read for failures: a thousand tests print that much, and the report is short whatever they print. */
export const TEST_OUTPUT_BYTES = 1_000_000;
/** The run without the changes takes about as long as the one with them; a copy is made once more. */
const BASELINE_SHARE = 1.3;
/** Milliseconds kept for the end of a call. */
const RESERVE_MS = 4_000;

const testInput = z.object({
  filter: z.string().optional().describe('只跑名字含这个词的测试；默认全部'),
  files: z.array(z.string().min(1)).optional().describe('只跑这些测试文件，相对项目根目录；默认全部'),
});
type TestInput = z.infer<typeof testInput>;

export interface TestRun {
  command: string;
  result: RunResult;
  /** Of a red run: what the changes broke; absent where there are none, or where there was no time to look. */
  verdict?: TestVerdictOfChange;
  note?: string;
}

/** Runs the project's own tests in a scratch copy; of a red run says what the changes broke and what was red before. */
export const runTests = builtIn<TestInput, TestRun>({
  name: 'run_tests',
  description: '在项目副本里跑项目自己的测试，报告失败',
  input: testInput,
  examples: [{}, { files: ['test/order.test.ts'] }],
  danger: 'low',
  readOnly: false,
  idempotent: true,
  aclRole: 'developer',
  timeoutMs: toolCeilingMs(),
  timeoutOf: (ctx) => toolCeilingMs(ctx.modelSeconds),
  effect: 'scratch',
  async run({ filter, files = [] }, ctx) {
    const deadline = Date.now() + toolCeilingMs(ctx.modelSeconds) - RESERVE_MS;
    const asked = files.map((file) => locate(ctx, file));
    const notes = asked.flatMap(({ note }) => note ?? []);
    const { command, note } = commandFor(
      ctx,
      asked.map(({ path }) => path),
      filter,
    );
    if (note) notes.push(note);
    const result = await runInScratch(ctx, command, ctx.commandSeconds, { bytes: TEST_OUTPUT_BYTES });
    const verdict = await verdictOf(ctx, command, result, deadline);
    return {
      command,
      result,
      ...(verdict ? { verdict } : {}),
      ...(notes.length > 0 ? { note: notes.join('\n') } : {}),
    };
  },
  render: ({ command, result, verdict, note }) => {
    const said = verdict ? renderVerdict(result, verdict) : testSummary(result);
    const text = renderRun(command, { ...result, stdout: said, stderr: '' });
    return withNote(note, `${text}\n${nextStep(result, verdict)}`.trimEnd());
  },
});

/** What to do with it; a test that was red before is no reason to change more. */
function nextStep(result: RunResult, verdict: TestVerdictOfChange | undefined): string {
  if (result.outcome === 'ok') {
    const report = readTestOutput(result);
    const ran = (report?.passed ?? 0) + (report?.failed ?? 0);
    return report?.passed !== undefined && ran === 0 ? '注意：一个测试也没有跑到，检查 filter 和 files。' : '';
  }
  if (result.outcome === 'timeout') return '用 files 只跑相关的测试文件，再试一次。';
  if (result.outcome === 'not-found') return '这台机器上没有这个命令：不要再试，最后说明测试没有跑成。';
  if (verdict?.kind === 'before') return '这些失败与这次改动无关：不用改，最后如实说明。';
  if (verdict?.kind === 'unknown') return '先看失败和改动有没有关系；无关的不用改，最后如实说明。';
  return '先改好这次改动弄坏的，再跑一次；改不好就如实说明。';
}

/** @throws XiheError COMMAND_FAILED where the project has no tests that can be found */
function commandFor(ctx: ToolContext, files: string[], filter?: string): { command: string; note?: string } {
  const touched = files.length > 0 ? files : (ctx.changeset?.list().map(({ path }) => path) ?? []);
  const found = testCommandOf(ctx, files, touched);
  if (!found) {
    throw new XiheError('COMMAND_FAILED', '没有找到项目的测试命令', {
      hint: '这个项目跑不了测试：不要再试，最后说明没有跑测试，并建议在 .xihe/config.yaml 的 sandbox.testCommand 里写明。',
    });
  }
  if (files.length === 0 && !filter) return { command: found.command };
  const command = focused(found, { files, ...(filter ? { name: filter } : {}) });
  if (command !== undefined) return { command };
  return { command: found.command, note: '这个测试命令不能只跑一部分，跑的是全部' };
}

/** Files that are asked for belong to the package around them, which is quicker than the whole repository. */
function testCommandOf(ctx: ToolContext, files: string[], touched: string[]): TestCommand | null {
  const whole = detectTestCommand(ctx.root, ctx.testCommand, touched);
  if (files.length === 0 || (ctx.testCommand?.trim() ?? '') !== '') return whole;
  return nearestTestCommand(ctx.root, files) ?? whole;
}

async function verdictOf(
  ctx: ToolContext,
  command: string,
  result: RunResult,
  deadline: number,
): Promise<TestVerdictOfChange | undefined> {
  if (result.outcome !== 'failed' || (ctx.changeset?.list().length ?? 0) === 0) return undefined;
  const baseline = await baselineOf(ctx.paths, ctx.root, command, async () => {
    const left = deadline - Date.now();
    if (left < result.durationMs * BASELINE_SHARE) return { ...result, outcome: 'timeout' };
    return runInScratch(ctx, command, left / 1000, { bytes: TEST_OUTPUT_BYTES, base: true });
  });
  return baseline.outcome === 'ok' || baseline.outcome === 'failed' ? comparedWith(result, baseline) : undefined;
}
