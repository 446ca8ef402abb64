import { callTool } from '../../tools/index.js';
import type { NodeBody } from '../node.js';
import { callSite } from '../tool-context.js';

/**
 * Runs the approved tool. What acts on the world goes through the side-effect ledger: written before the act, closed after,
 * so that a rerun of this node neither repeats a finished act nor retries one that a crash left open.
 */
export const actNode: NodeBody = async (state, env) => {
  const tool = state.tool!;
  const contract = env.project.tools.get(tool.name!);
  const callId = `${env.thread}-${state.run}-${state.routed?.index ?? 0}`;
  const site = await callSite(state, env);
  env.emit({ type: 'tool.started', name: contract.name, args: JSON.stringify(tool.input) });
  const started = Date.now();
  const run = async () => {
    const { ok, text, code } = await callTool(contract, tool.input, site.ctx(callId));
    return { ok, text, ...(code ? { code } : {}) };
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
