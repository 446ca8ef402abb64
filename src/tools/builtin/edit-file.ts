import * as z from 'zod';
import type { SyntaxProblem } from '../../code/index.js';
import { builtIn } from '../contract.js';
import { locate, noteUse, withNote } from '../locate.js';
import { assertNoPrivateKey, holdsSecretValues, maskLine } from '../secret-files.js';
import { linesOf } from './match-text.js';
import { changesetOf } from './overlay.js';
import { findEdits } from './search-replace.js';
import { ownSyntaxProblems, renderSyntax } from './syntax-note.js';

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
  /** Chinese: where a search text was found only with tolerance. */
  tolerated: string[];
  problems: SyntaxProblem[];
  /** What the model is told of the problems. */
  faults: string;
  note?: string;
}

/** Exact search and replace in a staged file: all or nothing. */
export const editFile = builtIn<z.infer<typeof input>, EditResult>({
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
    if (changeset.hasKey(ctx.callId))
      return { path, places: [], tolerated: [], problems: [], faults: '', note: '这处修改之前已经暂存' };
    const before = changeset.read(path);
    assertNoPrivateKey(path, before.text);
    const masked = holdsSecretValues(path);
    const found = findEdits(path, before.text, edits, masked ? maskLine : undefined);
    changeset.stage({ kind: 'edit', path, edits: found.edits }, ctx.callId);
    await noteUse(ctx, path, 'edit');
    const problems = masked ? [] : await ownSyntaxProblems(ctx, path);
    const faults = problems.length === 0 ? '' : renderSyntax(path, problems, linesOf(changeset.read(path).text));
    return { path, places: found.places, tolerated: found.notes, problems, faults, ...(note ? { note } : {}) };
  },
  render(r) {
    const where = r.places.length > 0 ? `：第 ${r.places.join('、')} 行` : '';
    const text = [`已暂存 ${r.path} 的修改${where}。`, ...r.tolerated, r.faults].filter(Boolean).join('\n');
    return withNote(r.note, text);
  },
});
