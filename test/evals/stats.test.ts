import { describe, expect, it } from 'vitest';
import { mcNemar, pairedDifference } from '../../src/evals/index.js';

describe('paired differences', () => {
  it('a difference in every pair is real, and its interval holds the mean', () => {
    const d = pairedDifference(Array.from({ length: 20 }, (_, i) => [1 + (i % 3) / 10, 0] as const));
    expect(d.mean).toBeCloseTo(1.095, 3);
    expect(d.low).toBeLessThan(d.mean);
    expect(d.high).toBeGreaterThan(d.mean);
    expect(d.real).toBe(true);
  });

  it('what goes both ways alike is not', () => {
    const d = pairedDifference(Array.from({ length: 20 }, (_, i) => [i % 2, (i + 1) % 2] as const));
    expect(d.mean).toBe(0);
    expect(d.low).toBeLessThan(0);
    expect(d.high).toBeGreaterThan(0);
    expect(d.real).toBe(false);
  });

  it('five pairs say nothing, whatever they say', () => {
    expect(pairedDifference(Array.from({ length: 5 }, () => [1, 0] as const))).toMatchObject({ mean: 1, real: false });
    expect(pairedDifference(Array.from({ length: 6 }, () => [1, 0] as const)).real).toBe(true);
    expect(pairedDifference([])).toMatchObject({ mean: 0, n: 0, real: false });
  });

  it('the same seed gives the same interval; of normal noise around zero about one in twenty excludes it', () => {
    const pairs = Array.from({ length: 12 }, (_, i) => [Math.sin(i * 7), Math.cos(i * 5)] as const);
    expect(pairedDifference(pairs, 3)).toEqual(pairedDifference(pairs, 3));
    let state = 7;
    const next = () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state / 2 ** 31;
    };
    const normal = () => Math.sqrt(-2 * Math.log(next() + 1e-12)) * Math.cos(2 * Math.PI * next());
    const wrong = Array.from({ length: 40 }, () =>
      pairedDifference(Array.from({ length: 30 }, () => [normal(), 0] as const)),
    ).filter((d) => d.real).length;
    expect(wrong).toBeLessThan(8);
  });
});

describe("McNemar's exact test", () => {
  // Two-sided binomial: 10 against 2 is 2·(1 + 12 + 66)/4096; 5 against 0 is 2/32.
  it.each([
    [10, 2, 158 / 4096],
    [5, 0, 2 / 32],
    [0, 0, 1],
    [4, 4, 1],
  ])('%i against %i: p = %f', (a, b, p) => {
    const pairs = [
      ...Array.from({ length: a }, () => [true, false] as const),
      ...Array.from({ length: b }, () => [false, true] as const),
      ...Array.from({ length: 30 }, (_, i) => [i % 2 === 0, i % 2 === 0] as const),
    ];
    const found = mcNemar(pairs);
    expect(found).toMatchObject({ onlyA: a, onlyB: b });
    expect(found.p).toBeCloseTo(p, 6);
  });
});
