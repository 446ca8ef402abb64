import * as z from 'zod';
import { XiheError } from '../../errors.js';
import { estimateTokens, type FileText, stableHash } from '../../text/index.js';
import { MAX_RESULT_TOKENS } from '../call.js';
import { builtIn } from '../contract.js';
import { locate, noteUse, withNote } from '../locate.js';
import { assertNoPrivateKey, holdsSecretValues, maskLine } from '../secret-files.js';
import type { ToolContext } from '../types.js';
import { opaqueSummary, outlineText } from './file-summary.js';
import { linesOf } from './match-text.js';
import { readOverlay } from './overlay.js';

/** Lines of one window: about 1,200 tokens of code, so that a whole result stays under the limit of a tool result. */
export const WINDOW_LINES = 120;
/** Tokens of a result that its head takes: the rest is for the window. */
const HEAD_TOKENS = 100;
/** A file of more lines is shown by its symbols first: its beginning is seldom what is looked for. */
const LONG_FILE_LINES = 800;
/** Characters of a line that are shown: longer ones are data or minified code. */
const LINE_CHARS = 600;

const input = z.object({
  path: z.string().min(1).describe('文件路径，相对项目根目录'),
  start_line: z.number().int().min(1).optional().describe('从第几行开始，默认第 1 行；长文件不给就先列符号'),
  line_count: z.number().int().min(1).max(400).default(WINDOW_LINES).describe(`读多少行，默认 ${WINDOW_LINES} 行`),
});

export interface ReadResult {
  path: string;
  text: string;
  /** `window`: numbered lines; `outline`: the symbols of a long file; `opaque`: no text, or too large for one. */
  form: 'window' | 'outline' | 'opaque';
  startLine: number;
  endLine: number;
  totalLines: number;
  encoding: string;
  /** The file holds secrets: the values in `text` are masked. */
  masked: boolean;
  /** The turn that gave these very lines, which are still in the conversation; `text` is empty then. */
  repeated?: number;
  note?: string;
}

/** Reads a window of a file through the staged changes, with line numbers; secrets are masked, private keys refused. */
export const readFile = builtIn<z.infer<typeof input>, ReadResult>({
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
    const file = textOrWhy(ctx, path);
    await noteUse(ctx, path, 'read');
    const base = {
      path,
      masked: false,
      encoding: '',
      startLine: 0,
      endLine: 0,
      totalLines: 0,
      ...(note ? { note } : {}),
    };
    if (typeof file === 'string') return { ...base, form: 'opaque', text: opaqueSummary(ctx, path, file) };
    assertNoPrivateKey(path, file.text);
    const lines = linesOf(file.text);
    if (lines.at(-1) === '') lines.pop();
    const masked = holdsSecretValues(path);
    const told = { ...base, masked, encoding: file.encoding, totalLines: lines.length };
    const isWhole = start_line === undefined && ctx.resultTokens !== undefined;
    if (start_line === undefined && !isWhole && lines.length > LONG_FILE_LINES && !masked)
      return { ...told, form: 'outline', text: await outlineText(path, file.text) };
    const from = Math.min(start_line ?? 1, Math.max(1, lines.length));
    const count = isWhole ? lines.length : line_count;
    const shown = windowOf(lines.slice(from - 1, from - 1 + count), from, masked, ctx.resultTokens);
    const endLine = from + shown.length - 1;
    const version = stableHash(file.text);
    const window = { ...told, form: 'window' as const, startLine: from, endLine };
    const given = ctx.feeding?.turnOfLines(path, [from, endLine], ctx.turn, version);
    if (given !== undefined) return { ...window, text: '', repeated: given };
    const text = shown.join('\n');
    const tokens = estimateTokens(text);
    ctx.fed({ path, form: 'read', turn: ctx.turn, tokens, version, lines: [from, endLine] });
    return { ...window, text };
  },
  render(r) {
    if (r.form === 'opaque') return withNote(r.note, r.text);
    if (r.form === 'outline') {
      const head = `${r.path} 共 ${r.totalLines} 行，较长，先列出符号（行号、种类、名字）；用 start_line 和 line_count 读要的那一段：`;
      return withNote(r.note, `${head}\n${r.text}`);
    }
    const where = `${r.path} 第 ${r.startLine}–${r.endLine} 行`;
    if (r.repeated !== undefined) {
      const rest = r.endLine < r.totalLines ? `要接着读，用 start_line=${r.endLine + 1}。` : '';
      return withNote(r.note, `${where}：前面已经给过，之后没有变，见上文，不再重复。${rest}`);
    }
    const rest =
      r.endLine < r.totalLines
        ? `（后面还有 ${r.totalLines - r.endLine} 行，用 start_line=${r.endLine + 1} 接着读）`
        : '';
    const encoding = r.encoding === 'utf-8' ? '' : `，编码 ${r.encoding}`;
    const masked = r.masked ? '（存密钥的文件：只给名字，值已遮住）' : '';
    return withNote(r.note, `${where}，共 ${r.totalLines} 行${encoding}${masked}${rest}\n${r.text}`);
  },
});

/** A file's text, or why there is none to show. */
function textOrWhy(ctx: ToolContext, path: string): FileText | 'binary' | 'large' {
  try {
    return readOverlay(ctx, path);
  } catch (e) {
    if (XiheError.is(e, 'FILE_BINARY')) return 'binary';
    if (XiheError.is(e, 'FILE_TOO_LARGE')) return 'large';
    throw e;
  }
}

/** Numbered lines, as many whole ones as a result holds; at least one. */
function windowOf(lines: readonly string[], from: number, masked: boolean, resultTokens = MAX_RESULT_TOKENS): string[] {
  const room = resultTokens - HEAD_TOKENS;
  const shown: string[] = [];
  let tokens = 0;
  for (const [i, line] of lines.entries()) {
    const text = `${from + i}\t${clipped(masked ? maskLine(line) : line)}`;
    tokens += estimateTokens(text) + 1;
    if (tokens > room && shown.length > 0) break;
    shown.push(text);
  }
  return shown;
}

function clipped(line: string): string {
  return line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…（这一行共 ${line.length} 字，只给开头）` : line;
}
