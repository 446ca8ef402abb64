import type { PathContext } from '../paths/index.js';
import type { RunResult } from '../sandbox/index.js';
import { stableHash } from '../text/index.js';
import { readTestOutput, renderFailures, type TestFailure, testSummary, titleOf } from './test-reports/index.js';

/** Runs of tests without the changes that are remembered: the loop asks for the same one after every attempt. */
const REMEMBERED = 8;

/** A red run of tests, told apart: what the changes broke, and what was red before them. */
export interface TestVerdictOfChange {
  /** `unknown` where the run without the changes is red too and nobody can read which tests. */
  kind: 'broke' | 'before' | 'both' | 'unknown';
  broke: TestFailure[];
  before: TestFailure[];
}

const remembered = new Map<string, RunResult>();

/**
 * The run of a test command without the changes; made once for each state of the tree.
 *
 * @param run makes it, in a copy of the project as it is
 */
export async function baselineOf(
  paths: PathContext,
  root: string,
  command: string,
  run: () => Promise<RunResult>,
): Promise<RunResult> {
  const state = stableHash(paths.files.map((path) => `${path} ${paths.version(path) ?? ''}`).join('\n'));
  const key = [root, command, state].join('\0');
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const result = await run();
  // What ended for another reason than its tests says nothing about them.
  if (result.outcome !== 'ok' && result.outcome !== 'failed') return result;
  remembered.set(key, result);
  const [oldest] = remembered.keys();
  if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  return result;
}

/**
 * Tells apart what the changes broke.
 *
 * @param red the run with the changes, not successful
 * @param baseline the same command without them
 */
export function comparedWith(red: RunResult, baseline: RunResult): TestVerdictOfChange {
  const now = readTestOutput(red)?.failures ?? [];
  if (baseline.outcome === 'ok') return { kind: 'broke', broke: now, before: [] };
  const then = readTestOutput(baseline)?.failures ?? [];
  if (now.length === 0 || then.length === 0) return { kind: 'unknown', broke: [], before: [] };
  const keys = new Set(then.map(keyOf));
  const broke = now.filter((failure) => !keys.has(keyOf(failure)));
  const before = now.filter((failure) => keys.has(keyOf(failure)));
  return { kind: broke.length === 0 ? 'before' : before.length === 0 ? 'broke' : 'both', broke, before };
}

/** The same test in two runs: lines move with edits, its name and file do not. A compiler's errors are told apart by what they say. */
function keyOf({ name, file, message }: TestFailure): string {
  const base = file?.split(/[\\/]/).at(-1) ?? '';
  return [name, base, name === '编译' ? message : ''].join('\0');
}

/** A red run in words: the counts, then what the changes broke, then what was red before. */
export function renderVerdict(red: RunResult, verdict: TestVerdictOfChange): string {
  const head = testSummary(red).split('\n')[0] ?? '';
  const counts = /^(通过|失败) \d/.test(head) ? head : '';
  if (verdict.kind === 'unknown') return `${testSummary(red)}\n改动前也是失败的，看不出哪些是这次改坏的。`;
  if (verdict.broke.length === 0 && verdict.before.length === 0) return testSummary(red);
  const before = verdict.before.map((failure) => `✖ ${titleOf(failure)}`).slice(0, 10);
  return [
    counts,
    verdict.broke.length > 0 ? `这次改动弄坏的（改动前是通过的）：\n${renderFailures(verdict.broke)}` : '',
    before.length > 0 ? `改动前就失败的（不是这次改坏的）：\n${before.join('\n')}` : '',
  ]
    .filter(Boolean)
    .join('\n');
}
