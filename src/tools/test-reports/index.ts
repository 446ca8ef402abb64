import type { RunResult } from '../../sandbox/index.js';
import { jest, mocha, nodeTest, vitest } from './javascript.js';
import { cargo, go, gradle, pytest, surefire } from './others.js';
import type { TestFailure, TestReport } from './types.js';

export type { TestFailure, TestReport } from './types.js';

/** In this order: what one of them prints is never taken for another's. */
const READERS = [vitest, jest, nodeTest, mocha, pytest, surefire, gradle, cargo, go];
/** Failures that are told in full; of more only the names. */
const SHOWN = 6;
const NAMED = 15;
/** Lines of an output that nobody can read. */
const TAIL_LINES = 25;
/** Characters of them: about 700 tokens. */
const TAIL_CHARS = 2_000;
/** Colours and cursor movements of terminals. */
const ANSI = /\u001b\[[0-9;?]*[A-Za-z]/g;
/** What package managers and build tools say of themselves. */
const NOISE =
  /^\s*$|^(npm (warn|notice|error)|> |\$ |Progress|Download(ing|ed)|\[INFO\]|\[WARNING\]|info |yarn run|Picked up |Starting a Gradle|To honour the JVM|Daemon will be stopped)/i;

/** What a test run says, whichever runner printed it; undefined where none of those known did. */
export function readTestOutput(run: Pick<RunResult, 'stdout' | 'stderr'>): TestReport | undefined {
  const lines = outputLines(run);
  for (const read of READERS) {
    const report = read(lines);
    if (report !== undefined) return report;
  }
  return undefined;
}

function outputLines(run: Pick<RunResult, 'stdout' | 'stderr'>): string[] {
  return `${run.stdout}\n${run.stderr}`.replace(ANSI, '').split(/\r\n|\r|\n/);
}

/**
 * What failed and the counts, for a model and for people; a thousand lines of passing tests say nothing.
 *
 * @returns Chinese, at most about 1,000 tokens; '' where a run printed nothing
 */
export function testSummary(run: RunResult): string {
  const report = readTestOutput(run);
  if (report === undefined || (run.outcome !== 'ok' && report.failures.length === 0)) {
    const tail = tailOf(run);
    return report === undefined ? tail : [countLine(report), tail].filter(Boolean).join('\n');
  }
  return [countLine(report), renderFailures(report.failures)].filter(Boolean).join('\n');
}

function countLine({ passed, failed, skipped }: TestReport): string {
  const parts = [
    passed === undefined ? '' : `通过 ${passed}`,
    failed === undefined ? '' : `失败 ${failed}`,
    skipped ? `跳过 ${skipped}` : '',
  ].filter(Boolean);
  return parts.length > 0 ? `${parts.join('，')}。` : '';
}

/** Failed tests with place and message. */
export function renderFailures(failures: readonly TestFailure[]): string {
  const full = failures.slice(0, SHOWN).map((failure) => {
    const message = failure.message.split('\n').map((line) => `  ${line}`);
    return [`✖ ${titleOf(failure)}`, ...(failure.message === '' ? [] : message)].join('\n');
  });
  const named = failures.slice(SHOWN, NAMED).map((failure) => `✖ ${titleOf(failure)}`);
  const more = failures.length > NAMED ? [`（还有 ${failures.length - NAMED} 个失败）`] : [];
  return [...full, ...named, ...more].join('\n');
}

/** A failed test by name and place, the scratch copy's folder left out. */
export function titleOf({ name, file, line }: TestFailure): string {
  if (file === undefined) return name;
  return `${name}（${relativeName(file)}${line === undefined ? '' : `:${line}`}）`;
}

/** Absolute names lie in a scratch copy that is gone; its last folders say enough. */
function relativeName(file: string): string {
  return /^(\/|[A-Za-z]:[\\/])/.test(file) ? file.split(/[\\/]/).slice(-3).join('/') : file;
}

function tailOf(run: RunResult): string {
  const lines = outputLines(run)
    .map((line) => line.trimEnd())
    .filter((line) => !NOISE.test(line));
  return lines.slice(-TAIL_LINES).join('\n').slice(-TAIL_CHARS).trim();
}
