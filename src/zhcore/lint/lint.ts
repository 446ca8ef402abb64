import { type CheckedLayer, LintModel, type LintOptions } from './model.js';
import { copiedRules } from './rules/copied.js';
import { documentRules } from './rules/documents.js';
import { lexiconRules } from './rules/lexicon.js';
import { loadingRules } from './rules/loading.js';
import { secretRules } from './rules/secrets.js';
import { sourceRules } from './rules/sources.js';
import { symbolRules } from './rules/symbols.js';
import { triggerRules } from './rules/triggers.js';
import { twinRules } from './rules/twins.js';
import { wordRules } from './rules/words.js';
import type { Finding, Level, Rule } from './types.js';

/** All rules, by number. */
export const LINT_RULES: readonly Rule[] = [
  ...loadingRules,
  ...sourceRules,
  ...symbolRules,
  ...wordRules,
  ...triggerRules,
  ...documentRules,
  ...twinRules,
  ...copiedRules,
  ...secretRules,
  ...lexiconRules,
];

/** What a lint run found, and how much it looked at. */
export interface LintResult {
  /** Errors first, then warnings, then notes; by file and line, each once. */
  findings: Finding[];
  checked: {
    terms: number;
    warnings: number;
    playbooks: number;
    documents: number;
    chunks: number;
    lexiconGroups: number;
  };
}

/** Checks what a team wrote. Never throws for what is wrong in a file: that is a finding. */
export async function lintLayers(options: LintOptions): Promise<LintResult> {
  const model = new LintModel(options);
  const found: Finding[] = [];
  for (const rule of LINT_RULES) {
    options.onRule?.(rule.title);
    // One by one: a broken file may have more findings than a call takes arguments.
    for (const finding of await rule.check(model)) found.push(finding);
  }
  const sum = (of: (layer: CheckedLayer) => { length: number }) =>
    model.layers.reduce((total, layer) => total + of(layer).length, 0);
  return {
    findings: ordered(found),
    checked: {
      terms: sum(({ terms }) => terms),
      warnings: sum(({ warnings }) => warnings),
      playbooks: sum(({ playbooks }) => playbooks),
      documents: sum(({ documents }) => documents),
      chunks: sum(({ chunks }) => chunks),
      lexiconGroups: sum(({ lexicon }) => lexicon),
    },
  };
}

const LEVELS: readonly Level[] = ['error', 'warning', 'note'];

function ordered(found: readonly Finding[]): Finding[] {
  const keyOf = (f: Finding) => `${f.file}:${f.line} ${f.rule} ${f.message}`;
  const once = [...new Map(found.map((finding) => [keyOf(finding), finding])).values()];
  const order = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  const weight = ({ level }: Finding) => LEVELS.indexOf(level);
  return once.sort(
    (a, b) =>
      weight(a) - weight(b) ||
      order(a.file, b.file) ||
      a.line - b.line ||
      order(a.rule, b.rule) ||
      order(a.message, b.message),
  );
}
