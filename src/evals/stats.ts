/** A mean of paired differences with its interval. */
export interface Difference {
  mean: number;
  /** Bounds of the 95 % interval. */
  low: number;
  high: number;
  /** Pairs. */
  n: number;
  /** The interval does not hold zero; with fewer than {@link PAIRS_MIN} pairs never. */
  real: boolean;
}

/** Resamples of a bootstrap: enough for two stable digits of a 95 % interval (Efron and Tibshirani 1993, ch. 13, ask for 1,000 and more). */
const RESAMPLES = 4_000;
/** Fewer pairs than this say nothing, however they fall: five that all go one way have p = .06 by the sign test. */
export const PAIRS_MIN = 6;

/**
 * Paired bootstrap of the mean difference, by percentiles.
 *
 * @param pairs of the same task in two arms
 * @param seed the same seed gives the same interval
 */
export function pairedDifference(pairs: readonly (readonly [a: number, b: number])[], seed = 1): Difference {
  const n = pairs.length;
  if (n === 0) return { mean: 0, low: 0, high: 0, n, real: false };
  const differences = pairs.map(([a, b]) => a - b);
  const mean = sum(differences) / n;
  const next = randomOf(seed);
  const means = Array.from({ length: RESAMPLES }, () => {
    let total = 0;
    for (let i = 0; i < n; i++) total += differences[Math.floor(next() * n)]!;
    return total / n;
  }).sort((a, b) => a - b);
  const low = means[Math.floor(RESAMPLES * 0.025)]!;
  const high = means[Math.ceil(RESAMPLES * 0.975) - 1]!;
  return { mean, low, high, n, real: n >= PAIRS_MIN && (low > 0 || high < 0) };
}

/** Which of two arms did what the other did not, and how likely that is by chance. */
export interface Discordance {
  onlyA: number;
  onlyB: number;
  /** Two-sided, exact (McNemar 1947 by the binomial distribution). */
  p: number;
}

/** McNemar's exact test on pairs of yes and no. */
export function mcNemar(pairs: readonly (readonly [a: boolean, b: boolean])[]): Discordance {
  const onlyA = pairs.filter(([a, b]) => a && !b).length;
  const onlyB = pairs.filter(([a, b]) => b && !a).length;
  const n = onlyA + onlyB;
  if (n === 0) return { onlyA, onlyB, p: 1 };
  const k = Math.min(onlyA, onlyB);
  let tail = 0;
  for (let i = 0; i <= k; i++) tail += Math.exp(logChoose(n, i) - n * Math.LN2);
  return { onlyA, onlyB, p: Math.min(1, 2 * tail) };
}

function logChoose(n: number, k: number): number {
  let log = 0;
  for (let i = 1; i <= k; i++) log += Math.log(n - k + i) - Math.log(i);
  return log;
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

/** Mean, 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

/** Numbers in [0, 1) that a seed decides (mulberry32, Tommy Ettinger 2017, public domain). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A list in an order that a seed decides (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const next = randomOf(seed);
  const list = [...items];
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}
