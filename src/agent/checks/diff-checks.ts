import picomatch from 'picomatch';
import { newSyntaxProblems } from '../../code/index.js';
import type { Changeset, FileDiff } from '../../sandbox/index.js';
import { dangerOf } from '../../sandbox/index.js';
import { type SlowPattern, shownSource, slowPatternText, tryPatterns, type ZhCore } from '../../zhcore/index.js';
import type { Finding, PlaybookRun } from '../state.js';

/** Warnings of the core whose `when` matches added lines, and their patterns that could not be tried. */
export function warningFindings(core: ZhCore, diffs: FileDiff[]): Finding[] {
  const slow: Finding[] = [];
  const hits = core.warningsForDiff(diffs, (pattern) => slow.push({ from: 'warning', ...tooSlow(pattern) }));
  const findings = hits.map(
    (hit): Finding => ({
      from: 'warning',
      severity: hit.warning.severity,
      path: hit.path,
      line: hit.line,
      text: `${hit.warning.danger}（${hit.why}）`,
      entryId: hit.warning.id,
      source: shownSource(hit.warning.provenance),
    }),
  );
  return [...findings, ...slow];
}

function tooSlow(slow: SlowPattern): Omit<Finding, 'from'> {
  return { severity: 'warn', text: slowPatternText(slow), entryId: slow.entryId, source: slow.file };
}

/**
 * Post-checks of a playbook that need only the diff.
 *
 * @param core tells which file a playbook comes from, for a pattern of it that takes too long
 */
export function playbookFindings(playbook: PlaybookRun | null, diffs: FileDiff[], core?: ZhCore): Finding[] {
  if (!playbook) return [];
  const findings: Finding[] = [];
  for (const check of playbook.postChecks) {
    const matches = picomatch(check.path ?? '**', { dot: true });
    if (check.type === 'file_changed' && !diffs.some((d) => matches(d.path))) {
      findings.push({
        ...ofPlaybook(playbook),
        severity: 'warn',
        text: `流程模板要求改到 ${check.path}，这次没有改：${check.purpose}`,
      });
    }
    if (check.type === 'no_match' && check.pattern) {
      const inScope = diffs.filter((d) => matches(d.path));
      findings.push(...forbiddenLines(playbook, check.pattern, check.purpose, inScope, core));
    }
  }
  return findings;
}

const ofPlaybook = (playbook: PlaybookRun) =>
  ({ from: 'playbook', entryId: playbook.id, source: playbook.provenance.source }) as const;

/** The first line of each file that a `no_match` check forbids. */
function forbiddenLines(
  playbook: PlaybookRun,
  pattern: string,
  purpose: string,
  diffs: FileDiff[],
  core: ZhCore | undefined,
): Finding[] {
  const findings: Finding[] = [];
  for (const diff of diffs) {
    const { matches, slow } = tryPatterns(
      diff.addedLines.map((line) => line.text),
      [pattern],
    );
    if (slow.length > 0) {
      const at = core?.entry(playbook.id)?.entry.provenance ?? { file: playbook.provenance.source, line: 1 };
      findings.push({ from: 'playbook', ...tooSlow({ entryId: playbook.id, file: at.file, line: at.line, pattern }) });
      break; // it would take as long on every other file
    }
    if (matches.size === 0) continue;
    const line = diff.addedLines[Math.min(...matches.keys())]!;
    findings.push({
      ...ofPlaybook(playbook),
      severity: 'block',
      path: diff.path,
      line: line.line,
      text: `${purpose}：「${line.text.trim().slice(0, 80)}」`,
    });
  }
  return findings;
}

/** Commands that a playbook wants after the change: harmless ones can run in a scratch copy, the others are for people. */
export function playbookCommands(playbook: PlaybookRun | null): {
  run: { command: string; purpose: string }[];
  ask: { command: string; danger: string; purpose: string }[];
} {
  const run: { command: string; purpose: string }[] = [];
  const ask: { command: string; danger: string; purpose: string }[] = [];
  for (const check of playbook?.postChecks ?? []) {
    if (check.type !== 'command' || !check.command) continue;
    const { danger } = dangerOf(check.command);
    if (danger === 'low') run.push({ command: check.command, purpose: check.purpose });
    else ask.push({ command: check.command, danger, purpose: check.purpose });
  }
  return { run, ask };
}

/**
 * Syntax errors that the change brought in: errors that were there before are not its doing.
 *
 * @param before the text of a file before the change; undefined where there was none
 */
export async function syntaxFindings(
  changeset: Changeset,
  diffs: FileDiff[],
  before: (path: string) => string | undefined,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const diff of diffs.filter((d) => d.change !== 'deleted')) {
    if (isBinaryDiff(diff)) continue;
    for (const p of await newSyntaxProblems(diff.path, before(diff.path), changeset.read(diff.path).text)) {
      findings.push({ from: 'syntax', severity: 'block', path: diff.path, line: p.line, text: `语法错误：${p.text}` });
    }
  }
  return findings;
}

/** Whether a file is no text, so that nothing of it can be read. */
function isBinaryDiff(diff: FileDiff): boolean {
  return diff.patch.endsWith('Binary files differ\n');
}
