/**
 * Token costs by kind of character, for models whose tokenizer we don't have.
 *
 * Source: fitted on Chinese requirements, traditional Chinese, and TypeScript, Java, Go, Vue, SQL, JSON and Markdown files against the
 * tokenizers of DeepSeek V3, Qwen 3 and o200k_base, so that the estimate lies 0–30 % above the dearest of
 * the three. Chinese prose measured 0.68 (DeepSeek), 0.72 (Qwen) and 0.82 (o200k) tokens a character, traditional 0.77–1.00. The older
 * cl100k_base takes up to 1.4 and is underestimated by a third. From above, because an estimate that is too high wastes a
 * little budget and one that is too low overflows the window.
 */
const COST = {
  han: 0.95,
  /** CJK extensions: bytes, in every tokenizer. */
  rareHan: 3,
  kanaHangul: 0.9,
  cjkPunctuation: 0.9,
  /** Full-width forms, symbols, box drawing. */
  otherNonAscii: 1.2,
  /** Latin letters within a word. */
  letter: 0.19,
  /** What a word costs beside its letters. */
  wordStart: 0.38,
  /** Qwen cuts every digit apart, DeepSeek and o200k take up to three together. */
  digit: 0.95,
  asciiPunctuation: 0.57,
  lineBreak: 0.6,
  /** A single blank joins the next word; runs of indentation merge. */
  blank: 0.07,
} as const;

/** What character `code` costs after character `previous` (UTF-16 units; -1 at the start). */
function costOf(code: number, previous: number): number {
  if (code < 0x80) return asciiCost(code, previous);
  if (code >= 0x4e00 && code <= 0x9fff) return COST.han;
  if (code >= 0x3000 && code <= 0x303f) return COST.cjkPunctuation;
  if (code >= 0xff00 && code <= 0xffef) return COST.cjkPunctuation;
  if ((code >= 0x3040 && code <= 0x30ff) || (code >= 0xac00 && code <= 0xd7af)) return COST.kanaHangul;
  if (code >= 0xd800 && code <= 0xdbff) return COST.rareHan;
  // The second half of a surrogate pair was paid with the first.
  if (code >= 0xdc00 && code <= 0xdfff) return 0;
  if (code >= 0x3400 && code <= 0x4dbf) return COST.rareHan;
  return COST.otherNonAscii;
}

function asciiCost(code: number, previous: number): number {
  if (isLetter(code)) return isLetter(previous) ? COST.letter : COST.letter + COST.wordStart;
  if (code >= 48 && code <= 57) return COST.digit;
  if (code === 10 || code === 13) return previous === 13 ? 0 : COST.lineBreak;
  if (code === 32 || code === 9) return COST.blank;
  return COST.asciiPunctuation;
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/**
 * Estimates how many tokens a text costs, from above, for Chinese and Latin text and code alike.
 *
 * @returns whole tokens; 0 only for the empty string
 */
export function estimateTokens(s: string): number {
  let total = 0;
  let previous = -1;
  for (let i = 0; i < s.length; i++) {
    const code = s.charCodeAt(i);
    total += costOf(code, previous);
    previous = code;
  }
  return Math.ceil(total);
}

/**
 * The longest beginning of `s` that costs at most `max` tokens, never half a character.
 *
 * @param max tokens
 */
export function truncateToTokens(s: string, max: number): { text: string; truncated: boolean } {
  let total = 0;
  let previous = -1;
  for (let i = 0; i < s.length; i++) {
    const code = s.charCodeAt(i);
    total += costOf(code, previous);
    if (total > max) return { text: s.slice(0, i), truncated: true };
    previous = code;
  }
  return { text: s, truncated: false };
}
