import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { languageOf, outline } from '../../code/index.js';
import { estimateTokens } from '../../text/index.js';
import type { ToolContext } from '../types.js';

/** Symbols that a summary lists, and the tokens that they may take: the rest of a result is for what is read next. */
const SYMBOLS_SHOWN = 80;
const SYMBOL_TOKENS = 900;
/** Bytes that tell what a file is. */
const HEAD_BYTES = 32;

/** What files begin with (their formats' own specifications). */
const KINDS: [kind: string, head: (bytes: Buffer) => boolean][] = [
  ['PNG 图片', (b) => b.toString('latin1', 1, 4) === 'PNG'],
  ['JPEG 图片', (b) => b[0] === 0xff && b[1] === 0xd8],
  ['GIF 图片', (b) => b.toString('latin1', 0, 3) === 'GIF'],
  ['WebP 图片', (b) => b.toString('latin1', 8, 12) === 'WEBP'],
  ['PDF 文档', (b) => b.toString('latin1', 0, 4) === '%PDF'],
  ['gzip 压缩包', (b) => b[0] === 0x1f && b[1] === 0x8b],
  ['Linux 程序（ELF）', (b) => b.toString('latin1', 1, 4) === 'ELF'],
  ['Windows 程序', (b) => b.toString('latin1', 0, 2) === 'MZ'],
  ['Java 字节码', (b) => b.readUInt32BE(0) === 0xcafebabe],
  ['SQLite 数据库', (b) => b.toString('latin1', 0, 6) === 'SQLite'],
  ['字体', (b) => /^(wOFF|wOF2|OTTO|\0\u0001\0\0)/.test(b.toString('latin1', 0, 4))],
];
/** What a ZIP archive is by its ending: office documents and Java's libraries are archives too. */
const ARCHIVES: Record<string, string> = {
  '.jar': 'Java 库（jar）',
  '.war': 'Java 应用（war）',
  '.docx': 'Word 文档',
  '.xlsx': 'Excel 表格',
  '.pptx': 'PowerPoint 文档',
};

/** A file that is no text, or too large for one, in two lines: what it is, how large, and what can be done. */
export function opaqueSummary(ctx: ToolContext, path: string, why: 'binary' | 'large'): string {
  const staged = ctx.changeset?.bytes(path);
  const size = staged?.length ?? statSync(join(ctx.root, path)).size;
  const head = Buffer.alloc(HEAD_BYTES);
  head.set((staged ?? headOf(join(ctx.root, path))).subarray(0, HEAD_BYTES));
  if (why === 'large')
    return `${path}：文本文件，${sizeText(size)}，太大，不能整个读。用 search_code 找要的行，或用 run_command 看开头（head -n 50）。`;
  const kind = kindOf(path, head);
  const pixels = kind.startsWith('PNG') ? `，${head.readUInt32BE(16)}×${head.readUInt32BE(20)} 像素` : '';
  return `${path}：${kind}，${sizeText(size)}${pixels}。不是文本，不能读也不能改内容；可以用 move_file、delete_file。`;
}

function kindOf(path: string, head: Buffer): string {
  if (head.toString('latin1', 0, 4) === 'PK\u0003\u0004') return ARCHIVES[extname(path).toLowerCase()] ?? 'ZIP 压缩包';
  return KINDS.find(([, is]) => is(head))?.[0] ?? `二进制文件${extname(path) ? `（${extname(path)}）` : ''}`;
}

function headOf(file: string): Buffer {
  const fd = openSync(file, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(fd);
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} 字节`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** The symbols of a long file with their lines, for the model to choose what to read; at most about 900 tokens. */
export async function outlineText(path: string, text: string): Promise<string> {
  const { symbols } = await outline(path, text);
  if (symbols.length === 0)
    return `（${languageOf(path) === 'other' ? '不认识的语言' : '没有读出符号'}，按行号或用 search_code 找）`;
  const lines: string[] = [];
  let tokens = 0;
  for (const { name, kind, container, line, endLine } of symbols.slice(0, SYMBOLS_SHOWN)) {
    const shown = `${line}–${endLine}\t${kind} ${container === undefined ? '' : `${container}.`}${name}`;
    tokens += estimateTokens(shown) + 1;
    if (tokens > SYMBOL_TOKENS) break;
    lines.push(shown);
  }
  const left = symbols.length - lines.length;
  return [...lines, ...(left > 0 ? [`（还有 ${left} 个符号）`] : [])].join('\n');
}
