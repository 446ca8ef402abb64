import { XiheError } from '../../errors.js';
import {
  type Changeset,
  detectTestCommand,
  howItRan,
  makeScratch,
  type RunResult,
  runProcess,
} from '../../sandbox/index.js';
import {
  baselineOf,
  comparedWith,
  renderVerdict,
  TEST_OUTPUT_BYTES,
  testSummary,
  withoutCopy,
} from '../../tools/index.js';
import type { NodeEnv } from '../node.js';
import type { Finding } from '../state.js';

export interface TestVerdict {
  tests: { command: string; ok: boolean; summary: string; sandbox: string } | null;
  findings: Finding[];
}

/**
 * Runs the project's tests in a scratch copy with the changes on it. When they fail, runs them once more without the
 * changes: what was red before is reported, but not blamed on this change.
 *
 * @param touched files that changed: in a monorepo they say whose tests
 */
export async function runProjectTests(
  env: NodeEnv,
  changeset: Changeset,
  touched: readonly string[] = [],
): Promise<TestVerdict> {
  const { root } = env.project.layout;
  const found = detectTestCommand(root, env.project.config.sandbox.testCommand, touched);
  if (!found) return { tests: null, findings: [] };
  const { command } = found;
  const run = await inScratch(env, changeset, command);
  env.emit({ type: 'tests.finished', command, ok: run.outcome === 'ok', ms: run.durationMs });
  const told = (summary: string, finding?: Omit<Finding, 'from'>): TestVerdict => ({
    tests: { command, ok: run.outcome === 'ok', summary, sandbox: howItRan(run) },
    findings: finding ? [{ from: 'tests', ...finding }] : [],
  });
  if (run.outcome === 'ok') return told(testSummary(run));
  if (run.outcome === 'not-found')
    return told(testSummary(run), { severity: 'warn', text: `测试没有跑成：找不到命令 ${command}` });
  const paths = await env.project.paths(env.signal);
  const baseline = await baselineOf(paths, root, command, () => inScratch(env, undefined, command));
  const verdict = comparedWith(run, baseline);
  const summary = renderVerdict(run, verdict);
  if (verdict.kind === 'before' || verdict.kind === 'unknown') {
    const text = `测试失败，但改动前也失败，请自行判断：${command}\n${summary}`;
    return told(summary, { severity: 'warn', text });
  }
  return told(summary, { severity: 'block', text: `测试失败（改动前是通过的）：${command}\n${summary}` });
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
      maxOutputBytes: TEST_OUTPUT_BYTES,
      ...(env.signal ? { signal: env.signal } : {}),
    });
    // A cancelled run must not end as "tests failed" in a checkpoint.
    if (run.outcome === 'cancelled') throw new XiheError('CANCELLED', '已取消', { hint: '用 xihe resume 接着跑。' });
    return withoutCopy(run, scratch.dir);
  } finally {
    await scratch.dispose();
  }
}
