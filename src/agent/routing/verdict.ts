import type { Act } from './acts.js';
import { findAct } from './acts.js';
import { loadGrammar } from './data.js';
import type { QuestionMark } from './questions.js';
import { questionIn } from './questions.js';
import type { Opening } from './tagger.js';
import { openingOf, tag } from './tagger.js';
import type { Clause, IntentKind, Verdict } from './types.js';

const KIND_WORD: Record<IntentKind, string> = { edit: '改仓库', tool: '执行', qa: '问答', chat: '闲聊' };
const HOW_WORD: Record<Act['how'], string> = {
  asked: '请求语',
  polite: '疑问式的请求',
  wish: '愿望',
  disposal: '把字句',
  bare: '句首动词',
  marked: '动词带补语',
};

/** Verbs that make something new: what comes after them is the content, questions included (写个文档说明怎么部署). */
const MAKING = /^(?:写|编写|生成|实现|起草|画|加|补|增加|添加|新增|做|拟|开发|create|write|add)/;

/** Kinds of act that tell somebody, or look something up: their objects may sound like complaints. */
const TELLING = /^(?:send_|create_)/;
const LOOKING = /^(?:query_|view_|search_|lookup_|read_)/;
/** Behind 发给: 客户的邮件打不开, 财务的报表少了一列. What is to be told comes behind 说, a colon or 内容. */
const SENT_AND_WRONG =
  /^[^,说讲:]{1,10}的[^,说讲告:]{1,10}?(?:打不开|看不[到了清]|收不到|[裂坏缺少错丢重]了|少[一了]|不见|乱码|是空|为空|不对|有误|报错|失败|没[收到有附发])/;
const AS_MODIFIER = /(?:失败|异常|超时|报错|出错|卡死|挂掉|挂了|过期)的/g;

/** 查出原因修好, 看看怎么回事改掉: looking is the way, the last verb is what is wanted. 上次的修复 is a noun. */
const MENDED = /(?<!的|了|没|过|被|已|有没有|是否)(修好|改好|修掉|改掉|修复掉?|改对|解决掉?|搞定)(?:它|一下|下|吧)*$/;

/** A verb further than this behind a negation (in characters) is not what it forbids. */
const FAR = 4;

/** A command typed as it is: npm test, git status; or one in backticks alone. */
function commandVerdict(original: string): Verdict | undefined {
  const bare = original
    .trim()
    .replace(/^`([^`]+)`$/, '$1')
    .replace(/[。.;；]+$/, '');
  if (!loadGrammar().commands.test(bare)) return undefined;
  const hint = /^(?:sudo )?git\b/.test(bare)
    ? 'git_op'
    : /\b(?:test|vitest|jest|pytest)\b/.test(bare)
      ? 'run_tests'
      : 'run_command';
  return { type: 'act', kind: 'tool', verb: bare, how: 'bare', hint, evidence: `规则：整句是一条命令「${bare}」` };
}

/** Splits a negation off the opening, when the clause starts with one: 先不要回滚, 请别帮我部署. */
function banIn(opening: Opening): Verdict | undefined {
  const g = loadGrammar();
  const hit = g.negation.exec(opening.rest)?.[0];
  if (hit === undefined || g.notNegations.test(opening.rest)) return undefined;
  const rest = openingOf(opening.rest.slice(hit.length)).rest;
  // 不重启能生效吗 asks.
  if (/^(?:不|不用|不需要|不必)$/.test(hit) && questionIn(rest)) return undefined;
  if (g.scopeLimits.test(rest)) return { type: 'nothing' };
  const all = g.banAll.test(rest);
  const token = tag(rest).find((candidate) => candidate.verb !== undefined);
  const sense = token?.verb?.senses.find((candidate) => candidate.kind !== 'qa');
  if (!all && (!token || !sense || token.start > FAR)) return { type: 'nothing' };
  const verb = token?.text ?? rest;
  return { type: 'ban', verb, all, kind: sense?.kind ?? 'edit', ...(sense?.hint ? { hint: sense.hint } : {}) };
}

/** Whether a question mark of the clause outweighs its act. */
function questionWins(act: Act, question: QuestionMark, opening: Opening, rest: string): boolean {
  const g = loadGrammar();
  const requested = opening.asked || (opening.polite && g.politeMarks.test(rest));
  const isLookUp = act.token.verb?.senses.some((sense) => sense.kind === 'qa') ?? false;
  if (question.kind === 'final') return !requested || g.howIs.test(rest);
  const gap = question.at - act.token.end;
  if (gap < 0) return true;
  const atEnd = rest.length - question.at - question.word.length <= 1;
  if (act.sense.kind === 'edit' && g.someOf.test(question.word)) return atEnd;
  if (gap === 0 && !isLookUp && act.sense.hint !== 'search_code') return true;
  const between = rest.slice(act.token.end, question.at);
  if (g.purpose.test(between) && (opening.asked || /一下|下|一遍/.test(act.token.text + between.slice(0, 2))))
    return false;
  if (atEnd && !isLookUp) return !opening.asked;
  if (question.kind === 'why') return act.sense.kind !== 'edit' || !MAKING.test(act.token.text);
  if (act.sense.kind === 'edit')
    return !opening.asked && (!MAKING.test(act.token.text) || g.modalQuestion.test(question.word));
  const looksUp = isLookUp || act.sense.hint === 'search_code';
  if (looksUp) return act.how === 'bare' && !/[下看]$/.test(act.token.text) && g.isWhat.test(rest);
  return !opening.asked;
}

/** 更新后页面报错, 执行 SQL 很慢: a complaint, unless somebody asks for something. */
function isComplaint(act: Act, rest: string): boolean {
  const g = loadGrammar();
  if (act.how === 'asked' || act.how === 'polite' || act.sense.kind === 'qa') return false;
  // 失败的用例 is an object; 看看能不能过 is a purpose.
  const behind = rest
    .slice(act.token.end)
    .replace(AS_MODIFIER, '')
    .replace(new RegExp(`(?:${g.purpose.source}).*`), '');
  const hint = act.sense.hint ?? '';
  if (TELLING.test(hint)) return act.how === 'bare' && /给$/.test(act.token.text) && SENT_AND_WRONG.test(behind);
  if (LOOKING.test(hint)) return g.complaintOfLooking.test(behind);
  if (act.how === 'disposal') return /[后时]|之前/.test(behind) && g.complaint.test(behind);
  if (act.sense.kind === 'edit' && g.complaintTakers.test(act.token.text)) {
    if (/^(?:修复|修一|解决|处理|fix)/.test(act.token.text)) return false;
    return /后(?![端台面续缀天的])/.test(behind) && g.complaint.test(behind.replace(/.*后/, ''));
  }
  return g.complaint.test(behind);
}

function actVerdict(act: Act, opening: Opening, rest: string): Verdict {
  const { sense, token } = act;
  const how = opening.polite ? 'polite' : act.how;
  const recurring =
    sense.kind === 'tool' && (loadGrammar().recurring.test(rest) || loadGrammar().recurring.test(opening.time));
  const hint = recurring ? 'create_schedule' : sense.hint;
  if (how === 'wish' && sense.kind === 'tool')
    return { type: 'wish', kind: 'tool', verb: token.text, ...(hint ? { hint } : {}) };
  return {
    type: 'act',
    kind: sense.kind,
    verb: token.text,
    how,
    evidence: `规则：${(how === act.how && act.rule) || HOW_WORD[how]}，动词「${token.text}」→ ${KIND_WORD[sense.kind]}`,
    ...(hint === undefined ? {} : { hint }),
    ...(sense.task === undefined ? {} : { task: sense.task }),
  };
}

/** Moves to 帮我 or 请 in the middle of a clause: 起来后帮我跑测试. */
function withAskInside(opening: Opening): Opening {
  const inside = loadGrammar().askInside.exec(opening.rest);
  if (
    !inside ||
    opening.asked ||
    inside.index + inside[0].length >= opening.rest.trimEnd().length ||
    /[别不要让叫]$/.test(opening.rest.slice(0, inside.index))
  )
    return opening;
  const next = openingOf(opening.rest.slice(inside.index + inside[0].length));
  return { ...next, asked: true, time: opening.time + next.time };
}

/**
 * What one clause says, seen alone.
 *
 * @param clause the clause
 * @param context the folded clauses before it
 */
export function verdictOf(clause: Clause, context: string): Verdict {
  const g = loadGrammar();
  const command = commandVerdict(clause.original);
  if (command) return command;
  const text = clause.folded;
  if (g.tags.test(text)) return { type: 'tag' };
  const chat = g.chat.find((pattern) => pattern.test(text));
  if (chat) return { type: 'chat', evidence: `规则：寒暄或问助手自己「${clause.original.trim()}」` };
  const opening = withAskInside(openingOf(text));
  const ban = banIn(opening);
  if (ban) return ban;
  const only = g.onlyTalk.exec(text);
  if (only && !g.notNegations.test(opening.rest)) return { type: 'talk', evidence: `规则：「${only[0]}」限定只说不做` };
  const question = questionIn(opening.rest);
  const act = findAct(opening, `${clause.connective ?? ''}${text}`, context);
  const firm = question?.kind === 'final' || /[?]$/.test(text) || /[吗么呢]$/.test(text);
  const asks = (mark: QuestionMark): Verdict => ({
    type: 'question',
    evidence: `规则：疑问词「${mark.word}」，没有明确的指令`,
    firm,
  });
  if (!act && !question && g.requirement.test(text)) {
    return {
      type: 'act',
      kind: 'edit',
      verb: '要',
      how: 'wish',
      task: 'feature',
      evidence: '规则：「…要…」提出一条要求 → 改仓库',
    };
  }
  if (!act || g.notNegations.test(opening.rest)) {
    if (question) return asks(question);
    return opening.polite && /能不能|可不可以|能否|可否/.test(text)
      ? asks({ word: '能不能', kind: 'what', at: 0 })
      : { type: 'nothing' };
  }
  if (act.sense.kind === 'qa') {
    const mended = question ? null : MENDED.exec(opening.rest);
    if (mended)
      return {
        type: 'act',
        kind: 'edit',
        verb: mended[1]!,
        how: act.how,
        task: 'bugfix',
        evidence: `规则：查了之后「${mended[1]}」→ 改仓库`,
      };
    // 每小时检查一次接口: looking at something again and again is a scheduled act.
    const repeated = act.how === 'bare' && g.recurring.test(opening.time) && /[一两]次|一遍/.test(opening.rest);
    return actVerdict(repeated ? { ...act, sense: { kind: 'tool' } } : act, opening, opening.rest);
  }
  if (question && questionWins(act, question, opening, opening.rest)) return asks(question);
  if (opening.polite && !opening.asked && !g.politeMarks.test(opening.rest)) {
    return asks({ word: '能/可以', kind: 'final', at: 0 });
  }
  if (isComplaint(act, opening.rest)) return { type: 'nothing' };
  return actVerdict(act, opening, opening.rest);
}
