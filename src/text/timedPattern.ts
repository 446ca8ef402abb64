import { createContext, Script } from 'node:vm';
import { messageOf } from '../errors.js';

/**
 * Time that a regular expression may take on one text, in milliseconds. An honest one takes microseconds a line; one that
 * backtracks without end (`(a+)+$`) would hold the whole process, Ctrl-C included.
 */
export const PATTERN_TIMEOUT_MS = 500;

/** A pattern did not end within its time. */
export class SlowPatternError extends Error {
  override readonly name = 'SlowPatternError';

  constructor(
    readonly source: string,
    options?: ErrorOptions,
  ) {
    super(`pattern takes too long: ${source}`, options);
  }
}

/** Where a pattern matches: the line's index and the column, both from 0. */
export interface PatternHit {
  index: number;
  column: number;
}

/** Made once: a context costs a millisecond, and nothing of a pattern stays in it. */
let engine: { context: Record<string, unknown>; script: Script } | undefined;

/**
 * Tries a pattern on lines, with a limit of time that holds inside one match: matching is synchronous, and only a context
 * of its own can be stopped (node:vm `timeout`).
 *
 * @param lines each is searched on its own, first match only
 * @param limit hits at most
 * @throws SlowPatternError when all lines together take longer than `timeoutMs`, or more stack than there is
 */
export function searchLines(
  pattern: RegExp,
  lines: readonly string[],
  limit: number = Number.POSITIVE_INFINITY,
  timeoutMs: number = PATTERN_TIMEOUT_MS,
): PatternHit[] {
  if (lines.length === 0) return [];
  engine ??= {
    context: createContext({}),
    script: new Script(
      '(() => { const r = new RegExp(source, flags); const out = []; for (let i = 0; i < lines.length && out.length < limit; i++) { const c = lines[i].search(r); if (c >= 0) out.push([i, c]); } return out; })()',
    ),
  };
  const { context, script } = engine;
  Object.assign(context, { lines, limit, source: pattern.source, flags: pattern.flags.replace(/[gy]/g, '') });
  try {
    const found = script.runInContext(context, { timeout: timeoutMs }) as [number, number][];
    return found.map(([index, column]) => ({ index, column }));
  } catch (cause) {
    // The time is over, or its stack: both come from backtracking, since the pattern itself is a valid one.
    throw new SlowPatternError(pattern.source, { cause });
  } finally {
    context.lines = [];
  }
}

/** What the engine (V8) says of an expression, for people. */
const REASONS: readonly [said: RegExp, reason: string][] = [
  [/Unterminated character class/, '方括号 [ 没有配对的 ]；要找 [ 本身时写成 \\['],
  [/Unterminated group/, '括号 ( 没有配对的 )；要找 ( 本身时写成 \\('],
  [/Unmatched '\)'/, '多了一个 )；要找 ) 本身时写成 \\)'],
  [/Nothing to repeat/, '* + ? 或 {} 前面没有可以重复的内容；要找这些字符本身时在前面加 \\'],
  [/Lone quantifier brackets/, '多了一个 ] 或花括号；要找它本身时在前面加 \\'],
  [/Incomplete quantifier/, '花括号里的次数没有写完；要找 { 本身时写成 \\{'],
  [/numbers out of order/, '花括号里的次数前大后小，调换过来'],
  [/Range out of order/, '方括号里的范围前大后小，调换过来；要找 - 本身时写在最后'],
  [/Invalid character class/, '方括号里的范围用了 \\w 这样的一类字符；要找 - 本身时写在最后'],
  [/\\ at end of pattern/, '结尾多了一个 \\；要找 \\ 本身时写两个'],
  [/Invalid group/, '(? 后面的写法不认识：可用 (?:…)、(?=…)、(?!…)、(?<=…)、(?<!…)；忽略大小写的 (?i) 只能写在最前面'],
  [/capture group name|named capture|named reference/i, '组的名字写得不对或重复：写成 (?<名字>…)，名字用英文字母'],
  [/Invalid quantifier/, '这里不能用 * + ? 或 {}：前面是断言，去掉重复次数'],
  [/escape/i, '反斜杠后面的字符不是合法的转义；要找它本身时去掉反斜杠'],
  [/property name/, '\\p{…} 里的名字不认识；汉字写成 \\p{Script=Han}'],
  [/too large|too many/i, '太长了，拆成几条'],
];

function reasonOf(message: string): string {
  const known = REASONS.find(([said]) => said.test(message.slice(message.lastIndexOf(': ') + 1)))?.[1];
  return known ?? `写法有误（${message.replace(/^Invalid regular expression: /, '')}）`;
}

/**
 * A regular expression as people write it: JavaScript syntax, `(?i)` in front for "any letter case".
 *
 * @param ignoreCase the same as `(?i)`
 * @returns the expression, or why it is none and what to do, in Chinese
 */
export function compilePattern(source: string, ignoreCase = false): RegExp | { reason: string } {
  const prefixed = source.startsWith('(?i)');
  const body = prefixed ? source.slice('(?i)'.length) : source;
  const flags = prefixed || ignoreCase ? 'i' : '';
  try {
    return new RegExp(body, `u${flags}`);
  } catch {
    // Some escapes that people use (`\-`, `\_`) are only legal without the u flag.
    try {
      return new RegExp(body, flags);
    } catch (e) {
      return { reason: reasonOf(messageOf(e)) };
    }
  }
}
