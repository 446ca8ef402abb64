import { type AnyContract, approvalOf, callTool, commandFailed, type ToolContext } from '../../tools/index.js';
import { definitionOf, gone, type NodeBody } from '../node.js';
import type { ToolRun } from '../state.js';
import { callIdOf, callSite } from '../tool-context.js';
import { describeRun } from './select.js';

/**
 * Runs the approved tool. What acts on the world goes through the side-effect ledger: written before the act, closed after,
 * so that a rerun of this node neither repeats a finished act nor retries one that a crash left open.
 */
export const actNode: NodeBody = async (state, env) => {
  const tool = state.tool!;
  const contract = await definitionOf(tool.name!, env);
  if (typeof contract === 'string') return { tool: { ...tool, outcome: gone(contract) } };
  const callId = callIdOf(state);
  const site = await callSite(state, env);
  const changed = await changedSince(tool, contract, site.ctx(callId));
  if (changed) return { tool: { ...tool, outcome: changed } };
  env.emit({ type: 'tool.started', name: contract.name, args: JSON.stringify(tool.input) });
  const started = Date.now();
  const run = async () => {
    const { ok, text, code, output } = await callTool(contract, tool.input, {
      ...site.ctx(callId),
      ...(tool.approved === true ? { approval: approvalOf(contract.name, tool.input) } : {}),
    });
    // A command that ran and failed is a call that worked and an act that did not.
    return commandFailed(output)
      ? { ok: false, text, code: 'COMMAND_FAILED' }
      : { ok, text, ...(code ? { code } : {}) };
  };
  const outcome = contract.effect === 'outside' ? await once(callId, contract.name, tool.input, env, run) : await run();
  env.emit({
    type: 'tool.finished',
    name: contract.name,
    ok: outcome.ok,
    ms: Date.now() - started,
    summary: outcome.text.split('\n')[0]!.slice(0, 120),
  });
  return { tool: { ...tool, outcome }, fed: site.fed };
};

/** What was approved is what was shown: a definition that changed meanwhile needs a new look. */
async function changedSince(tool: ToolRun, contract: AnyContract, ctx: ToolContext): Promise<Outcome | undefined> {
  const now = await describeRun(contract, tool.input, tool.candidates, ctx);
  if (now.outcome) return now.outcome;
  if (now.preview === tool.preview && now.danger === tool.danger) return undefined;
  return {
    ok: false,
    code: 'TOOL_CHANGED',
    text: `${contract.name} 要做的事在你批准之后变了，没有执行。现在会做的是：\n${now.preview}\n确认无误后重新发起。`,
  };
}

type Outcome = { ok: boolean; text: string; code?: string };

async function once(
  step: string,
  name: string,
  args: unknown,
  env: Parameters<NodeBody>[1],
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  const entry = env.project.sideEffects.begin({ thread: env.thread, step, what: name, args });
  if (entry.state === 'done') return entry.result as Outcome;
  if (entry.state === 'open') {
    return {
      ok: false,
      code: 'SIDE_EFFECT_OPEN',
      text: `上一次执行 ${name} 时进程中断了（开始于 ${entry.at}），不知道它做完没有，所以没有重试。请先核对实际状态，再决定是否重新发起。`,
    };
  }
  const outcome = await run();
  env.project.sideEffects.close(entry.key, outcome);
  return outcome;
}
