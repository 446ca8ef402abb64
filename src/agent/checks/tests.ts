import { XiheError } from '../../errors.js';
import { type Changeset, detectTestCommand, makeScratch, type RunResult, runProcess } from '../../sandbox/index.js';
import { testSummary } from '../../tools/index.js';
import type { NodeEnv } from '../node.js';
import type { Finding } from '../state.js';

export interface TestVerdict {
  tests: { command: string; ok: boolean; summary: string } | null;
  findings: Finding[];
}

/**
 * Runs the project's tests in a scratch copy with the changes on it. When they fail, runs them once more without the
 * changes: what was red before is reported, but not blamed on this change.
 */
export async function runProjectTests(env: NodeEnv, changeset: Changeset): Promise<TestVerdict> {
  const found = detectTestCommand(env.project.layout.root, env.project.config.sandbox.testCommand);
  if (!found) return { tests: null, findings: [] };
  const run = await inScratch(env, changeset, found.command);
  env.emit({ type: 'tests.finished', command: found.command, ok: run.outcome === 'ok', ms: run.durationMs });
  const tests = { command: found.command, ok: run.outcome === 'ok', summary: testSummary(run) };
  if (tests.ok) return { tests, findings: [] };
  if (run.outcome === 'not-found') {
    return {
      tests,
      findings: [{ from: 'tests', severity: 'warn', text: `测试没有跑成：找不到命令 ${found.command}` }],
    };
  }
  const baseline = await inScratch(env, undefined, found.command);
  if (baseline.outcome !== 'ok') {
    return {
      tests,
      findings: [
        {
          from: 'tests',
          severity: 'warn',
          text: `测试失败，但改动前也失败，请自行判断：${found.command}\n${tests.summary}`,
        },
      ],
    };
  }
  return {
    tests,
    findings: [
      { from: 'tests', severity: 'block', text: `测试失败（改动前是通过的）：${found.command}\n${tests.summary}` },
    ],
  };
}

/**
 * Runs one shell line in a fresh copy.
 *
 * @param changeset laid over the copy; undefined for the project as it is
 * @throws XiheError CANCELLED
 */
export async function inScratch(env: NodeEnv, changeset: Changeset | undefined, command: string): Promise<RunResult> {
  const scratch = await makeScratch(env.project.layout.root, changeset, {
    ...(env.signal ? { signal: env.signal } : {}),
    onProgress: (text: string) => env.emit({ type: 'progress', text }),
  });
  try {
    const run = await runProcess({
      shell: command,
      cwd: scratch.dir,
      timeoutMs: env.project.config.sandbox.timeoutSeconds * 1000,
      ...(env.signal ? { signal: env.signal } : {}),
    });
    // A cancelled run must not end as "tests failed" in a checkpoint.
    if (run.outcome === 'cancelled') throw new XiheError('CANCELLED', '已取消', { hint: '用 xihe resume 接着跑。' });
    return run;
  } finally {
    await scratch.dispose();
  }
}
