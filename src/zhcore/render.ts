import type { Chunk, Provenance } from '../knowledge/index.js';
import { estimateTokens, plainBlock, plainLine } from '../text/index.js';
import type {
  CodePlace,
  CoreResult,
  EntryType,
  Hit,
  InjectedEntry,
  Phase,
  Playbook,
  RequiredCheck,
  Term,
  Warning,
} from './types.js';

/** Bounds of what one phase may inject. */
export interface RenderLimits {
  /** Longest text of one knowledge chunk, in characters (setting `core.chunkChars`). */
  chunkChars: number;
  /** Entries of each type at most (setting `core.topK`). */
  topK: number;
  /** Modules in focus: given, terms and knowledge of other modules stay out. Entries without a module always count. */
  focusModules?: readonly string[];
  /** Types to show, in this order; default: what the phase gets. */
  parts?: readonly EntryType[];
}

/** Hex digits of a version that are shown; enough to tell two versions of one entry apart. */
const VERSION_DIGITS = 7;

const HEADINGS: Record<EntryType, string> = {
  term: '【术语】中文说法 → 代码里的名字',
  playbook: '【流程模板】命中即照做，一步不少',
  warning: '【警示】容易踩的坑',
  knowledge: '【知识】只在用得上时参考',
};

/** What each phase gets, in this order (DESIGN §3). */
const PARTS: Record<Phase, readonly EntryType[]> = {
  plan: ['term', 'playbook', 'warning'],
  execute: ['term', 'warning', 'knowledge'],
  postcheck: ['warning'],
  answer: ['knowledge', 'term', 'warning'],
};

/**
 * Where an entry stands, for whoever reads it. Of what ships that is its source, which was checked. A file of the project may say anything
 * of its own source: it is named by itself, and what it says is only where it claims to come from. A place in the repository
 * (`repo://`) claims nothing.
 */
export function shownSource({ source, layer, file }: Provenance): string {
  if (layer === 'general' || source.startsWith('repo://')) return source;
  const path = fileOf({ layer, file });
  return source === path ? path : `${path}，出自 ${source}`;
}

/** The file of an entry as people find it: `.xihe/knowledge/terms/order.yaml`. */
export function fileOf({ layer, file }: Pick<Provenance, 'layer' | 'file'>): string {
  return layer === 'project' ? `.xihe/${file}` : file;
}

/** `〔repo://order/OrderState.java · a1b2c3d · 0.95〕`: where it stands, version, confidence. */
export function renderSource(provenance: Provenance): string {
  const { version, confidence } = provenance;
  return `〔${plainLine(readable(shownSource(provenance)))} · ${version.slice(0, VERSION_DIGITS)} · ${confidence}〕`;
}

/** Chinese in an address is written as Chinese: `%E9%87%91` costs nine tokens and says nothing. */
function readable(source: string): string {
  try {
    return decodeURI(source);
  } catch {
    return source;
  }
}

/** One term on one line. A candidate is worded as one, also when its symbol was found. */
export function renderTerm(term: Term, places: readonly CodePlace[] = []): string {
  const symbols = term.code_symbols.map((symbol) => {
    const at = places.filter((place) => place.symbol === symbol).map((place) => `${place.path}:${place.line}`);
    return at.length === 0 ? plainLine(symbol) : `${plainLine(symbol)}（${at.join('、')}）`;
  });
  const candidate = term.provenance.status === 'candidate';
  const doubt = candidate
    ? `${places.length > 0 ? '疑似，代码里有这个名字，含义先确认' : '疑似，先在代码里确认'}：`
    : '';
  const names = symbols.length === 0 ? '' : ` → ${symbols.join('、')}`;
  const module = term.module === undefined ? '' : `（模块 ${plainLine(term.module)}）`;
  const note = term.note === undefined ? '' : `；${oneLine(term.note)}`;
  const risk = term.risk.length === 0 ? '' : `；风险：${term.risk.map(oneLine).join('；')}`;
  return `- ${doubt}${plainLine(term.keyword_ch)}${names}${module}${note}${risk} ${renderSource(term.provenance)}`;
}

/** One warning on one line. */
export function renderWarning(warning: Warning): string {
  return `- ${warning.severity === 'block' ? '（必须遵守）' : ''}${oneLine(warning.danger)} ${renderSource(warning.provenance)}`;
}

/** A playbook in full: a summary would lose the step that matters. */
export function renderPlaybook(playbook: Playbook): string {
  const lines = [`■ ${plainLine(playbook.title)} ${renderSource(playbook.provenance)}`];
  if (playbook.required_checks.length > 0)
    lines.push('先查：', ...playbook.required_checks.map((c) => `- ${renderCheck(c)}`));
  lines.push('步骤：', ...playbook.steps.map((step, i) => `${i + 1}. ${oneLine(step)}`));
  if (playbook.post_checks.length > 0) {
    lines.push(
      '改完查：',
      ...playbook.post_checks.map(
        (c) => `- ${plainLine(`${c.purpose}：${c.command ?? [c.path, c.pattern].filter(Boolean).join(' 里不能有 ')}`)}`,
      ),
    );
  }
  return lines.join('\n');
}

const ON_MISSING = { ask_user_first: '没有就先问用户', warn: '没有就提醒', stop: '没有就停下' } as const;

function renderCheck(check: RequiredCheck): string {
  const what = { file_exists: '要有', read_file: '先读', command: '先运行' }[check.type];
  return plainLine(`${what} ${check.path ?? check.command}（${check.purpose}；${ON_MISSING[check.on_missing]}）`);
}

/** A chunk with its heading, cut to `chars` characters. */
export function renderChunk(chunk: Chunk, chars: number): string {
  return `- ${titleOf(chunk)} ${renderSource(chunk.provenance)}\n${indented(cutAtSentence(plainBlock(chunk.content), chars))}`;
}

/** The title, and the headings below it; documents begin with their title as a heading, which is said once. */
export function titleOf({ title, heading }: Pick<Chunk, 'title' | 'heading'>): string {
  return plainLine([title, ...heading.split(' › ').filter((part) => part !== '' && part !== title)].join(' › '));
}

/** All four lists, for whoever asked for them: in the order of their use. */
export const ALL_PARTS: readonly EntryType[] = ['term', 'playbook', 'warning', 'knowledge'];

function cutAtSentence(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const window = text.slice(0, chars);
  const end = Math.max(window.lastIndexOf('。'), window.lastIndexOf('\n'));
  return `${(end > chars / 2 ? window.slice(0, end + 1) : window).trimEnd()}…（已截短）`;
}

/** The text of a passage stands in from the left: only entries begin there, whatever a document says. */
function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

function oneLine(text: string): string {
  return plainLine(text).replace(/[。；]$/, '');
}

/** The text of one entry as it is injected. */
export function renderEntry(hit: Hit<Term | Chunk | Playbook | Warning>, chunkChars: number): string {
  switch (hit.type) {
    case 'term':
      return renderTerm(hit.entry as Term, hit.places);
    case 'warning':
      return renderWarning(hit.entry as Warning);
    case 'playbook':
      return renderPlaybook(hit.entry as Playbook);
    case 'knowledge':
      return renderChunk(hit.entry as Chunk, chunkChars);
  }
}

/**
 * The Chinese text that goes into a prompt or brief for a phase, and what it holds, for the injection ledger.
 *
 * @returns an empty text when there is nothing to inject
 */
export function renderHits(
  result: CoreResult,
  phase: Phase,
  limits: RenderLimits,
): { text: string; injected: InjectedEntry[] } {
  const blocks: string[] = [];
  const injected: InjectedEntry[] = [];
  for (const type of limits.parts ?? PARTS[phase]) {
    const hits = hitsOf(result, type).filter((hit) => inFocus(hit, limits.focusModules));
    const texts = hits.slice(0, limits.topK).map((hit) => {
      const text = renderEntry(hit, limits.chunkChars);
      injected.push(ledgerEntry(hit, estimateTokens(text)));
      return text;
    });
    if (texts.length > 0) blocks.push([HEADINGS[type], ...texts].join('\n'));
  }
  return { text: blocks.join('\n\n'), injected };
}

function hitsOf(result: CoreResult, type: EntryType): Hit<Term | Chunk | Playbook | Warning>[] {
  return { term: result.terms, knowledge: result.knowledge, playbook: result.playbooks, warning: result.warnings }[
    type
  ];
}

function inFocus(hit: Hit<Term | Chunk | Playbook | Warning>, modules: readonly string[] | undefined): boolean {
  const { module } = hit.entry;
  if (modules === undefined || module === undefined || hit.type === 'playbook' || hit.type === 'warning') return true;
  return modules.includes(module);
}

function ledgerEntry(
  { entry, type, provenance, why }: Hit<Term | Chunk | Playbook | Warning>,
  tokens: number,
): InjectedEntry {
  const { version, confidence } = provenance;
  return { id: entry.id, type, version, source: shownSource(provenance), confidence, tokens, why };
}
