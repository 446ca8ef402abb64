import { type Opinion, opinionOn } from './classifier.js';
import { loadGrammar } from './data.js';
import { LOOKS } from './marks.js';
import { type RuleResult, routeByRules } from './rules.js';
import { nearestSample } from './similar.js';
import type { Intent, IntentKind, RouteDecision, RouteOptions } from './types.js';

/**
 * Cosine below which the samples do not decide. Found by leaving out one sample at a time (test/agent/routing/similar.test.ts
 * repeats it).
 */
export const SIMILARITY_THRESHOLD = 0.42;

/**
 * Shares (0–1) of the classifier, found by cross-validation on the training utterances (`npm run route:train -- --report`).
 *
 * An act counts by the geometric mean of its share by the words alone and its share with what the grammar saw. One that the
 * rules read needs `agree`, or `asked` where 帮我, 请 or 能不能 stands in front and where it only looks; one of several in an
 * utterance `asked`. Where the rules read none but a verb of action stands open, it needs `request` in a clause that asks
 * for something, `verb` elsewhere. Another kind overrules the rules from `over` on; below `say` it stays a question. One
 * change of several in an utterance needs `part`.
 */
export const SHARES = { agree: 0.5, asked: 0.25, request: 0.7, verb: 0.8, over: 0.7, say: 0.45, part: 0.2 } as const;

/** Shorter than this (in characters), an utterance without a verb is a name (部署文档), not a change. */
const MIN_CHANGE_LENGTH = 5;

const KIND_NAMES: Record<IntentKind, string> = { edit: '改仓库', tool: '执行', qa: '问答', chat: '闲聊' };

const percent = (share: number) => `${Math.round(share * 100)}%`;

/**
 * Decides what an utterance wants: the grammar, samples of the team, the classifier, then refusal to a question.
 *
 * An act is never guessed: grammar and classifier must agree. Where the rules read an act, the classifier has a veto; where
 * they read none, there has to be a verb of action that nothing forbids, asks about or tells of, and the classifier sure.
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
  const rules = routeByRules(trimmed, options.previous);
  if (rules.final) return { intents: rules.intents };
  if (rules.intents.length > 1) return { intents: agreed(rules, trimmed) };
  return { intents: [single(trimmed, rules, options)] };
}

/** What is not an act, or a change, by the classifier's reading of its own part becomes a question. */
function agreed({ intents, marks }: RuleResult, trimmed: string): Intent[] {
  const whole = opinionOn(trimmed, marks);
  const out: Intent[] = [];
  for (const intent of intents) {
    const kept = { ...consented(intent, whole) };
    const last = out.at(-1);
    // A refused part beside a question is the same question.
    if (last?.kind === 'qa' && kept.kind === 'qa') {
      const from = trimmed.indexOf(last.text);
      last.text = trimmed.slice(from, trimmed.indexOf(kept.text, from + last.text.length) + kept.text.length);
    } else out.push(kept);
  }
  return out;
}

/** A part seen as an utterance of its own: 然后 in front of it says nothing about it. */
function opinionOnPart(text: string): Opinion {
  const words = text.replace(new RegExp(`^[\\s，,]*(?:${loadGrammar().connective.source})`), '');
  return opinionOn(words, routeByRules(words).marks);
}

function consented(intent: Intent, whole: Opinion): Intent {
  if (intent.kind !== 'tool' && intent.kind !== 'edit') return intent;
  const own = opinionOnPart(intent.text);
  const share = intent.kind === 'tool' ? Math.max(own.act, whole.act) : Math.max(own.shares.edit, whole.shares.edit);
  if (share >= (intent.kind === 'tool' ? SHARES.asked : SHARES.part)) return intent;
  return refusal(intent.text, `${intent.evidence}；分类器认为只有 ${percent(share)} 是${KIND_NAMES[intent.kind]}`);
}

function refusal(text: string, why: string): Intent {
  return { kind: 'qa', text, layer: 'refused', evidence: `拒识：${why}，按提问处理` };
}

/** The classifier and the rules about an utterance that wants one thing. */
function single(text: string, rules: RuleResult, options: RouteOptions): Intent {
  const said = rules.intents[0];
  const similar = said ? undefined : bySample(text, rules, options);
  if (similar) return similar;
  const opinion = opinionOn(text, rules.marks);
  const share = opinion.shares[opinion.kind];
  const seen = `分类：${opinion.because || '整句'} 像${KIND_NAMES[opinion.kind]}（${percent(share)}）`;
  if (said?.kind === 'tool') {
    const asked = rules.open?.polite || LOOKS.test(said.toolHint ?? '');
    if (Math.max(opinion.act, ofClause(text, rules)) >= (asked ? SHARES.asked : SHARES.agree)) return said;
    const doubt = `${said.evidence}；但${seen}，两层不一致，不猜要执行`;
    return opinion.kind !== 'tool' && share >= SHARES.over
      ? learned(text, opinion.kind, doubt.replace(/^规则：/, '分类：'))
      : refusal(text, doubt);
  }
  if (opinion.kind === 'tool') {
    const enough = rules.open?.asked ? SHARES.request : SHARES.verb;
    if (rules.open && opinion.act >= enough)
      return learned(text, 'tool', `${seen}，句中有动词「${rules.open.verb}」`, rules.open.hint ?? rules.wish?.hint);
    return said ?? refusal(text, `${seen}，但句中没有明确的指令，不猜要执行`);
  }
  if (said)
    return opinion.kind !== said.kind && share >= SHARES.over && !rules.bound
      ? learned(text, opinion.kind, `${seen}，盖过${said.evidence}`)
      : said;
  if (share < SHARES.say) return refusal(text, `${seen}，低于阈值 ${percent(SHARES.say)}`);
  if (opinion.kind === 'edit' && text.length < MIN_CHANGE_LENGTH) return refusal(text, '太短，看不出要改什么');
  return learned(text, opinion.kind, seen);
}

/** How sure the act's own clause is: a long story in front of it makes the whole look like a question. */
function ofClause(text: string, { open }: RuleResult): number {
  const clause = open?.clause.trim() ?? '';
  return clause === '' || clause.length === text.length ? 0 : opinionOnPart(clause).act;
}

function learned(text: string, kind: IntentKind, evidence: string, hint?: string): Intent {
  return {
    kind,
    text,
    layer: 'learned',
    evidence,
    ...(kind === 'tool' && hint ? { toolHint: hint } : {}),
    ...(kind === 'edit' ? { taskType: 'general' as const } : {}),
  };
}

/** Samples near enough decide where the rules are silent, for a team's words above all; never an act without a wish. */
function bySample(text: string, rules: RuleResult, options: RouteOptions): Intent | undefined {
  const threshold = options.threshold ?? SIMILARITY_THRESHOLD;
  const nearest = nearestSample(text, options.samples);
  if (!nearest || nearest.score < threshold) return undefined;
  if (nearest.kind === 'tool' && rules.wish?.kind !== 'tool') return undefined;
  if (nearest.kind === 'edit' && text.length < MIN_CHANGE_LENGTH) return undefined;
  const hint = rules.wish?.hint ?? nearest.sample.tool;
  return {
    kind: nearest.kind,
    text,
    layer: 'similar',
    evidence: `相似：与样例「${nearest.sample.text}」相似度 ${nearest.score.toFixed(2)}（阈值 ${threshold}）`,
    ...(nearest.kind === 'tool' && hint ? { toolHint: hint } : {}),
    ...(nearest.kind === 'edit' ? { taskType: 'general' as const } : {}),
  };
}
