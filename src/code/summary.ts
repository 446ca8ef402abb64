import { estimateTokens, truncateToTokens } from '../text/index.js';
import { firstSentence } from './comments.js';
import type { CodeSymbol, SymbolKind } from './types.js';

/** DESIGN: a summary is one line of 10–20 tokens. */
const MAX_TOKENS = 20;
const MIN_TOKENS = 10;

/** What the mark of a cut costs, rounded up. */
const ELLIPSIS_TOKENS = 2;

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
  // Beside a main symbol without a doc, the doc of an internal one would speak for the wrong thing.
  const documented = outer.find((symbol, i) => (i === 0 || symbol.exported) && docSentence(symbol) !== '');
  const sentence = firstSentence(headComment ?? '') || (documented ? docSentence(documented) : '');
  if (sentence !== '' && estimateTokens(sentence) >= MIN_TOKENS) return cut(sentence);
  const names = namesOf(ordered);
  if (sentence !== '') return cut(append(sentence, names));
  const details = symbols.filter((symbol) => symbol.kind !== 'route').map(docSentence);
  const described = [...new Set(details.filter((detail) => detail !== ''))];
  return described.length > 0 && outer[0] ? cut(append(outer[0].name, described)) : cut(append('', names));
}

/** Go's custom is to begin a doc with the name; it stands beside it already. */
function docSentence(symbol: CodeSymbol): string {
  const sentence = firstSentence(symbol.doc ?? '');
  const prefix = `${symbol.name} `;
  return sentence === symbol.name ? '' : sentence.startsWith(prefix) ? sentence.slice(prefix.length) : sentence;
}

/** Accessors and the like say nothing beside the fields that they are about. */
const ACCESSOR = /^(?:(?:get|set|is|with)[A-Z]\w*|equals|hashCode|toString|constructor)$/;

function namesOf(ordered: readonly CodeSymbol[]): string[] {
  const telling = ordered.filter(
    (symbol) => symbol.kind !== 'field' && !(symbol.container && ACCESSOR.test(symbol.name)),
  );
  const fields = ordered.filter((symbol) => symbol.kind === 'field');
  return [...new Set([...telling, ...fields].map((symbol) => symbol.name))];
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

/** Of a line that is too long, what remains must still say something. */
const MIN_CUT_TOKENS = 5;
const CLOSERS: Record<string, string> = { '（': '）', '(': ')', '「': '」', '“': '”', '《': '》' };

/** Shortens a line to the budget at a punctuation mark, else between words, never inside of one. */
function cut(line: string): string {
  if (!truncateToTokens(line, MAX_TOKENS).truncated) return line;
  const { text } = truncateToTokens(line, MAX_TOKENS - ELLIPSIS_TOKENS);
  const ends = [...text.matchAll(/[，、；：,;:](?!\d)|[（(「“《]/g)].map(({ index }) => index);
  const fits = (short: string) => estimateTokens(short) <= MAX_TOKENS;
  const shorter = ends
    .map((at) => text.slice(0, at).trimEnd())
    .filter((part) => estimateTokens(part) >= MIN_CUT_TOKENS)
    .map((part) => `${part}…${openMarks(part)}`);
  const atMark = shorter.findLast(fits);
  if (atMark !== undefined) return atMark;
  const words = wholeWords(line, text.length).trimEnd();
  const closed = `${words}…${openMarks(words)}`;
  return fits(closed) ? closed : `${words}…`;
}

/** The words of a line that end within its first `length` characters. */
function wholeWords(line: string, length: number): string {
  let end = 0;
  for (const { index, segment } of new Intl.Segmenter('zh', { granularity: 'word' }).segment(line)) {
    if (index + segment.length > length) break;
    end = index + segment.length;
  }
  // One word as long as the line: a generated name, of which the beginning must do.
  return line.slice(0, end > 0 ? end : length);
}

/** What closes the marks that a cut left open. */
function openMarks(text: string): string {
  const open: string[] = [];
  for (const c of text) {
    if (CLOSERS[c]) open.push(CLOSERS[c]);
    else if (c === open.at(-1)) open.pop();
  }
  return open.reverse().join('');
}
