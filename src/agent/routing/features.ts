import { blankPasted, foldForGrammar, maskQuotes } from './clauses.js';

/** Characters at both ends that are read of a long utterance: what lies between is pasted. */
const HEAD = 60;
const TAIL = 80;

/** The words of the utterance as the classifier reads them: folded, quotations blanked, the middle of long ones cut. */
function readable(text: string): string {
  const folded = foldForGrammar(blankPasted(maskQuotes(text), '¶'))
    .replace(/□+/g, '□')
    .replace(/[¶\s]*¶/g, '¶')
    .replace(/\d+/g, '0')
    .replace(/\s+/g, ' ');
  return folded.length <= HEAD + TAIL ? folded : `${folded.slice(0, HEAD)}…${folded.slice(-TAIL)}`;
}

/**
 * Character n-grams (one to three, `^` and `$` mark the ends) and words of Latin script. Latin letters alone say nothing, so
 * runs of them count as one character here.
 */
export function gramsOf(text: string): string[] {
  const plain = readable(text);
  const words = plain.match(/[a-z][a-z0-9_.-]*/g) ?? [];
  const marks = [...`^${plain.replace(/[a-z][a-z0-9_./-]*/g, 'A')}$`];
  const grams = new Set<string>();
  for (let i = 0; i < marks.length; i += 1)
    for (let n = 1; n <= 3 && i + n <= marks.length; n += 1) grams.add(marks.slice(i, i + n).join(''));
  for (const word of words) grams.add(`w:${word}`);
  const length = Math.min(Math.floor(Math.log2(plain.length + 1)), 7);
  grams.add(`len:${length}`);
  return [...grams].filter((gram) => !gram.includes('\n'));
}
