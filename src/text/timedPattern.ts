import { createContext, Script } from 'node:vm';

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

/**
 * A regular expression as people write it: JavaScript syntax, `(?i)` in front for "any letter case".
 *
 * @param ignoreCase the same as `(?i)`
 * @returns the expression, or why it is none (in English, as the engine says it)
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
      return { reason: e instanceof Error ? e.message.replace(/^Invalid regular expression: /, '') : String(e) };
    }
  }
}
