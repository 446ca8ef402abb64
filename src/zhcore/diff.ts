import { globMatches } from './modules.js';
import { lineMatches } from './pattern.js';
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
 */
export function warningsForDiff(warnings: Iterable<Warning>, diffs: readonly AddedLines[]): DiffWarning[] {
  const found: DiffWarning[] = [];
  for (const warning of warnings) {
    for (const diff of diffs) found.push(...inFile(warning, diff).slice(0, FINDINGS_MAX));
  }
  return found;
}

function inFile(warning: Warning, { path, addedLines }: AddedLines): DiffWarning[] {
  const { paths, added, symbols, keywords } = warning.when;
  const glob = paths.find((candidate) => globMatches(path, candidate));
  if (paths.length > 0 && glob === undefined) return [];
  const at = (line: { line: number; text: string }, why: string): DiffWarning => ({
    warning,
    path,
    line: line.line,
    text: line.text.trim(),
    why,
  });
  if (added.length === 0 && symbols.length === 0 && keywords.length === 0) {
    return [at(addedLines[0] ?? { line: 1, text: '' }, `改动了 ${glob} 里的文件`)];
  }
  return addedLines.flatMap((line) => {
    const why = added.length > 0 ? byPattern(line.text, added) : byWord(line.text, symbols, keywords);
    return why === undefined ? [] : [at(line, why)];
  });
}

function byPattern(text: string, patterns: readonly string[]): string | undefined {
  const pattern = patterns.find((candidate) => lineMatches(text, candidate));
  return pattern === undefined ? undefined : `新增的行匹配 ${pattern}`;
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
