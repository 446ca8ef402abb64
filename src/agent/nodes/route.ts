import { randomBytes } from 'node:crypto';
import { HumanMessage, RemoveMessage } from '@langchain/core/messages';
import { Overwrite, REMOVE_ALL_MESSAGES } from '@langchain/langgraph';
import { XiheError } from '../../errors.js';
import { armFor } from '../arm.js';
import { openInbox } from '../inbox.js';
import { type NodeBody, textOf } from '../node.js';
import { route } from '../routing/index.js';
import { type RunState, type RunUpdate, requestSchema } from '../state.js';
import { withTeamWords } from '../team-words.js';
import { NO_USAGE } from '../usage.js';

/** Longest request in characters: more is a document, not a request, and belongs into a file. */
const MAX_REQUEST = 20_000;

/** Decides what the request is, and clears what an earlier run of the thread left. */
export const routeNode: NodeBody = async (state, env) => {
  const request = readRequest(state);
  const last = state.turns.at(-1);
  const decision = route(
    request.text,
    last ? { previous: { kind: last.kind, ...(last.tool ? { tool: last.tool } : {}) } } : {},
  );
  const intents = withTeamWords(decision.intents, env.project.tools);
  openInbox(env.project.layout.stateDir, env.thread);
  env.emit({ type: 'run.started', thread: env.thread, run: state.run + 1, request: request.text });
  const told = intents.map(({ kind, text, layer, evidence }) => ({ kind, text, layer, evidence }));
  env.emit({ type: 'route.decided', intents: told });
  const said = new HumanMessage({ id: `request-${state.run + 1}`, content: request.text });
  const arm = armFor(request.options, env.project.config.run);
  if (arm.without.length > 0 || arm.context !== 'window') env.emit({ type: 'run.reduced', ...arm });
  return { ...freshRun(state, said), request, arm, routed: { intents, index: 0 } } as RunUpdate;
};

/** The request, or the last message of a user where a chat client sends only messages. */
function readRequest(state: RunState): NonNullable<RunState['request']> {
  const said = [...state.messages].reverse().find((message) => HumanMessage.isInstance(message));
  const words = said ? { text: textOf(said) } : null;
  const raw = state.request && words && isChat(state) ? { ...state.request, ...words } : (state.request ?? words);
  const parsed = requestSchema.safeParse(raw);
  if (!parsed.success || parsed.data.text.trim() === '') {
    throw new XiheError('USAGE', '请求是空的', { hint: '写一句要做的事，例如：xihe run "给订单加上仅退款"。' });
  }
  if (parsed.data.text.length > MAX_REQUEST) {
    throw new XiheError('USAGE', `请求超过 ${MAX_REQUEST} 个字符`, { hint: '把长文档放进文件，请求里写文件路径。' });
  }
  return { ...parsed.data, text: parsed.data.text.trim() };
}

/**
 * True when a chat client goes on with a thread: what it sent is a new message, and the request in the state is still the one
 * of the run before.
 */
function isChat(state: RunState): boolean {
  const last = state.messages.at(-1);
  const before = state.messages.find((m) => m.id === `request-${state.run}`);
  return (
    HumanMessage.isInstance(last) && last !== before && before !== undefined && textOf(before) === state.request?.text
  );
}

/** Everything that belongs to one run goes back to its start; ledgers and turns stay, for tracing. */
function freshRun(state: RunState, said: HumanMessage): RunUpdate {
  return {
    run: state.run + 1,
    runId: randomBytes(8).toString('hex'),
    messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), said],
    ...freshIntent(),
    reported: null,
    reports: new Overwrite([]) as never,
    usage: new Overwrite(NO_USAGE) as never,
    elapsedMs: new Overwrite(0) as never,
  };
}

/** What belongs to one intent of a run. */
export function freshIntent(): RunUpdate {
  return {
    retrieved: null,
    planned: null,
    answers: null,
    changesetId: null,
    changesetHash: null,
    turn: 0,
    stopReason: null,
    findings: [],
    round: 0,
    tests: null,
    decision: null,
    receipt: null,
    tool: null,
    answered: null,
    sources: null,
    split: null,
    part: null,
    agents: new Overwrite([]) as never,
    error: null,
  };
}
