import { XiheError } from '../errors.js';
import { readYaml } from './yaml.js';

/** A Markdown text taken apart. */
export interface FrontMatter {
  /** What the YAML between the two `---` says; scalars are strings. */
  data: Record<string, unknown>;
  /** Everything below the second `---`, as written. */
  body: string;
  /** 1-based line of the body's first line. */
  bodyLine: number;
  /** True when a byte order mark stood before it. */
  bom: boolean;
  /** 1-based line in the file of a place in `data`. */
  lineOf(path: readonly PropertyKey[]): number;
}

const HINT = '文件从第一个字节起写：一行 ---，几行「键: 值」，再一行 ---，然后是正文。';

/**
 * Splits a Markdown text into its YAML front matter and its body.
 *
 * The front matter starts at byte 0 (after a BOM, if there is one): a `---` line, YAML, a `---` line.
 *
 * @param text the whole file
 * @throws XiheError FRONT_MATTER_INVALID with `details.line`
 */
export function parseFrontMatter(text: string): FrontMatter {
  const bom = text.startsWith('\uFEFF');
  const lines = (bom ? text.slice(1) : text).split(/\r\n|\n|\r/);
  if (!isFence(lines[0])) throw notAtTop(lines);
  const close = lines.findIndex((line, i) => i > 0 && isFence(line));
  if (close < 0) throw invalid(1, '文件头没有结束：缺少第二行 ---');
  const yaml = readYaml(lines.slice(1, close).join('\n'), 2);
  if (!yaml.ok) throw invalid(yaml.line, `文件头${yaml.reason}`);
  const data = yaml.value ?? {};
  if (typeof data !== 'object' || Array.isArray(data)) throw invalid(2, '文件头应当是「键: 值」');
  return {
    data: data as Record<string, unknown>,
    body: lines.slice(close + 1).join('\n'),
    bodyLine: close + 2,
    bom,
    lineOf: yaml.lineOf,
  };
}

function isFence(line: string | undefined): boolean {
  return line !== undefined && /^---[ \t]*$/.test(line);
}

/** Says what stands where the first `---` should be. */
function notAtTop(lines: readonly string[]): XiheError {
  const [top = ''] = lines;
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first > 0 && isFence(lines[first]))
    return invalid(1, `文件头前面不能有空行：--- 在第 ${first + 1} 行，应在第 1 行`);
  if (isFence(top.replace(/^\p{Cf}+/u, '')))
    return invalid(1, '文件头的 --- 前面有看不见的字符（多半是从网页或聊天里带来的），删掉它');
  if (isFence(top.trim())) return invalid(1, '文件头的 --- 前面不能有空格');
  if (/^[—–－-]{2,}[ \t]*$/.test(top))
    return invalid(1, `文件头的第一行应当正好是三个半角减号 ---，现在是 ${top.trim().slice(0, 20)}`);
  return invalid(1, '缺少文件头：第一行应当是 ---');
}

function invalid(line: number, reason: string): XiheError {
  return new XiheError('FRONT_MATTER_INVALID', `第 ${line} 行：${reason}`, { hint: HINT, details: { line, reason } });
}
