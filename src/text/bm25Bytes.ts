import { crc32 } from 'node:zlib';
import { type Postings, soundPostings } from './bm25Postings.js';
import { soundVocabulary, Vocabulary } from './vocabulary.js';

const MAGIC = 'XHLX';
const VERSION = 1;
/** Magic, version, checksum of the rest, length of the JSON head. */
const FIRST_BYTES = 16;
const CHECKED_FROM = 12;
/** Every array begins at a multiple of this, so that it is read where it lies. */
const ALIGN = 8;

/** What stands before the arrays. */
export interface IndexHead {
  k1: number;
  size: number;
  /** Missing when the documents are named 0, 1, 2, … */
  ids?: (string | number)[];
  /** Of whoever stores the index. */
  note?: unknown;
}

type AnyArray = Uint16Array | Uint32Array | Float32Array;

function arraysOf(postings: Postings): AnyArray[] {
  const { units, starts, slots } = postings.vocabulary.arrays();
  return [units, starts, slots, postings.starts, postings.docs, postings.impacts, postings.peaks];
}
/** What each of them is made of. */
const KINDS = [Uint16Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Float32Array, Float32Array] as const;

/**
 * An index as pieces of a file, checksum included. The arrays are views: a large index is written without a second copy of it.
 */
export function toPieces(head: IndexHead, postings: Postings): Uint8Array[] {
  const arrays = arraysOf(postings);
  const json = Buffer.from(JSON.stringify({ ...head, lengths: arrays.map((array) => array.length) }));
  const first = Buffer.alloc(FIRST_BYTES);
  first.write(MAGIC, 'latin1');
  first.writeUInt32LE(VERSION, 4);
  first.writeUInt32LE(json.length, 12);
  const pieces: Uint8Array[] = [first, json, padding(FIRST_BYTES + json.length)];
  for (const { buffer, byteOffset, byteLength } of arrays)
    pieces.push(new Uint8Array(buffer, byteOffset, byteLength), padding(byteLength));
  let sum = crc32(first.subarray(CHECKED_FROM));
  for (const piece of pieces.slice(1)) sum = crc32(piece, sum);
  first.writeUInt32LE(sum, 8);
  return pieces;
}

/**
 * Reads what {@link toPieces} gave, joined. The arrays are views on `bytes`.
 *
 * @param accepts sees the note before anything else is looked at: what is not wanted need not be checked
 * @throws Error when bytes are missing, damaged, foreign or of another version
 */
export function fromBytes(
  bytes: Uint8Array,
  accepts: (note: unknown) => boolean = () => true,
): { head: IndexHead; postings: Postings } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < FIRST_BYTES || buffer.toString('latin1', 0, 4) !== MAGIC) throw new Error('no lexical index');
  if (buffer.readUInt32LE(4) !== VERSION) throw new Error('a lexical index of another version');
  let at = FIRST_BYTES + buffer.readUInt32LE(12);
  const head = JSON.parse(buffer.toString('utf8', FIRST_BYTES, at)) as IndexHead & { lengths: number[] };
  if (!accepts(head.note)) throw new Error('another lexical index');
  if (crc32(buffer.subarray(CHECKED_FROM)) !== buffer.readUInt32LE(8)) throw new Error('a damaged lexical index');
  at += padding(at).length;
  const [units, words, slots, starts, docs, impacts, peaks] = KINDS.map((kind, i) => {
    const length = head.lengths[i] as number;
    const byteLength = length * kind.BYTES_PER_ELEMENT;
    const array = view(buffer, at, length, kind);
    at += byteLength + padding(byteLength).length;
    return array;
  }) as [Uint16Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Float32Array, Float32Array];
  const arrays = { units, starts: words, slots };
  if (!soundVocabulary(arrays)) throw new Error('a lexical index with a broken vocabulary');
  const postings = { vocabulary: new Vocabulary(arrays), starts, docs, impacts, peaks };
  if (!soundPostings(postings, head.size)) throw new Error('a lexical index with broken postings');
  return { head, postings };
}

function view(buffer: Buffer, at: number, length: number, kind: (typeof KINDS)[number]): AnyArray {
  const from = buffer.byteOffset + at;
  if (from % ALIGN === 0) return new kind(buffer.buffer as ArrayBuffer, from, length);
  // Small files lie anywhere in Node's pool.
  return new kind(Uint8Array.from(buffer.subarray(at, at + length * kind.BYTES_PER_ELEMENT)).buffer, 0, length);
}

function padding(length: number): Uint8Array {
  return new Uint8Array((ALIGN - (length % ALIGN)) % ALIGN);
}
