import { routeByRules } from './rules.js';
import { nearestSample } from './similar.js';
import type { Intent, RouteDecision, RouteOptions } from './types.js';

/**
 * Cosine below which the samples do not decide. Found by leaving out one sample at a time (test/agent-routing/similar.test.ts
 * repeats it).
 */
export const SIMILARITY_THRESHOLD = 0.42;

/** Shorter than this (in characters), an utterance without a verb is a name (部署文档), not a change. */
const MIN_CHANGE_LENGTH = 6;

/**
 * Decides what an utterance wants: rules, then similarity to sample utterances, then refusal to a question.
 *
 * An act is never guessed: without a clear imperative nothing becomes `tool`, whatever the samples say; the similarity layer may
 * name a tool only where the grammar saw a wish with a verb of action (我想重启一下网关).
 *
 * @param text the utterance, any script
 * @param options what the thread was about, samples of the team, another threshold
 * @returns one intent or more, in the order in which they were said, each with its evidence in Chinese
 */
export function route(text: string, options: RouteOptions = {}): RouteDecision {
  const trimmed = text.trim();
  if (trimmed === '') {
    return { intents: [{ kind: 'chat', text: '', layer: 'refused', evidence: '拒识：空的输入' }] };
  }
  const byRules = routeByRules(trimmed, options.previous);
  if (byRules.decided) return { intents: byRules.intents };
  const threshold = options.threshold ?? SIMILARITY_THRESHOLD;
  const nearest = nearestSample(trimmed, options.samples);
  const score = nearest?.score.toFixed(2) ?? '0.00';
  const like = nearest ? `与样例「${nearest.sample.text}」相似度 ${score}` : '没有相近的样例';
  const refuse = (why: string): Intent => ({
    kind: 'qa',
    text: trimmed,
    layer: 'refused',
    evidence: `拒识：${like}，${why}，按提问处理`,
  });
  if (!nearest || nearest.score < threshold) return { intents: [refuse(`低于阈值 ${threshold}`)] };
  if (nearest.kind === 'tool' && byRules.wish?.kind !== 'tool')
    return { intents: [refuse('但句中没有明确的指令，不猜要执行')] };
  if (nearest.kind === 'edit' && trimmed.length < MIN_CHANGE_LENGTH)
    return { intents: [refuse('但太短，看不出要改什么')] };
  const hint = byRules.wish?.hint ?? nearest.sample.tool;
  return {
    intents: [
      {
        kind: nearest.kind,
        text: trimmed,
        layer: 'similar',
        evidence: `相似：${like}（阈值 ${threshold}）`,
        ...(nearest.kind === 'tool' && hint ? { toolHint: hint } : {}),
        ...(nearest.kind === 'edit' ? { taskType: 'general' as const } : {}),
      },
    ],
  };
}
