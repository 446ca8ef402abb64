/** Line feed and space: how jieba's dictionary is set. */
const LINE = 10;
const SPACE = 32;

/**
 * The sum of all frequencies of jieba's dictionary (`dict.txt` of @node-rs/jieba 2.0.3); what a word's frequency is measured against.
 * `test/text/segment.test.ts` adds them up.
 */
export const DICTIONARY_TOTAL = 60_101_964;

/** Lines of a dictionary from `low` up to `high`, as offsets in bytes. */
export interface Lines {
  low: number;
  high: number;
}

/**
 * Jieba's dictionary as it lies in its file: a word, its frequency and kind a line, sorted by bytes. Words are looked up where they
 * stand, since building the usual tree of its 349,000 words takes 0.2 s and most processes ask for a dozen.
 */
export class Dictionary {
  readonly #bytes: Uint8Array;
  readonly #words: Lines;

  /** @param bytes lines sorted by bytes, each `word frequency kind` and a line feed */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#words = { low: 0, high: bytes.length };
  }

  /** All lines. */
  get all(): Lines {
    return this.#words;
  }

  /**
   * The lines whose word starts with `prefix`, looked for among some that start with less of it.
   *
   * @param prefix UTF-8
   * @param length how many bytes of it count
   * @returns undefined where there are none
   */
  startingWith(prefix: Uint8Array, length: number, among: Lines): Lines | undefined {
    const low = this.#firstLine(among, (at) => this.#compare(at, prefix, length) >= 0);
    if (low >= among.high || this.#compare(low, prefix, length) !== 0) return undefined;
    const high = this.#firstLine({ low, high: among.high }, (at) => this.#compare(at, prefix, length) > 0);
    return { low, high };
  }

  /** How often the word of just `length` bytes occurs, asked of the lines that start with it: the shortest word comes first. */
  frequencyOf({ low }: Lines, length: number): number | undefined {
    if (this.#bytes[low + length] !== SPACE) return undefined;
    let frequency = 0;
    for (let at = low + length + 1; this.#bytes[at]! >= 48 && this.#bytes[at]! <= 57; at++)
      frequency = frequency * 10 + this.#bytes[at]! - 48;
    return frequency;
  }

  /** The first line for which a test holds that holds for all lines behind it; `high` where it holds for none. */
  #firstLine({ low, high }: Lines, holds: (at: number) => boolean): number {
    let [from, to] = [low, high];
    while (from < to) {
      let middle = (from + to) >>> 1;
      while (middle > from && this.#bytes[middle - 1] !== LINE) middle -= 1;
      if (holds(middle)) to = middle;
      else {
        from = middle;
        while (from < to && this.#bytes[from] !== LINE) from += 1;
        from += 1;
      }
    }
    return Math.min(from, high);
  }

  /** Whether the word of a line comes before, after, or starts with a prefix. */
  #compare(line: number, prefix: Uint8Array, length: number): number {
    for (let i = 0; i < length; i++) {
      const byte = this.#bytes[line + i]!;
      // The end of a word comes before anything that goes on; no word holds a byte below the space.
      if (byte !== prefix[i]) return byte === SPACE ? -1 : byte - prefix[i]!;
    }
    return 0;
  }
}
