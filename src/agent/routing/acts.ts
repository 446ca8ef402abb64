import { loadGrammar, loadLexicon } from './data.js';
import type { Opening } from './tagger.js';
import { tag } from './tagger.js';
import type { Sense, Strength, Token } from './types.js';

/** The verb that a clause asks for. */
export interface Act {
  token: Token;
  sense: Sense;
  how: Strength;
  /** In Chinese, why the verb counts, where `how` alone would not say it truly. */
  rule?: string;
}

/** Nouns that stay nouns behind any verb, when nothing else follows: 优化方案, 修改记录. */
const STRONG_HEADS =
  /^(?:方案|计划|记录|建议|思路|原因|历史|进度|经验|步骤|流程|时间|清单|报告|次数|策略|手册|指南|教程|规范)$/;
/** A head that is itself part of a thing one can act on: 重启日志服务. */
const HEAD_OF_A_SYSTEM = /^(?:服务|集群|系统|容器|站|网站|任务队列)/;

interface View {
  rest: string;
  /** The whole clause, opening included. */
  clause: string;
  /** The clauses before, for 把它删掉. */
  context: string;
}

function senseOf(token: Token, view: View): Sense | undefined {
  const verb = token.verb;
  if (!verb) return undefined;
  // 编译一下 is one word of the lexicon; its complement still counts as what stands behind the verb.
  const complement = /(?:一下|下|一遍)$/.exec(token.text)?.[0] ?? '';
  const after = complement + view.rest.slice(token.end).trimStart();
  const at = view.clause.length - view.rest.length;
  const object = `${view.clause.slice(0, at + token.start)} ${view.rest.slice(token.end)}`;
  const fits = (sense: Sense, text: string) =>
    (sense.object === undefined || sense.object.test(text)) &&
    (sense.after === undefined || sense.after.test(after)) &&
    (sense.not === undefined || !sense.not.test(text));
  const here = verb.senses.find((sense) => sense.object !== undefined && fits(sense, object.trim()));
  if (here) return here;
  const bare = verb.senses.find(
    (sense) => sense.object === undefined && sense.after !== undefined && fits(sense, object),
  );
  if (bare) return bare;
  const before = verb.senses.find((sense) => sense.object !== undefined && fits(sense, `${view.context} ${object}`));
  return (
    before ??
    verb.senses.find((sense) => sense.object === undefined && sense.after === undefined && fits(sense, object))
  );
}

/** 发布后, 部署时, 使用者: as good as a noun behind the verb. */
const SHORT_HEAD = /^(?:后(?![端台面续])|前(?![端台])|时(?![间区序长])|中(?![间文台心国])|者|率|器|量)/;
/** 看一下, 删掉: a verb with its complement modifies nothing. */
const COMPLETE = /(?:一下|下|掉|到|个|一遍|一条|看)$/;

/** 部署文档, 发布流程: the verb is a modifier of the noun behind it. */
function isModifier(token: Token, sense: Sense, rest: string): boolean {
  if (COMPLETE.test(token.text) || sense.kind === 'qa') return false;
  const after = rest.slice(token.end).trimStart();
  if (sense.kind === 'tool' && SHORT_HEAD.test(after)) return true;
  const head = loadLexicon().heads.find((word) => after.startsWith(word));
  if (head === undefined || token.verb?.takes.has(head)) return false;
  const behind = after.slice(head.length);
  if (sense.kind !== 'tool') return behind === '' && STRONG_HEADS.test(head);
  return !HEAD_OF_A_SYSTEM.test(behind) && !/^(?:到|一下|吧)/.test(behind);
}

/** 重启网关的步骤, 跑测试的命令: the clause is a noun phrase around its verb. */
function isNounPhrase(token: Token, sense: Sense, rest: string): boolean {
  if (sense.kind !== 'tool') return false;
  const head = /的([^的]+)$/.exec(rest.slice(token.end))?.[1];
  return head !== undefined && loadLexicon().heads.includes(head) && !token.verb?.takes.has(head);
}

/** 重启后, 部署失败, 刚才改的: the verb tells what happened. */
function isStatus(token: Token, rest: string, lenient: boolean): boolean {
  if (/(?:一下|一遍)$/.test(token.text)) return false;
  const after = rest.slice(token.end);
  if (lenient) return /^\s*(?:的(?!话)|失败|成功|后(?!端|台|面))/.test(after);
  return loadGrammar().statusAfter.test(after);
}

/** A perfective 了 at the end tells what happened (重启了), unless 把, 帮我 or 顺手 asks (把它删了, 顺手修了). */
function isPerfective(token: Token, { rest, clause }: View): boolean {
  if (/顺手|顺便|顺带/.test(clause)) return false;
  return /了$/.test(token.text) || /^\s*了[\s!。]*$/.test(rest.slice(token.end));
}

/** Verbs behind 把, 给, 对, 在 …: 把 wants the marked or the last one, the others the first that changes something. */
function behindCoverb(tokens: readonly Token[], from: number, view: View): Act | undefined {
  const g = loadGrammar();
  const disposal = g.disposal.has(tokens[from]?.text ?? '');
  const found: Act[] = [];
  for (const token of tokens.slice(from + 1)) {
    const sense = senseOf(token, view);
    if (!sense || token.verb?.startOnly) continue;
    if (isStatus(token, view.rest, true) || isNounPhrase(token, sense, view.rest)) continue;
    if ((!disposal || sense.kind === 'tool') && isModifier(token, sense, view.rest)) continue;
    found.push({ token, sense, how: disposal ? 'disposal' : 'bare' });
  }
  const isMarked = (act: Act) =>
    g.marks.test(view.rest.slice(act.token.end)) || /[一成到掉上为]|.[个好下出了]/.test(act.token.text);
  if (disposal) return found.find(isMarked) ?? found.at(-1);
  return found.find((act) => act.sense.kind === 'edit') ?? found[0];
}

function firstVerb(tokens: readonly Token[], view: View, how: Strength): Act | undefined {
  for (const [index, token] of tokens.entries()) {
    if (loadGrammar().disposal.has(token.text) || (token.text === '给' && index === 0)) {
      const act = behindCoverb(tokens, index, view);
      if (act) return { ...act, how: act.how === 'disposal' ? 'disposal' : how };
    }
    const sense = senseOf(token, view);
    if (!sense || isStatus(token, view.rest, true) || isModifier(token, sense, view.rest)) continue;
    if (token.verb?.startOnly && index > 0) continue;
    return { token, sense, how };
  }
  return undefined;
}

/** A verb in the middle of a clause counts only with 一下 and the like behind it, and nothing that tells in front. */
function markedVerb(tokens: readonly Token[], view: View): Act | undefined {
  const g = loadGrammar();
  for (const [index, token] of tokens.entries()) {
    const before = view.rest.slice(0, token.start);
    if (g.disposal.has(token.text) && before !== '' && !g.statusBefore.test(before)) {
      const act = behindCoverb(tokens, index, view);
      if (act && !isPerfective(act.token, view)) return act;
    }
    const sense = senseOf(token, view);
    if (!sense || token.verb?.startOnly || g.statusBefore.test(before)) continue;
    if (isStatus(token, view.rest, false) || isModifier(token, sense, view.rest)) continue;
    const after = view.rest.slice(token.end);
    const soft = g.softMarks.test(after) || /(?:一下|下|一遍|掉|一次)$/.test(token.text);
    const marked =
      soft ||
      (sense.kind === 'edit' && (g.marks.test(after) || /(?:个|上|成|到|为|好|一次|回|一层|一条)$/.test(token.text)));
    if (marked && !isPerfective(token, view)) return { token, sense, how: 'marked', rule: markRule(token, after) };
  }
  return undefined;
}

/** Names the complement that was met: 一次 of 加一次, 一下 behind 看. */
function markRule(token: Token, after: string): string {
  const g = loadGrammar();
  const behind = (g.softMarks.exec(after) ?? g.marks.exec(after))?.[0].trim();
  const own = /(?:一下|一遍|一次|一层|一条|下|掉|个|上|成|到|为|好|回)$/.exec(token.text)?.[0];
  const mark = own ?? behind;
  return mark ? `动词带「${mark}」` : '句末的动词';
}

/** 把日志打印得详细一点, 提示改得友好一点: whatever the verb is, this asks for a change. */
function mannerChange(tokens: readonly Token[], view: View): Act | undefined {
  const g = loadGrammar();
  const first = tokens[0];
  if (!first) return undefined;
  const disposal = g.disposal.has(first.text) && /得|(?:一点|一些|点)儿?$/.test(view.rest);
  if (!disposal && !g.manner.test(view.rest)) return undefined;
  const act = { token: first, sense: { kind: 'edit' as const } };
  return disposal ? { ...act, how: 'disposal' } : { ...act, how: 'marked', rule: '要求改得更…（…得…一点）' };
}

/** 登录增加图形验证码: the topic comes first, a verb of change second; only where nothing before it tells. */
function topicVerb(tokens: readonly Token[], view: View): Act | undefined {
  const g = loadGrammar();
  const token = tokens.find((candidate) => g.topicVerbs.has(candidate.text));
  if (!token || token.start < 2 || token.start > 12 || view.rest.length - token.end < 2) return undefined;
  const before = view.rest.slice(0, token.start);
  if (g.topicSubjects.test(before) || g.statusBefore.test(before) || isStatus(token, view.rest, false))
    return undefined;
  const sense = senseOf(token, view);
  return sense?.kind === 'edit' ? { token, sense, how: 'marked', rule: '先说对象、后说改动' } : undefined;
}

/** A bare verb in front: 重启网关, 修复登录失败; also behind 在, 用, 给 … in front. */
function bareVerb(tokens: readonly Token[], view: View): Act | undefined {
  const first = tokens[0];
  if (!first) return undefined;
  if (first.coverb && !first.verb) return behindCoverb(tokens, 0, view);
  const sense = senseOf(first, view);
  if (!sense) return undefined;
  if (isStatus(first, view.rest, false) || isPerfective(first, view)) return undefined;
  if (isModifier(first, sense, view.rest) || isNounPhrase(first, sense, view.rest)) return undefined;
  return { token: first, sense, how: 'bare' };
}

/**
 * Finds what a clause asks for.
 *
 * @param opening what {@link openingOf} said about the clause
 * @param clause the folded clause
 * @param context the clauses before it, folded
 */
export function findAct(opening: Opening, clause: string, context: string): Act | undefined {
  const view: View = { rest: opening.rest, clause, context };
  const tokens = tag(opening.rest);
  if (opening.asked) return firstVerb(tokens, view, 'asked');
  const act =
    bareVerb(tokens, view) ?? markedVerb(tokens, view) ?? mannerChange(tokens, view) ?? topicVerb(tokens, view);
  if (!act && opening.wish) {
    const wished = firstVerb(tokens, view, 'wish');
    return wished?.sense.kind === 'edit' ? wished : undefined;
  }
  if (!act) return undefined;
  return opening.wish && act.how !== 'marked' ? { ...act, how: 'wish' } : act;
}
