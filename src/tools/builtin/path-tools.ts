import * as z from 'zod';
import { XiheError } from '../../errors.js';
import {
  type Expansion,
  type FeedingDecision,
  type FileCandidate,
  type Hotspot,
  type LookupMethod,
  MAX_TOP_K,
  type Skeleton,
} from '../../paths/index.js';
import { estimateTokens, stableHash } from '../../text/index.js';
import { builtIn } from '../contract.js';
import { locate, noteUse, overlayOf, withNote } from '../locate.js';
import type { ToolContext } from '../types.js';
import { filterOf, KINDS } from './path-filter.js';
import { LOOKS } from './presets.js';

/** Hot paths that `load_context` names: the first candidates of the next step. */
const HOT_SHOWN = 5;
/** The least that the skeleton gets beside them, in tokens. */
const LEAST_SKELETON = 100;

const loadInput = z.object({
  focus: z.string().optional().describe('只看这个目录，默认整个项目'),
  depth: z.number().int().min(1).max(5).default(3).describe('看几层，默认 3；规划改造看 2–3 层'),
  max_tokens: z.number().int().min(100).max(1000).default(600).describe('最多多少 token，默认 600'),
});

interface Loaded {
  text: string;
  /** Absent where the conversation has it already. */
  skeleton?: Skeleton;
  hot: Hotspot[];
  focus: string | null;
  note?: string;
}

/** The path skeleton of the project or of one folder, where the run looks now, and what it used last. */
export const loadContext = builtIn<z.infer<typeof loadInput>, Loaded>({
  ...LOOKS,
  name: 'load_context',
  description: '看项目的路径骨架、当前位置和最近用过的文件',
  input: loadInput,
  examples: [{ focus: 'src/order', max_tokens: 300 }],
  async run({ focus, depth, max_tokens }, ctx) {
    const at = focus ? locate(ctx, focus) : undefined;
    const hot = ctx.hotspots ? await ctx.hotspots.top(ctx.thread, HOT_SHOWN, ctx.paths.factsWith(overlayOf(ctx))) : [];
    const now = ctx.workspace?.focus ?? null;
    const beside = renderSurroundings(now, hot);
    const maxTokens = Math.max(LEAST_SKELETON, max_tokens - estimateTokens(beside));
    const skeleton = ctx.paths.loadContext({ maxTokens, depth, ...(at ? { focus: at.path } : {}) });
    const path = at?.path ?? '.';
    const version = stableHash(skeleton.text);
    const decision = ctx.feeding?.decide(path, 'skeleton', ctx.turn, version) ?? { form: 'skeleton' };
    const rest = { hot, focus: now, ...(at?.note ? { note: at.note } : {}) };
    if (decision.form !== 'skeleton')
      return { text: `${path === '.' ? '项目' : path} 的骨架前面给过，没有变化，见上文。${beside}`, ...rest };
    ctx.fed({ path, form: 'skeleton', turn: ctx.turn, tokens: skeleton.tokens, version });
    return { text: skeleton.text + beside, skeleton, ...rest };
  },
  render: (r) => withNote(r.note, r.text),
  faded: (r) => `（较早看过的骨架已收起，需要时再用 load_context。）${r.text.split('\n')[0] ?? ''}`,
});

/** Where the run looks and what it used last: begins with a line end where there is anything. */
function renderSurroundings(focus: string | null, hot: readonly Hotspot[]): string {
  const lines = hot.map(({ path, summary }) => `- ${path}：${summary}`);
  return [...(focus ? [`当前位置：${focus}`] : []), ...(lines.length > 0 ? ['最近用过：', ...lines] : [])]
    .map((line) => `\n${line}`)
    .join('');
}

/** Parameters of {@link expandPath}, for others who offer the same. */
export const expandInput = z.object({
  path: z.string().min(1).optional().describe('要展开的目录或文件，相对项目根目录；不给就看当前位置'),
  move: z.enum(['up', 'back']).optional().describe('不给 path 时：up 看上一级目录，back 回到前一个位置'),
});

interface Expanded {
  expansion: Expansion;
  text: string;
}

/** A folder's children, or a file's purpose, symbols, imports and companions; the window moves there. */
export const expandPath = builtIn<z.infer<typeof expandInput>, Expanded>({
  ...LOOKS,
  name: 'expand_path',
  description: '展开目录看子项，或看一个文件的用途、符号和引用',
  input: expandInput,
  examples: [{ path: 'src/order' }, { move: 'up' }],
  async run({ path: raw, move }, ctx) {
    const asked = raw === undefined ? { path: placeOf(ctx, move) } : locate(ctx, raw);
    const expansion = await ctx.paths.expandPath(asked.path, { staged: overlayOf(ctx) });
    const { path } = expansion;
    const version = versionOf(ctx, path) ?? stableHash(expansion.text);
    const decision = ctx.feeding?.decide(path, 'expand', ctx.turn, version) ?? { form: 'expand' as const };
    const text = shortened(expansion.text, decision);
    if (decision.form !== undefined)
      ctx.fed({ path, form: decision.form, turn: ctx.turn, tokens: estimateTokens(text), version });
    await noteUse(ctx, path, 'expand', move !== 'back');
    return { expansion, text: withNote(asked.note, text) };
  },
  render: (r) => r.text,
  faded: ({ expansion }) => `（较早看过，已收起）${expansion.text.split('\n')[0] ?? ''}`,
});

/** @throws XiheError USAGE where there is nowhere to go */
function placeOf(ctx: ToolContext, move: 'up' | 'back' | undefined): string {
  const { workspace } = ctx;
  const isThere = (path: string) => {
    try {
      return ctx.paths.resolve(path, overlayOf(ctx)).path === path;
    } catch (e) {
      if (XiheError.is(e)) return false;
      throw e;
    }
  };
  const place = move === 'up' ? workspace?.parent() : move === 'back' ? workspace?.back(isThere) : workspace?.focus;
  if (place !== undefined && place !== null) return place;
  throw new XiheError('USAGE', move === 'up' && workspace?.focus === '.' ? '已经在根目录' : '还没有可以去的位置', {
    hint: '用 path 写明要看的目录或文件，例如 src/order；根目录是 .',
  });
}

/** The whole, its first line with why it is no more, or only why. */
function shortened(text: string, { form, note }: FeedingDecision): string {
  if (form === undefined) return `${note}。`;
  return form === 'expand' ? text : `${text.split('\n')[0]}\n（${note}，见上文）`;
}

/** The content that a path has for this run; undefined for a folder. */
function versionOf(ctx: ToolContext, path: string): string | undefined {
  const staged = ctx.changeset?.bytes(path);
  return staged ? stableHash(staged) : ctx.paths.version(path);
}

/** Parameters of {@link lookupFile}, for others who offer the same. */
export const findInput = z.object({
  query: z.string().min(1).describe('要找什么，中文意思、符号或文件名都行'),
  scope: z.string().optional().describe('只在这个目录里找'),
  kinds: z
    .array(z.enum(KINDS))
    .optional()
    .describe('只要这些类别：code 源码、test 测试、style 样式、config 配置、doc 文档、sql'),
  exclude: z.string().optional().describe('排除的路径，glob 写法，例如 **/legacy/**'),
  top_k: z.number().int().min(1).max(20).default(5).describe('最多几个，默认 5'),
});

interface Found {
  candidates: FileCandidate[];
  method: LookupMethod;
  /** Of those whose summary the conversation has already. */
  known: string[];
  note?: string;
}

/** Files for a Chinese request, each with why it was found. */
export const lookupFile = builtIn<z.infer<typeof findInput>, Found>({
  ...LOOKS,
  name: 'lookup_file',
  description: '按中文意思、符号或文件名找文件，每个都说明理由',
  input: findInput,
  examples: [{ query: '超时关单', top_k: 5 }],
  async run({ query, scope, kinds, exclude, top_k }, ctx) {
    const at = scope ? locate(ctx, scope) : undefined;
    const { deleted = [] } = overlayOf(ctx);
    const wanted = filterOf({ kinds, exclude, deleted });
    // What is filtered away must not cost places in the list.
    const topK = wanted === undefined ? top_k : MAX_TOP_K;
    const found = await ctx.paths.lookupFile(query, { topK, ...(at ? { scope: at.path } : {}) });
    const candidates = found.candidates.filter(({ path }) => wanted?.(path) ?? true).slice(0, top_k);
    const known = candidates.filter((c) => !feedSummary(ctx, c)).map(({ path }) => path);
    return { candidates, method: found.method, known, ...(at?.note ? { note: at.note } : {}) };
  },
  render: (r) =>
    withNote(r.note, renderCandidates(r.candidates, r.known) || '没有找到。换个说法，或用 search_code 搜代码里的词。'),
  faded: (r) => `（较早的查找结果已收起）${r.candidates.map(({ path }) => path).join('、')}`,
});

/** Writes down that a candidate's summary is given. @returns false where the conversation has it already */
function feedSummary(ctx: ToolContext, { path, summary }: FileCandidate): boolean {
  const version = versionOf(ctx, path);
  const { form } = ctx.feeding?.decide(path, 'summary', ctx.turn, version) ?? { form: 'summary' };
  const isNew = form === 'summary';
  const tokens = estimateTokens(isNew ? summary : path);
  ctx.fed({ path, form: isNew ? 'summary' : 'path', turn: ctx.turn, tokens, ...(version ? { version } : {}) });
  return isNew;
}

/** Candidates as the model and the brief show them, one a line; of known ones only path and reason. */
export function renderCandidates(candidates: FileCandidate[], known: readonly string[] = []): string {
  return candidates
    .map((c, i) => `${i + 1}. ${c.path}${known.includes(c.path) ? '' : `：${c.summary}`}（${c.why}）`)
    .join('\n');
}
