import { cutWords, fold, isStopWord } from '../text/index.js';

/** A word that stands in a text. Offsets are UTF-16 units of the prepared text. */
export interface WordMatch<Id> {
  /** The word as it was added. */
  word: string;
  ids: readonly Id[];
  start: number;
  end: number;
}

interface Entry<Id> {
  word: string;
  folded: string;
  ids: readonly Id[];
}

/** Words that are known without having been added, each under itself. */
export interface WordSource<Id> {
  /** @param form {@link prepare}d */
  idsOf(form: string): readonly Id[] | undefined;
  /** The lengths of the words that start with one or two characters, longest first. */
  lengthsOf(key: string): readonly number[];
}

const HAN_ONLY = /^\p{Script=Han}+$/u;
/** A Latin word goes on over these, so `ES` is neither in `test` nor in `ES_HOST` nor in `ES6`. */
const LATIN = /[a-z0-9_]/;

/**
 * The form in which words are looked for: folded, white space single, and none beside a Chinese character
 * (「GBK 编码」 and 「GBK编码」 are the same).
 */
export function prepare(text: string): string {
  return singleSpaced(fold(text));
}

/** The second half of {@link prepare}, for what is folded already. */
export function singleSpaced(folded: string): string {
  if (!/\s/.test(folded)) return folded;
  return folded
    .replace(/\s+/g, ' ')
    .replace(/(?<=\p{Script=Han}) | (?=\p{Script=Han})/gu, '')
    .trim();
}

/**
 * Finds known words in a text, longest first: 超时关单 hides the 关单 inside it.
 *
 * Words are hashed, and their lengths kept by first two characters, so that a search costs the length of the text and not the
 * number of words.
 * A word that starts or ends with a Latin letter or digit only counts at a word boundary there. A word of one Chinese
 * character only counts when it is the whole text; one of two characters does not count where jieba sees other words across
 * its edges (机关｜单位 holds no 关单, 对｜账号 no 对账).
 */
export class WordMatcher<Id> {
  private readonly entries = new Map<string, Entry<Id>>();
  /** First two characters → the lengths of words that start so, longest first. */
  private readonly lengths = new Map<string, number[]>();

  /** @param base further words; what is added under one of them joins it */
  constructor(private readonly base?: WordSource<Id>) {}

  /** Adds a word for `id`; the same word may stand for several. Empty words are ignored. */
  add(word: string, id: Id): void {
    this.addPrepared(prepare(word), word, id);
  }

  /** The same for a word that is {@link prepare}d already; `word` is what matches are to show. */
  addPrepared(folded: string, word: string, id: Id): void {
    if (folded === '') return;
    const known = this.entries.get(folded);
    if (known !== undefined) {
      if (!known.ids.includes(id)) known.ids = [...known.ids, id];
      return;
    }
    this.entries.set(folded, { word, folded, ids: [...(this.base?.idsOf(folded) ?? NO_IDS), id] });
    const key = folded.slice(0, 2);
    const lengths = this.lengths.get(key);
    if (lengths === undefined) this.lengths.set(key, [folded.length]);
    else if (!lengths.includes(folded.length)) {
      lengths.push(folded.length);
      lengths.sort((a, b) => b - a);
    }
  }

  /** Who stands behind exactly this word. */
  get(word: string): readonly Id[] {
    return this.getPrepared(prepare(word));
  }

  /** The same for a word that is {@link prepare}d already. */
  getPrepared(folded: string): readonly Id[] {
    return this.entryOf(folded)?.ids ?? NO_IDS;
  }

  private entryOf(folded: string): Entry<Id> | undefined {
    const added = this.entries.get(folded);
    if (added !== undefined || this.base === undefined) return added;
    const ids = this.base.idsOf(folded);
    return ids && { word: folded, folded, ids };
  }

  /** The lengths of words that start with `key`, longest first. */
  private lengthsOf(key: string): readonly number[] {
    const added = this.lengths.get(key) ?? NO_LENGTHS;
    const ready = this.base?.lengthsOf(key) ?? NO_LENGTHS;
    if (added.length === 0 || ready.length === 0) return added.length === 0 ? ready : added;
    return [...new Set([...added, ...ready])].sort((a, b) => b - a);
  }

  /**
   * All words in `text`, left to right, none inside another (overlapping ones both count).
   *
   * @param text {@link prepare}d; offsets are into it
   * @param anyEdges lets a word of two Chinese characters count wherever it stands: wrong now and then, but without jieba
   */
  find(text: string, anyEdges = false): WordMatch<Id>[] {
    return this.scan(text, 0, text.length, text.length, anyEdges);
  }

  /**
   * The words that a match of {@link find} is made of: 任务 and 超时 in 任务超时. What such a word leaves of the match on either
   * side is nothing or has two characters at least: a word that only lacks a suffix or prefix is no part but another word
   * (验证｜码, 消费｜者, 数据｜库).
   */
  partsOf(text: string, { start, end }: Pick<WordMatch<Id>, 'start' | 'end'>, anyEdges = false): WordMatch<Id>[] {
    const isPart = (edge: number, of: number) => edge === of || Math.abs(edge - of) >= SHORTEST_PART;
    return this.scan(text, start, end, end - start - 1, anyEdges).filter(
      (part) => isPart(part.start, start) && isPart(part.end, end),
    );
  }

  /** Words of [from, to) that are no longer than `longest`. */
  private scan(text: string, from: number, to: number, longest: number, anyEdges: boolean): WordMatch<Id>[] {
    const found: WordMatch<Id>[] = [];
    let covered = from;
    for (let start = from; start < to; start++) {
      const entry = this.longestAt(text, start, Math.min(longest, to - start), covered - start, anyEdges);
      if (entry === undefined) continue;
      const end = start + entry.folded.length;
      // Starts come in order, so whatever ends no later than an earlier match lies inside it.
      if (end > covered) found.push({ word: entry.word, ids: entry.ids, start, end });
      covered = Math.max(covered, end);
    }
    return found;
  }

  /** @param hidden characters from `start` on that an earlier match covers: no word of them counts, so none is looked at */
  private longestAt(
    text: string,
    start: number,
    longest: number,
    hidden: number,
    anyEdges: boolean,
  ): Entry<Id> | undefined {
    const key = text.slice(start, start + 2);
    for (const length of this.lengthsOf(key)) {
      // At the end of a text the key is its last character, which would find words of one character.
      if (length > longest || (length === 1 && text.length > 1)) continue;
      if (length <= hidden) return undefined;
      const entry = this.entryOf(text.slice(start, start + length));
      if (entry !== undefined && counts(text, start, entry.folded, anyEdges)) return entry;
    }
    // A word of one character has a key of one character; it only counts as the whole text.
    return text.length === 1 ? this.entryOf(text) : undefined;
  }
}

const NO_LENGTHS: readonly number[] = [];
const NO_IDS: readonly never[] = [];

/** A Chinese word of one character stands alone too seldom to be a part. */
const SHORTEST_PART = 2;

function counts(text: string, start: number, word: string, anyEdges = false): boolean {
  const end = start + word.length;
  if (LATIN.test(word.charAt(0)) && LATIN.test(text.charAt(start - 1))) return false;
  if (LATIN.test(word.charAt(word.length - 1)) && LATIN.test(text.charAt(end))) return false;
  return anyEdges || word.length > 2 || !HAN_ONLY.test(word) || !crossesWords(text, start, end);
}

/**
 * Whether the characters [start, end) of a prepared text are a word there, and not the ends of others.
 */
export function isWholeWord(text: string, start: number, end: number): boolean {
  return counts(text, start, text.slice(start, end));
}

/** Characters on each side of a match that jieba gets to see; its longest common words have four. */
const CONTEXT = 4;

/**
 * Tells whether a two-character match is no word there but the end of one and the beginning of another: 机关｜单位 holds no 关单,
 * 一下｜单号 no 下单, 对｜账号 no 对账.
 *
 * Compares two ways to cut the surroundings: with the match as a word, and with a cut in its middle. The one that leaves fewer
 * characters over that are no words wins. When both leave as many, what goes on to the right decides: 补｜单元测试 is what
 * people mean, while 一｜下单就报错 is too. Only asked when Chinese stands beside the match, since it needs jieba.
 */
function crossesWords(text: string, start: number, end: number): boolean {
  const left = hanBefore(text, start);
  const right = hanAfter(text, end);
  if (left === '' && right === '') return false;
  const middle = start + 1;
  const kept = leftOver(left) + leftOver(right);
  const [before, after] = [left + text.slice(start, middle), text.slice(middle, end) + right];
  const split = leftOver(before) + leftOver(after);
  if (split !== kept) return split < kept;
  return (cutWords(after)[0]?.length ?? 0) > 1;
}

/** Characters of a text that jieba leaves alone although they are no function words. */
function leftOver(text: string): number {
  return cutWords(text).filter((word) => word.length === 1 && !isStopWord(word)).length;
}

function hanBefore(text: string, start: number): string {
  return /\p{Script=Han}*$/u.exec(text.slice(Math.max(0, start - CONTEXT), start))?.[0] ?? '';
}

function hanAfter(text: string, end: number): string {
  return /^\p{Script=Han}*/u.exec(text.slice(end, end + CONTEXT))?.[0] ?? '';
}
