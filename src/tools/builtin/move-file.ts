import * as z from 'zod';
import { outline } from '../../code/index.js';
import { XiheError } from '../../errors.js';
import { relativeTargets, respelled } from '../../paths/index.js';
import { builtIn } from '../contract.js';
import { locate, locateForWrite, noteUse, withNote } from '../locate.js';
import { assertNoPrivateKey } from '../secret-files.js';
import type { ToolContext } from '../types.js';
import { linesOf } from './match-text.js';
import { changesetOf, readOverlay } from './overlay.js';

/** References that a result names: more of them are found by `search_code`. */
const SHOWN = 30;
/** Characters of an importing line that are shown. */
const LINE_SHOWN = 100;

const input = z.object({
  path: z.string().min(1).describe('要移动或改名的文件，相对项目根目录'),
  to: z.string().min(1).describe('新路径，含文件名，相对项目根目录；不能已经存在'),
});

/** A line that has to change because of the move. */
interface Reference {
  path: string;
  line: number;
  text: string;
  /** How the import is to be written, where that is certain. */
  now?: string;
}

interface MoveResult {
  path: string;
  to: string;
  /** Imports of other files that still lead to the old place. */
  importers: Reference[];
  /** The file's own imports that lead elsewhere from its new place. */
  own: Reference[];
  note?: string;
}

/** Stages a move: every byte stays. Who imports the file is listed, with what to write; changing that is an edit like any other. */
export const moveFile = builtIn<z.infer<typeof input>, MoveResult>({
  name: 'move_file',
  description: '移动文件或改名，内容不变，列出要跟着改的引用',
  input,
  examples: [{ path: 'src/utils/money.ts', to: 'src/common/money.ts' }],
  danger: 'medium',
  readOnly: false,
  idempotent: true,
  aclRole: 'developer',
  timeoutMs: 20_000,
  effect: 'changeset',
  async run({ path: rawPath, to: rawTo }, ctx) {
    const changeset = changesetOf(ctx);
    if (changeset.hasKey(ctx.callId))
      return { path: rawPath, to: rawTo, importers: [], own: [], note: '这次移动之前已经暂存' };
    const from = locate(ctx, rawPath);
    const target = locateForWrite(ctx, rawTo);
    assertNoPrivateKey(from.path, '');
    if (target.exists) {
      throw new XiheError('EDIT_INVALID', `${target.path} 已经存在，不能移过去`, {
        hint: '换一个新路径；要替换那个文件，先 delete_file 删掉它。',
      });
    }
    const importers = await importersOf(ctx, from.path, target.path);
    const own = await ownImports(ctx, from.path, target.path);
    changeset.stage({ kind: 'move', path: from.path, to: target.path }, ctx.callId);
    await noteUse(ctx, target.path, 'edit');
    const notes = [from.note, target.note].filter(Boolean).join('\n');
    return { path: from.path, to: target.path, importers, own, ...(notes ? { note: notes } : {}) };
  },
  render(r) {
    const parts = [
      `已暂存移动：${r.path} → ${r.to}，内容一个字节没变。`,
      r.importers.length > 0
        ? `有 ${r.importers.length} 处还在引用旧路径，用 edit_file 逐个文件改好：\n${list(r.importers)}`
        : '没有找到引用它的代码；字符串、配置和文档里的旧路径用 search_code 查。',
      r.own.length > 0 ? `它自己的引用在新位置也要改（改 ${r.to}）：\n${list(r.own)}` : '',
    ];
    return withNote(r.note, parts.filter(Boolean).join('\n'));
  },
});

function list(references: Reference[]): string {
  const lines = references.slice(0, SHOWN).map(({ path, line, text, now }) => {
    const shown = text.trim().slice(0, LINE_SHOWN);
    return `- ${path}:${line}　${shown}${now === undefined ? '' : `　→ 引用写成 '${now}'`}`;
  });
  const more = references.length - SHOWN;
  return [...lines, ...(more > 0 ? [`（还有 ${more} 处，用 search_code 查）`] : [])].join('\n');
}

/** Imports of a file in the tree and in what this run staged, at their lines as they are staged. */
async function importersOf(ctx: ToolContext, path: string, to: string): Promise<Reference[]> {
  const changeset = changesetOf(ctx);
  const known = await ctx.paths.importersOf(path);
  const staged = changeset.list().filter(({ change }) => change !== 'deleted');
  const touched = new Set(staged.map((file) => file.path));
  const found: Reference[] = [];
  for (const importer of [...new Set([...known.map((reference) => reference.path), ...touched])].sort()) {
    if (importer === path || !changeset.exists(importer)) continue;
    const { lines, imports } = await importsOf(ctx, importer);
    const lineOf = new Map(known.filter((one) => one.path === importer).map(({ line }) => [line, true]));
    for (const { source, line } of imports) {
      const now = respelled(source, { from: importer, target: path }, { from: importer, target: to });
      // Of a file that the run has not touched the graph knows more kinds of imports than their words show.
      if (now === undefined && (touched.has(importer) || !lineOf.has(line))) continue;
      found.push({ path: importer, line, text: lines[line - 1] ?? '', ...(now === undefined ? {} : { now }) });
    }
  }
  return found;
}

/** The file's own relative imports that its new folder breaks. */
async function ownImports(ctx: ToolContext, path: string, to: string): Promise<Reference[]> {
  const changeset = changesetOf(ctx);
  const { lines, imports } = await importsOf(ctx, path);
  return imports.flatMap(({ source, line }) => {
    if (!source.startsWith('.')) return [];
    const target = relativeTargets(path, source).find((file) => changeset.exists(file));
    if (target === undefined) return [];
    const now = respelled(source, { from: path, target }, { from: to, target });
    return now === undefined || now === source ? [] : [{ path: to, line, text: lines[line - 1] ?? '', now }];
  });
}

async function importsOf(
  ctx: ToolContext,
  path: string,
): Promise<{ lines: string[]; imports: { source: string; line: number }[] }> {
  try {
    const { text } = readOverlay(ctx, path);
    return { lines: linesOf(text), imports: (await outline(path, text)).imports };
  } catch (e) {
    // A picture has no imports, and moves all the same.
    if (XiheError.is(e)) return { lines: [], imports: [] };
    throw e;
  }
}
