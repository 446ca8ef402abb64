import type { XiheConfig } from '../config.js';
import type { ModelUsage } from './model-reply.js';
import type { NodeEnv } from './node.js';
import type { RunState } from './state.js';
import type { Usage } from './usage.js';

/** Bounds of one run: the settings, and what the run's own flags say. */
export interface Limits {
  maxTurns: number;
  maxTokens: number;
  maxSeconds: number;
  maxCost?: number | undefined;
}

type Spending = Pick<RunState, 'usage' | 'elapsedMs'>;

/** Tokens in a price. */
const MILLION = 1_000_000;

/** The bounds of this run. */
export function limitsOf(state: Pick<RunState, 'request'>, env: Pick<NodeEnv, 'project'>): Limits {
  const { maxTurns, maxTokens, maxSeconds, maxCost } = env.project.config.run;
  return { maxTurns, maxTokens, maxSeconds, maxCost, ...state.request?.options.budget };
}

/**
 * What a call cost, by the user's own prices.
 *
 * @returns undefined where there is no price for this model: a sum that leaves something out would be worse than none
 */
export function costOf(usage: ModelUsage, model: string, prices: XiheConfig['model']['prices']): number | undefined {
  const price = prices?.[model] ?? prices?.['*'];
  if (price === undefined) return undefined;
  const cached = usage.cached ?? 0;
  const input = (usage.input - cached) * price.input + cached * (price.cachedInput ?? price.input);
  return (input + usage.output * price.output) / MILLION;
}

/** Turns of the execute loop that were another thread's, before this one was branched off: they do not count here. */
export function turnsBefore({ run, routed, origin }: RunState): number {
  return origin?.run === run && origin.intent === (routed?.index ?? 0) ? origin.turn : 0;
}

/**
 * Why nothing more may be asked of the model, in Chinese; undefined while there is room. Tokens, money and time are those of the whole
 * run, waiting for people not counted.
 *
 * @param turns of the execute loop
 */
export function overBudget(
  state: Spending & Pick<RunState, 'request'>,
  env: Pick<NodeEnv, 'project'>,
  turns = 0,
): string | undefined {
  const { maxTurns, maxTokens, maxSeconds, maxCost } = limitsOf(state, env);
  const { model } = env.project.config;
  const { usage } = state;
  if (turns >= maxTurns) return `达到轮数上限（${maxTurns} 轮，run.maxTurns）`;
  if (usage.input + usage.output >= maxTokens) return `达到 token 上限（${maxTokens}，run.maxTokens）`;
  if (state.elapsedMs >= maxSeconds * 1000) return `达到时间上限（${maxSeconds} 秒，run.maxSeconds）`;
  if (maxCost === undefined) return undefined;
  // A bound that can't be kept is worse than none: it ends here, before the first call where no price is set at all.
  if (usage.unpriced || model.prices === undefined)
    return `设了花费上限（run.maxCost），但模型没有价目（model.prices），没法算`;
  if ((usage.cost ?? 0) >= maxCost) return `达到花费上限（${maxCost} ${model.currency}，run.maxCost）`;
  return undefined;
}

/** A run's spending in one line, Chinese: `4 次调用，读入 12345（缓存 8000），写出 678 token，约 0.03 元，5.1 秒`. */
export function spentLine({ usage, elapsedMs }: Spending, currency: string): string {
  const cached = usage.cached ? `（缓存 ${usage.cached}）` : '';
  const about = usage.estimated ? '约 ' : '';
  const cost =
    usage.cost === undefined ? '' : `，${usage.unpriced ? '至少 ' : '约 '}${shownAmount(usage.cost)} ${currency}`;
  const tokens = `读入 ${about}${usage.input}${cached}，写出 ${usage.output} token`;
  return `${usage.calls} 次调用，${tokens}${cost}，${(elapsedMs / 1000).toFixed(1)} 秒`;
}

/** An amount with two digits that say something. */
function shownAmount(amount: number): string {
  return amount >= 1 || amount === 0 ? amount.toFixed(2) : String(Number(amount.toPrecision(2)));
}

/** The usage of one call for the state. */
export function usageOf(spent: ModelUsage, ms: number, cost: number | undefined): Usage {
  const { input, output, source, cached } = spent;
  return {
    input,
    output,
    calls: 1,
    estimated: source === 'estimate',
    ms,
    ...(cached === undefined ? {} : { cached }),
    ...(cost === undefined ? { unpriced: true } : { cost }),
  };
}
