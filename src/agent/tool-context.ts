import { type AIMessage, ToolMessage } from '@langchain/core/messages';
import { FeedingLedger, Workspace, type WorkspaceState } from '../paths/index.js';
import type { Changeset } from '../sandbox/index.js';
import type { Caller, ToolContext } from '../tools/index.js';
import { isWithout, PLAIN_RESULT_TOKENS } from './arm.js';
import { droppedCalls } from './context-window.js';
import { agentOf, ownLines } from './injection.js';
import { windowOf } from './model-window.js';
import { conversationOf, type NodeEnv, requestOf } from './node.js';
import type { Fed, RunState } from './state.js';

/** Who a request without an identity is: the person at this machine, who may do what the tools allow. */
const LOCAL_CALLER = { name: 'local', roles: ['reader', 'developer'] };

/** A tool context together with the feeding lines that calls add. */
export interface CallSite {
  /** @param turn of the model, where one node takes several */
  ctx(callId: string, turn?: number): ToolContext;
  fed: Fed[];
  /** Where the calls left the window on the tree. */
  workspace(): WorkspaceState;
}

/** The answer to a call whose arguments are no JSON: endpoints refuse a conversation with an unanswered call. */
export function brokenCall(call: NonNullable<AIMessage['invalid_tool_calls']>[number]): ToolMessage {
  return new ToolMessage({
    id: `result-${call.id}`,
    tool_call_id: call.id ?? '',
    status: 'error',
    content: `参数不是完整的 JSON，没有执行：${call.error ?? ''}。请重新调用 ${call.name || '这个工具'}，参数写完整。`,
  });
}

/** The id of the one act of an intent: a rerun of its node is the same act. */
export function callIdOf(state: RunState): string {
  return `${state.runId}-${state.routed?.index ?? 0}`;
}

/** Who makes this request. */
export function callerOf(state: RunState): Caller {
  return requestOf(state).caller ?? LOCAL_CALLER;
}

/** Notes in the audit log what this run did, under its caller, thread and run. */
export function record(state: RunState, env: NodeEnv, entry: Parameters<ToolContext['audit']>[0]): void {
  env.project.audit.append({
    ...entry,
    at: new Date().toISOString(),
    who: callerOf(state).name,
    thread: env.thread,
    ...(state.runId ? { trace: state.runId } : {}),
  });
}

/** Everything that tool calls of this node may touch. */
export async function callSite(state: RunState, env: NodeEnv, changeset?: Changeset): Promise<CallSite> {
  const { project, thread } = env;
  const paths = await project.paths(env.signal);
  const caller = callerOf(state);
  const fed: Fed[] = [];
  const intent = state.routed?.index ?? 0;
  const feeding = feedingOf(state, env);
  const workspace = new Workspace(state.workspace);
  if (changeset) tellStaged(changeset, env);
  const ctx = (callId: string, turn = state.turn): ToolContext => ({
    root: project.layout.root,
    stateDir: project.layout.stateDir,
    core: project.core,
    paths,
    ...(changeset ? { changeset } : {}),
    caller,
    policy: project.policy,
    thread,
    callId,
    turn,
    feeding,
    workspace,
    ...(isWithout(state, 'paths') ? { resultTokens: PLAIN_RESULT_TOKENS } : {}),
    hotspots: project.hotspots,
    ...(env.signal ? { signal: env.signal } : {}),
    ...(project.config.sandbox.testCommand ? { testCommand: project.config.sandbox.testCommand } : {}),
    dolphin: project.config.dolphin,
    commandSeconds: project.config.sandbox.timeoutSeconds,
    modelSeconds: project.config.model.timeoutSeconds,
    alerts: project.config.alerts,
    fed: (entry) => {
      const told = { ...entry, call: callId };
      feeding.record(told);
      fed.push({ ...told, run: state.run, intent, ...agentOf(state) });
    },
    audit: (entry) => record(state, env, entry),
    progress: (text) => env.emit({ type: 'progress', text }),
  });
  return { ctx, fed, workspace: () => workspace.toJSON() };
}

/** Listeners hear of each edit as it is staged. @param by who made it, where it is no tool call */
export function tellStaged(changeset: Changeset, env: NodeEnv, by?: string): void {
  changeset.onStaged = (edit, key) => {
    const to = edit.kind === 'move' ? { to: edit.to } : {};
    env.emit({ type: 'edit.staged', path: edit.path, change: edit.kind, ...to, call: by ?? key ?? '' });
  };
}

/**
 * What the conversation holds of the tree: what this task was fed, less what was cut out of the conversation because the window of
 * the model is full. Another run, and another intent of the same run, is another conversation.
 */
function feedingOf(state: RunState, env: NodeEnv): FeedingLedger {
  const intent = state.routed?.index ?? 0;
  const ledger = new FeedingLedger(
    ownLines(state, state.fed).filter((fed) => fed.run === state.run && (fed.intent ?? 0) === intent),
  );
  // What the model saw when it made these calls: everything before them.
  const seen = conversationOf(state).slice(0, -1);
  ledger.forget(droppedCalls(seen, windowOf(env)));
  return ledger;
}
