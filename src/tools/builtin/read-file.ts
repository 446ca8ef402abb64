import * as z from 'zod';
import { estimateTokens } from '../../text/index.js';
import { defineTool } from '../contract.js';
import { locate, withNote } from '../locate.js';
import type { ToolContext } from '../types.js';
import { readOverlay } from './overlay.js';

/** Lines of one window: about 1,200 tokens of code, so that a whole result stays under the limit of a tool result. */
export const WINDOW_LINES = 120;

const input = z.object({
  path: z.string().min(1).describe('文件路径，相对项目根目录'),
  start_line: z.number().int().min(1).default(1).describe('从第几行开始，默认第 1 行'),
  line_count: z.number().int().min(1).max(400).default(WINDOW_LINES).describe(`读多少行，默认 ${WINDOW_LINES} 行`),
});

export interface ReadResult {
  path: string;
  text: string;
  startLine: number;
  endLine: number;
  totalLines: number;
  encoding: string;
  note?: string;
}

/** Reads a window of a file through the staged changes, with line numbers. */
export const readFile = defineTool<z.infer<typeof input>, ReadResult>({
  name: 'read_file',
  description: '读文件的一段，带行号；看得到本次已暂存的修改',
  input,
  examples: [{ path: 'src/order/order-service.ts', start_line: 1, line_count: 80 }],
  danger: 'low',
  readOnly: true,
  idempotent: true,
  aclRole: 'reader',
  timeoutMs: 10_000,
  effect: 'none',
  async run({ path: raw, start_line, line_count }, ctx: ToolContext) {
    const { path, note } = locate(ctx, raw);
    const file = readOverlay(ctx, path);
    const lines = file.text.split(/\r\n|\r|\n/);
    if (lines.at(-1) === '') lines.pop();
    const from = Math.min(start_line, Math.max(1, lines.length));
    const window = lines.slice(from - 1, from - 1 + line_count);
    const text = window.map((line, i) => `${from + i}\t${line}`).join('\n');
    ctx.fed({ path, form: 'read', turn: ctx.turn, tokens: estimateTokens(text) });
    return {
      path,
      text,
      startLine: from,
      endLine: from + window.length - 1,
      totalLines: lines.length,
      encoding: file.encoding,
      ...(note ? { note } : {}),
    };
  },
  render(r) {
    const rest =
      r.endLine < r.totalLines
        ? `（后面还有 ${r.totalLines - r.endLine} 行，用 start_line=${r.endLine + 1} 接着读）`
        : '';
    const encoding = r.encoding === 'utf-8' ? '' : `，编码 ${r.encoding}`;
    return withNote(
      r.note,
      `${r.path} 第 ${r.startLine}–${r.endLine} 行，共 ${r.totalLines} 行${encoding}${rest}\n${r.text}`,
    );
  },
});
