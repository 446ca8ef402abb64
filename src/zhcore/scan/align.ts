import { isStopWord, segment } from '../../text/index.js';
import { partsOf } from './names.js';

/** Seen this often with each other, a word and a part of a name are taken for each other; below it the counts are shrunk. */
const SHRINK = 0.8;
/** From this association on, a part of a name has a word of its own. */
const STRONG = 0.5;
/** A pair that must be seen to count as knowledge about a part. */
const SEEN_MIN = 3;

/** A pair that a dictionary knows is no surer than one that this repository says again and again. */
const CONFIRMED = 0.9;

/** Parts of names that say nothing a word could stand for. */
const EMPTY_PARTS = new Set('the of by and to is has get set in on for with my do new all sys base'.split(' '));

/** Learns from the repository's own pairs which Chinese words go with which parts of names, and judges pairs by it. */
export class Alignment {
  readonly #words = new Map<string, number>();
  readonly #parts = new Map<string, number>();
  readonly #together = new Map<string, Map<string, number>>();
  readonly #seen = new Set<string>();
  readonly #cuts = new Map<string, string[]>();
  readonly #bilingual: (word: string) => readonly string[];

  /** @param bilingual English words for a Chinese one, from outside of the repository */
  constructor(bilingual: (word: string) => readonly string[] = () => []) {
    this.#bilingual = bilingual;
  }

  /** Takes in that `word` stands beside a symbol of this name; the same pair counts once. */
  learn(word: string, name: string): void {
    const key = `${word} ${name}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const words = this.#cut(word);
    const parts = contentParts(name);
    for (const w of words) {
      this.#words.set(w, (this.#words.get(w) ?? 0) + 1);
      const row = this.#together.get(w) ?? new Map<string, number>();
      this.#together.set(w, row);
      for (const part of parts) row.set(part, (row.get(part) ?? 0) + 1);
    }
    for (const part of parts) this.#parts.set(part, (this.#parts.get(part) ?? 0) + 1);
  }

  /**
   * How well a word and a name explain each other, by everything that was learnt.
   *
   * @returns 0–1: 1 where every part of the name has its word and every word its part, about 0.5 where nothing is known, near 0 where
   *   parts of the name are known to mean other words
   */
  judge(word: string, name: string): number {
    const words = this.#cut(word);
    const parts = contentParts(name);
    if (words.length === 0 || parts.length === 0) return 0.4;
    if (this.confirms(word, name)) return CONFIRMED;
    const byPart = parts.map((part) => this.#explained(part, words));
    const byWord = words.map((w) => Math.max(...parts.map((part) => this.#association(w, part))));
    const mean = (list: number[]) => list.reduce((sum, x) => sum + x, 0) / list.length;
    return 0.6 * mean(byPart) + 0.4 * Math.min(1, mean(byWord) + (words.length > parts.length ? 0.1 : 0));
  }

  /** How far a part is explained by one of the words; less than nothing known where it is known to mean another word. */
  #explained(part: string, words: readonly string[]): number {
    const best = Math.max(...words.map((w) => this.#association(w, part)));
    if (best >= STRONG || (this.#parts.get(part) ?? 0) < SEEN_MIN) return Math.max(best, 0.35);
    return best;
  }

  /** Dice of the pair, shrunk where it was seen seldom; 1 where a dictionary knows it. */
  #association(word: string, part: string): number {
    if (this.#knows(word, part)) return 1;
    const both = this.#together.get(word)?.get(part) ?? 0;
    if (both === 0) return 0;
    const dice = (2 * both) / ((this.#words.get(word) ?? 0) + (this.#parts.get(part) ?? 0));
    // A word that nearly always comes with the part, or the part with the word, is good too: 订单 goes with order and with sn.
    const oneWay = both / Math.min(this.#words.get(word) ?? 1, this.#parts.get(part) ?? 1);
    return Math.max(dice, 0.8 * oneWay) * (both / (both + SHRINK));
  }

  /** Whether a dictionary has the word for the whole name: 优惠券 for `SmsCoupon`, behind a prefix too. */
  confirms(word: string, name: string): boolean {
    const parts = contentParts(name);
    const names = new Set(this.#bilingual(word));
    return (
      names.has(parts.join('_')) || (parts.length > 1 && parts[0]!.length <= 4 && names.has(parts.slice(1).join('_')))
    );
  }

  #knows(word: string, part: string): boolean {
    return this.#bilingual(word).includes(part);
  }

  #cut(word: string): string[] {
    let cut = this.#cuts.get(word);
    if (cut === undefined) {
      cut = [...new Set(segment(word).filter((w) => !isStopWord(w)))];
      this.#cuts.set(word, cut);
    }
    return cut;
  }
}

function contentParts(name: string): string[] {
  const parts = partsOf(name).filter((part) => part.length > 1 && !EMPTY_PARTS.has(part) && !/^\d+$/.test(part));
  return [...new Set(parts)];
}
