import * as z from 'zod';
import type { SyntaxProblem } from '../../code/index.js';
import { syntaxProblems } from '../../code/index.js';
import type { TextEdit } from '../../text/index.js';
import { defineTool } from '../contract.js';
import { locate, noteUse, withNote } from '../locate.js';
import { assertNoPrivateKey, holdsSecretValues, maskLine } from '../secret-files.js';
import { changesetOf } from './overlay.js';
import { findEdits } from './search-replace.js';

const input = z.object({
  path: z.string().min(1).describe('要改的文件，相对项目根目录'),
  edits: z
    .array(
      z.object({
        search: z.string().min(1).describe('原文，逐字照抄，带缩进；要在文件里只出现一次'),
        replace: z.string().describe('换成的内容；删除时传空字符串，不要省略'),
      }),
    )
    .min(1)
    .describe('一处或多处替换；有一处找不到就都不改'),
});

export interface EditResult {
  path: string;
  places: number[];
  problems: SyntaxProblem[];
  note?: string;
}

/** Exact search and replace in a staged file: all or nothing. */
export const editFile = defineTool<z.infer<typeof input>, EditResult>({
  name: 'edit_file',
  description: '按原文精确替换文件内容，先暂存，确认后才写入',
  input,
  examples: [
    { path: 'src/order/order-service.ts', edits: [{ search: 'const RETRY = 0;', replace: 'const RETRY = 1;' }] },
  ],
  danger: 'medium',
  readOnly: false,
  idempotent: true,
  aclRole: 'developer',
  timeoutMs: 20_000,
  effect: 'changeset',
  async run({ path: raw, edits }, ctx) {
    const changeset = changesetOf(ctx);
    const { path, note } = locate(ctx, raw);
    // A rerun of the same call (crash between staging and its checkpoint) must not look for text that it already replaced.
    if (changeset.hasKey(ctx.callId)) return { path, places: [], problems: [], note: '这处修改之前已经暂存' };
    const before = changeset.read(path);
    assertNoPrivateKey(path, before.text);
    const quote = holdsSecretValues(path) ? maskLine : undefined;
    const found: TextEdit[] = findEdits(path, before.text, edits, quote);
    const old = new Set((await syntaxProblems(path, before.text)).map((p) => p.text));
    changeset.stage({ kind: 'edit', path, edits: found }, ctx.callId);
    await noteUse(ctx, path, 'edit');
    const after = changeset.read(path);
    // Only new faults: a file that was broken before is not this edit's doing.
    const problems = (await syntaxProblems(path, after.text)).filter((p) => !old.has(p.text));
    return { path, places: found.map((e) => lineAt(before.text, e.start)), problems, ...(note ? { note } : {}) };
  },
  render(r) {
    const where = r.places.length > 0 ? `：第 ${r.places.join('、')} 行` : '';
    const faults = r.problems.map((p) => `第 ${p.line} 行第 ${p.column} 列：${p.text}`).join('\n');
    const text = `已暂存 ${r.path} 的修改${where}。`;
    return withNote(r.note, faults ? `${text}\n但是现在有语法错误，请马上改好：\n${faults}` : text);
  },
});

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let i = 0; i < offset; i++) if (text.charCodeAt(i) === 10) line++;
  return line;
}
