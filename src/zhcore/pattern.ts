/** Longest line that a pattern is tried on: minified lines say nothing, and a bad pattern must not stall a check. */
const LONGEST_LINE = 2000;

const known = new Map<string, RegExp | { reason: string }>();

/**
 * A regular expression as people write it in a warning or playbook: JavaScript syntax, `(?i)` in front for "any letter case".
 *
 * @returns the expression, or why it is none (in English, as the engine says it)
 */
export function compilePattern(source: string): RegExp | { reason: string } {
  const found = known.get(source);
  if (found !== undefined) return found;
  const compiled = compile(source);
  known.set(source, compiled);
  return compiled;
}

function compile(source: string): RegExp | { reason: string } {
  const anyCase = source.startsWith('(?i)');
  const body = anyCase ? source.slice(4) : source;
  try {
    return new RegExp(body, anyCase ? 'ui' : 'u');
  } catch {
    // Some escapes that people use (`\-`, `\_`) are only legal without the u flag.
    try {
      return new RegExp(body, anyCase ? 'i' : '');
    } catch (e) {
      return { reason: e instanceof Error ? e.message.replace(/^Invalid regular expression: /, '') : String(e) };
    }
  }
}

/** Whether a line matches a pattern; a pattern that is none matches nothing. */
export function lineMatches(line: string, source: string): boolean {
  const compiled = compilePattern(source);
  return compiled instanceof RegExp && compiled.test(line.slice(0, LONGEST_LINE));
}
