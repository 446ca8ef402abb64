import * as z from 'zod';
import type { LookupResult } from '../../knowledge/index.js';
import { ALL_PARTS, type CoreResult, renderHits } from '../../zhcore/index.js';
import { builtIn } from '../contract.js';
import { LOOKS } from './presets.js';

/** Parameters of {@link lookupKnowledge}, for others who offer the same. */
export const lookupInput = z.object({
  query_text: z.string().min(1).describe('查询词，例如「ERR_TIMEOUT」「支付网关超时」'),
  section_title: z.string().optional().describe('可选。上次结果列出了章节时，写章节名只取那一节'),
});

/** The hybrid look-up: the exact document first, a supplement by meaning beside it. */
export const lookupKnowledge = builtIn<z.infer<typeof lookupInput>, LookupResult>({
  ...LOOKS,
  name: 'lookup_knowledge',
  description: '查知识库：先按关键词找整篇，再补一段意思相近的',
  input: lookupInput,
  examples: [{ query_text: 'ERR_TIMEOUT' }, { query_text: '支付网关超时', section_title: '排查步骤' }],
  run: ({ query_text, section_title }, ctx) => ctx.core.askLookup(query_text, section_title, { signal: ctx.signal }),
  render: renderLookup,
});

/** A look-up's answer as text, each part with its source. */
export function renderLookup(r: LookupResult): string {
  if (!r.found) return '知识库里没有相关内容。不要编造，直接说没有查到。';
  const parts: string[] = [];
  if (r.primary) {
    const sections = r.primary.sections?.length ? `\n可以按章节再取：${r.primary.sections.join('、')}` : '';
    const others = r.primary.others?.length
      ? `\n也提到它的文档：${r.primary.others.map((o) => o.title).join('、')}`
      : '';
    parts.push(
      `【原文】${r.primary.title ?? ''}（${sourceOf(r.primary)}）\n${missingSection(r.primary) ?? r.primary.content}${sections}${others}`,
    );
  }
  if (r.supplement) {
    parts.push(`【相关】${r.supplement.title ?? ''}（${sourceOf(r.supplement)}）\n${r.supplement.content}`);
  }
  return parts.join('\n\n');
}

/** What is said instead of a section that is not there; the sections that are follow it. */
export function missingSection({ missing_section: name, sections = [] }: NonNullable<LookupResult['primary']>) {
  if (name === undefined) return undefined;
  return `没有「${name}」这一节${sections.length === 0 ? '，这份文档没有分章节' : ''}。`;
}

/** What one query puts before the model: a handful of entries, each cut to a paragraph. */
export const RENDER_LIMITS = { chunkChars: 400, topK: 5, parts: ALL_PARTS };

/** The file, and the origin that it names for itself. */
function sourceOf(part: { source: string; origin?: string; valid_until?: string; expired?: true }): string {
  const limit = part.valid_until === undefined ? '' : `，${part.expired ? '已过期，' : ''}只适用到 ${part.valid_until}`;
  return originOf(part) + limit;
}

function originOf(part: { source: string; origin?: string }): string {
  return part.origin && part.origin !== part.source
    ? `来源 ${part.source}，出自 ${part.origin}`
    : `来源 ${part.source}`;
}

/** Parameters of {@link zhCoreQuery}, for others who offer the same. */
export const queryInput = z.object({
  user_intent: z.string().min(1).describe('用户想做什么，一句中文'),
  code_symbols: z.array(z.string()).default([]).describe('看到的代码符号，可以反查中文叫法'),
  module: z.string().optional().describe('所在模块，例如 order'),
  task_type: z.enum(['general', 'refactor', 'bugfix', 'feature']).default('general').describe('任务类型'),
  max_results: z.number().int().min(1).max(10).default(5).describe('每类最多几条，默认 5'),
});

/** The four lists of the Chinese data core. */
export const zhCoreQuery = builtIn<z.infer<typeof queryInput>, CoreResult>({
  ...LOOKS,
  name: 'zh_core_query',
  description: '查中文数据核心：术语、知识、流程模板、警示',
  input: queryInput,
  examples: [{ user_intent: '超时关单加重试', code_symbols: [], task_type: 'feature', max_results: 5 }],
  run: async (q, ctx) =>
    ctx.core.ask(
      {
        userIntent: q.user_intent,
        codeSymbols: q.code_symbols,
        taskType: q.task_type,
        maxResults: q.max_results,
        force: true,
        ...(q.module ? { module: q.module } : {}),
      },
      { signal: ctx.signal },
    ),
  render: (r) => renderHits(r, 'answer', RENDER_LIMITS).text || '没有相关条目。',
});
