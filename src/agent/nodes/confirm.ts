import { join } from 'node:path';
import { HumanMessage } from '@langchain/core/messages';
import { XiheError } from '../../errors.js';
import type { Changeset, Danger, FileDiff, ForkConflict } from '../../sandbox/index.js';
import { stableHash } from '../../text/index.js';
import { factsOf } from '../../tools/index.js';
import { askHuman } from '../ask-human.js';
import { playbookCommands } from '../checks/diff-checks.js';
import { asData } from '../data-mark.js';
import {
  type ConfirmConflict,
  type ConfirmFile,
  type ConfirmRequest,
  confirmLine,
  readEditedFiles,
  readVerdict,
} from '../human.js';
import { hasWords } from '../inbox.js';
import type { NodeBody, NodeEnv } from '../node.js';
import { openConflicts } from '../parallel/conflicts.js';
import { conflictLine, conflictVersions } from '../parallel/told.js';
import { prompt } from '../prompts.js';
import type { Decision, Finding, RunState } from '../state.js';
import { callerOf, tellStaged } from '../tool-context.js';

/** Characters of diff in the question itself; it is stored with the checkpoint, and the whole lies in the changeset. */
const MAX_DIFF_CHARS = 16_000;
/** A change of more files than this is no longer seen at a glance. */
const MANY_FILES = 20;

/**
 * Files that decide what may run without a question later: the team's tools, rules and settings, installed programs, git's hooks. A
 * change to them is never waved through by `--yes`.
 */
const GOVERNS_XIHE = /(^|\/)(\.xihe\/(tools\/|(config|policy)\.ya?ml$)|node_modules\/|\.git(hooks)?\/|\.husky\/)/;

/**
 * One question with the diff, the findings and the commands still to run. LangGraph reruns this node from its start when the
 * answer comes: before the interrupt it only reads.
 */
export const confirmNode: NodeBody = (state, env) => {
  // Said since the last turn: nobody is asked about, and nothing written, what the user has spoken against meanwhile.
  if (hasWords(state, env)) return { decision: { verdict: 'edit', by: 'user' } };
  const changeset = env.project.changeset(state.changesetId!);
  tellStaged(changeset, env, 'user');
  const diffs = changeset.diff();
  const conflicts = openConflicts(state, env).map((one) => shownConflict(one, state, env));
  // What nobody could bring together is never waved through.
  const danger = conflicts.length > 0 ? 'high' : dangerOfChange(diffs, state.findings);
  const ruled = byRules(diffs, danger, state, env);
  if (ruled) return { decision: ruled };
  const decision = askHuman(
    confirmRequest(state, env.project.layout.root, changeset, diffs, danger, conflicts),
    (answer) => {
      const verdict = readVerdict(answer);
      if (verdict.verdict === 'edit') takeEdits(changeset, readEditedFiles(answer), verdict, `edit-${state.round}`);
      return verdict;
    },
  );
  if (decision.verdict !== 'edit' || !decision.comment) return { decision };
  const note = new HumanMessage({
    id: `comment-${state.run}-${state.routed?.index ?? 0}-${state.round}`,
    content: prompt('comment', { comment: decision.comment }) + toldWith(conflicts, state, env),
    // As it was written, for whoever learns from it at the end of the run.
    additional_kwargs: { xihe_comment: decision.comment },
  });
  return { decision, messages: [note] };
};

/** A conflict as people see it. */
function shownConflict(conflict: ForkConflict, state: RunState, env: NodeEnv): ConfirmConflict {
  return {
    path: conflict.path,
    text: conflictLine(conflict, state),
    versions: conflictVersions(conflict, state, env),
  };
}

/** The open conflicts behind a user's comment: it may be about them. */
function toldWith(conflicts: readonly ConfirmConflict[], state: RunState, env: NodeEnv): string {
  if (conflicts.length === 0) return '';
  const told = conflicts.map(({ text, versions }) =>
    [text, ...versions.map(({ title, diff }) => asData(state, env, title, diff))].join('\n'),
  );
  return `\n\n还没解决的冲突，这些文件现在没有改，用户说了怎么办就照做：\n${told.join('\n')}`;
}

/** What the rules decide on writing these files without a question; undefined where a person is to be asked. */
function byRules(
  diffs: FileDiff[],
  danger: Danger,
  state: RunState,
  { project: { policy } }: NodeEnv,
): Decision | undefined {
  const roles = callerOf(state).roles;
  const autoApprove = state.request?.options.autoApprove ?? 'none';
  const args = { paths: diffs.map(({ path }) => path) };
  const whole = policy.decide({ tool: 'apply_changeset', danger, args, roles, autoApprove });
  const place = whole.rule ? `（${whole.rule.file}:${whole.rule.line}）` : '';
  if (whole.decision === 'deny') return { verdict: 'reject', by: 'auto', comment: `规则不许：${whole.why}${place}` };
  // No rule waves through what is not seen at a glance, deletes, or governs what may run.
  if (whole.decision === 'ask' || danger === 'high') return undefined;
  const asks = diffs.some(({ path, change }) =>
    (change === 'deleted' ? ['delete_file'] : ['edit_file', 'write_file']).some((tool) => {
      const one = policy.decide({ tool, danger: 'medium', args: { path }, roles, autoApprove });
      return one.rule !== undefined && one.decision !== 'allow';
    }),
  );
  return asks ? undefined : { verdict: 'approve', by: 'auto' };
}

/**
 * Stages the user's own version of files. Keyed by content, so that a rerun stages nothing twice, and a second try after one
 * that was refused counts.
 *
 * @throws XiheError RESUME_INVALID when there is neither a file nor a comment, and what staging throws
 */
function takeEdits(
  changeset: Changeset,
  files: { path: string; text: string }[],
  decision: Decision,
  key: string,
): void {
  if (files.length === 0 && !decision.comment) {
    throw new XiheError('RESUME_INVALID', '选了「修改」，但没有写意见，也没有给出改后的文件', {
      hint: '写一句意见（--comment），或在 editedAction.args.files 里给出文件内容。',
    });
  }
  for (const { path, text } of files)
    changeset.stage({ kind: 'write', path, text }, `${key}-${path}-${stableHash(text)}`);
}

/** Edits need a yes; deletions, unresolved findings and very wide changes need a careful one. */
export function dangerOfChange(diffs: FileDiff[], findings: Finding[]): Danger {
  const careful =
    diffs.some((d) => d.change === 'deleted' || GOVERNS_XIHE.test(d.path)) ||
    findings.some((f) => f.severity === 'block') ||
    diffs.length > MANY_FILES;
  return careful ? 'high' : 'medium';
}

/** Size and age of a file that is there and will be overwritten or deleted. */
function nowOf(root: string, { path, change }: FileDiff): Pick<ConfirmFile, 'now'> {
  const now = change === 'added' ? undefined : factsOf(join(root, path));
  return now === undefined ? {} : { now };
}

function confirmRequest(
  state: RunState,
  root: string,
  changeset: Changeset,
  diffs: FileDiff[],
  danger: Danger,
  conflicts: ConfirmConflict[],
): ConfirmRequest {
  const files = diffs.map((d) => ({
    path: d.path,
    change: d.change,
    added: d.addedLines.length,
    removed: d.removedLines.length,
    ...nowOf(root, d),
  }));
  const whole = diffs.map((d) => d.patch).join('\n');
  const diff =
    whole.length > MAX_DIFF_CHARS ? `${whole.slice(0, MAX_DIFF_CHARS)}\n…（差异过长，只列出前面一部分）` : whole;
  const findings = state.findings.map((f) => ({
    severity: f.severity,
    text: `${f.path ? `${f.path}${f.line ? `:${f.line}` : ''} ` : ''}${f.text}`,
    ...(f.source ? { source: f.source } : {}),
  }));
  const early = state.stopReason ? `\n注意：${state.stopReason}，改动可能没有做完；这时提意见不会再改。` : '';
  const list = files.map((f) => `- ${confirmLine(f)}`).join('\n');
  const open =
    conflicts.length === 0 ? '' : `\n没有解决、也不会写入的冲突：\n${conflicts.map((c) => `- ${c.text}`).join('\n')}`;
  return {
    kind: 'confirm',
    changesetId: changeset.id,
    danger,
    files,
    diff,
    findings,
    ...(conflicts.length > 0 ? { conflicts } : {}),
    tests: state.tests,
    commands: playbookCommands(state.planned?.playbook ?? null).ask,
    actionRequests: [
      {
        name: 'apply_changeset',
        args: { changesetId: changeset.id, files },
        description: `把 ${files.length} 个文件的改动写入工作区：\n${list}${open}${early}`,
      },
    ],
    reviewConfigs: [{ actionName: 'apply_changeset', allowedDecisions: ['approve', 'edit', 'reject'] }],
  };
}
