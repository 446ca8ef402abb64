/** Slots of an empty table; doubled before it is half full. */
const FIRST_SLOTS = 1024;

/** FNV-1a over UTF-16 units (Fowler, Noll and Vo). */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The three arrays that a vocabulary is made of. */
export interface VocabularyArrays {
  /** UTF-16 units of all words, one behind the other. */
  units: Uint16Array;
  /** Where each word begins, and where the last one ends. */
  starts: Uint32Array;
  /** Hash table of numbers + 1, 0 where nothing is; its length is a power of two. */
  slots: Uint32Array;
}

/**
 * Words and their numbers, in typed arrays: takes a third of the memory of a Map of strings, keeps no text alive that a word was
 * cut from, and is read from disk without making a string or a Map.
 */
export class Vocabulary {
  private count: number;
  private units: Uint16Array;
  private starts: Uint32Array;
  private slots: Uint32Array;

  /** @param arrays what {@link Vocabulary.arrays} gave; they are not copied */
  constructor(arrays?: VocabularyArrays) {
    this.units = arrays?.units ?? new Uint16Array(4 * FIRST_SLOTS);
    this.starts = arrays?.starts ?? new Uint32Array(FIRST_SLOTS);
    this.slots = arrays?.slots ?? new Uint32Array(FIRST_SLOTS);
    this.count = arrays === undefined ? 0 : this.starts.length - 1;
  }

  get size(): number {
    return this.count;
  }

  /** The number of a word, or -1. */
  numberOf(word: string): number {
    return (this.slots[this.slotOf(word)] as number) - 1;
  }

  /** The number of a word, which gets the next one if it is new. */
  add(word: string): number {
    const slot = this.slotOf(word);
    const known = this.slots[slot] as number;
    if (known > 0) return known - 1;
    const start = this.starts[this.count] as number;
    const end = start + word.length;
    this.units = grown(this.units, end);
    for (let i = 0; i < word.length; i++) this.units[start + i] = word.charCodeAt(i);
    this.starts = grown(this.starts, this.count + 2);
    this.starts[this.count + 1] = end;
    this.count += 1;
    this.slots[slot] = this.count;
    if (2 * this.count > this.slots.length) this.rehash();
    return this.count - 1;
  }

  /** The word of a number. */
  word(number: number): string {
    const [start, end] = [this.starts[number] as number, this.starts[number + 1] as number];
    let word = '';
    for (let i = start; i < end; i++) word += String.fromCharCode(this.units[i] as number);
    return word;
  }

  /** What to store; views on the arrays in use. */
  arrays(): VocabularyArrays {
    const starts = this.starts.subarray(0, this.count + 1);
    return { units: this.units.subarray(0, starts[this.count]), starts, slots: this.slots };
  }

  /** Where a word is, or where it would go. */
  private slotOf(word: string): number {
    let hash = FNV_OFFSET;
    for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), FNV_PRIME);
    const mask = this.slots.length - 1;
    // The low bits of FNV mix badly: the high ones are folded in.
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const number = this.slots[slot] as number;
      if (number === 0 || this.is(number - 1, word)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private is(number: number, word: string): boolean {
    const start = this.starts[number] as number;
    if ((this.starts[number + 1] as number) - start !== word.length) return false;
    for (let i = 0; i < word.length; i++) if (this.units[start + i] !== word.charCodeAt(i)) return false;
    return true;
  }

  private rehash(): void {
    this.slots = new Uint32Array(2 * this.slots.length);
    for (let number = 0; number < this.count; number++) this.slots[this.slotOf(this.word(number))] = number + 1;
  }
}

/** The array, or a copy with room for `length` elements and half as many again. */
export function grown<T extends Uint16Array | Uint32Array | Int32Array>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (n: number) => T)(Math.ceil(1.5 * length));
  larger.set(array);
  return larger;
}

/**
 * Whether arrays from a file can be used without reading beyond them: a lookup must always end.
 */
export function soundVocabulary({ units, starts, slots }: VocabularyArrays): boolean {
  const count = starts.length - 1;
  if (count < 0 || starts[0] !== 0 || starts[count] !== units.length) return false;
  if (slots.length < 2 * count || slots.length < 2 || (slots.length & (slots.length - 1)) !== 0) return false;
  for (let i = 0; i < count; i++) if ((starts[i] as number) > (starts[i + 1] as number)) return false;
  let used = 0;
  for (const number of slots) {
    if (number > count) return false;
    if (number > 0) used += 1;
  }
  return used === count;
}
