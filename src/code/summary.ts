import { estimateTokens, truncateToTokens } from '../text/index.js';
import { firstSentence } from './comments.js';
import type { CodeSymbol, SymbolKind } from './types.js';

/** DESIGN: a summary is one line of 10–20 tokens. */
const MAX_TOKENS = 20;
const MIN_TOKENS = 10;

/** Which kind of symbol a file is mostly about. */
const RANK: Record<SymbolKind, number> = {
  class: 0,
  interface: 1,
  enum: 2,
  function: 3,
  route: 4,
  type: 5,
  constant: 6,
  method: 7,
  'enum-member': 8,
  field: 9,
};

/** Exported before internal, outer before inner, then by kind, then as written. */
function byImportance(symbols: readonly CodeSymbol[]): CodeSymbol[] {
  const weight = (symbol: CodeSymbol) => (symbol.exported ? 0 : 20) + (symbol.container ? 10 : 0) + RANK[symbol.kind];
  return symbols
    .map((symbol, order) => ({ symbol, order }))
    .sort((a, b) => weight(a.symbol) - weight(b.symbol) || a.order - b.order)
    .map(({ symbol }) => symbol);
}

/**
 * One line that tells what a file is: the first sentence of its head comment, else of its main symbol's doc, else the main symbol with
 * what its members' docs say, else names. A short sentence is followed by the main names.
 *
 * @returns at most 20 tokens; '' for a file that tells nothing
 */
export function summarise(headComment: string | undefined, symbols: readonly CodeSymbol[]): string {
  const ordered = byImportance(symbols);
  const outer = ordered.filter((symbol) => !symbol.container && symbol.kind !== 'route');
  const documented = outer.find((symbol) => firstSentence(symbol.doc ?? '') !== '');
  const sentence = firstSentence(headComment ?? '') || firstSentence(documented?.doc ?? '');
  if (sentence !== '' && estimateTokens(sentence) >= MIN_TOKENS) return cut(sentence);
  const names = [...new Set(ordered.filter((symbol) => symbol.kind !== 'field').map((symbol) => symbol.name))];
  if (sentence !== '') return cut(append(sentence, names));
  const memberDocs = symbols
    .filter((symbol) => symbol.container && symbol.kind !== 'route')
    .map((symbol) => firstSentence(symbol.doc ?? ''));
  const details = [...new Set(memberDocs.filter((doc) => doc !== ''))];
  return details.length > 0 && outer[0] ? cut(append(outer[0].name, details)) : cut(append('', names));
}

function append(head: string, parts: readonly string[]): string {
  let line = head;
  for (const [i, part] of parts.entries()) {
    const longer = line + (i > 0 ? '、' : head === '' ? '' : '：') + part;
    if (i > 0 && estimateTokens(longer) > MAX_TOKENS) break;
    line = longer;
  }
  return line;
}

function cut(line: string): string {
  const { text, truncated } = truncateToTokens(line, MAX_TOKENS);
  return truncated ? `${truncateToTokens(line, MAX_TOKENS - 1).text.trimEnd()}…` : text;
}
