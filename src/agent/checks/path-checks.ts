import { posix } from 'node:path';
import picomatch from 'picomatch';
import type { PathContext } from '../../paths/index.js';
import type { Changeset, FileDiff } from '../../sandbox/index.js';
import type { Finding, Plan } from '../state.js';

/** A path in quotes, backticks or a Markdown link: at least one folder, a file name with an ending. */
const NAMED_PATH = /["'`(]((?:\.{1,2}\/)*(?:[\w@.\-\u4e00-\u9fff]+\/)+[\w@.\-\u4e00-\u9fff]+\.[A-Za-z]\w{0,5})["'`)#]/g;
/** Lines that import: other checks know what they lead to. */
const IMPORTING = /^\s*(?:import\b|export\b.*\bfrom\b|from\s+\S+\s+import\b|#include)|\brequire\(|\bimport\(/;
/** Files that come along with any change. */
const ALONG =
  /(^|\/)(tests?|__tests__|spec|docs?)\/|\.(test|spec)\.\w+$|_test\.\w+$|(^|\/)test_[^/]*\.py$|Tests?\.(java|kt)$|\.md$/i;
/** Files outside the plan that are named one by one; of more their number says enough. */
const OUTSIDE_SHOWN = 5;

/**
 * Paths named on added lines that lead nowhere. Only those that begin where the project has a folder, or at the file itself: what a
 * program writes later may be meant, so nobody is stopped by them.
 */
export function namedPathFindings(changeset: Changeset, diffs: FileDiff[], paths: PathContext): Finding[] {
  const tops = new Set(paths.files.filter((path) => path.includes('/')).map((path) => path.split('/')[0]!));
  return diffs.flatMap((diff) =>
    diff.addedLines
      .filter(({ text }) => !IMPORTING.test(text) && !/https?:\/\//.test(text))
      .flatMap(({ line, text }): Finding[] =>
        [...text.matchAll(NAMED_PATH)].flatMap(([, named]) => {
          const isRelative = named!.startsWith('.');
          if (!isRelative && !tops.has(named!.split('/')[0]!)) return [];
          const beside = posix.join(posix.dirname(diff.path), named!);
          const isThere = [beside, posix.normalize(named!)].some((path) => changeset.exists(path));
          if (isThere || (isRelative && beside.startsWith('..'))) return [];
          return [
            {
              from: 'path',
              severity: 'warn',
              path: diff.path,
              line,
              text: `写到的路径不存在：${named}。写错了就改正；是要生成的文件就不用管`,
            },
          ];
        }),
      ),
  );
}

/**
 * Files that changed although the plan did not speak of them: neither named nor beside what is named, nor tied to it by imports, nor a
 * test or document.
 *
 * @param request what the user asked, who may name files too
 */
export async function outsidePlanFindings(
  plan: Plan | null,
  request: string,
  diffs: FileDiff[],
  paths: PathContext,
): Promise<Finding[]> {
  const named = [...(plan?.focus ?? []), ...(plan?.candidates ?? []).map(({ path }) => path)];
  if (plan === null || named.length === 0) return [];
  const near = new Set(named);
  for (const path of plan.focus) for (const tie of await paths.tiesOf(path)) near.add(tie);
  const folders = new Set(named.map((path) => posix.dirname(path)));
  const words = [request, ...plan.steps].join('\n');
  const checked = (plan.playbook?.postChecks ?? []).flatMap(({ path }) =>
    path ? [picomatch(path, { dot: true })] : [],
  );
  const outside = diffs.filter(
    ({ path }) =>
      !near.has(path) &&
      !folders.has(posix.dirname(path)) &&
      !ALONG.test(path) &&
      !words.includes(posix.basename(path)) &&
      !checked.some((matches) => matches(path)),
  );
  const shown = outside.slice(0, OUTSIDE_SHOWN).map(
    ({ path }): Finding => ({
      from: 'path',
      severity: 'warn',
      path,
      text: '计划里没有提到这个文件，看看是不是真的要改',
    }),
  );
  const more = outside.length - shown.length;
  return more > 0 ? [...shown, { from: 'path', severity: 'warn', text: `还改了计划之外的 ${more} 个文件` }] : shown;
}
