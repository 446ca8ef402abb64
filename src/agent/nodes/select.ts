import type { AnyContract } from '../../tools/index.js';
import { missingParameters, type Preselected, type TeamTool } from '../../tools/index.js';
import { DANGER_NAMES } from '../human.js';
import { intentOf, type NodeBody } from '../node.js';
import { modelParameters, statedParameters } from '../parameters.js';
import type { ToolRun } from '../state.js';

/**
 * Below this BM25 score nothing in the request names the tool. Found on the built-in tools' keywords: one shared rare bigram
 * scores about 1, a keyword of three characters above 3.
 */
const MIN_SCORE = 2;
/** The best tool must lead by this factor, else people choose. */
const CLEAR_LEAD = 1.2;

/** Finds the tool that the words name, takes the parameters that they state, and says what would happen. */
export const selectNode: NodeBody = async (state, env) => {
  const intent = intentOf(state);
  const found = env.project.tools.preselect(intent.text);
  const chosen = choose(found);
  const candidates = found.map((p) => ({
    name: p.contract.name,
    description: p.contract.description,
    why: p.why,
    score: p.score,
  }));
  if (!chosen) return { tool: { ...emptyRun(), candidates } };
  const stated = statedParameters(chosen, intent.text);
  const byModel = await modelParameters(chosen, intent.text, env);
  const input = { ...stated, ...byModel.input };
  return { tool: describeRun(chosen, input, candidates), ...(byModel.usage ? { usage: byModel.usage } : {}) };
};

function choose(found: Preselected[]): AnyContract | undefined {
  const [best, second] = found;
  if (!best || best.score < MIN_SCORE) return undefined;
  // Two tools that fit equally well are a guess when one of them acts; between two that only look the first will do.
  const risky = best.contract.danger !== 'low' || best.contract.effect === 'outside';
  if (risky && second && best.score < second.score * CLEAR_LEAD) return undefined;
  return best.contract;
}

function emptyRun(): ToolRun {
  return {
    candidates: [],
    name: null,
    input: {},
    missing: [],
    danger: null,
    dangerWhy: '',
    preview: '',
    approved: null,
    outcome: null,
  };
}

/** What calling this tool with these parameters means: danger, missing parameters, the exact command. */
export function describeRun(
  contract: AnyContract,
  input: Record<string, unknown>,
  candidates: ToolRun['candidates'],
): ToolRun {
  const parsed = contract.input.safeParse(input);
  const complete = (parsed.success ? parsed.data : input) as Record<string, unknown>;
  const check = parsed.success ? contract.dangerOf?.(complete) : undefined;
  return {
    ...emptyRun(),
    candidates,
    name: contract.name,
    input: complete,
    missing: missingParameters(contract, input),
    danger: check?.danger ?? contract.danger,
    dangerWhy: check?.why ?? `契约里标为${DANGER_NAMES[contract.danger]}`,
    preview: preview(contract, complete),
  };
}

function preview(contract: AnyContract, input: Record<string, unknown>): string {
  const team = contract as Partial<TeamTool>;
  if (team.commandLine)
    return `${contract.description}\n命令：${team.commandLine(input).join(' ')}\n来源：${team.source}`;
  return `${contract.description}\n参数：${JSON.stringify(input)}`;
}
