import { grown, Vocabulary } from './vocabulary.js';

/** All postings of an index in two arrays, token by token, each in the order of documents. */
export interface Postings {
  vocabulary: Vocabulary;
  /** Where the postings of each token begin, and where the last one's end. */
  starts: Uint32Array;
  docs: Uint32Array;
  /** `(k1 + 1) × f / (k1 + f)` of the weighted, normalised frequency f: what is left to do is to multiply by idf. */
  impacts: Float32Array;
  /** The greatest impact of each token: what it can add at most. */
  peaks: Float32Array;
}

export interface Weighing {
  k1: number;
  b: number;
  /** Weight by field; 1 where none is given. */
  fields: Record<string, number>;
}

/** An entry is one word of 32 bits: 24 for the token's number, 3 for the field, 5 for the count. */
const FIELD_SHIFT = 24;
const COUNT_SHIFT = 27;
const TERM_MASK = 0xffffff;
const FIELD_MASK = 7;
/** A greater count takes several entries: they are added up anyway. */
const COUNT_MAX = 31;

/** Entries are kept in blocks of 256 KB: growing copies nothing, and blocks are let go one by one. */
const BLOCK_BITS = 16;
const BLOCK = 1 << BLOCK_BITS;

/**
 * Collects documents and makes {@link Postings} of them. While collecting, a posting takes four bytes; nothing is kept
 * of the strings.
 */
export class PostingsBuilder {
  private readonly vocabulary = new Vocabulary();
  private readonly fieldNumbers = new Map<string, number>();
  /** By field, then document: its number of tokens, -1 where it lacks the field. */
  private readonly lengths: Int32Array[] = [];
  private readonly blocks: Uint32Array[] = [];
  private entries = 0;
  private docs = 0;
  /** Where the entries of each document end. */
  private ends = new Uint32Array(1024);
  /** By token, for the document at hand: how often it stands in the field. */
  private counts = new Uint32Array(1024);
  /** By token: in how many documents it stands, and the last of them + 1. */
  private frequencies = new Uint32Array(1024);
  private lastDocs = new Uint32Array(1024);

  /** Adds the next document. */
  add(fields: Record<string, readonly string[]>, weights: Record<string, number>): void {
    this.docs += 1;
    for (const [name, tokens] of Object.entries(fields)) {
      // What weighs nothing is not found, either.
      if ((weights[name] ?? 1) > 0) this.addField(this.fieldNumber(name), tokens);
    }
    this.ends = grown(this.ends, this.docs);
    this.ends[this.docs - 1] = this.entries;
  }

  private addField(field: number, tokens: readonly string[]): void {
    const doc = this.docs - 1;
    const lengths = this.lengthsWithRoom(field);
    lengths[doc] = Math.max(0, lengths[doc] as number) + tokens.length;
    const distinct: number[] = [];
    let last: string | undefined;
    let term = -1;
    for (const token of tokens) {
      if (token !== last) {
        term = this.vocabulary.add(token);
        last = token;
        this.counts = grown(this.counts, term + 1);
      }
      if (this.counts[term] === 0) distinct.push(term);
      this.counts[term]! += 1;
    }
    this.frequencies = grown(this.frequencies, this.vocabulary.size);
    this.lastDocs = grown(this.lastDocs, this.vocabulary.size);
    for (const one of distinct) {
      this.push(one, field, this.counts[one] as number);
      this.counts[one] = 0;
      if (this.lastDocs[one] === this.docs) continue;
      this.lastDocs[one] = this.docs;
      this.frequencies[one]! += 1;
    }
  }

  private push(term: number, field: number, count: number): void {
    for (let rest = count; rest > 0; rest -= COUNT_MAX) {
      const at = this.entries & (BLOCK - 1);
      if (at === 0) this.blocks.push(new Uint32Array(BLOCK));
      const packed = (Math.min(rest, COUNT_MAX) << COUNT_SHIFT) | (field << FIELD_SHIFT) | term;
      (this.blocks.at(-1) as Uint32Array)[at] = packed;
      this.entries += 1;
    }
  }

  private fieldNumber(name: string): number {
    const known = this.fieldNumbers.get(name);
    if (known !== undefined) return known;
    const field = this.fieldNumbers.size;
    if (field > FIELD_MASK) throw new Error(`Bm25Index: more than ${FIELD_MASK + 1} fields`);
    this.fieldNumbers.set(name, field);
    this.lengths.push(new Int32Array(0));
    return field;
  }

  private lengthsWithRoom(field: number): Int32Array {
    const known = this.lengths[field] as Int32Array;
    if (this.docs <= known.length) return known;
    const larger = grown(known, this.docs).fill(-1, known.length);
    this.lengths[field] = larger;
    return larger;
  }

  /** Makes the postings; the builder is empty after that. */
  finish(weighing: Weighing): Postings {
    const { vocabulary } = this;
    if (vocabulary.size > TERM_MASK) throw new Error(`Bm25Index: more than ${TERM_MASK} different tokens`);
    const starts = new Uint32Array(vocabulary.size + 1);
    for (let term = 0; term < vocabulary.size; term++)
      starts[term + 1] = (starts[term] as number) + (this.frequencies[term] as number);
    const total = starts[vocabulary.size] as number;
    const postings: Postings = {
      vocabulary,
      starts,
      docs: new Uint32Array(total),
      impacts: new Float32Array(total),
      peaks: new Float32Array(vocabulary.size),
    };
    this.fill(postings, weighing);
    return postings;
  }

  private fill({ vocabulary, starts, docs, impacts, peaks }: Postings, { k1, b, fields }: Weighing): void {
    const weights = [...this.fieldNumbers.keys()].map((name) => fields[name] ?? 1);
    const averages = this.lengths.map((lengths) => average(lengths.subarray(0, this.docs)));
    const next = starts.slice();
    // Frequencies of all fields are summed before they are saturated, in full precision.
    const sums = new Float64Array(vocabulary.size);
    const norms = weights.map(() => 0);
    let entry = 0;
    for (let doc = 0; doc < this.docs; doc++) {
      for (const [field, weight] of weights.entries()) {
        const length = Math.max(0, this.lengths[field]?.[doc] ?? 0);
        norms[field] = weight / (1 - b + (b * length) / (averages[field] || 1));
      }
      const first = entry;
      const end = this.ends[doc] as number;
      for (; entry < end; entry++) {
        const packed = this.entryAt(entry);
        sums[packed & TERM_MASK]! +=
          (packed >>> COUNT_SHIFT) * (norms[(packed >>> FIELD_SHIFT) & FIELD_MASK] as number);
      }
      for (let i = first; i < end; i++) {
        const term = this.entryAt(i) & TERM_MASK;
        const frequency = sums[term] as number;
        if (frequency === 0) continue;
        sums[term] = 0;
        const at = next[term]!++;
        docs[at] = doc;
        impacts[at] = ((k1 + 1) * frequency) / (k1 + frequency);
        peaks[term] = Math.max(peaks[term] as number, impacts[at] as number);
      }
      this.letGo(first);
    }
    this.blocks.length = 0;
  }

  private entryAt(entry: number): number {
    return (this.blocks[entry >>> BLOCK_BITS] as Uint32Array)[entry & (BLOCK - 1)] as number;
  }

  /** Frees the block before the one that holds `entry`. */
  private letGo(entry: number): void {
    const block = (entry >>> BLOCK_BITS) - 1;
    if (block >= 0) this.blocks[block] = EMPTY;
  }
}

const EMPTY = new Uint32Array(0);

/** Mean over the documents that have the field at all. */
function average(lengths: Int32Array): number {
  let sum = 0;
  let count = 0;
  for (const length of lengths) {
    if (length < 0) continue;
    sum += length;
    count += 1;
  }
  return count === 0 ? 1 : sum / count;
}

/** Whether postings from a file can be searched without reading or writing beyond an array. */
export function soundPostings({ vocabulary, starts, docs, impacts, peaks }: Postings, size: number): boolean {
  const terms = vocabulary.size;
  if (starts.length !== terms + 1 || peaks.length !== terms || docs.length !== impacts.length) return false;
  if (starts[0] !== 0 || starts[terms] !== docs.length) return false;
  for (let term = 0; term < terms; term++) if ((starts[term] as number) > (starts[term + 1] as number)) return false;
  let greatest = -1;
  for (const doc of docs) if (doc > greatest) greatest = doc;
  return greatest < size;
}
