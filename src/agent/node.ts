import type { BaseMessage } from '@langchain/core/messages';
import { isGraphInterrupt } from '@langchain/langgraph';
import { messageOf, XiheError } from '../errors.js';
import { stagedBytes } from '../sandbox/index.js';
import type { AnyContract, ToolRegistry } from '../tools/index.js';
import { projectIn } from './arm.js';
import { type Emit, stamped } from './events.js';
import type { PendingRequest } from './human.js';
import type { ChatModel } from './model.js';
import type { Project } from './project.js';
import { asServed, type ServerWord } from './server-word.js';
import type { RunState, RunUpdate } from './state.js';

/** What the graph needs from outside; the CLI, the dev server and tests each give their own. */
export interface GraphDeps {
  /** The project of a request that names none. */
  defaultRepo: string;
  /** Roots that requests may name; undefined allows any (a local command line). */
  allowedRepos?: string[];
  /** What a server says of its requests; absent where the request is the user's own. */
  served?: ServerWord;
  openProject(repo: string): Promise<Project>;
  openModel(project: Project): ChatModel | null;
  /** Told of each node that runs: a graph that is cancelled does not wait for those that are on their way to their end. */
  running?: (node: Promise<unknown>) => void;
}

/** What a node works with. */
export interface NodeEnv {
  project: Project;
  /** Null when none is configured or the run asked for none. */
  model: ChatModel | null;
  emit: Emit;
  signal: AbortSignal | undefined;
  thread: string;
}

/** The project's tools with those of its MCP servers; a server that can't be used is told and costs its own tools only. */
export function allTools(env: NodeEnv): Promise<ToolRegistry> {
  return env.project.allTools(env.signal, (text) => env.emit({ type: 'progress', text }));
}

/** A tool as it is now, or in Chinese why it is gone: its file was taken away, or the MCP server that has it does not answer. */
export async function definitionOf(name: string, env: NodeEnv): Promise<AnyContract | string> {
  const tools = await allTools(env);
  return (
    tools.all().find((tool) => tool.name === name) ??
    `${name} 现在用不了，没有执行：它的定义没有了，或它的 MCP 服务器没有应答。运行 xihe doctor 看原因`
  );
}

/** How a request to act ends whose tool is gone. */
export function gone(text: string): { ok: false; code: string; text: string } {
  return { ok: false, code: 'TOOL_UNKNOWN', text };
}

/** Tools of MCP servers that the model may use in this task: they only look, the task asks for them, and there are three at most. */
export async function foreignReaders(state: RunState, env: NodeEnv): Promise<AnyContract[]> {
  if (env.project.mcp.isEmpty) return [];
  return (await allTools(env)).foreignReaders(intentOf(state).text);
}

/** The part of LangGraph's runtime that we use. */
export interface NodeRuntime {
  configurable?: { thread_id?: string; [key: string]: unknown };
  signal?: AbortSignal;
  writer?: (chunk: unknown) => void;
}

/** The thread of a run; one of its own where nobody gave it a name. */
export function threadIn(configurable: NodeRuntime['configurable']): string {
  return configurable?.thread_id ?? 'default';
}

export type NodeBody = (state: RunState, env: NodeEnv) => Promise<RunUpdate> | RunUpdate;

/**
 * Wraps a node's body: opens the project, picks the model, reports start and end, honours the pause switch.
 *
 * Errors pass on as they are: LangGraph's interrupt is thrown, and a `catch` that kept it would swallow the question.
 */
export function makeNode(name: string, deps: GraphDeps, body: NodeBody) {
  const run = async (state: RunState, runtime: NodeRuntime): Promise<RunUpdate> => {
    const started = Date.now();
    const agent = state.part?.name;
    const emit: Emit = (event) => runtime.writer?.(stamped(agent === undefined ? event : { ...event, agent }));
    emit({ type: 'node.started', node: name });
    try {
      await pauseIfAsked(name, runtime.signal, agent);
      if (runtime.signal?.aborted) throw new XiheError('CANCELLED', '已停下', { hint: '用 xihe resume 接着跑。' });
      const whole = await deps.openProject(allowedRepo(deps, state.request?.repo));
      const project = projectIn(whole, state.arm);
      const noModel = state.request?.options.noModel ?? false;
      const env: NodeEnv = {
        project,
        model: noModel ? null : deps.openModel(project),
        emit,
        signal: runtime.signal,
        thread: threadIn(runtime.configurable),
      };
      const update = await body(deps.served ? asServed(state, deps.served, runtime.configurable) : state, env);
      await pauseIfAsked(`${name}:after`, runtime.signal, agent);
      const ms = Date.now() - started;
      emit({ type: 'node.finished', node: name, ms });
      // `route` starts the clock anew, so that its own value stands.
      return { elapsedMs: ms, ...stagedBy({ ...state, ...update } as RunState, project), ...update };
    } catch (e) {
      tellFailure(name, e, emit);
      throw e;
    }
  };
  return (state: RunState, runtime: NodeRuntime): Promise<RunUpdate> => {
    const done = run(state, runtime);
    deps.running?.(done);
    return done;
  };
}

/** How much is staged now; the checkpoint after this node keeps it. */
function stagedBy({ changesetId: id }: RunState, { layout }: Project): Pick<RunUpdate, 'staged'> {
  return id ? { staged: { id, bytes: stagedBytes(layout.stateDir, id) } } : {};
}

/** Listeners hear why a node did not come to its end: it asks somebody, or something went wrong. */
function tellFailure(node: string, e: unknown, emit: Emit): void {
  if (!isGraphInterrupt(e)) {
    emit({ type: 'node.failed', node, code: XiheError.is(e) ? e.code : 'INTERNAL', message: messageOf(e) });
    return;
  }
  const asked = e.interrupts[0]?.value as PendingRequest | undefined;
  if (asked) emit({ type: 'question.asked', kind: asked.kind, text: asked.actionRequests[0]?.description ?? '' });
}

function allowedRepo(deps: GraphDeps, asked: string | undefined): string {
  const repo = asked ?? deps.defaultRepo;
  if (deps.allowedRepos === undefined || deps.allowedRepos.includes(repo)) return repo;
  throw new XiheError('REPO_NOT_ALLOWED', `这个服务没有开放项目 ${repo}`, {
    hint: '让管理员把它加到 XIHE_REPOS，或在请求里不写 repo，用默认项目。',
  });
}

/**
 * `XIHE_PAUSE_IN=plan` (or `plan:after`) stops inside a node until the process is killed: for attaching a debugger, and for
 * the crash tests, which kill the process in each node and resume. `part-2/agent:tools` stops one sub-agent only.
 */
async function pauseIfAsked(point: string, signal: AbortSignal | undefined, agent?: string): Promise<void> {
  const asked = process.env.XIHE_PAUSE_IN;
  if (asked !== point && (agent === undefined || asked !== `${agent}/${point}`)) return;
  process.stderr.write(`[xihe] paused in ${point}\n`);
  await new Promise<void>((resolve) => {
    const keepAlive = setInterval(() => {}, 60_000);
    signal?.addEventListener('abort', () => {
      clearInterval(keepAlive);
      resolve();
    });
  });
}

/** The request of this run. */
export function requestOf(state: RunState): NonNullable<RunState['request']> {
  if (state.request) return state.request;
  throw new XiheError('USAGE', '没有请求内容', { hint: '输入 {"request": {"text": "…"}}，或发一条用户消息。' });
}

/** The intent that is being worked on. */
export function intentOf(state: RunState): NonNullable<RunState['routed']>['intents'][number] {
  const intent = state.routed?.intents[state.routed.index];
  if (intent) return intent;
  throw new XiheError('INTERNAL', '没有路由结果', { hint: '这是羲和的问题，请带上 xihe trace 的输出反馈。' });
}

/** The text of a message whose content may come in parts. */
export function textOf(message: BaseMessage): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => ('text' in part && typeof part.text === 'string' ? part.text : '')).join('');
}

/** The messages of the execute phase: from the newest task on; what chat clients sent before is not the model's business. */
export function conversationOf(state: RunState): BaseMessage[] {
  const start = state.messages.findLastIndex((m) => m.id?.startsWith('task-') ?? false);
  return start < 0 ? [] : state.messages.slice(start);
}
