/** Counts what code does instead of how long it takes: a busy machine changes the second and not the first. */

import { Session } from 'node:inspector';

interface Coverage {
  result: { url: string; functions: { ranges: { count: number }[] }[] }[];
}

/**
 * Starts to count how often each block of code runs. V8 counts blocks only of what it compiles from then on: import what is to be
 * counted after this call. What happens inside built-ins (one `indexOf`, one match of a regular expression) counts as one.
 *
 * @param where which scripts count, by URL
 * @returns a function that runs some work and says how many blocks of these scripts it ran
 */
export function countWork(where: (url: string) => boolean): (work: () => void) => number {
  const session = new Session();
  session.connect();
  /** In the same thread, answers come before `post` returns. */
  const post = (method: string, params: object = {}): unknown => {
    let answer: unknown;
    session.post(method, params, (error, result) => {
      if (error) throw error;
      answer = result;
    });
    return answer;
  };
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return (work) => {
    post('Profiler.takePreciseCoverage');
    work();
    const { result } = post('Profiler.takePreciseCoverage') as Coverage;
    const counts = result
      .filter(({ url }) => where(url))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
    return counts.reduce((sum, count) => sum + count, 0);
  };
}
