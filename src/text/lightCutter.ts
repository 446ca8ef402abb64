import { DICTIONARY_TOTAL, Dictionary, type Lines } from './dictionary.js';

/** Runs that are cut with the dictionary; the rest comes character by character. As in jieba-rs (`RE_HAN_DEFAULT`). */
const RUN =
  /[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B820}-\u{2CEAF}\u{2CEB0}-\u{2EBEF}\u{2F800}-\u{2FA1F}a-zA-Z0-9+#&._%-]+/gu;
const LINE_END_OR_CHARACTER = /\r\n|[\s\S]/gu;
const LETTER_OR_DIGIT = /^[a-zA-Z0-9]$/;

/**
 * Cuts text just as jieba does without its model for unknown words: of all ways to cut, the one whose words are most probable together,
 * the longer first word of equal ones. For a few texts it is much cheaper, as nothing is built; for many, jieba itself is.
 */
export class LightCutter {
  readonly #dictionary: Dictionary;
  readonly #added = new Map<string, number>();
  /** UTF-16 units of the longest word that was added. */
  #longestAdded = 0;
  #total = DICTIONARY_TOTAL;

  /** @param bytes see {@link Dictionary} */
  constructor(bytes: Uint8Array) {
    this.#dictionary = new Dictionary(bytes);
  }

  /** Adds words, or gives those that are known another frequency. */
  add(words: Iterable<string>, frequency: number): void {
    for (const word of words) {
      this.#total += frequency - (this.#frequency(word) ?? 0);
      this.#added.set(word, frequency);
      this.#longestAdded = Math.max(this.#longestAdded, word.length);
    }
  }

  /** Words side by side, see jieba's `cut` without HMM. */
  cut(text: string): string[] {
    const words: string[] = [];
    let done = 0;
    for (const { 0: run, index } of text.matchAll(RUN)) {
      apart(text.slice(done, index), words);
      this.#cutRun(run, words);
      done = index + run.length;
    }
    apart(text.slice(done), words);
    return words;
  }

  /** The same with the words of two and three characters inside longer ones before them, see jieba's `cut_for_search`. */
  cutForSearch(text: string): string[] {
    const found: string[] = [];
    for (const word of this.cut(text)) {
      const characters = [...word];
      for (const length of [2, 3]) {
        for (let i = 0; characters.length > length && i + length <= characters.length; i++) {
          const part = characters.slice(i, i + length).join('');
          if (this.#frequency(part) !== undefined) found.push(part);
        }
      }
      found.push(word);
    }
    return found;
  }

  #cutRun(run: string, words: string[]): void {
    const ends = this.#bestEnds([...run]);
    let latin = '';
    for (let at = 0; at < run.length; ) {
      const word = run.slice(at, ends[at]!);
      at = ends[at]!;
      if (LETTER_OR_DIGIT.test(word)) {
        latin += word;
        continue;
      }
      if (latin !== '') words.push(latin);
      latin = '';
      words.push(word);
    }
    if (latin !== '') words.push(latin);
  }

  /** Where the word ends that starts at each offset of a run, on the most probable way to the end of the run. */
  #bestEnds(characters: readonly string[]): Int32Array {
    const length = characters.reduce((sum, character) => sum + character.length, 0);
    const ends = new Int32Array(length);
    const scores = new Float64Array(length + 1);
    const logTotal = Math.log(this.#total);
    let start = length;
    for (let i = characters.length - 1; i >= 0; i--) {
      start -= characters[i]!.length;
      let best = Number.NEGATIVE_INFINITY;
      for (const [end, frequency] of this.#wordsAt(characters, i, start)) {
        const score = Math.log(frequency) - logTotal + scores[end]!;
        if (score < best) continue;
        best = score;
        ends[start] = end;
      }
      scores[start] = best;
    }
    return ends;
  }

  /** Ends and frequencies of the words that start at a character, shorter ones first; one at least. */
  #wordsAt(characters: readonly string[], from: number, start: number): [end: number, frequency: number][] {
    const found: [number, number][] = [];
    let lines: Lines | undefined = this.#dictionary.all;
    let word = '';
    for (let i = from; i < characters.length; i++) {
      word += characters[i]!;
      if (lines) lines = this.#linesOf(word, lines);
      if (lines === undefined && word.length > this.#longestAdded) break;
      const frequency = this.#added.get(word) ?? (lines && this.#dictionary.frequencyOf(lines, bytesOf(word)));
      if (frequency !== undefined) found.push([start + word.length, frequency]);
    }
    return found.length > 0 ? found : [[start + characters[from]!.length, 1]];
  }

  #linesOf(word: string, among: Lines): Lines | undefined {
    const bytes = encoder.encode(word);
    return this.#dictionary.startingWith(bytes, bytes.length, among);
  }

  #frequency(word: string): number | undefined {
    const added = this.#added.get(word);
    if (added !== undefined) return added;
    const lines = this.#linesOf(word, this.#dictionary.all);
    return lines && this.#dictionary.frequencyOf(lines, bytesOf(word));
  }
}

const encoder = new TextEncoder();

function bytesOf(word: string): number {
  return Buffer.byteLength(word);
}

/** What lies between runs, character by character. */
function apart(text: string, words: string[]): void {
  if (text !== '') words.push(...(text.match(LINE_END_OR_CHARACTER) ?? []));
}
