import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { messageOf, quoted, XiheError } from '../../errors.js';
import { decodeText } from '../../text/index.js';
import type { ScriptKind } from './create.js';
import { pythonNeeds } from './pythonNeeds.js';
import { shellNeeds } from './shellNeeds.js';
import { type SyntaxResult, syntaxOf } from './syntax.js';

/** Something that a script needs and that its text does not bring along. */
export interface ScriptNeed {
  kind: 'file' | 'command' | 'module';
  /** As the script names it. */
  name: string;
  /** 1-based. */
  line: number;
  /** In Chinese: what was looked for, and why it may be missing on the worker. */
  why: string;
}

/** A script that is fit to be sent. */
export interface CheckedScript {
  kind: ScriptKind;
  /** Unicode, line ends LF, no BOM: what the server stores. */
  text: string;
  /** Of the file. */
  encoding: string;
  /** What was changed on the way, in Chinese. */
  notes: string[];
  /** Whether the syntax was checked, and if not why not. */
  syntax: SyntaxResult;
  /** What a person has to confirm: it is not here, or the worker will not have it. */
  needs: ScriptNeed[];
}

/** Largest script, in bytes: the server keeps it in a text column of 64 KB. */
export const MAX_SCRIPT_BYTES = 60_000;

const KINDS: Readonly<Record<string, ScriptKind>> = { '.sh': 'shell', '.bash': 'shell', '.py': 'python' };
/** Python's line that says a file's encoding (PEP 263), in the first two lines. */
const CODING = /^((?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*)([-\w.]+)/;

/**
 * Reads and checks a script before anything goes to a server: encoding, line ends, syntax, and what it needs.
 *
 * @param file absolute
 * @param root the project's root, absolute: where relative names may lie as well
 * @throws XiheError SCRIPT_INVALID with the line of a syntax error, or for a file that is no script; PATH_NOT_FOUND, FILE_BINARY,
 *   FILE_TOO_LARGE, CANCELLED
 */
export async function checkScript(
  file: string,
  root: string,
  options: { kind?: ScriptKind | undefined; signal?: AbortSignal | undefined } = {},
): Promise<CheckedScript> {
  const read = decodeText(await bytesOf(file));
  if ((read.undecodable ?? 0) > 0)
    throw invalid(file, `有 ${read.undecodable} 处字节读不出`, '先修好文件的编码，再建工作流。');
  const notes: string[] = [];
  const kind = options.kind ?? kindOf(file, read.text);
  let text = read.text;
  if (read.encoding !== 'utf-8') notes.push(`文件是 ${read.encoding} 编码，已按 UTF-8 提交`);
  if (/\r/.test(text)) {
    text = text.replace(/\r\n?/g, '\n');
    notes.push('换行已从 CRLF 改成 LF，bash 不认 CRLF');
  }
  if (kind === 'python') text = withUtf8(text, notes);
  if (text.trim() === '') throw invalid(file, '是空的', '写好脚本再建工作流。');
  if (Buffer.byteLength(text) > MAX_SCRIPT_BYTES)
    throw invalid(
      file,
      `超过 ${MAX_SCRIPT_BYTES / 1000} KB，服务器存不下`,
      '把脚本放到 worker 上或资源中心，工作流里只写调用它的一行。',
    );
  const syntax = await syntaxOf(kind, text, basename(file), options.signal);
  if (syntax.state === 'wrong')
    throw invalid(file, `第 ${syntax.line} 行语法不对：${syntax.reason}`, '改好再建工作流。');
  const needs =
    kind === 'python'
      ? await pythonNeeds(text, dirname(file), root, options.signal)
      : shellNeeds(text, dirname(file), root);
  return { kind, text, encoding: read.encoding, notes, syntax, needs };
}

/**
 * Asks for what a script needs and nobody has confirmed.
 *
 * @param confirmed names that a person has said are on the worker
 * @throws XiheError SCRIPT_DEPENDENCIES with all of them in one question
 */
export function assertNeeds({ needs }: CheckedScript, confirmed: readonly string[]): void {
  const open = needs.filter(({ name }) => !confirmed.includes(name));
  if (open.length === 0) return;
  const listed = open.map(({ name, line, why }) => `${quoted(name)}（第 ${line} 行：${why}）`).join('；');
  throw new XiheError('SCRIPT_DEPENDENCIES', `脚本用到的东西要先确认：${listed}`, {
    hint: '问清楚 worker 上有没有；确认有的，把名字写进 confirmed 再建。没有的先在 worker 上装好或改成绝对路径。',
    details: { needs: open },
  });
}

async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    const { size } = statSync(file);
    if (size > 4 * MAX_SCRIPT_BYTES)
      throw invalid(file, `有 ${Math.round(size / 1024)} KB，太大了`, '工作流里只写调用它的一行。');
    return await readFile(file);
  } catch (e) {
    if (XiheError.is(e)) throw e;
    throw new XiheError('PATH_NOT_FOUND', `读不到脚本 ${basename(file)}（${messageOf(e)}）`, {
      hint: '检查路径和读权限。',
    });
  }
}

function kindOf(file: string, text: string): ScriptKind {
  const known = KINDS[extname(file).toLowerCase()];
  if (known) return known;
  const [first = ''] = text.split('\n', 1);
  if (/^#!.*\bpython[\d.]*\b/.test(first)) return 'python';
  if (/^#!.*\b(?:ba|da|z|k)?sh\b/.test(first)) return 'shell';
  throw invalid(
    file,
    '看不出是 shell 还是 Python',
    '用 .sh 或 .py 作后缀，或在第一行写 #!/bin/bash、#!/usr/bin/env python3。',
  );
}

/** What is stored is UTF-8: a line that says otherwise would make Python misread it. */
function withUtf8(text: string, notes: string[]): string {
  const [, , coding] = CODING.exec(text) ?? [];
  if (coding === undefined || /^utf-?8/i.test(coding)) return text;
  notes.push(`开头声明的编码 ${coding} 已改成 utf-8`);
  return text.replace(CODING, (_all, before: string) => `${before}utf-8`);
}

function invalid(file: string, reason: string, hint: string): XiheError {
  return new XiheError('SCRIPT_INVALID', `脚本 ${basename(file)} ${reason}`, {
    hint,
    details: { file: basename(file) },
  });
}
