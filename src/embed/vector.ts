/**
 * Brings a vector to length 1, in place.
 *
 * @returns false when it has no direction (all zero, or not finite) and was left alone
 */
export function normalise(v: Float32Array): boolean {
  let sum = 0;
  for (const x of v) sum += x * x;
  if (!Number.isFinite(sum) || sum === 0) return false;
  const factor = 1 / Math.sqrt(sum);
  for (let i = 0; i < v.length; i++) v[i]! *= factor;
  return true;
}

/** Greatest value of an 8-bit element. */
const INT8_MAX = 127;

/**
 * A vector at 8 bits: value ≈ element × scale. The scale keeps the length, so that what is lost is a little direction only: in 384
 * dimensions the cosine with the original is above 0.9999.
 *
 * @param out receives the elements from `at` on
 * @returns the scale
 */
export function quantise(v: Float32Array, out: Int8Array, at: number): number {
  let max = 0;
  for (const x of v) max = Math.max(max, Math.abs(x));
  if (max === 0) {
    out.fill(0, at, at + v.length);
    return 1;
  }
  const step = INT8_MAX / max;
  let before = 0;
  let after = 0;
  for (let i = 0; i < v.length; i++) {
    const x = v[i]!;
    const element = Math.round(x * step);
    out[at + i] = element;
    before += x * x;
    after += element * element;
  }
  return Math.fround(Math.sqrt(before / after));
}

/** The inverse of {@link quantise}, up to its rounding. */
export function dequantise(elements: Int8Array, at: number, dimension: number, scale: number): Float32Array {
  const out = new Float32Array(dimension);
  for (let i = 0; i < dimension; i++) out[i] = elements[at + i]! * scale;
  return out;
}
