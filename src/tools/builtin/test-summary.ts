import type { RunResult } from '../../sandbox/index.js';

/** The lines of a test run that say what failed, and no more. */
export function testSummary(run: RunResult): string {
  const lines = `${run.stdout}\n${run.stderr}`.split('\n').map((l) => l.trimEnd());
  const telling = lines.filter(
    (l) =>
      /(fail|error|assert|expected|✖|✗|not ok|FAILED|Exception|失败)/i.test(l) &&
      !/^#? ?(fail|failed|errors?):? 0$/i.test(l.trim()),
  );
  const chosen = (
    run.outcome === 'ok'
      ? lines.filter((l) => /(pass|passed|ok\b|tests?\b)/i.test(l)).slice(-3)
      : telling.length > 0
        ? telling.slice(0, 20)
        : lines.slice(-20)
  ).join('\n');
  return chosen.trim().slice(0, 2_000);
}
