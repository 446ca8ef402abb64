import type { Chunk } from '../knowledge/index.js';
import { estimateTokens } from '../text/index.js';
import type { CoreResult, Hit, Warning } from '../zhcore/index.js';
import type { BriefJson } from './output-schemas.js';
import { provenanceOf, warningsOf } from './planning.js';
import type { Injection, RunState } from './state.js';

/** Knowledge passages in a brief, and characters of each: what stands in full is one `xihe lookup` away. */
const BRIEF_KNOWLEDGE = 3;
const EXCERPT_CHARS = 160;
/** Warnings in a brief: beyond these nobody reads on. */
const BRIEF_WARNINGS = 5;

/** The brief (行动预案) of a run as data: what the core and the path context know, each entry with its source. */
export function briefOf(state: RunState): BriefJson {
  const retrieved = state.retrieved as CoreResult | null;
  const intent = state.routed?.intents[state.routed.index] ?? state.routed?.intents.at(-1);
  const plan = state.planned;
  const brief: BriefJson = {
    route: { kind: intent?.kind ?? 'qa', layer: intent?.layer ?? 'refused', evidence: intent?.evidence ?? '' },
    plan: plan
      ? {
          task_type: plan.taskType,
          steps: plan.steps,
          focus: plan.focus,
          open_questions: plan.openQuestions,
          stopped: plan.stopped,
        }
      : null,
    terms: (plan?.terms ?? state.sources?.terms ?? []).map(({ provenance, confirmed: _c, risk, ...term }) => ({
      ...term,
      ...(risk.length > 0 ? { risk } : {}),
      ...provenance,
    })),
    knowledge: (retrieved?.knowledge ?? []).slice(0, BRIEF_KNOWLEDGE).map(knowledgeOf),
    playbooks: plan?.playbook ? [playbookOf(plan.playbook)] : [],
    warnings: warningsOf(retrieved, plan).slice(0, BRIEF_WARNINGS).map(warningOf),
    files: (plan?.candidates ?? state.sources?.files ?? []).map(({ path, why, summary }) => ({ path, why, summary })),
    tokens: { total: 0, by: {} },
  };
  const sections = briefSections(brief);
  const by = Object.fromEntries(sections.map((s) => [s.key, estimateTokens(s.text)]));
  brief.tokens = { total: Object.values(by).reduce((a, b) => a + b, 0), by };
  return brief;
}

function knowledgeOf(hit: Hit<Chunk>): BriefJson['knowledge'][number] {
  const text = hit.entry.content.replace(/\s+/g, ' ').trim();
  const excerpt = excerptOf(text);
  return {
    id: hit.entry.id,
    title: hit.entry.title,
    heading: headingBelow(hit.entry.heading, hit.entry.title),
    excerpt,
    why: hit.why,
    ...provenanceOf(hit),
  };
}

/** The beginning of a passage, to the end of a sentence where one ends soon enough. */
function excerptOf(text: string): string {
  if (text.length <= EXCERPT_CHARS) return text;
  const start = text.slice(0, EXCERPT_CHARS);
  const end = Math.max(start.lastIndexOf('。'), start.lastIndexOf('；'));
  return end > EXCERPT_CHARS / 2 ? start.slice(0, end + 1) : `${start}…`;
}

/** The headings below the title: the title itself stands before them already. */
function headingBelow(heading: string, title: string): string {
  return heading
    .split(' › ')
    .filter((part) => part !== title)
    .join(' › ');
}

function playbookOf(run: NonNullable<NonNullable<RunState['planned']>['playbook']>): BriefJson['playbooks'][number] {
  const checks = run.checks.map(({ onMissing: _o, ...check }) => check);
  return {
    id: run.id,
    title: run.title,
    why: run.why,
    steps: run.steps,
    checks,
    post_checks: run.postChecks.map((c) => c.purpose),
    ...run.provenance,
  };
}

function warningOf(hit: Hit<Warning>): BriefJson['warnings'][number] {
  return { id: hit.entry.id, danger: hit.entry.danger, why: hit.why, ...provenanceOf(hit) };
}

const KIND = { edit: '修改', qa: '提问', tool: '操作', chat: '闲聊' } as const;
const CHECK = { ok: '✓', missing: '✗ 缺', failed: '✗ 未通过', skipped: '— 未运行' } as const;

/** The parts of a brief, in reading order; empty ones are left out. */
export function briefSections(brief: BriefJson): { key: string; title: string; text: string }[] {
  const sections = [
    {
      key: 'route',
      title: '路由',
      text: `${KIND[brief.route.kind]}（${brief.route.evidence}）`,
    },
    {
      key: 'questions',
      title: '先要确认',
      text: [...(brief.plan?.open_questions ?? []), ...(brief.plan?.stopped ? [`不能继续：${brief.plan.stopped}`] : [])]
        .map((q) => `- ${q}`)
        .join('\n'),
    },
    { key: 'terms', title: '术语', text: brief.terms.map(termLine).join('\n') },
    {
      key: 'plan',
      title: '计划',
      text: planText(brief),
    },
    { key: 'playbooks', title: '流程模板', text: brief.playbooks.map(playbookText).join('\n') },
    {
      key: 'files',
      title: '候选文件',
      text: brief.files.map((f, i) => `${i + 1}. ${f.path}  ${f.summary}\n   理由：${f.why}`).join('\n'),
    },
    {
      key: 'warnings',
      title: '警示',
      text: brief.warnings.map((w) => `- ${doubt(w)}${w.danger} ${sourceOf(w)}`).join('\n'),
    },
    {
      key: 'knowledge',
      title: '知识',
      text: brief.knowledge
        .map((k) => `- ${doubt(k)}${k.title}${k.heading ? ` › ${k.heading}` : ''}：${k.excerpt} ${sourceOf(k)}`)
        .join('\n'),
    },
  ];
  return sections.filter((s) => s.text !== '');
}

/** The steps; those of a playbook stand there, so that here it is enough to say where to start. */
function planText(brief: BriefJson): string {
  const [playbook] = brief.playbooks;
  const { steps = [], focus = [] } = brief.plan ?? {};
  if (!playbook) return steps.map((s, i) => `${i + 1}. ${s}`).join('\n');
  const start = focus.slice(0, 2).join('、');
  return `${start ? `从 ${start} 开始，` : ''}按流程模板「${playbook.title}」的 ${steps.length} 步做`;
}

type Sourced = { source: string; version: string; confidence: number; status: string };

/** Source, version and confidence of an entry in a few tokens. */
function sourceOf(e: Sourced): string {
  return `〔${e.source}，版本 ${e.version.slice(0, 7)}，可信度 ${e.confidence}〕`;
}

function doubt(e: Sourced): string {
  return e.status === 'candidate' ? '（疑似）' : '';
}

function termLine(t: BriefJson['terms'][number]): string {
  const symbols = t.symbols
    .map((s) => (s.file ? `${s.name} ${s.file}:${s.line}` : `${s.name}（代码里没找到）`))
    .join('；');
  const state =
    t.status === 'verified'
      ? ''
      : t.symbols.some((s) => s.file)
        ? '（疑似，代码里有同名符号）'
        : '（疑似，先在代码里确认）';
  const module = t.module ? `［${t.module}］` : '';
  return `- ${t.keyword_ch}${module}${state} → ${symbols || '没有对应符号'}${t.note ? `。${t.note}` : ''}${t.risk ? ` 风险：${t.risk.join('；')}` : ''} ${sourceOf(t)}`;
}

/** What was checked: of a glob, the file that met it. */
function checkTarget(c: BriefJson['playbooks'][number]['checks'][number]): string {
  return c.type !== 'command' && c.state === 'ok' ? c.detail : c.target;
}

function playbookText(p: BriefJson['playbooks'][number]): string {
  const steps = p.steps.map((s, i) => `${i + 1}. ${s}`);
  const checks = p.checks.map(
    (c) => `- ${CHECK[c.state]} ${checkTarget(c)}：${c.purpose}${c.state === 'skipped' ? `（${c.detail}）` : ''}`,
  );
  const post = p.post_checks.map((c) => `- ${c}`);
  return [
    `${p.title} ${sourceOf(p)}`,
    ...steps,
    ...(checks.length > 0 ? ['前置检查：', ...checks] : []),
    ...(post.length > 0 ? ['完成后检查：', ...post] : []),
  ].join('\n');
}

/** The brief as text, ready to paste into any other agent. */
export function renderBrief(brief: BriefJson, request: string): string {
  const parts = briefSections(brief).map((s) => `## ${s.title}\n${s.text}`);
  const by = Object.entries(brief.tokens.by)
    .map(([key, n]) => `${SECTION_NAMES[key] ?? key} ${n}`)
    .join('，');
  return [`# 行动预案：${request}`, ...parts, `约 ${brief.tokens.total} token（${by}）`].join('\n\n');
}

const SECTION_NAMES: Record<string, string> = {
  route: '路由',
  questions: '待确认',
  terms: '术语',
  plan: '计划',
  playbooks: '流程模板',
  files: '文件',
  warnings: '警示',
  knowledge: '知识',
};

/** Ledger lines for a brief: the same entries, the same sources. */
export function briefLedger(state: RunState, brief: BriefJson): Injection[] {
  const line = (type: Injection['type'], e: Sourced & { id: string; why: string }, text: string): Injection => ({
    run: state.run,
    id: e.id,
    type,
    version: e.version,
    source: e.source,
    confidence: e.confidence,
    phase: 'brief',
    turn: state.turn,
    tokens: estimateTokens(text),
    why: e.why,
  });
  return [
    ...brief.terms.map((t) => line('term', t, termLine(t))),
    ...brief.playbooks.map((p) => line('playbook', p, playbookText(p))),
    ...brief.warnings.map((w) => line('warning', w, w.danger)),
    ...brief.knowledge.map((k) => line('knowledge', k, k.excerpt)),
  ];
}
