import { foldForGrammar, splitClauses } from './clauses.js';
import { loadGrammar } from './data.js';
import { isPolite, isTold, LOOKS, marksOf, type OpenVerb, openVerb, type Read } from './marks.js';
import type { Clause, Intent, PreviousIntent, Verdict } from './types.js';
import { verdictOf } from './verdict.js';

/** What the rule layer found. */
export interface RuleResult {
  /** Empty when no rule spoke. */
  intents: Intent[];
  /** A wish for an act (我想重启一下网关): not clear enough alone. */
  wish?: Extract<Verdict, { type: 'wish' }>;
  /** The whole utterance is a follow-up or a command: nothing else may overrule it. */
  final: boolean;
  /** 只分析, 不要改: the rules' question stands, whatever the classifier says. */
  bound: boolean;
  /** What the grammar saw, as features for the classifier. */
  marks: string[];
  /** A verb of action that nothing forbids, asks about or tells of: without one nothing becomes an act. */
  open?: OpenVerb;
}

/** Behind an act these report on it (跑一下测试，告诉我哪些挂了), unless a connective makes them a wish of their own. */
const REPORTING = /^(?:如果|要是|若|有|把结果|结果|告诉|告知|列出来|看看|看下|看一下|说|给我|汇报|发我)/;

/** Above this (in characters) an utterance holds pasted material: a log, a document, an error. */
const PASTED = 400;
/** Sentences at both ends of a long utterance that are the user's own words. */
const OWN_SENTENCES = 2;
/** Characters of the clauses before that can still be what 它 stands for. */
const CONTEXT = 200;

/** 跑完测试, 改完: done first, before what 再 brings. */
const DONE_FIRST = /^((?:先|等)?[\p{Script=Han}]{1,2})完(?!善|成|整|全)/u;

/** 跑完测试再部署: an act of its own, in front of another. */
function leadsOn({ folded, sentence }: Clause, next: Clause | undefined): boolean {
  return next?.sentence === sentence && next.connective === '再' && !/^等/.test(folded) && DONE_FIRST.test(folded);
}

/** What has to come about first: 验证完, 审批通过, 压测结束后, 没问题了. */
const COME_ABOUT = /(?:完成?|过|好|通过|结束|没问题|没事|就绪|成功|ok)(?:了|后|之后|以后|的话)*$/;

/** What each clause says. In a long utterance only its first and last sentences ask; what is pasted between them is material. */
function readClauses(clauses: readonly Clause[], length: number): Read[] {
  const last = clauses.at(-1)?.sentence ?? 0;
  const isPasted = ({ sentence }: Clause) =>
    length > PASTED && sentence >= OWN_SENTENCES && sentence <= last - OWN_SENTENCES;
  let context = '';
  return clauses.map((raw, index) => {
    const first = leadsOn(raw, clauses[index + 1]) ? { ...raw, folded: raw.folded.replace(DONE_FIRST, '$1') } : raw;
    const clause = first !== raw && verdictOf(first, context).type === 'nothing' ? raw : first;
    const verdict: Verdict = isPasted(clause) ? { type: 'nothing' } : verdictOf(clause, context);
    context = `${context} ${clause.folded}`.slice(-CONTEXT);
    return { clause, verdict };
  });
}

/** Later clauses change how earlier ones are meant: bans, tags, a complaint in the form of a question. */
function settle(reads: readonly Read[]): Read[] {
  const bans = reads.flatMap((read) => (read.verdict.type === 'ban' ? [read.verdict] : []));
  const noEdit = bans.some((ban) => ban.all) || reads.some((read) => read.verdict.type === 'talk');
  return reads.map((read, index) => {
    const { verdict, clause } = read;
    const nothing: Read = { clause, verdict: { type: 'nothing' } };
    if (verdict.type === 'act') {
      if (verdict.kind === 'edit' && noEdit) return nothing;
      if (bans.some((ban) => ban.kind === verdict.kind && ban.verb === verdict.verb)) return nothing;
      if (verdict.kind === 'tool' && isToldAct(reads, index)) return nothing;
      const folded =
        isReport(reads, index) || isAskedAbout(reads, index) || isSubject(reads, index) || isContent(reads, index);
      return folded ? nothing : read;
    }
    if (verdict.type === 'question') return isPreface(reads, index) || isReport(reads, index) ? nothing : read;
    return read;
  });
}

/** 如果测试不过就回滚, 他说要重启, 要是再报错，就重启: told, conditional or doubtful, unless 帮我 or 请 asks. */
function isToldAct(reads: readonly Read[], index: number): boolean {
  const { clause, verdict } = reads[index]!;
  if (verdict.type !== 'act' || isPolite(verdict.how)) return false;
  if (isTold(clause.folded) || loadGrammar().past.test(clause.folded)) return true;
  if (verdict.how === 'bare' && !LOOKS.test(verdict.hint ?? '') && loadGrammar().predicate.test(clause.folded))
    return true;
  const before = reads[index - 1];
  if (before?.clause.sentence !== clause.sentence) return false;
  if (!/^(?:就|再|那就|才|则)/.test(`${clause.connective ?? ''}${clause.folded}`)) return false;
  const { folded } = before.clause;
  return isTold(folded) || (before.verdict.type === 'nothing' && COME_ABOUT.test(folded));
}

/** 接口怎么又报错了，帮我修一下: the question is the reason for the request behind it. */
function isPreface(reads: readonly Read[], index: number): boolean {
  const { verdict, clause } = reads[index]!;
  if (verdict.type !== 'question' || verdict.firm) return false;
  const next = reads[index + 1];
  if (next?.verdict.type !== 'act' || next.clause.sentence !== clause.sentence || next.clause.connective !== undefined)
    return false;
  return next.verdict.kind === 'edit' || next.verdict.kind === 'tool';
}

/** 怎么备份数据库，然后迁到新机器上呢: the question reaches to the end of its sentence. */
function isAskedAbout(reads: readonly Read[], index: number): boolean {
  const { clause, verdict } = reads[index]!;
  if (verdict.type !== 'act' || !['bare', 'marked', 'disposal'].includes(verdict.how) || verdict.kind === 'qa')
    return false;
  const sentence = reads.filter((read) => read.clause.sentence === clause.sentence);
  const first = sentence[0]!;
  if (first.verdict.type !== 'question' || first.clause === clause) return false;
  return HOW_TO.test(first.clause.folded) || /[?吗呢么]$/.test(sentence.at(-1)!.clause.folded);
}

/** 回滚到上个版本，数据会丢吗: the question behind it is about the act; nobody asked for it. */
function isSubject(reads: readonly Read[], index: number): boolean {
  const { clause, verdict } = reads[index]!;
  if (verdict.type !== 'act' || verdict.kind !== 'tool' || (verdict.how !== 'bare' && verdict.how !== 'disposal'))
    return false;
  const about = reads.slice(index + 1).find(({ verdict: later }) => later.type === 'question');
  // 先上线再补测试，这样合规吗: the question is about all that stands before it.
  if (about?.clause.sentence === clause.sentence && ABOUT_ALL.test(about.clause.folded)) return true;
  if (LOOKS.test(verdict.hint ?? '')) return false;
  const next = reads[index + 1];
  if (next?.verdict.type !== 'question' || next.clause.sentence !== clause.sentence) return false;
  return next.clause.connective === undefined && !REPORTING.test(next.clause.folded);
}

/** Verbs of making something that will do what is said next. */
const MAKES = /^(?:写|编写|做|实现|生成|开发|[加建搞弄来]一?个)/;
const ADDS = /^(?:新[增建加]|增加|添加|补)/;

/** 写个脚本，每天清理日志; 建一个定时任务，每小时同步库存: what follows is what the new thing does. */
function isContent(reads: readonly Read[], index: number): boolean {
  const { clause, verdict } = reads[index]!;
  if (verdict.type !== 'act' || !['bare', 'marked'].includes(verdict.how)) return false;
  const before = reads.slice(0, index).findLast((read) => read.verdict.type === 'act');
  if (before?.verdict.type !== 'act' || before.clause.sentence !== clause.sentence) return false;
  // 改成先清理再部署: the order is the content.
  if (before.verdict.kind === 'edit' && /[成为]先/.test(before.clause.folded)) return true;
  if (clause.connective !== undefined) return false;
  const { kind, verb, hint } = before.verdict;
  if (kind === 'tool') return hint === 'create_schedule' || hint === 'create_issue' || hint === 'send_alert';
  if (kind !== 'edit' || verdict.kind === 'edit') return false;
  // 新增一个报表接口，按天看退了多少: looking is what the new thing is for; an act on a system may be meant beside it.
  return MAKES.test(verb) || (verdict.kind === 'qa' && ADDS.test(verb));
}

function isReport(reads: readonly Read[], index: number): boolean {
  const { clause, verdict } = reads[index]!;
  const before = reads[index - 1]?.verdict;
  if (before?.type !== 'act' || before.kind === 'qa' || clause.connective !== undefined) return false;
  if (verdict.type === 'act' && verdict.kind !== 'qa' && !/^列/.test(verdict.verb)) return false;
  return clause.sentence === reads[index - 1]!.clause.sentence && REPORTING.test(clause.folded);
}

/** The intent that a settled verdict makes, without its text. */
function intentOf(verdict: Verdict): Omit<Intent, 'text'> | undefined {
  switch (verdict.type) {
    case 'act':
      return {
        kind: verdict.kind,
        layer: 'rule',
        evidence: verdict.evidence,
        ...(verdict.kind === 'tool' && verdict.hint ? { toolHint: verdict.hint } : {}),
        ...(verdict.kind === 'edit' ? { taskType: verdict.task ?? 'general' } : {}),
      };
    case 'question':
    case 'talk':
      return { kind: 'qa', layer: 'rule', evidence: verdict.evidence };
    default:
      return undefined;
  }
}

/** Joins neighbours that want the same, and gives each intent its stretch of the utterance. */
function gather(text: string, reads: readonly Read[]): Intent[] {
  const groups: { intent: Omit<Intent, 'text'>; start: number }[] = [];
  for (const { clause, verdict } of reads) {
    const intent = intentOf(verdict);
    if (!intent) continue;
    const last = groups.at(-1);
    if (
      last &&
      last.intent.kind === intent.kind &&
      (intent.kind !== 'tool' || last.intent.toolHint === intent.toolHint)
    ) {
      if (last.intent.taskType === 'general' && intent.taskType) last.intent.taskType = intent.taskType;
      continue;
    }
    groups.push({ intent, start: groups.length === 0 ? 0 : clause.start });
  }
  return groups.map((group, index) => ({
    ...group.intent,
    text: text.slice(group.start, groups[index + 1]?.start ?? text.length).trim(),
  }));
}

/** A question for the way reaches over 然后, with or without a mark at its end. */
const HOW_TO = /^(?:请问|我?想知道|我该|我要|那|应该|该)*(?:怎么样?|如何|怎样|咋)/;

/** A question that starts so is about what was said before it. */
const ABOUT_ALL = /^(?:这样|这么|那样|这|那|会不会|是不是|行不行|合规|合理|可行)/;

/** Beside smalltalk a clause of so many characters says nothing of its own. */
const SHORT_CLAUSE = 6;

/** A follow-up is short; anything longer (in characters) says by itself what it wants. */
const LONGEST_FOLLOW_UP = 40;

/** 那就这么做吧, 再来一次: what the thread was about before. */
function followUp(text: string, previous: PreviousIntent | undefined): Intent | undefined {
  const g = loadGrammar();
  if (!previous || previous.kind === 'chat') return undefined;
  if (text.length > LONGEST_FOLLOW_UP) return undefined;
  const whole = foldForGrammar(text);
  if (!g.goAhead.test(whole) && !g.again.test(whole)) return undefined;
  return {
    kind: previous.kind,
    text: text.trim(),
    layer: 'rule',
    evidence: `规则：承接上文「${text.trim()}」，上一件事是${previous.tool ?? previous.kind}`,
    ...(previous.kind === 'tool' && previous.tool ? { toolHint: previous.tool } : {}),
    ...(previous.kind === 'edit' ? { taskType: 'general' as const } : {}),
  };
}

/**
 * The first layer: a grammar of requests and questions.
 *
 * @param text the utterance
 * @param previous what the thread was about before
 */
export function routeByRules(text: string, previous?: PreviousIntent): RuleResult {
  const clauses = splitClauses(text);
  const follow = followUp(text, previous);
  if (follow) return { intents: [follow], final: true, bound: true, marks: [] };
  const raw = readClauses(clauses, text.length);
  const reads = settle(raw);
  const gathered = gather(text, reads);
  const intents = gathered.length > 0 ? gathered : smallTalk(text, raw);
  const wish = raw.find((read) => read.verdict.type === 'wish')?.verdict;
  const verbs = reads.map(openVerb).filter((found) => found !== undefined);
  const open = verbs.find(({ asked }) => asked) ?? verbs[0];
  return {
    intents,
    final: raw.length === 1 && raw[0]!.verdict.type === 'act' && raw[0]!.verdict.evidence.includes('整句是一条命令'),
    bound: raw.some(({ verdict }) => verdict.type === 'talk' || (verdict.type === 'ban' && verdict.all)),
    marks: marksOf(raw, reads, intents),
    ...(wish?.type === 'wish' ? { wish } : {}),
    ...(open ? { open } : {}),
  };
}

/** Bans and smalltalk that nothing else stands beside. */
function smallTalk(text: string, raw: readonly Read[]): Intent[] {
  const whole = (evidence: string): Intent[] => [{ kind: 'chat', text: text.trim(), layer: 'rule', evidence }];
  const ban = raw.find((read) => read.verdict.type === 'ban')?.verdict;
  if (ban?.type === 'ban' && raw.every((read) => ['ban', 'nothing', 'chat', 'tag'].includes(read.verdict.type)))
    return whole(`规则：只说了不要「${ban.verb}」，没有要做的事`);
  const talk = raw.find((read) => read.verdict.type === 'chat')?.verdict;
  const only = raw.every(
    ({ verdict, clause }) => ['chat', 'tag'].includes(verdict.type) || clause.folded.length <= SHORT_CLAUSE,
  );
  return talk?.type === 'chat' && only ? whole(talk.evidence) : [];
}
