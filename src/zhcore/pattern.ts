import { compilePattern, SlowPatternError, searchLines } from '../text/index.js';

/** Longest line that a pattern is tried on, in characters: minified lines say nothing. */
const LONGEST_LINE = 2000;

const known = new Map<string, RegExp | { reason: string }>();

/** A pattern of a team's file that took too long and was left out. */
export interface SlowPattern {
  /** Id of the warning or playbook. */
  entryId: string;
  /** The file that defines it, relative to its layer's folder, and the line where the entry starts. */
  file: string;
  line: number;
  pattern: string;
}

/**
 * Finds the lines that match a pattern of a team's file: `(?i)` in front means "any letter case", a pattern that is none
 * matches nothing.
 *
 * @param trusted it is known to end in time: no watchdog is needed
 * @returns indexes into `lines`
 * @throws SlowPatternError when it backtracks without end
 */
export function matchingLines(lines: readonly string[], source: string, trusted = false): number[] {
  const compiled = known.get(source) ?? compilePattern(source);
  known.set(source, compiled);
  if (!(compiled instanceof RegExp)) return [];
  const short = lines.map((line) => (line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) : line));
  if (trusted) return short.flatMap((line, i) => (line.search(compiled) >= 0 ? [i] : []));
  return searchLines(compiled, short).map(({ index }) => index);
}

/**
 * Tries the patterns of one entry, each in its own time.
 *
 * @returns for each line that one matches, by index, the first pattern that does; and the patterns that took too long
 */
export function tryPatterns(
  lines: readonly string[],
  patterns: readonly string[],
  trusted = false,
): { matches: Map<number, string>; slow: string[] } {
  const matches = new Map<number, string>();
  const slow: string[] = [];
  for (const pattern of patterns) {
    try {
      for (const index of matchingLines(lines, pattern, trusted)) if (!matches.has(index)) matches.set(index, pattern);
    } catch (e) {
      if (!(e instanceof SlowPatternError)) throw e;
      slow.push(pattern);
    }
  }
  return { matches, slow };
}

/** What a slow pattern means for people, in Chinese. */
export function slowPatternText({ entryId, file, line, pattern }: SlowPattern): string {
  return `条目 ${entryId}（${file}:${line}）的正则太慢，这次没有用它检查：${pattern}。请写得更具体些，避免嵌套的 * 和 +。`;
}
