import { XiheError } from '../../errors.js';
import {
  ACT_NAMES,
  type AnyContract,
  commandIn,
  nameDoes,
  PRESELECT,
  type Preselected,
  previewOf,
  type ToolContext,
  type ToolRegistry,
} from '../../tools/index.js';
import { DANGER_NAMES } from '../human.js';
import { allTools, intentOf, type NodeBody } from '../node.js';
import { coerced, modelParameters, openParameters, statedParameters } from '../parameters.js';
import { actsOf } from '../routing/index.js';
import type { Intent, ToolRun } from '../state.js';
import { callIdOf, callSite } from '../tool-context.js';

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
  const tools = await allTools(env);
  const found = tools.preselect(intent.text, PRESELECT, {
    of: actsOf,
    ...(intent.toolHint ? { hint: intent.toolHint } : {}),
  });
  const chosen = choose(found, intent, tools);
  const candidates = found.map((p) => ({
    name: p.contract.name,
    description: p.contract.description,
    why: p.why,
    score: p.score,
  }));
  if (typeof chosen === 'string') return { tool: { ...emptyRun(), candidates, refusal: chosen } };
  const stated = statedParameters(chosen, intent.text);
  const byModel = await modelParameters(chosen, intent.text, env);
  // What stands in the user's words beats what the model reads out of them.
  const input = { ...byModel.input, ...stated };
  const { ctx } = await callSite(state, env);
  const tool = await describeRun(chosen, input, candidates, ctx(callIdOf(state)));
  return { tool, ...(byModel.usage ? { usage: byModel.usage } : {}) };
};

/** The tool to use, or in Chinese why there is none: the nearest tool is not good enough for an act that it does not do. */
function choose(found: Preselected[], intent: Intent, tools: ToolRegistry): AnyContract | string {
  const act = intent.toolHint;
  // What acts on the world, or is somebody else's, is used only when its own words stand there, or its name says the act that was asked for.
  const isOurs = ({ effect, source }: AnyContract) => effect !== 'outside' && source === undefined;
  const able = found.filter(
    (p) => isOurs(p.contract) || p.named || (act !== undefined && nameDoes(p.contract.name, act)),
  );
  const fitting = act === undefined ? able : able.filter((p) => doesAct(p, act, intent.text));
  const [best, second] = fitting;
  if (!best) {
    const byName = act === undefined || act === 'run_command' ? undefined : tools.directly(act);
    if (byName) return byName;
    return act === undefined ? '没有合适的工具' : `这是要${ACT_NAMES[act] ?? act}，项目里没有能做这件事的工具`;
  }
  if (best.score < MIN_SCORE) return '没有合适的工具';
  // Two tools that fit equally well are a guess when one of them acts; between two that only look the first will do.
  const risky = best.contract.danger !== 'low' || best.contract.effect === 'outside';
  if (risky && second && best.score < second.score * CLEAR_LEAD)
    return `${best.contract.name} 和 ${second.contract.name} 都像是要用的工具，说得再具体一点`;
  return best.contract;
}

/** Whether a tool does the act that the words ask for: by its name, or because the words name it. */
function doesAct({ contract, named }: Preselected, act: string, text: string): boolean {
  // A shell line can do anything, so it must stand there: starting a service is not done by a command in a copy.
  if (contract.name === 'run_command') return act === 'run_command' && commandIn(text) !== undefined;
  return named || nameDoes(contract.name, act);
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
    now: [],
    approved: null,
    outcome: null,
  };
}

/**
 * What calling this tool with these parameters means: danger, missing parameters, what exactly would happen. Where something is sure to
 * keep it from being done, that is its outcome already, and nobody is asked about it.
 */
export async function describeRun(
  contract: AnyContract,
  input: Record<string, unknown>,
  candidates: ToolRun['candidates'],
  ctx: ToolContext,
): Promise<ToolRun> {
  const given = coerced(contract, input);
  const parsed = contract.input.safeParse(given);
  const complete = (parsed.success ? parsed.data : given) as Record<string, unknown>;
  const check = parsed.success ? contract.dangerOf?.(complete) : undefined;
  const missing = openParameters(contract, given);
  const isReady = parsed.success && missing.length === 0;
  return {
    ...emptyRun(),
    candidates,
    name: contract.name,
    input: complete,
    missing,
    danger: check?.danger ?? contract.danger,
    dangerWhy: check?.why ?? `契约里标为${DANGER_NAMES[contract.danger]}`,
    preview: contract.description,
    ...(isReady ? await shownRun(contract, complete, ctx) : {}),
  };
}

async function shownRun(
  contract: AnyContract,
  input: Record<string, unknown>,
  ctx: ToolContext,
): Promise<Partial<ToolRun>> {
  try {
    const { lines, now = [] } = await previewOf(contract, input, ctx);
    return { preview: lines.join('\n'), now };
  } catch (e) {
    if (!XiheError.is(e) || e.code === 'CANCELLED') throw e;
    return { outcome: { ok: false, code: e.code, text: `没有执行（${e.code}）：${e.message}。${e.hint}` } };
  }
}
