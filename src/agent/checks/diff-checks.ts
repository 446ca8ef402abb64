import { posix } from 'node:path';
import picomatch from 'picomatch';
import { languageOf, outline, syntaxProblems } from '../../code/index.js';
import type { Changeset, FileDiff } from '../../sandbox/index.js';
import { dangerOf } from '../../sandbox/index.js';
import type { ZhCore } from '../../zhcore/index.js';
import type { Finding, PlaybookRun } from '../state.js';

/** Warnings of the core whose `when` matches added lines. */
export function warningFindings(core: ZhCore, diffs: FileDiff[]): Finding[] {
  return core.warningsForDiff(diffs).map((hit) => ({
    from: 'warning',
    severity: hit.warning.severity,
    path: hit.path,
    line: hit.line,
    text: `${hit.warning.danger}（${hit.why}）`,
    entryId: hit.warning.id,
    source: hit.warning.provenance.source,
  }));
}

/** Post-checks of a playbook that need only the diff. */
export function playbookFindings(playbook: PlaybookRun | null, diffs: FileDiff[]): Finding[] {
  if (!playbook) return [];
  const findings: Finding[] = [];
  for (const check of playbook.postChecks) {
    const matches = picomatch(check.path ?? '**', { dot: true });
    const base = { from: 'playbook' as const, entryId: playbook.id, source: playbook.provenance.source };
    if (check.type === 'file_changed' && !diffs.some((d) => matches(d.path))) {
      findings.push({
        ...base,
        severity: 'warn',
        text: `流程模板要求改到 ${check.path}，这次没有改：${check.purpose}`,
      });
    }
    if (check.type === 'no_match' && check.pattern) {
      const pattern = new RegExp(check.pattern);
      for (const diff of diffs.filter((d) => matches(d.path))) {
        const line = diff.addedLines.find((added) => pattern.test(added.text));
        if (line)
          findings.push({
            ...base,
            severity: 'block',
            path: diff.path,
            line: line.line,
            text: `${check.purpose}：「${line.text.trim().slice(0, 80)}」`,
          });
      }
    }
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

/** Syntax errors that the change brought in: errors that were there before are not its doing. */
export async function syntaxFindings(
  changeset: Changeset,
  diffs: FileDiff[],
  before: (path: string) => string | undefined,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const diff of diffs.filter((d) => d.change !== 'deleted')) {
    const old = new Set((await syntaxProblems(diff.path, before(diff.path) ?? '')).map((p) => p.text));
    const now = await syntaxProblems(diff.path, changeset.read(diff.path).text);
    for (const p of now.filter((problem) => !old.has(problem.text))) {
      findings.push({ from: 'syntax', severity: 'block', path: diff.path, line: p.line, text: `语法错误：${p.text}` });
    }
  }
  return findings;
}

const SCRIPT_LANGUAGES = new Set(['typescript', 'tsx', 'javascript', 'vue']);
/** What an import without an ending may mean, in the order that bundlers and TypeScript try. */
const ENDINGS = [
  '',
  '.ts',
  '.tsx',
  '.d.ts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.vue',
  '.json',
  '/index.ts',
  '/index.tsx',
  '/index.js',
];

/** Relative imports on added lines that lead to no file. Only languages whose imports are paths can be judged. */
export async function importFindings(changeset: Changeset, diffs: FileDiff[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const diff of diffs.filter((d) => d.change !== 'deleted' && SCRIPT_LANGUAGES.has(languageOf(d.path)))) {
    const added = new Set(diff.addedLines.map((l) => l.line));
    const { imports } = await outline(diff.path, changeset.read(diff.path).text);
    for (const ref of imports.filter((i) => added.has(i.line) && /^\.{1,2}\//.test(i.source))) {
      const base = posix.join(posix.dirname(diff.path), ref.source.replace(/\?.*$/, ''));
      const stem = base.replace(/\.(js|jsx|mjs|cjs)$/, '');
      if ([base, stem].some((p) => ENDINGS.some((ending) => changeset.exists(p + ending)))) continue;
      findings.push({
        from: 'path',
        severity: 'block',
        path: diff.path,
        line: ref.line,
        text: `引入的文件不存在：${ref.source}`,
      });
    }
  }
  return findings;
}

/**
 * Keys and passwords on added lines. Patterns: the documented prefixes of the providers (OpenAI `sk-`, AWS `AKIA`, Alibaba
 * Cloud `LTAI`, GitHub `ghp_`), PEM headers, and assignments of literals to names that say what they are.
 */
const SECRETS: { pattern: RegExp; what: string }[] = [
  { pattern: /\bsk-[A-Za-z0-9_-]{20,}/, what: '像是模型服务的密钥' },
  { pattern: /\bAKIA[0-9A-Z]{16}\b/, what: '像是 AWS 密钥' },
  { pattern: /\bLTAI[0-9A-Za-z]{12,}\b/, what: '像是阿里云 AccessKey' },
  { pattern: /\bgh[pousr]_[A-Za-z0-9]{30,}/, what: '像是 GitHub 令牌' },
  { pattern: /-----BEGIN (RSA |EC |OPENSSH )?PRIVATE KEY-----/, what: '私钥' },
  {
    pattern: /(password|passwd|secret|api_?key|access_?token)['"]?\s*[:=]\s*['"][^'"${}\s]{8,}['"]/i,
    what: '像是写死的口令或密钥',
  },
];
/** Files where such literals are ordinary: tests and examples use made-up ones. */
const SECRET_EXEMPT = /(^|\/)(tests?|__tests__|fixtures|examples?|docs?)\/|\.(test|spec)\.[a-z]+$|\.md$/;

/** Secrets on added lines; the finding never repeats the secret. */
export function secretFindings(diffs: FileDiff[]): Finding[] {
  const findings: Finding[] = [];
  for (const diff of diffs.filter((d) => !SECRET_EXEMPT.test(d.path))) {
    for (const line of diff.addedLines) {
      const hit = SECRETS.find((s) => s.pattern.test(line.text));
      if (hit)
        findings.push({
          from: 'secret',
          severity: 'block',
          path: diff.path,
          line: line.line,
          text: `${hit.what}写进了代码，改成从配置或环境变量读取`,
        });
    }
  }
  return findings;
}
