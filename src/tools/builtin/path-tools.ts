import * as z from 'zod';
import type { Expansion, FileCandidate, LookupMethod, SearchHit, Skeleton } from '../../paths/index.js';
import { estimateTokens } from '../../text/index.js';
import { defineTool } from '../contract.js';
import { holdsSecretValues, maskLine } from '../secret-files.js';
import { LOOKS } from './presets.js';

const loadInput = z.object({
  focus: z.string().optional().describe('只看这个目录，默认整个项目'),
  max_tokens: z.number().int().min(100).max(1000).default(600).describe('最多多少 token，默认 600'),
});

/** The path skeleton of the project or of one folder. */
export const loadContext = defineTool<z.infer<typeof loadInput>, Skeleton>({
  ...LOOKS,
  name: 'load_context',
  description: '看项目的路径骨架：重要目录、各自作用和模块名',
  input: loadInput,
  examples: [{ focus: 'src/order', max_tokens: 300 }],
  async run({ focus, max_tokens }, ctx) {
    const at = focus ? ctx.paths.resolve(focus).path : undefined;
    const result = ctx.paths.loadContext({ maxTokens: max_tokens, ...(at ? { focus: at } : {}) });
    ctx.fed({ path: at ?? '.', form: 'skeleton', turn: ctx.turn, tokens: result.tokens });
    return result;
  },
  render: (r) => r.text,
});

const expandInput = z.object({
  path: z.string().min(1).describe('要展开的目录或文件，相对项目根目录'),
});

/** A folder's children, or a file's purpose, symbols, imports and companions. */
export const expandPath = defineTool<z.infer<typeof expandInput>, Expansion>({
  ...LOOKS,
  name: 'expand_path',
  description: '展开目录看子项，或看一个文件的用途、符号和引用',
  input: expandInput,
  examples: [{ path: 'src/order' }],
  async run({ path: raw }, ctx) {
    const result = await ctx.paths.expandPath(raw);
    ctx.fed({ path: result.path, form: 'expand', turn: ctx.turn, tokens: result.tokens });
    return result;
  },
  render: (r) => r.text,
});

const lookupInput = z.object({
  query: z.string().min(1).describe('要找什么，中文意思、符号或文件名都行'),
  scope: z.string().optional().describe('只在这个目录里找'),
  top_k: z.number().int().min(1).max(20).default(5).describe('最多几个，默认 5'),
});

/** Files for a Chinese request, each with why it was found. */
export const lookupFile = defineTool<
  z.infer<typeof lookupInput>,
  { candidates: FileCandidate[]; method: LookupMethod }
>({
  ...LOOKS,
  name: 'lookup_file',
  description: '按中文意思、符号或文件名找文件，每个都说明理由',
  input: lookupInput,
  examples: [{ query: '超时关单', top_k: 5 }],
  async run({ query, scope, top_k }, ctx) {
    const at = scope ? ctx.paths.resolve(scope).path : undefined;
    const result = await ctx.paths.lookupFile(query, { topK: top_k, ...(at ? { scope: at } : {}) });
    for (const c of result.candidates) {
      ctx.fed({ path: c.path, form: 'summary', turn: ctx.turn, tokens: estimateTokens(c.summary) });
    }
    return result;
  },
  render: (r) => renderCandidates(r.candidates) || '没有找到。换个说法，或用 search_code 搜代码里的词。',
});

/** Candidates as the model and the brief show them, one a line. */
export function renderCandidates(candidates: FileCandidate[]): string {
  return candidates.map((c, i) => `${i + 1}. ${c.path}：${c.summary}（${c.why}）`).join('\n');
}

const searchInput = z.object({
  pattern: z.string().min(1).describe('要搜的文字；regex 为真时当正则表达式'),
  regex: z.boolean().default(false).describe('是否正则，默认否'),
  scope: z.string().optional().describe('只在这个目录或文件里搜'),
  max_hits: z.number().int().min(1).max(100).default(30).describe('最多几行，默认 30'),
});

interface SearchResult {
  hits: SearchHit[];
  limit: number;
}

/** Lines that hold a text, GBK files included. */
export const searchCode = defineTool<z.infer<typeof searchInput>, SearchResult>({
  ...LOOKS,
  name: 'search_code',
  description: '在代码里搜文字或正则，返回文件、行号和那一行',
  input: searchInput,
  examples: [{ pattern: 'cancelExpired' }],
  async run({ pattern, regex, scope, max_hits }, ctx) {
    const at = scope ? ctx.paths.resolve(scope).path : undefined;
    const hits = await ctx.paths.searchCode(pattern, { regex, maxHits: max_hits, ...(at ? { scope: at } : {}) });
    return { hits, limit: max_hits };
  },
  render(r) {
    if (r.hits.length === 0) return '没有匹配的行。';
    const lines = r.hits
      .map(
        (h) => `${h.path}:${h.line}\t${(holdsSecretValues(h.path) ? maskLine(h.text) : h.text).trim().slice(0, 160)}`,
      )
      .join('\n');
    return r.hits.length >= r.limit ? `${lines}\n（到 ${r.limit} 行为止，可能还有；加 scope 缩小范围）` : lines;
  },
});
