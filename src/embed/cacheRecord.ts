import { crc32 } from 'node:zlib';
import { dequantise, quantise } from './vector.js';

/** How vectors lie on disk: 8 bits an element with one scale, or as they are. */
export type Encoding = 'int8' | 'float32';

/** Bytes of a key: with 128 bits of SHA-256 two texts never meet. */
export const KEY_BYTES = 16;

/** Begins each record, so that reading finds the next one behind a torn one. */
const MARK_BYTES = Buffer.from('xHv1', 'latin1');
const ENCODING: Record<Encoding, number> = { int8: 1, float32: 2 };
/** Mark, dimension, encoding, spare byte, key. */
const HEAD_BYTES = 4 + 2 + 2 + KEY_BYTES;
const KEY_AT = 8;
const CRC_BYTES = 4;

function payloadBytes(encoding: Encoding, dimension: number): number {
  return encoding === 'int8' ? 4 + dimension : 4 * dimension;
}

/** Bytes of one record. */
export function recordBytes(encoding: Encoding, dimension: number): number {
  return HEAD_BYTES + payloadBytes(encoding, dimension) + CRC_BYTES;
}

/** One record: head, payload, checksum. */
export function encodeRecord(key: Buffer, vector: Float32Array, encoding: Encoding): Buffer {
  const out = Buffer.alloc(recordBytes(encoding, vector.length));
  MARK_BYTES.copy(out, 0);
  out.writeUInt16LE(vector.length, 4);
  out.writeUInt8(ENCODING[encoding], 6);
  key.copy(out, KEY_AT);
  if (encoding === 'int8') {
    const elements = new Int8Array(out.buffer, out.byteOffset + HEAD_BYTES + 4, vector.length);
    out.writeFloatLE(quantise(vector, elements, 0), HEAD_BYTES);
  } else {
    for (let i = 0; i < vector.length; i++) out.writeFloatLE(vector[i]!, HEAD_BYTES + 4 * i);
  }
  out.writeUInt32LE(crc32(out.subarray(0, out.length - CRC_BYTES)), out.length - CRC_BYTES);
  return out;
}

/** The vector of a whole record that was checked before. */
export function decodeRecord(record: Buffer): Float32Array {
  const dimension = record.readUInt16LE(4);
  if (record.readUInt8(6) === ENCODING.int8) {
    const elements = new Int8Array(record.buffer, record.byteOffset + HEAD_BYTES + 4, dimension);
    return dequantise(elements, 0, dimension, record.readFloatLE(HEAD_BYTES));
  }
  const out = new Float32Array(dimension);
  for (let i = 0; i < dimension; i++) out[i] = record.readFloatLE(HEAD_BYTES + 4 * i);
  return out;
}

/** What a cached vector reads as: the same for a vector just computed and for one from disk. */
export function roundTrip(vector: Float32Array, encoding: Encoding): Float32Array {
  if (encoding === 'float32') return vector;
  const elements = new Int8Array(vector.length);
  return dequantise(elements, 0, vector.length, quantise(vector, elements, 0));
}

/** Where a good record lies. */
export interface Found {
  /** The key as a string of bytes. */
  key: string;
  offset: number;
}

/**
 * Lists the good records of a piece of a file; torn and damaged bytes are passed over.
 *
 * @param size bytes of the records that are looked for
 * @returns the records, and how many bytes are done with: the next piece begins there
 */
export function scanRecords(bytes: Buffer, size: number): { found: Found[]; done: number } {
  const found: Found[] = [];
  let at = 0;
  for (;;) {
    at = bytes.indexOf(MARK_BYTES, at);
    // A mark may be cut in two by the end of the piece.
    if (at < 0) return { found, done: Math.max(0, bytes.length - MARK_BYTES.length + 1) };
    if (at + size > bytes.length) return { found, done: at };
    if (isWhole(bytes, at, size)) {
      found.push({ key: bytes.toString('latin1', at + KEY_AT, at + KEY_AT + KEY_BYTES), offset: at });
      at += size;
    } else {
      at += MARK_BYTES.length;
    }
  }
}

/** True when a record of that size begins at `at` and its checksum is right. */
export function isWhole(bytes: Buffer, at: number, size: number): boolean {
  const code = bytes.readUInt8(at + 6);
  const encoding = code === ENCODING.int8 ? 'int8' : 'float32';
  if (code !== ENCODING[encoding] || recordBytes(encoding, bytes.readUInt16LE(at + 4)) !== size) return false;
  const end = at + size - CRC_BYTES;
  return crc32(bytes.subarray(at, end)) === bytes.readUInt32LE(end);
}
