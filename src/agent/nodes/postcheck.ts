import { join } from 'node:path';
import { HumanMessage } from '@langchain/core/messages';
import type { Changeset, FileDiff } from '../../sandbox/index.js';
import { readFileText } from '../../text/index.js';
import { type CoreResult, renderHits, type Warning } from '../../zhcore/index.js';
import { changesetHash } from '../changeset-hash.js';
import { playbookCommands, playbookFindings, syntaxFindings, warningFindings } from '../checks/diff-checks.js';
import { importFindings } from '../checks/import-checks.js';
import { moduleFindings } from '../checks/module-checks.js';
import { namedPathFindings, outsidePlanFindings } from '../checks/path-checks.js';
import { reviewFindings } from '../checks/review.js';
import { secretFindings } from '../checks/secret-checks.js';
import { inScratch, runProjectTests } from '../checks/tests.js';
import { hasWords } from '../inbox.js';
import { inject, nothingRetrieved } from '../injection.js';
import { intentOf, type NodeBody, type NodeEnv } from '../node.js';
import { openConflicts } from '../parallel/conflicts.js';
import { conflictLine } from '../parallel/told.js';
import { prompt } from '../prompts.js';
import type { Finding, Injection, PlaybookRun, RunState } from '../state.js';

/** Looks at the staged changes: what can be decided without a model first, then the model's own second look. */
export const postcheckNode: NodeBody = async (state, env) => {
  // The model is heard first: what it makes of the user's words is what is to be checked.
  if (hasWords(state, env)) return {};
  const changeset = env.project.changeset(state.changesetId!);
  const diffs = changeset.diff();
  const round = state.round + 1;
  const told = conflictFindings(state, env);
  if (diffs.length === 0) return { findings: told, round, tests: null, changesetHash: changesetHash(changeset) };
  const playbook = state.planned?.playbook ?? null;
  const found = [...told, ...(await diffFindings(state, env, changeset, diffs))];
  // Tests on code that does not parse say nothing new.
  const verdict = found.some((f) => f.from === 'syntax')
    ? { tests: null, findings: [] }
    : await runProjectTests(
        env,
        changeset,
        diffs.map((d) => d.path),
      );
  found.push(...verdict.findings);
  found.push(...(await commandFindings(env, changeset, playbook)));
  const blocked = found.some((f) => f.severity === 'block');
  const review = blocked ? { findings: [] } : await reviewFindings(state, env, diffs);
  const findings = [...found, ...review.findings];
  for (const f of findings) env.emit({ type: 'finding', severity: f.severity, text: f.text });
  const back = goesBack({ findings, round, stopReason: state.stopReason }, env);
  return {
    findings,
    round,
    changesetHash: changesetHash(changeset),
    tests: verdict.tests,
    ledger: warningLedger(state, env, findings),
    ...(review.usage ? { usage: review.usage } : {}),
    ...(back ? { messages: [findingsMessage(state, round, findings)] } : {}),
  };
};

/** What is left of merging the work of sub-agents: people decide it, so nothing of it goes back to a model. */
function conflictFindings(state: RunState, env: NodeEnv): Finding[] {
  if (!state.split) return [];
  const open = new Set(openConflicts(state, env).map(({ path }) => path));
  const conflicts = state.split.conflicts.map(
    (conflict): Finding => ({
      from: 'conflict',
      severity: 'warn',
      path: conflict.path,
      text: open.has(conflict.path)
        ? `冲突没有解决，这个文件没有改，等你决定：${conflictLine(conflict, state)}`
        : `这里有过没解决的冲突，后来改成了现在这样，请看一遍：${conflictLine(conflict, state)}`,
    }),
  );
  return [...conflicts, ...state.split.notes.map((text): Finding => ({ from: 'conflict', severity: 'warn', text }))];
}

/** The plan with what its parts start from. */
function plannedWithParts({ planned, split }: RunState): RunState['planned'] {
  const files = (split?.parts ?? []).flatMap((part) => part.files);
  return planned && { ...planned, focus: [...new Set([...planned.focus, ...files])] };
}

/** What the diff alone says. */
async function diffFindings(
  state: RunState,
  env: NodeEnv,
  changeset: Changeset,
  diffs: FileDiff[],
): Promise<Finding[]> {
  const { core, layout } = env.project;
  const paths = await env.project.paths(env.signal);
  return [
    ...warningFindings(core, diffs),
    ...playbookFindings(state.planned?.playbook ?? null, diffs, core),
    ...secretFindings(diffs),
    ...(await syntaxFindings(changeset, diffs, (path) => originalText(env, path))),
    ...(await importFindings(changeset, diffs, paths)),
    ...(await moduleFindings(changeset, diffs, layout.root, paths)),
    ...namedPathFindings(changeset, diffs, paths),
    ...(await outsidePlanFindings(plannedWithParts(state), intentOf(state).text, diffs, paths)),
  ];
}

/** What the playbook's harmless commands say. */
async function commandFindings(env: NodeEnv, changeset: Changeset, playbook: PlaybookRun | null): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { command, purpose } of playbookCommands(playbook).run) {
    const run = await inScratch(env, changeset, command);
    if (run.outcome !== 'ok')
      findings.push({ from: 'playbook', severity: 'block', text: `流程模板的检查没有通过：${command}（${purpose}）` });
  }
  return findings;
}

/**
 * True when blocking findings go back to the model: at most `maxRounds` times, then people decide. A loop that ran out of
 * turns, tokens or time can't mend anything: what it has goes to people.
 */
export function goesBack(
  state: Pick<RunState, 'findings' | 'round' | 'stopReason'>,
  env: Pick<NodeEnv, 'model' | 'project'>,
): boolean {
  if (env.model === null || state.stopReason !== null) return false;
  return state.round <= env.project.config.run.maxRounds && state.findings.some((f) => f.severity === 'block');
}

function findingsMessage(state: RunState, round: number, findings: Finding[]): HumanMessage {
  const lines = findings.map((f) => {
    const where = f.path ? `${f.path}${f.line ? `:${f.line}` : ''}：` : '';
    const source = f.source ? `（来源 ${f.source}）` : '';
    return `- ${f.severity === 'block' ? '必须改' : '提醒'}：${where}${f.text}${source}`;
  });
  return new HumanMessage({
    id: `findings-${state.run}-${state.routed?.index ?? 0}-${round}`,
    content: prompt('findings', { findings: lines.join('\n') }),
  });
}

function originalText(env: NodeEnv, path: string): string | undefined {
  try {
    return readFileText(join(env.project.layout.root, path)).text;
  } catch {
    return undefined;
  }
}

/** Warnings that this check brought up or read out to the reviewer. */
function warningLedger(state: RunState, env: NodeEnv, findings: Finding[]): Injection[] {
  const retrieved = state.retrieved as CoreResult;
  const ids = new Set(findings.flatMap((f) => (f.entryId ? [f.entryId] : [])));
  const fired = [...ids].flatMap((id) => {
    const entry = env.project.core.entry(id);
    if (entry?.type !== 'warning') return [];
    const warning = entry.entry as Warning;
    return [
      {
        type: 'warning' as const,
        entry: warning,
        provenance: warning.provenance,
        score: 1,
        why: '改动里触发了它',
        tokens: 0,
      },
    ];
  });
  const all = [...fired, ...retrieved.warnings.filter((w) => !ids.has(w.entry.id))];
  const rendered = renderHits(
    { ...nothingRetrieved(retrieved.dataVersion), warnings: all },
    'postcheck',
    env.project.config.core,
  );
  return inject(state, 'postcheck', rendered.injected, env);
}
