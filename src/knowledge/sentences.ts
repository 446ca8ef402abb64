/** Marks that end a Chinese or mixed sentence wherever they stand outside quotes and brackets. */
const FULL_STOPS = new Set('。！？');
/** Latin marks end one only before white space, Chinese or the end: `a?b`, `v1.2.3` and `!=` go on. */
const LATIN_STOPS = new Set('!?.');
/** What may follow a stop and still belongs to the sentence: 他说：“好。” */
const CLOSERS = new Set('”’」』）)】》"\'');
const PAIRS: Record<string, string> = {
  '“': '”',
  '「': '」',
  '『': '』',
  '（': '）',
  '(': ')',
  '【': '】',
  '《': '》',
  '`': '`',
  '"': '"',
};

/** A quote or bracket that does not close within this many characters was a slip and is ignored. */
const LONGEST_QUOTE = 200;

/** Abbreviations whose dot ends no sentence; a single letter is one too (`U.S.`, `A. 选项`), and so is a version's `2.x`. */
const ABBREVIATION =
  /(?:(?:^|[^A-Za-z])(?:e\.g|i\.e|etc|vs|cf|al|Mr|Ms|Dr|No|Fig|Eq|Sec|Ch|v\d*|\d+)|(?:^|[^A-Za-z'’])[A-Za-z])$/i;

/**
 * Cuts prose into sentences, so that each piece says something complete.
 *
 * A colon never ends one (「状态码：1」), nor do ellipses, dots in numbers, versions and names, or anything inside quotes, brackets
 * or code. Nothing is lost: the pieces joined are the text.
 */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const close = PAIRS[text.charAt(i)];
    if (close !== undefined) {
      // No further than it may reach: a text full of brackets that never close would be run through again from each of them.
      const length = text.slice(i + 1, i + 1 + LONGEST_QUOTE).indexOf(close);
      if (length >= 0) {
        i += 1 + length;
        if (endsInside(text, i)) i = cutAfter(i);
      }
      continue;
    }
    if (isStop(text, i)) i = cutAfter(i);
  }
  if (from < text.length) sentences.push(text.slice(from));
  return sentences;

  /** Ends a sentence after position `i` and what closes with it; returns the last position that was taken. */
  function cutAfter(i: number): number {
    let end = i + 1;
    while (end < text.length && (CLOSERS.has(text.charAt(end)) || isStopMark(text.charAt(end)))) end++;
    while (end < text.length && /\s/.test(text.charAt(end))) end++;
    sentences.push(text.slice(from, end));
    from = end;
    return end - 1;
  }
}

function isStopMark(c: string): boolean {
  return FULL_STOPS.has(c) || LATIN_STOPS.has(c);
}

/** A closing quote right after a full stop ends the sentence around it, when a new one begins: “好。”他走了。 */
function endsInside(text: string, close: number): boolean {
  const mark = text.charAt(close);
  if (mark !== '”' && mark !== '」' && mark !== '』' && mark !== '"') return false;
  const next = text.charAt(close + 1);
  return FULL_STOPS.has(text.charAt(close - 1)) && (next === '' || /\s/.test(next));
}

function isStop(text: string, i: number): boolean {
  const c = text.charAt(i);
  const next = text.charAt(i + 1);
  // 。。。 is how ellipses are typed.
  if (c === '。') return next !== '。' && text.charAt(i - 1) !== '。';
  if (FULL_STOPS.has(c)) return true;
  if (!LATIN_STOPS.has(c)) return false;
  if (c !== '.') return next === '' || /[\s\p{Script=Han}]/u.test(next);
  if (text.charAt(i - 1) === '.' || next === '.') return false;
  if (next !== '' && !/\s/.test(next)) return false;
  return !ABBREVIATION.test(text.slice(Math.max(0, i - 6), i));
}
