import { globMatches } from './modules.js';
import { type SlowPattern, tryPatterns } from './pattern.js';
import type { DiffWarning, Warning } from './types.js';

/** One changed file as the check sees it: added lines with their numbers in the new text. */
export interface AddedLines {
  path: string;
  addedLines: readonly { line: number; text: string }[];
}

/** Findings of one warning in one file; more say nothing new. */
const FINDINGS_MAX = 3;

/**
 * Warnings that fire on a diff.
 *
 * `when.paths` and `when.added` decide; where a warning has both, both must match. Symbols and keywords only count where it has no
 * `added`, and then on the added line itself. A warning with paths alone fires on any change below them.
 *
 * @param onSlow gets each pattern that takes too long, once; it is left out from then on
 */
export function warningsForDiff(
  warnings: Iterable<Warning>,
  diffs: readonly AddedLines[],
  onSlow: (slow: SlowPattern) => void = () => {},
): DiffWarning[] {
  const found: DiffWarning[] = [];
  for (const warning of warnings) {
    const patterns = new Set(warning.when.added);
    for (const diff of diffs) {
      const { hits, slow } = inFile(warning, [...patterns], diff);
      found.push(...hits.slice(0, FINDINGS_MAX));
      for (const pattern of slow) {
        patterns.delete(pattern);
        const { file, line } = warning.provenance;
        onSlow({ entryId: warning.id, file, line, pattern });
      }
    }
  }
  return found;
}

/** @param patterns those of `when.added` that are quick enough */
function inFile(
  warning: Warning,
  patterns: readonly string[],
  { path, addedLines }: AddedLines,
): { hits: DiffWarning[]; slow: string[] } {
  const { paths, added, symbols, keywords } = warning.when;
  const glob = paths.find((candidate) => globMatches(path, candidate));
  if (paths.length > 0 && glob === undefined) return { hits: [], slow: [] };
  const at = (line: { line: number; text: string }, why: string): DiffWarning => ({
    warning,
    path,
    line: line.line,
    text: line.text.trim(),
    why,
  });
  if (added.length > 0) {
    const { matches, slow } = tryPatterns(
      addedLines.map((line) => line.text),
      patterns,
    );
    const lines = [...matches].sort(([a], [b]) => a - b);
    return { hits: lines.map(([i, pattern]) => at(addedLines[i]!, `新增的行匹配 ${pattern}`)), slow };
  }
  if (symbols.length === 0 && keywords.length === 0) {
    return { hits: [at(addedLines[0] ?? { line: 1, text: '' }, `改动了 ${glob} 里的文件`)], slow: [] };
  }
  const hits = addedLines.flatMap((line) => {
    const why = byWord(line.text, symbols, keywords);
    return why === undefined ? [] : [at(line, why)];
  });
  return { hits, slow: [] };
}

function byWord(text: string, symbols: readonly string[], keywords: readonly string[]): string | undefined {
  const symbol = symbols.find((candidate) => holdsSymbol(text, candidate));
  if (symbol !== undefined) return `新增的行用到 ${symbol}`;
  const keyword = keywords.find((candidate) => text.includes(candidate));
  return keyword === undefined ? undefined : `新增的行提到「${keyword}」`;
}

/** `OrderService.cancelExpired` is written `orders.cancelExpired(` in code, so its last name is enough. */
function holdsSymbol(text: string, symbol: string): boolean {
  const name = symbol.split(/\.|::|#/).at(-1) ?? symbol;
  const at = text.indexOf(name);
  if (name === '' || at < 0) return false;
  const isPart = (c: string | undefined) => c !== undefined && /[\w$]/.test(c);
  return !isPart(text[at - 1]) && !isPart(text[at + name.length]);
}
