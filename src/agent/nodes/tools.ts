import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { XiheError } from '../../errors.js';
import {
  type AnyContract,
  callTool,
  commandFailed,
  EXECUTE_TOOLS,
  splitWork,
  type ToolContext,
  type ToolOutcome,
  type WorkPart,
} from '../../tools/index.js';
import { toolsIn } from '../arm.js';
import { asData, asDataLine, kindOf } from '../data-mark.js';
import { inject } from '../injection.js';
import { foreignReaders, type NodeBody, type NodeEnv } from '../node.js';
import type { Split } from '../parallel/schema.js';
import { mayOfferSplit, noSplitNow, splitOf } from '../parallel/split.js';
import { remind } from '../reminders.js';
import type { Injection } from '../state.js';
import { brokenCall, callSite } from '../tool-context.js';
import { answeredEntries } from '../tool-entries.js';

/** Answers every tool call of the last message, in order. A rerun answers the same calls again; edits are staged once. */
export const toolsNode: NodeBody = async (state, env) => {
  const last = state.messages.at(-1);
  if (!AIMessage.isInstance(last)) return {};
  const site = await callSite(state, env, env.project.changeset(state.changesetId!));
  const offered = mayOfferSplit(state, env) ? [splitWork] : [];
  const tools = [...toolsIn(state, EXECUTE_TOOLS), ...offered, ...(await foreignReaders(state, env))];
  const answers: ToolMessage[] = [];
  let split: Split | undefined;
  const mayTake = (call: string) => ({
    most: env.project.config.run.maxAgents,
    ...whyNot(split ? '这次已经分过一次，剩下的自己做完' : noSplitNow(state)),
    take: (parts: WorkPart[]) => {
      split = splitOf(state, state.changesetId!, parts, { by: 'model', call });
    },
  });
  const ledger: Injection[] = [];
  for (const call of last.tool_calls ?? []) {
    const ctx = { ...site.ctx(call.id ?? ''), ...(offered.length > 0 ? { split: mayTake(call.id ?? '') } : {}) };
    const outcome = await answer(call.name, call.args, ctx, tools, env);
    // Its answer is what comes of the parts.
    if (outcome.ok && call.name === splitWork.name) continue;
    ledger.push(...inject(state, 'execute', answeredEntries(call, outcome, 'execute', env), env));
    const reminder = remind(state, env, outcome, site, ledger);
    ledger.push(...reminder.ledger);
    const data = asData(state, env, call.name, outcome.text, kindOf(call.name));
    answers.push(
      new ToolMessage({
        id: `result-${call.id}`,
        tool_call_id: call.id ?? '',
        name: call.name,
        status: outcome.ok ? 'success' : 'error',
        content: reminder.text ? `${data}\n\n${reminder.text}` : data,
        ...(outcome.faded ? { artifact: { faded: asDataLine(state, env, outcome.faded) } } : {}),
      }),
    );
  }
  answers.push(...(last.invalid_tool_calls ?? []).map(brokenCall));
  return { messages: answers, ledger, fed: site.fed, workspace: site.workspace(), ...(split ? { split } : {}) };
};

function whyNot(why: string | undefined): { why?: string } {
  return why === undefined ? {} : { why };
}

async function answer(
  name: string,
  args: unknown,
  ctx: ToolContext,
  tools: AnyContract[],
  env: NodeEnv,
): Promise<ToolOutcome> {
  env.emit({ type: 'tool.started', name, args: brief(args) });
  const started = Date.now();
  const outcome = await call(name, args, ctx, tools, env);
  env.emit({
    type: 'tool.finished',
    name,
    ok: outcome.ok && !commandFailed(outcome.output),
    ms: Date.now() - started,
    summary: outcome.text.split('\n')[0]!.slice(0, 120),
  });
  return outcome;
}

async function call(
  name: string,
  args: unknown,
  ctx: ToolContext,
  tools: AnyContract[],
  env: NodeEnv,
): Promise<ToolOutcome> {
  let contract: AnyContract;
  try {
    contract = env.project.tools.get(name, tools);
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
