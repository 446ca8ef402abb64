import { foldForGrammar, splitClauses } from './clauses.js';
import { loadGrammar } from './data.js';
import type { Clause, Intent, PreviousIntent, Verdict } from './types.js';
import { verdictOf } from './verdict.js';

/** What the rule layer found; `open` means that no rule spoke, with what the grammar saw on the way. */
export type RuleResult =
  | { decided: true; intents: Intent[] }
  | { decided: false; wish?: Extract<Verdict, { type: 'wish' }> };

interface Read {
  clause: Clause;
  verdict: Verdict;
}

/** Behind an act these report on it (跑一下测试，告诉我哪些挂了), unless a connective makes them a wish of their own. */
const REPORTING = /^(?:如果|要是|若|有|把结果|结果|告诉|告知|列出来|看看|看下|看一下|说|给我|汇报|发我)/;

/** Above this (in characters) an utterance holds pasted material: a log, a document, an error. */
const PASTED = 400;
/** Sentences at both ends of a long utterance that are the user's own words. */
const OWN_SENTENCES = 2;
/** Characters of the clauses before that can still be what 它 stands for. */
const CONTEXT = 200;

/** What each clause says. In a long utterance only its first and last sentences ask; what is pasted between them is material. */
function readClauses(clauses: readonly Clause[], length: number): Read[] {
  const last = clauses.at(-1)?.sentence ?? 0;
  const isPasted = ({ sentence }: Clause) =>
    length > PASTED && sentence >= OWN_SENTENCES && sentence <= last - OWN_SENTENCES;
  let context = '';
  return clauses.map((clause) => {
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
      const folded =
        isReport(reads, index) || isAskedAbout(reads, index) || isSubject(reads, index) || isContent(reads, index);
      return folded ? nothing : read;
    }
    if (verdict.type === 'question') return isPreface(reads, index) || isReport(reads, index) ? nothing : read;
    return read;
  });
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
  return (
    first.verdict.type === 'question' && first.clause !== clause && /[?吗呢么]$/.test(sentence.at(-1)!.clause.folded)
  );
}

/** 回滚到上个版本，数据会丢吗: the question behind it is about the act; nobody asked for it. */
function isSubject(reads: readonly Read[], index: number): boolean {
  const { clause, verdict } = reads[index]!;
  if (verdict.type !== 'act' || verdict.kind !== 'tool' || (verdict.how !== 'bare' && verdict.how !== 'disposal'))
    return false;
  if (/^(?:query_|view_|search_|lookup_|read_|create_|send_)/.test(verdict.hint ?? '')) return false;
  const next = reads[index + 1];
  if (next?.verdict.type !== 'question' || next.clause.sentence !== clause.sentence) return false;
  return next.clause.connective === undefined && !REPORTING.test(next.clause.folded);
}

/** 写个脚本，每天清理日志; 建一个定时任务，每小时同步库存: what follows is what the new thing does. */
function isContent(reads: readonly Read[], index: number): boolean {
  const { clause, verdict } = reads[index]!;
  if (verdict.type !== 'act' || !['bare', 'marked'].includes(verdict.how) || clause.connective !== undefined)
    return false;
  const before = reads.slice(0, index).findLast((read) => read.verdict.type === 'act');
  if (before?.verdict.type !== 'act' || before.clause.sentence !== clause.sentence) return false;
  const { kind, verb, hint } = before.verdict;
  if (kind === 'tool') return hint === 'create_schedule' || hint === 'create_issue' || hint === 'send_alert';
  return kind === 'edit' && verdict.kind !== 'edit' && /^(?:写|编写|做|实现|生成|开发|[加建搞弄来]一?个)/.test(verb);
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
  if (follow) return { decided: true, intents: [follow] };
  const raw = readClauses(clauses, text.length);
  const reads = settle(raw);
  const intents = gather(text, reads);
  if (intents.length > 0) return { decided: true, intents };
  const ban = raw.find((read) => read.verdict.type === 'ban')?.verdict;
  const talk = raw.find((read) => read.verdict.type === 'chat')?.verdict;
  if (ban?.type === 'ban' && raw.every((read) => ['ban', 'nothing', 'chat', 'tag'].includes(read.verdict.type))) {
    const evidence = `规则：只说了不要「${ban.verb}」，没有要做的事`;
    return { decided: true, intents: [{ kind: 'chat', text: text.trim(), layer: 'rule', evidence }] };
  }
  if (
    talk?.type === 'chat' &&
    raw.every((read) => ['chat', 'tag'].includes(read.verdict.type) || read.clause.folded.length <= 6)
  ) {
    return { decided: true, intents: [{ kind: 'chat', text: text.trim(), layer: 'rule', evidence: talk.evidence }] };
  }
  const wish = raw.find((read) => read.verdict.type === 'wish')?.verdict;
  return { decided: false, ...(wish?.type === 'wish' ? { wish } : {}) };
}
