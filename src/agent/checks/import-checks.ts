import { languageOf, outline } from '../../code/index.js';
import { type PathContext, relativeTargets } from '../../paths/index.js';
import type { Changeset, FileDiff } from '../../sandbox/index.js';
import type { Finding } from '../state.js';

const SCRIPT_LANGUAGES = new Set(['typescript', 'tsx', 'javascript', 'vue']);

/**
 * Imports that lead nowhere once the changes are in: those on added lines, and those of files whose target the changes delete.
 * Only relative imports of TypeScript, JavaScript and Vue, whose targets are paths, can be judged.
 *
 * @param paths knows who imports what; without it only added lines are looked at
 */
export async function importFindings(changeset: Changeset, diffs: FileDiff[], paths?: PathContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const diff of diffs.filter((d) => d.change !== 'deleted')) {
    const added = new Set(diff.addedLines.map((l) => l.line));
    for (const ref of await deadImports(changeset, diff.path)) {
      if (added.has(ref.line)) findings.push(finding(diff.path, ref.line, `引入的文件不存在：${ref.source}`));
    }
  }
  if (paths) findings.push(...(await orphans(changeset, diffs, paths)));
  return findings;
}

/** Files that still import what the changes delete. */
async function orphans(changeset: Changeset, diffs: FileDiff[], paths: PathContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  const deleted = diffs.filter((d) => d.change === 'deleted').map((d) => d.path);
  const importers = new Set<string>();
  for (const path of deleted) for (const { path: importer } of await paths.importersOf(path)) importers.add(importer);
  for (const path of [...importers].sort().filter((p) => changeset.exists(p))) {
    const added = new Set(diffs.find((d) => d.path === path)?.addedLines.map((l) => l.line));
    for (const ref of await deadImports(changeset, path)) {
      const leadsTo = relativeTargets(path, ref.source);
      if (added.has(ref.line) || !deleted.some((d) => leadsTo.includes(d))) continue;
      findings.push(finding(path, ref.line, `还在引入这次删掉的文件：${ref.source}`));
    }
  }
  return findings;
}

/** Relative imports of a file, as the changeset leaves it, that lead to no file. */
async function deadImports(changeset: Changeset, path: string): Promise<{ source: string; line: number }[]> {
  if (!SCRIPT_LANGUAGES.has(languageOf(path))) return [];
  const { imports } = await outline(path, changeset.read(path).text);
  return imports.filter(
    (ref) =>
      /^\.{1,2}(\/|$)/.test(ref.source) && !relativeTargets(path, ref.source).some((file) => changeset.exists(file)),
  );
}

function finding(path: string, line: number, text: string): Finding {
  return { from: 'path', severity: 'block', path, line, text };
}
