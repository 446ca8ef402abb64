import type { Encoding } from './cacheRecord.js';
import { newKernel } from './kernel.js';
import { dequantise, quantise } from './vector.js';

const PAGE = 65_536;
/** Rows scored in one call; their sums lie in a region of this many words. */
const BATCH = 4096;
const INT16_MAX = 32_767;
const INT32_MAX = 2 ** 31 - 1;
const INT8_MAX = 127;

/**
 * Vectors packed one behind the other in a WebAssembly memory: query, sums, rows.
 *
 * The memory grows without copying, so 200,000 × 384 take 77 MB (int8) or 307 MB (float32) and no second copy while growing.
 */
export class RowStore {
  /** Rows in use. */
  count = 0;
  /** One factor a row, with int8. */
  private scales = new Float32Array(0);
  private readonly kernel;
  private readonly rowBytes: number;
  private readonly queryAt = 0;
  private readonly sumsAt: number;
  private readonly rowsAt: number;

  constructor(
    readonly dimension: number,
    readonly encoding: Encoding,
  ) {
    // Rows end on a multiple of what the loop takes at once; the rest is zero and adds nothing.
    this.rowBytes = encoding === 'int8' ? roundUp(dimension, 16) : roundUp(dimension * 4, 32);
    this.sumsAt = roundUp(dimension * 4, 64) + 64;
    this.rowsAt = roundUp(this.sumsAt + BATCH * 4, 64);
    this.kernel = newKernel(Math.ceil(this.rowsAt / PAGE));
  }

  /** Bytes that the vectors take in memory. */
  get bytes(): number {
    return this.kernel.memory.buffer.byteLength + this.scales.byteLength;
  }

  /** Writes a vector of length 1 to a row; `row` may be `count`, which adds one. */
  set(row: number, vector: Float32Array): void {
    this.reserve(row + 1);
    this.count = Math.max(this.count, row + 1);
    if (this.encoding === 'int8') this.scales[row] = quantise(vector, this.int8Row(row), 0);
    else this.floatRow(row).set(vector);
  }

  /** The vector of a row (with int8: as it was rounded). */
  get(row: number): Float32Array {
    if (this.encoding === 'float32') return this.floatRow(row).slice();
    return dequantise(this.int8Row(row), 0, this.dimension, this.scales[row]!);
  }

  /** Puts the last row in the place of `row` and forgets the last. */
  removeBySwap(row: number): void {
    const last = --this.count;
    if (row === last) return;
    const bytes = new Uint8Array(this.kernel.memory.buffer);
    const from = this.rowsAt + last * this.rowBytes;
    bytes.copyWithin(this.rowsAt + row * this.rowBytes, from, from + this.rowBytes);
    this.scales[row] = this.scales[last]!;
  }

  /** The dot product of `query` with every row. */
  scores(query: Float32Array): Float32Array {
    const out = new Float32Array(this.count);
    const factor = this.writeQuery(query);
    for (let row = 0; row < this.count; row += BATCH) {
      const n = Math.min(BATCH, this.count - row);
      const at = this.rowsAt + row * this.rowBytes;
      if (this.encoding === 'float32') {
        this.kernel.float32(at, n, this.rowBytes, this.queryAt, this.sumsAt);
        out.set(new Float32Array(this.kernel.memory.buffer, this.sumsAt, n), row);
      } else {
        this.kernel.int8(at, n, this.rowBytes, this.queryAt, this.sumsAt);
        const sums = new Int32Array(this.kernel.memory.buffer, this.sumsAt, n);
        for (let i = 0; i < n; i++) out[row + i] = sums[i]! * this.scales[row + i]! * factor;
      }
    }
    return out;
  }

  /** All rows without their padding, and their scales, for the disk. */
  export(): { rows: Uint8Array; scales: Float32Array } {
    const size = this.encoding === 'int8' ? this.dimension : this.dimension * 4;
    const rows = new Uint8Array(this.count * size);
    const bytes = new Uint8Array(this.kernel.memory.buffer);
    for (let row = 0; row < this.count; row++) {
      const at = this.rowsAt + row * this.rowBytes;
      rows.set(bytes.subarray(at, at + size), row * size);
    }
    return { rows, scales: this.scales.slice(0, this.encoding === 'int8' ? this.count : 0) };
  }

  /** Fills an empty store with what {@link export} gave. */
  import(rows: Uint8Array, scales: Float32Array): void {
    const size = this.encoding === 'int8' ? this.dimension : this.dimension * 4;
    const count = rows.length / size;
    this.reserve(count);
    this.count = count;
    if (this.encoding === 'int8') this.scales.set(scales);
    const bytes = new Uint8Array(this.kernel.memory.buffer);
    for (let row = 0; row < count; row++)
      bytes.set(rows.subarray(row * size, (row + 1) * size), this.rowsAt + row * this.rowBytes);
  }

  private int8Row(row: number): Int8Array {
    return new Int8Array(this.kernel.memory.buffer, this.rowsAt + row * this.rowBytes, this.dimension);
  }

  private floatRow(row: number): Float32Array {
    return new Float32Array(this.kernel.memory.buffer, this.rowsAt + row * this.rowBytes, this.dimension);
  }

  private reserve(rows: number): void {
    const missing = this.rowsAt + rows * this.rowBytes - this.kernel.memory.buffer.byteLength;
    // A sixteenth more than needed: each growing costs a system call, and what is not written takes no memory.
    if (missing > 0) this.kernel.memory.grow(Math.ceil((missing + (rows * this.rowBytes) / 16) / PAGE));
    if (this.encoding === 'int8' && this.scales.length < rows) {
      const larger = new Float32Array(Math.max(rows, Math.ceil(this.scales.length * 1.5), 256));
      larger.set(this.scales);
      this.scales = larger;
    }
  }

  /**
   * Puts the query where the loop reads it. With int8 rows it has 16 bits, so that nearly all of the rounding is the rows'.
   *
   * @returns the factor of the sums
   */
  private writeQuery(query: Float32Array): number {
    const buffer = this.kernel.memory.buffer;
    if (this.encoding === 'float32') {
      new Float32Array(buffer, this.queryAt, this.dimension).set(query);
      return 1;
    }
    let max = 0;
    for (const x of query) max = Math.max(max, Math.abs(x));
    // The sum of all products must fit into 32 bits.
    const top = Math.min(INT16_MAX, Math.floor(INT32_MAX / (INT8_MAX * this.dimension)));
    const scale = max === 0 ? 1 : max / top;
    const out = new Int16Array(buffer, this.queryAt, this.dimension);
    for (let i = 0; i < this.dimension; i++) out[i] = Math.round(query[i]! / scale);
    return scale;
  }
}

function roundUp(n: number, to: number): number {
  return Math.ceil(n / to) * to;
}
