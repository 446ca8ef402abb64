/**
 * Token costs by kind of character, for models whose tokenizer we don't have.
 *
 * Sources: DeepSeek's documentation gives 0.6 token a Chinese character and 0.3 an English one; Qwen's gives 1.5–1.8 characters a
 * token; OpenAI's o200k_base, measured on Chinese requirement texts, about 0.7–0.8 a character, and rare or traditional characters up to 2.
 * We take the upper end, because an estimate that is 15 % too high wastes a little budget and one too low overflows the window.
 */
const COST = {
  han: 0.85,
  /** CJK Extension B and beyond: bytes, in every tokenizer. */
  rareHan: 2.5,
  kanaHangul: 0.9,
  cjkPunctuation: 0.8,
  /** Full-width forms, symbols, box drawing, emoji halves. */
  otherNonAscii: 1,
  /** Latin letters within a word: about 4 characters a token. */
  letter: 0.25,
  /** A word costs at least this much more than its letters. */
  wordStart: 0.35,
  /** Qwen cuts every digit apart, DeepSeek and o200k take up to three together. */
  digit: 0.6,
  asciiPunctuation: 0.65,
  lineBreak: 0.6,
  /** A single blank joins the next word; runs of indentation merge. */
  blank: 0.08,
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
