import pc from 'picocolors';
import { EXIT } from '../exit-codes.js';
import { openPathsOnly, reportProblems } from '../open.js';
import { print, printJson } from '../output.js';
import type { CommonOptions } from './options.js';

/** `xihe find`: files for a Chinese request, each with why. */
export async function find(query: string, options: CommonOptions & { scope?: string; top: number }): Promise<number> {
  const opened = await openPathsOnly(options.repo);
  const { paths } = opened;
  const scope = options.scope ? paths.resolve(options.scope).path : undefined;
  const { candidates, method } = await paths.lookupFile(query, { topK: options.top, ...(scope ? { scope } : {}) });
  reportProblems(opened.problems, options.json);
  if (options.json) {
    printJson({
      query,
      method,
      files: candidates.map((c) => ({ path: c.path, score: c.score, why: c.why, summary: c.summary })),
    });
  } else if (candidates.length === 0) {
    print('没有找到。换个说法，或用代码里的符号再试。');
  } else {
    print(candidates.map((c) => `${pc.bold(c.path)}\n  ${c.summary}\n  ${pc.dim(`理由：${c.why}`)}`).join('\n'));
  }
  return candidates.length > 0 ? EXIT.done : EXIT.failed;
}
