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
  return [...warnings].flatMap((warning) => {
    const { hits, slow } = onDiffs(warning, diffs);
    for (const pattern of slow) {
      const { file, line } = warning.provenance;
      onSlow({ entryId: warning.id, file, line, pattern });
    }
    return hits;
  });
}

/**
 * A team's warnings that say "these files", and nothing about what is written there: on a diff they fire on any change, so
 * whoever starts on such a file should know before.
 */
export function placeWarnings(
  warnings: Iterable<Warning>,
  files: readonly string[],
): { entry: Warning; score: number; why: string }[] {
  return [...warnings].flatMap((entry) => {
    const { paths, added } = entry.when;
    if (entry.provenance.layer === 'general' || added.length > 0) return [];
    const file = files.find((path) => paths.some((glob) => globMatches(path, glob)));
    return file === undefined ? [] : [{ entry, score: entry.provenance.confidence, why: `涉及文件 ${file}` }];
  });
}

/** An added line, and the file that it stands in. */
interface Added {
  path: string;
  line: number;
  text: string;
}

function onDiffs(warning: Warning, diffs: readonly AddedLines[]): { hits: DiffWarning[]; slow: string[] } {
  const { paths, added, symbols, keywords } = warning.when;
  const globOf = (path: string) => paths.find((glob) => globMatches(path, glob));
  const concerned = paths.length === 0 ? diffs : diffs.filter(({ path }) => globOf(path) !== undefined);
  const at = ({ path, line, text }: Added, why: string): DiffWarning => ({
    warning,
    path,
    line,
    text: text.trim(),
    why,
  });
  const lines = concerned.flatMap(({ path, addedLines }) => addedLines.map((line) => ({ path, ...line })));
  if (added.length > 0) {
    // What ships is tried on long lines in the tests: only a team's patterns need a limit of time, which costs a thread each.
    const trusted = warning.provenance.layer === 'general';
    const texts = lines.map(({ text }) => text);
    const { matches, slow } = tryPatterns(texts, added, trusted);
    const hits = [...matches].sort(([a], [b]) => a - b).map(([i, pattern]) => at(lines[i]!, `新增的行匹配 ${pattern}`));
    return { hits: fewPerFile(hits), slow };
  }
  if (symbols.length === 0 && keywords.length === 0) {
    const first = ({ path, addedLines }: AddedLines) => ({ path, ...(addedLines[0] ?? { line: 1, text: '' }) });
    return { hits: concerned.map((diff) => at(first(diff), `改动了 ${globOf(diff.path)} 里的文件`)), slow: [] };
  }
  const hits = lines.flatMap((line) => {
    const why = byWord(line.text, symbols, keywords);
    return why === undefined ? [] : [at(line, why)];
  });
  return { hits: fewPerFile(hits), slow: [] };
}

function fewPerFile(hits: readonly DiffWarning[]): DiffWarning[] {
  const perFile = new Map<string, number>();
  return hits.filter(({ path }) => {
    const n = (perFile.get(path) ?? 0) + 1;
    perFile.set(path, n);
    return n <= FINDINGS_MAX;
  });
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
