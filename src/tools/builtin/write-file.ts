import * as z from 'zod';
import { XiheError } from '../../errors.js';
import { builtIn } from '../contract.js';
import { locate, locateForWrite, noteUse, withNote } from '../locate.js';
import { linesOf } from './match-text.js';
import { changesetOf } from './overlay.js';
import { ownSyntaxProblems, renderSyntax } from './syntax-note.js';

const writeInput = z.object({
  path: z.string().min(1).describe('新文件的路径，相对项目根目录'),
  content: z.string().describe('必填，文件的完整内容，以字符串传入，不要省略'),
});

interface WriteResult {
  path: string;
  faults: string;
  note?: string;
}

/** Writes a new file into the changeset. Files that exist are edited, not overwritten. */
export const writeFile = builtIn<z.infer<typeof writeInput>, WriteResult>({
  name: 'write_file',
  description: '新建文件，先暂存；已有的文件请用 edit_file',
  input: writeInput,
  examples: [{ path: 'src/payment/unionpay/channel.ts', content: 'export class UnionPayChannel {}\n' }],
  danger: 'medium',
  readOnly: false,
  idempotent: true,
  aclRole: 'developer',
  timeoutMs: 20_000,
  effect: 'changeset',
  async run({ path: raw, content }, ctx) {
    const changeset = changesetOf(ctx);
    const { path, exists, note } = locateForWrite(ctx, raw);
    if (exists && !changeset.hasKey(ctx.callId) && !isOwnNewFile(changeset.list(), path)) {
      throw new XiheError('EDIT_INVALID', `${path} 已经存在，不整份覆盖`, {
        hint: '用 edit_file 只改要改的地方；真要重写，先 delete_file 再 write_file。',
      });
    }
    changeset.stage({ kind: 'write', path, text: content }, ctx.callId);
    await noteUse(ctx, path, 'edit');
    const problems = await ownSyntaxProblems(ctx, path);
    const faults = problems.length === 0 ? '' : renderSyntax(path, problems, linesOf(content));
    return { path, faults, ...(note ? { note } : {}) };
  },
  render(r) {
    const text = `已暂存新文件 ${r.path}。`;
    return withNote(r.note, r.faults ? `${text}\n${r.faults}` : text);
  },
});

const deleteInput = z.object({
  path: z.string().min(1).describe('要删的文件，相对项目根目录'),
});

/** Stages the deletion of a file. */
export const deleteFile = builtIn<z.infer<typeof deleteInput>, { path: string; note?: string }>({
  name: 'delete_file',
  description: '删除一个文件，先暂存，确认后才真正删除',
  input: deleteInput,
  examples: [{ path: 'src/legacy/old-report.ts' }],
  danger: 'high',
  readOnly: false,
  idempotent: true,
  aclRole: 'developer',
  timeoutMs: 10_000,
  effect: 'changeset',
  async run({ path: raw }, ctx) {
    const changeset = changesetOf(ctx);
    if (changeset.hasKey(ctx.callId)) return { path: raw, note: '之前已经暂存' };
    const { path, note } = locate(ctx, raw);
    changeset.stage({ kind: 'delete', path }, ctx.callId);
    return { path, ...(note ? { note } : {}) };
  },
  render: (r) => withNote(r.note, `已暂存删除 ${r.path}，确认后才会真正删除。`),
});

/** A file that this very run created may be written again in full. */
function isOwnNewFile(staged: { path: string; change: string }[], path: string): boolean {
  return staged.some((file) => file.path === path && file.change === 'added');
}
