import { askHuman } from '../ask-human.js';
import { type FillRequest, parseDecision, readParameters } from '../human.js';
import { definitionOf, gone, type NodeBody } from '../node.js';
import { callIdOf, callSite } from '../tool-context.js';
import { describeRun } from './select.js';

/** Asks for all parameters that are missing or do not fit, in one question; again while some are still open. */
export const fillNode: NodeBody = async (state, env) => {
  const tool = state.tool!;
  const lines = tool.missing.map(
    (m) => `- ${m.name}：${m.explain}${m.choices.length > 0 ? `（可选：${m.choices.join('、')}）` : ''}`,
  );
  const request: FillRequest = {
    kind: 'fill',
    tool: tool.name!,
    missing: tool.missing,
    actionRequests: [
      { name: tool.name!, args: tool.input, description: `执行 ${tool.name} 还需要：\n${lines.join('\n')}` },
    ],
    reviewConfigs: [{ actionName: tool.name!, allowedDecisions: ['edit', 'reject'] }],
  };
  const contract = await definitionOf(tool.name!, env);
  if (typeof contract === 'string') return { tool: { ...tool, outcome: gone(contract) } };
  const given = askHuman(request, (answer) =>
    isRefusal(answer) ? null : withWords(readParameters(answer), answer, tool.missing),
  );
  if (given === null) return { tool: { ...tool, approved: false } };
  const { ctx } = await callSite(state, env);
  return { tool: await describeRun(contract, { ...tool.input, ...given }, tool.candidates, ctx(callIdOf(state))) };
};

function isRefusal(answer: unknown): boolean {
  const isParameters = typeof answer === 'object' && answer !== null && !('decisions' in answer) && !('type' in answer);
  return !isParameters && ['reject', 'ignore'].includes(parseDecision(answer).type);
}

/** One missing parameter may be answered in plain words. */
function withWords(
  given: Record<string, unknown>,
  answer: unknown,
  missing: { name: string }[],
): Record<string, unknown> {
  if (Object.keys(given).length > 0 || missing.length !== 1) return given;
  const d = parseDecision(answer);
  return d.message && d.type !== 'reject' ? { [missing[0]!.name]: d.message } : given;
}
