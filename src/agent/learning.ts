import { HumanMessage } from '@langchain/core/messages';
import { type Proposal, proposalsFrom, type RunOutcome } from '../zhcore/index.js';
import { intentOf, type NodeEnv } from './node.js';
import type { Report, RunState } from './state.js';

/**
 * Notes how an intent of the run ended, and what the comments at its confirmation would teach the core. A node that runs again notes the
 * same once more, which counts once.
 *
 * @returns proposals that are new
 */
export function learnFrom(state: RunState, report: Report, { project, thread }: NodeEnv): Proposal[] {
  project.runLog.append(outcomeOf(state, report, thread));
  const paths = pathsOf(state, project);
  const context = { thread, run: state.runId, paths, playbook: ownPlaybook(state) };
  return project.proposals.add(commentsOf(state).flatMap((comment) => proposalsFrom(comment, context)));
}

function outcomeOf(state: RunState, report: Report, thread: string): RunOutcome {
  const { kind, layer } = intentOf(state);
  const { tool } = state;
  return {
    t: new Date().toISOString(),
    kind: 'run',
    thread,
    run: state.runId,
    index: state.routed?.index ?? 0,
    intent: kind,
    layer,
    outcome: report.kind,
    ok: report.ok,
    missing: kind === 'tool' && Boolean(tool?.name) && tool?.outcome === null && tool.approved !== false,
    ...(report.error ? { code: report.error.code } : {}),
  };
}

/** What the user wrote at the confirmations of this intent, in order. */
export function commentsOf(state: RunState): string[] {
  const mark = `comment-${state.run}-${state.routed?.index ?? 0}-`;
  const asked = state.messages.flatMap((message) => {
    const words = message.additional_kwargs?.xihe_comment;
    return HumanMessage.isInstance(message) && message.id?.startsWith(mark) && typeof words === 'string' ? [words] : [];
  });
  const last = state.decision?.by === 'user' ? state.decision.comment : undefined;
  return [...new Set(last === undefined ? asked : [...asked, last])];
}

/** The files that a run changed, or would have changed; else those that its plan starts from. */
export function pathsOf(state: RunState, project: NodeEnv['project']): string[] {
  const staged = state.changesetId === null ? [] : project.changeset(state.changesetId).list();
  return staged.length > 0 ? staged.map(({ path }) => path) : (state.planned?.focus ?? []);
}

/** The playbook of the run, when it is the team's: what ships is not theirs to add to. */
export function ownPlaybook(state: RunState): string | undefined {
  const playbook = state.planned?.playbook;
  return playbook?.provenance.layer === 'project' ? playbook.id : undefined;
}
