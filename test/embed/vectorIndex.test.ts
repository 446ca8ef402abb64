import { describe, expect, it } from 'vitest';
import { type VectorHit, VectorIndex } from '../../src/embed/index.js';
import { dot, random, randomVector } from './support.js';

const make = (dimension: number, encoding: 'int8' | 'float32' = 'float32') =>
  new VectorIndex({ embedderId: 'm', dimension, encoding });

function filled(index: VectorIndex, n: number, seed = 1): Map<string, Float32Array> {
  const next = random(seed);
  const all = new Map<string, Float32Array>();
  for (let i = 0; i < n; i++) all.set(`d${i}`, randomVector(next, index.dimension));
  for (const [id, v] of all) index.add(id, v);
  return all;
}

/** The nearest by comparing one by one. */
function nearest(all: Map<string, Float32Array>, query: Float32Array, limit: number): VectorHit[] {
  return [...all]
    .map(([id, v]) => ({ id, score: dot(query, v) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}

describe('vector index', () => {
  // Rows are padded to what the loop takes at once: lengths around it, and more rows than one call takes.
  it.each([
    [1, 50],
    [7, 50],
    [8, 50],
    [33, 300],
    [384, 300],
    [1024, 40],
    [16, 9000],
  ])('finds what comparing one by one finds (%i numbers, %i entries)', (dimension, n) => {
    const index = make(dimension);
    const all = filled(index, n);
    const next = random(2);
    for (let i = 0; i < 5; i++) {
      const query = randomVector(next, dimension);
      const expected = nearest(all, query, 10);
      const got = index.search(query);
      // In one dimension all scores are 1 or −1, and rounding decides among equals.
      if (dimension > 1) expect(got.map((h) => h.id)).toEqual(expected.map((h) => h.id));
      for (const [k, hit] of got.entries()) expect(hit.score).toBeCloseTo(expected[k]!.score, 5);
    }
  });

  it('loses next to nothing with 8 bits, in any dimension', () => {
    for (const [dimension, n] of [
      [24, 500],
      [384, 2000],
      [2000, 100],
      [4096, 60],
    ] as const) {
      const index = make(dimension, 'int8');
      const all = filled(index, n);
      const next = random(3);
      let same = 0;
      for (let i = 0; i < 20; i++) {
        const query = randomVector(next, dimension);
        const expected = nearest(all, query, 10);
        const got = index.search(query);
        for (const hit of got) expect(Math.abs(hit.score - dot(query, all.get(hit.id)!))).toBeLessThan(0.005);
        same += got.filter((hit) => expected.some((e) => e.id === hit.id)).length;
      }
      expect(same / 200).toBeGreaterThan(0.95);
    }
  });

  it('does not overflow with the largest products', () => {
    for (const dimension of [384, 1024, 4096, 8192]) {
      const index = make(dimension, 'int8');
      const even = new Float32Array(dimension).fill(1);
      index.add('same', even);
      index.add(
        'opposite',
        even.map((x) => -x),
      );
      const hits = index.search(even);
      expect(hits.map((h) => h.id)).toEqual(['same', 'opposite']);
      expect(hits[0]!.score).toBeCloseTo(1, 3);
      expect(hits[1]!.score).toBeCloseTo(-1, 3);
    }
  });

  it.each(['int8', 'float32'] as const)('stays right through adding, replacing and removing (%s)', (encoding) => {
    const index = make(48, encoding);
    const all = new Map<string, Float32Array>();
    const next = random(11);
    for (let step = 0; step < 3000; step++) {
      const id = `d${Math.floor(next() * 400)}`;
      if (next() < 0.6) {
        const v = randomVector(next, 48);
        index.add(id, v);
        all.set(id, v);
      } else {
        expect(index.remove(id)).toBe(all.delete(id));
      }
      expect(index.size).toBe(all.size);
      if (step % 300 === 0 && all.size > 0) {
        const query = randomVector(next, 48);
        const scores = index.score(query);
        for (const [key, v] of all) expect(Math.abs(scores.of(key)! - dot(query, v))).toBeLessThan(0.01);
        expect(scores.of('unknown')).toBeUndefined();
        expect(scores.top({ limit: 1e6 })).toHaveLength(all.size);
      }
    }
    for (const [id, v] of all) expect(dot(index.get(id)!, v)).toBeGreaterThan(0.999);
  });

  it('gives equal scores by id, whatever was added first', () => {
    const v = randomVector(random(1), 20);
    for (const order of [
      ['c', 'a', 'b', 'd'],
      ['d', 'b', 'a', 'c'],
    ]) {
      const index = make(20);
      for (const id of order) index.add(id, v);
      expect(index.search(v, { limit: 3 }).map((h) => h.id)).toEqual(['a', 'b', 'c']);
    }
  });

  it('takes a filter, a least score and any limit', () => {
    const index = make(32);
    const all = filled(index, 500);
    const query = randomVector(random(8), 32);
    const even = new Map([...all].filter(([id]) => Number(id.slice(1)) % 2 === 0));
    const ids = (hits: VectorHit[]) => hits.map((h) => h.id);
    expect(ids(index.search(query, { filter: (id) => even.has(id) }))).toEqual(ids(nearest(even, query, 10)));
    const tenth = nearest(all, query, 10)[9]!.score;
    expect(index.search(query, { limit: 500, minScore: tenth - 1e-6 })).toHaveLength(10);
    expect(index.search(query, { limit: 0 })).toEqual([]);
    expect(index.search(query, { limit: 1000 })).toHaveLength(500);
    expect(index.search(query, { filter: () => false })).toEqual([]);
    const scores = [...all.values()].map((v) => dot(query, v));
    const { min, max } = index.score(query).minMax;
    expect(min).toBeCloseTo(Math.min(...scores), 5);
    expect(max).toBeCloseTo(Math.max(...scores), 5);
    expect(make(32).search(query)).toEqual([]);
    expect(make(32).score(query).minMax).toEqual({ min: 0, max: 0 });
  });

  it('refuses vectors of another length or without direction, and scores that are out of date', () => {
    const index = make(8);
    const v = randomVector(random(1), 8);
    index.add('a', v);
    const code = (f: () => unknown) => {
      try {
        f();
      } catch (e) {
        return (e as { code?: string }).code;
      }
      return 'none';
    };
    expect(code(() => index.add('b', new Float32Array(9).fill(1)))).toBe('EMBED_DIMENSION');
    expect(code(() => index.search(new Float32Array(7).fill(1)))).toBe('EMBED_DIMENSION');
    expect(code(() => index.add('b', new Float32Array(8)))).toBe('EMBED_BAD_REPLY');
    expect(code(() => index.add('b', new Float32Array(8).fill(Number.NaN)))).toBe('EMBED_BAD_REPLY');
    expect(index.size).toBe(1);
    index.add(
      'long',
      v.map((x) => x * 100),
    );
    expect(index.search(v)[1]!.score).toBeCloseTo(1, 5);
    const scores = index.score(v);
    index.remove('a');
    expect(() => scores.top()).toThrow(/changed/);
  });

  it.each(['int8', 'float32'] as const)('is the same after the way through bytes (%s)', (encoding) => {
    const index = make(40, encoding);
    filled(index, 5000);
    index.add('路径/文档.md#一', randomVector(random(77), 40));
    for (let i = 0; i < 100; i++) index.remove(`d${i * 7}`);
    const bytes = index.toBytes();
    // As read from a file, at any place in a larger buffer.
    const shifted = new Uint8Array(bytes.length + 3).subarray(3);
    shifted.set(bytes);
    const again = VectorIndex.fromBytes(shifted, 'm');
    expect(again.size).toBe(index.size);
    const query = randomVector(random(5), 40);
    expect(again.search(query, { limit: 50 })).toEqual(index.search(query, { limit: 50 }));
    again.add('new', query);
    expect(again.search(query, { limit: 1 })[0]!.id).toBe('new');
    expect(VectorIndex.fromBytes(make(40, encoding).toBytes()).size).toBe(0);
  });

  it('tells damaged bytes and another model', () => {
    const index = make(16);
    filled(index, 20);
    const bytes = index.toBytes();
    expect(() => VectorIndex.fromBytes(bytes, 'other')).toThrowError(/重建索引|索引是 m/);
    const next = random(4);
    for (let i = 0; i < 200; i++) {
      const damaged = bytes.slice(0, next() < 0.3 ? Math.floor(next() * bytes.length) : bytes.length);
      if (damaged.length === bytes.length) damaged[Math.floor(next() * bytes.length)]! ^= 1 + Math.floor(next() * 255);
      expect(() => VectorIndex.fromBytes(damaged, 'm')).toThrowError(/向量索引读不出来/);
    }
  });

  it('holds 20,000 × 384 in 8 MB (int8) and 31 MB (float32) with a fifth more at most', () => {
    const v = randomVector(random(1), 384);
    for (const [encoding, mb] of [
      ['int8', 7.4],
      ['float32', 29.3],
    ] as const) {
      const index = make(384, encoding);
      for (let i = 0; i < 20_000; i++) index.add(String(i), v);
      expect(index.bytes / 2 ** 20).toBeGreaterThan(mb);
      expect(index.bytes / 2 ** 20).toBeLessThan(mb * 1.2);
    }
  });
});
