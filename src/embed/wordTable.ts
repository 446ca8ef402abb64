import { readFileSync } from 'node:fs';
import { halfToNumber } from './half.js';

/** Elements that share one scale (models/e5-small-zh/README.md). */
const BLOCK = 32;
/** Bytes of a block: a float16 scale, then two elements a byte. */
const BLOCK_BYTES = 2 + BLOCK / 2;

/**
 * The word embeddings at 4 bits.
 *
 * Rows are decoded when a text needs them (2 µs each): the whole table would be 58 MB of floats, for a text of at most 512 rows.
 */
export class WordTable {
  readonly rows: number;
  private readonly bytes: Uint8Array;
  private readonly rowBytes: number;
  /** Every float16 scale decoded once costs more than it saves; the 65,536 values of a half cost 0.25 MB and 1 ms. */
  private readonly halves = new Float32Array(65536);

  constructor(
    file: string,
    readonly dimension: number,
  ) {
    this.bytes = readFileSync(file);
    this.rowBytes = (dimension / BLOCK) * BLOCK_BYTES;
    this.rows = this.bytes.length / this.rowBytes;
    for (let bits = 0; bits < 65536; bits++) this.halves[bits] = halfToNumber(bits);
  }

  /**
   * Writes the embedding of a piece.
   *
   * @param id row number, 0 ≤ id < rows
   * @param out receives `dimension` values from `at` on
   */
  decode(id: number, out: Float32Array, at: number): void {
    const bytes = this.bytes;
    let p = id * this.rowBytes;
    for (let o = at; o < at + this.dimension; o += BLOCK) {
      const scale = this.halves[bytes[p]! | (bytes[p + 1]! << 8)]!;
      p += 2;
      for (let j = 0; j < BLOCK / 2; j++) {
        const pair = bytes[p++]!;
        out[o + j] = ((pair & 15) - 8) * scale;
        out[o + BLOCK / 2 + j] = ((pair >> 4) - 8) * scale;
      }
    }
  }
}
