import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { XiheError } from '../../errors.js';
import { identifiersOf } from '../../text/index.js';
import {
  type AnyContract,
  callTool,
  commandFailed,
  EXECUTE_TOOLS,
  type ToolContext,
  type ToolOutcome,
} from '../../tools/index.js';
import { renderHits, type Term } from '../../zhcore/index.js';
import { inject, nothingRetrieved, wasInjected } from '../injection.js';
import { intentOf, type NodeBody, type NodeEnv } from '../node.js';
import type { Injection, RunState } from '../state.js';
import { brokenCall, type CallSite, callSite } from '../tool-context.js';

/** Terms that one tool result may bring to mind: the reminder helps, a glossary would not. */
const MAX_REMINDERS = 3;

/** Answers every tool call of the last message, in order. A rerun answers the same calls again; edits are staged once. */
export const toolsNode: NodeBody = async (state, env) => {
  const last = state.messages.at(-1);
  if (!AIMessage.isInstance(last)) return {};
  const site = await callSite(state, env, env.project.changeset(state.changesetId!));
  const answers: ToolMessage[] = [];
  const ledger: Injection[] = [];
  for (const call of last.tool_calls ?? []) {
    const outcome = await answer(call.name, call.args, site.ctx(call.id ?? ''), env);
    const reminder = remind(state, env, outcome, site, ledger);
    ledger.push(...reminder.ledger);
    answers.push(
      new ToolMessage({
        id: `result-${call.id}`,
        tool_call_id: call.id ?? '',
        name: call.name,
        status: outcome.ok ? 'success' : 'error',
        content: reminder.text ? `${outcome.text}\n\n${reminder.text}` : outcome.text,
      }),
    );
  }
  answers.push(...(last.invalid_tool_calls ?? []).map(brokenCall));
  return { messages: answers, ledger, fed: site.fed };
};

async function answer(name: string, args: unknown, ctx: ToolContext, env: NodeEnv): Promise<ToolOutcome> {
  env.emit({ type: 'tool.started', name, args: brief(args) });
  const started = Date.now();
  const outcome = await call(name, args, ctx, env);
  env.emit({
    type: 'tool.finished',
    name,
    ok: outcome.ok && !commandFailed(outcome.output),
    ms: Date.now() - started,
    summary: outcome.text.split('\n')[0]!.slice(0, 120),
  });
  return outcome;
}

async function call(name: string, args: unknown, ctx: ToolContext, env: NodeEnv): Promise<ToolOutcome> {
  let contract: AnyContract;
  try {
    contract = env.project.tools.get(name, EXECUTE_TOOLS);
  } catch (e) {
    if (!XiheError.is(e)) throw e;
    return { ok: false, text: `失败（${e.code}）：${e.message}。${e.hint}`, code: e.code };
  }
  return callTool(contract, args, ctx);
}

/** One line of arguments for people: the file and how many places, else the arguments with long texts cut. */
function brief(args: unknown): string {
  const { path, edits } = (args ?? {}) as { path?: unknown; edits?: unknown };
  if (typeof path === 'string' && Array.isArray(edits)) return `${path}（${edits.length} 处）`;
  if (typeof path === 'string') return path;
  return (
    JSON.stringify(args, (_, v) => (typeof v === 'string' && v.length > 60 ? `${v.slice(0, 60)}…` : v))?.slice(
      0,
      200,
    ) ?? ''
  );
}

/**
 * What a tool result should bring to mind: terms whose symbols it shows, and terms of a module that was just entered. Each
 * only once a run.
 */
function remind(
  state: RunState,
  env: NodeEnv,
  outcome: ToolOutcome,
  site: CallSite,
  already: Injection[],
): { text: string; ledger: Injection[] } {
  if (!outcome.ok) return { text: '', ledger: [] };
  const { core } = env.project;
  const shown = core.symbolsToTerms([...new Set(identifiersOf(outcome.text))]);
  const entered = enteredModule(state, env, site);
  const ofModule = entered ? moduleTerms(entered, intentOf(state).text, env) : [];
  const fresh = [...new Map([...shown, ...ofModule].map((t) => [t.id, t])).values()]
    .filter((t) => !wasInjected(state, t.id) && !already.some((line) => line.id === t.id))
    .slice(0, MAX_REMINDERS);
  if (fresh.length === 0) return { text: '', ledger: [] };
  const rendered = renderHits(
    { ...nothingRetrieved(core.dataVersion), terms: fresh.map(asHit) },
    'execute',
    env.project.config.core,
  );
  return { text: `提醒：\n${rendered.text}`, ledger: inject(state, 'execute', rendered.injected, env.emit) };
}

/** The verified terms of a module that concern the request. */
function moduleTerms(module: string, request: string, env: NodeEnv): Term[] {
  const found = env.project.core.query({
    userIntent: request,
    codeSymbols: [],
    taskType: 'general',
    module,
    force: true,
  });
  return found.terms.map((hit) => hit.entry).filter((t) => t.module === module && t.provenance.status === 'verified');
}

function asHit(term: Term) {
  return {
    type: 'term' as const,
    entry: term,
    provenance: term.provenance,
    score: 1,
    why: '工具结果里出现了它的符号',
    tokens: 0,
  };
}

/** The module of the file just read, when no earlier file of this run belongs to it. */
function enteredModule(state: RunState, env: NodeEnv, site: CallSite): string | undefined {
  const moduleOf = (path: string) => env.project.core.moduleOfPath(path);
  const newest = site.fed.at(-1);
  if (newest?.form !== 'read') return undefined;
  const module = moduleOf(newest.path);
  const before = [...state.fed.filter((f) => f.run === state.run && f.form !== 'skeleton'), ...site.fed.slice(0, -1)];
  return module !== undefined && !before.some((f) => moduleOf(f.path) === module) ? module : undefined;
}
