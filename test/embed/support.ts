import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assetPath } from '../../src/assets.js';

/** A small seeded generator (mulberry32): the same numbers on every run. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A vector of length 1 in a random direction. */
export function randomVector(next: () => number, dimension: number): Float32Array {
  const v = Float32Array.from({ length: dimension }, () => next() + next() + next() - 1.5);
  const length = Math.sqrt(dot(v, v));
  return v.map((x) => x / length);
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** A folder that `remove` takes away. */
export function tempDir(): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'xihe-embed-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }) };
}

/** The lines of a fixture, each a JSON value. */
export function fixture<T>(name: string): T[] {
  const lines = readFileSync(assetPath('test', 'embed', 'fixtures', name), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}
