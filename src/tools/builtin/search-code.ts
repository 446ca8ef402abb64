import * as z from 'zod';
import type { SearchHit } from '../../paths/index.js';
import { builtIn } from '../contract.js';
import { locate, withNote } from '../locate.js';
import { holdsSecretValues, maskLine } from '../secret-files.js';
import { LOOKS } from './presets.js';

const searchInput = z.object({
  pattern: z.string().min(1).describe('要搜的文字；regex 为真时当正则表达式'),
  regex: z.boolean().default(false).describe('是否正则，默认否'),
  scope: z.string().optional().describe('只在这个目录或文件里搜'),
  max_hits: z.number().int().min(1).max(100).default(30).describe('最多几行，默认 30'),
});

interface SearchResult {
  hits: SearchHit[];
  limit: number;
  note?: string;
}

/** Lines that hold a text, GBK files included. */
export const searchCode = builtIn<z.infer<typeof searchInput>, SearchResult>({
  ...LOOKS,
  name: 'search_code',
  description: '在代码里搜文字或正则，返回文件、行号和那一行',
  input: searchInput,
  examples: [{ pattern: 'cancelExpired' }],
  async run({ pattern, regex, scope, max_hits }, ctx) {
    const at = scope ? locate(ctx, scope) : undefined;
    const hits = await ctx.paths.searchCode(pattern, { regex, maxHits: max_hits, ...(at ? { scope: at.path } : {}) });
    return { hits, limit: max_hits, ...(at?.note ? { note: at.note } : {}) };
  },
  render(r) {
    if (r.hits.length === 0) return withNote(r.note, '没有匹配的行。');
    const lines = r.hits
      .map(
        (h) => `${h.path}:${h.line}\t${(holdsSecretValues(h.path) ? maskLine(h.text) : h.text).trim().slice(0, 160)}`,
      )
      .join('\n');
    const cut = r.hits.length >= r.limit ? `\n（到 ${r.limit} 行为止，可能还有；加 scope 缩小范围）` : '';
    return withNote(r.note, lines + cut);
  },
});
