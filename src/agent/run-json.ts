import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { briefOf } from './brief.js';
import { textOf } from './node.js';
import type { RunJson } from './output-schemas.js';
import { callName, legsOf } from './parallel/legs.js';
import type { Project } from './project.js';
import type { ThreadView } from './session.js';

/** The JSON document of `xihe run` and `xihe resume`. */
export function runJsonOf(view: ThreadView, project: Project): RunJson {
  const { state, thread } = view;
  return {
    thread,
    ...briefOf(state),
    status:
      view.status === 'waiting'
        ? 'waiting'
        : view.status === 'rejected'
          ? 'rejected'
          : view.status === 'done'
            ? 'done'
            : 'failed',
    intents: (state.routed?.intents ?? []).map(({ kind, text, layer, evidence }) => ({ kind, text, layer, evidence })),
    report: state.reported ? { kind: state.reported.kind, ok: state.reported.ok, text: state.reported.text } : null,
    reports: state.reports.map(({ kind, ok, text }) => ({ kind, ok, text })),
    answer: state.answered,
    agents: (state.agents ?? []).map(({ name, title, state: how, why, files, turns }) => ({
      name,
      title,
      state: how,
      why,
      files,
      turns,
    })),
    changes: changesOf(view, project),
    receipt: state.receipt?.id ?? null,
    findings: state.findings.map(({ entryId: _id, ...finding }) => finding),
    tests: state.tests,
    waiting: view.pending
      ? {
          kind: view.pending.kind,
          text: view.pending.actionRequests[0]?.description ?? '',
          request: { ...view.pending },
        }
      : null,
    usage: usageJson(state.usage, project),
    error: state.reported?.error ?? state.error,
    problems: [...project.core.problems, ...project.toolProblems].map(({ file, line, reason }) => ({
      file,
      line,
      reason,
    })),
  };
}

function usageJson(usage: ThreadView['state']['usage'], project: Project): RunJson['usage'] {
  const { input, output, calls, cached, cost, estimated } = usage;
  return {
    input,
    output,
    calls,
    ...(cached === undefined ? {} : { cached }),
    ...(cost === undefined ? {} : { cost, currency: project.config.model.currency }),
    ...(estimated ? { estimated } : {}),
  };
}

function changesOf(view: ThreadView, project: Project): RunJson['changes'] {
  const id = view.state.changesetId;
  if (!id) return null;
  const files = project
    .changeset(id)
    .diff()
    .map((d) => ({ path: d.path, change: d.change, added: d.addedLines.length, removed: d.removedLines.length }));
  return { changeset: id, files };
}

const EDIT_TOOLS = new Set(['edit_file', 'write_file', 'delete_file', 'move_file']);

/** An edit that a model asked for, with the turn and the call that made it. */
export interface Edit {
  turn: number;
  tool: string;
  path: string;
  call: string;
  ok: boolean;
  /** Which sub-agent; the run itself where it is missing. */
  agent?: string;
}

/** The edits of the newest run: its own, then those of its sub-agents. */
export function editsOf({ state }: ThreadView): Edit[] {
  const own = editsIn(state.messages, undefined, 0);
  const [, ...others] = legsOf(state);
  return [...own, ...others.flatMap(({ agent, messages, from }) => editsIn(messages, agent, from))];
}

function editsIn(messages: readonly BaseMessage[], agent: string | undefined, from: number): Edit[] {
  const results = new Map(messages.filter((m) => ToolMessage.isInstance(m)).map((m) => [m.tool_call_id, m]));
  let turn = 0;
  return messages.flatMap((m, i) => {
    if (!AIMessage.isInstance(m) || m.id?.startsWith('report-')) return [];
    turn++;
    if (i < from) return [];
    return (m.tool_calls ?? [])
      .filter((call) => EDIT_TOOLS.has(call.name))
      .map((call) => ({
        turn,
        tool: call.name,
        path: String(call.args.path ?? ''),
        call: callName(agent, call.id ?? ''),
        ok: isOk(results.get(call.id ?? '')),
        ...(agent === undefined ? {} : { agent }),
      }));
  });
}

function isOk(result: ToolMessage | undefined): boolean {
  return result !== undefined && result.status !== 'error' && !textOf(result).startsWith('失败');
}
