import * as z from 'zod';
import { estimateTokens, stableHash } from '../../text/index.js';
import { defineTool } from '../contract.js';
import { locate, noteUse, withNote } from '../locate.js';
import { assertNoPrivateKey, holdsSecretValues, maskLine } from '../secret-files.js';
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
  /** The file holds secrets: the values in `text` are masked. */
  masked: boolean;
  /** The same turn was given this window already; `text` is empty. */
  repeated: boolean;
  note?: string;
}

/** Reads a window of a file through the staged changes, with line numbers; secrets are masked, private keys refused. */
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
    assertNoPrivateKey(path, file.text);
    const lines = file.text.split(/\r\n|\r|\n/);
    if (lines.at(-1) === '') lines.pop();
    const from = Math.min(start_line, Math.max(1, lines.length));
    const window = lines.slice(from - 1, from - 1 + line_count);
    const masked = holdsSecretValues(path);
    const shown = {
      path,
      startLine: from,
      endLine: from + window.length - 1,
      totalLines: lines.length,
      encoding: file.encoding,
      masked,
      ...(note ? { note } : {}),
    };
    await noteUse(ctx, path, 'read');
    if (isRepeat(ctx, `${path}#${from}-${shown.endLine}`, file.text)) return { ...shown, text: '', repeated: true };
    const text = window.map((line, i) => `${from + i}\t${masked ? maskLine(line) : line}`).join('\n');
    ctx.fed({ path, form: 'read', turn: ctx.turn, tokens: estimateTokens(text), version: stableHash(file.text) });
    return { ...shown, text, repeated: false };
  },
  render(r) {
    const where = `${r.path} 第 ${r.startLine}–${r.endLine} 行`;
    if (r.repeated) return withNote(r.note, `${where}：本轮已经给过，内容没有变，见上文。`);
    const rest =
      r.endLine < r.totalLines
        ? `（后面还有 ${r.totalLines - r.endLine} 行，用 start_line=${r.endLine + 1} 接着读）`
        : '';
    const encoding = r.encoding === 'utf-8' ? '' : `，编码 ${r.encoding}`;
    const masked = r.masked ? '（存密钥的文件：只给名字，值已遮住）' : '';
    return withNote(r.note, `${where}，共 ${r.totalLines} 行${encoding}${masked}${rest}\n${r.text}`);
  },
});

/** True when this turn was given the very window of the very content; else writes down that it is given now. */
function isRepeat(ctx: ToolContext, window: string, content: string): boolean {
  if (!ctx.feeding) return false;
  const version = stableHash(content);
  if (ctx.feeding.decide(window, 'read', ctx.turn, version).form === undefined) return true;
  ctx.feeding.record({ path: window, form: 'read', turn: ctx.turn, tokens: 0, version });
  return false;
}
