import { describe, expect, it } from 'vitest';
import { Bm25Index, type Bm25Query } from '../../src/text/index.js';
import { type Prng, prng } from './prng.js';

const OPTIONS = { k1: 1.2, b: 0.75, fields: { title: 1.5, body: 1, unused: 0 } };
type Doc = Record<string, string[]>;

/** The formula, written down without any trick: frequencies by field, normalised, summed, saturated; every document, then a sort. */
function naive(docs: readonly Doc[], query: readonly { token: string; weight: number }[]): number[] {
  const names = ['title', 'body'] as const;
  const averages = names.map((name) => {
    const lengths = docs.flatMap((doc) => (doc[name] === undefined ? [] : [doc[name].length]));
    return lengths.reduce((sum, n) => sum + n, 0) / Math.max(1, lengths.length);
  });
  const frequency = (doc: Doc, token: string) =>
    names.reduce((sum, name, i) => {
      const tokens = doc[name] ?? [];
      const norm = 1 - OPTIONS.b + (OPTIONS.b * tokens.length) / (averages[i] || 1);
      return sum + (OPTIONS.fields[name] * tokens.filter((one) => one === token).length) / norm;
    }, 0);
  return docs.map((doc) =>
    query.reduce((score, { token, weight }) => {
      const df = docs.filter((one) => frequency(one, token) > 0).length;
      const idf = Math.log(1 + (docs.length - df + 0.5) / (df + 0.5));
      const f = frequency(doc, token);
      return score + Math.max(0, weight) * idf * ((f * (OPTIONS.k1 + 1)) / (OPTIONS.k1 + f));
    }, 0),
  );
}

/** Words as in a text: a few stand everywhere, most in few documents. */
const word = (random: Prng, words: number) =>
  `w${Math.min(random.below(words), random.below(words), random.below(words))}`;
const tokens = (random: Prng, words: number, most: number) =>
  Array.from({ length: random.below(most + 1) }, () => word(random, words));

function corpus(random: Prng): { docs: Doc[]; index: Bm25Index<number> } {
  const words = random.pick([3, 20, 200]);
  const docs: Doc[] = Array.from({ length: random.below(120) }, () => ({
    ...(random.below(4) > 0 ? { title: tokens(random, words, 4) } : {}),
    body: tokens(random, words, 60),
    // More of one word than an entry of the builder can count.
    ...(random.below(9) === 0 ? { body: Array.from({ length: 100 }, () => word(random, 3)) } : {}),
    unused: ['w1', 'nowhere'],
  }));
  const index = new Bm25Index<number>(OPTIONS);
  docs.forEach((doc, i) => {
    index.add(i, doc);
  });
  return { docs, index: index.finish() };
}

const CASES = 60;

describe('Bm25Index beside the plain formula', () => {
  it.each([1, 2, 3])('finds the same documents with the same scores (seed %i)', (seed) => {
    const random = prng(seed);
    for (let n = 0; n < CASES; n++) {
      const { docs, index } = corpus(random);
      const query = Array.from({ length: 1 + random.below(random.pick([3, 36])) }, () => ({
        token: word(random, 220),
        weight: random.pick([1, 1, 0.5, 0.1, 0, -1]),
      }));
      const unique = [...new Map(query.map((one) => [one.token, one])).values()];
      const expected = naive(docs, unique);
      const keep = random.pick([undefined, (id: number) => id % 3 !== 0, () => false]);
      const k = random.pick([1, 3, 10, 1000]);
      const hits = index.search(unique, k, keep);
      const ranked = expected
        .map((score, id) => ({ id, score }))
        .filter(({ id, score }) => score > 0 && keep?.(id) !== false)
        .sort((a, b) => b.score - a.score);
      expect(hits.length).toBe(Math.min(k, ranked.length));
      for (const [i, hit] of hits.entries()) {
        expect(hit.score).toBeCloseTo(ranked[i]!.score, 5);
        expect(hit.score).toBeCloseTo(expected[hit.id]!, 5);
        expect(hit.matched).toEqual(
          unique.filter(({ token, weight }) => weight > 0 && holds(docs[hit.id]!, token)).map(({ token }) => token),
        );
      }
      expect(new Set(hits.map((hit) => hit.id)).size).toBe(hits.length);
      sameAsScores(index, unique, k, keep, expected);
    }
  });

  it('keeps the order of adding where scores are equal, also where common words are looked up late', () => {
    const index = new Bm25Index<number>();
    for (let i = 0; i < 400; i++) index.add(i, { body: ['common', 'often', i % 40 === 7 ? 'rare' : 'x'] });
    index.finish();
    const rare = index.search(['common', 'often', 'rare'], 5).map((hit) => hit.id);
    expect(rare).toEqual([7, 47, 87, 127, 167]);
    expect(index.search(['common', 'often', 'rare'], 12).map((hit) => hit.id)).toEqual([
      ...[7, 47, 87, 127, 167, 207, 247, 287, 327, 367],
      ...[0, 1],
    ]);
  });

  it('answers a search inside the filter of another', () => {
    const index = new Bm25Index<number>();
    for (let i = 0; i < 30; i++) index.add(i, { body: ['a', i % 2 === 0 ? 'even' : 'odd'] });
    index.finish();
    const even = (id: number) => index.search(['even'], 30).some((hit) => hit.id === id);
    expect(index.search(['a'], 3, even).map((hit) => hit.id)).toEqual([0, 2, 4]);
    expect(index.search(['odd'], 2).map((hit) => hit.id)).toEqual([1, 3]);
  });

  it('leaves nothing of a search that failed to the next one', () => {
    const index = new Bm25Index<number>();
    for (let i = 0; i < 5; i++) index.add(i, { body: ['a'] });
    index.finish();
    const fresh = index.search(['a'], 5);
    expect(() =>
      index.search(['a'], 5, () => {
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(index.search(['a'], 5)).toEqual(fresh);
  });
});

const holds = (doc: Doc, token: string) => [...(doc.title ?? []), ...(doc.body ?? [])].includes(token);

function sameAsScores(
  index: Bm25Index<number>,
  query: Bm25Query,
  k: number,
  keep: ((id: number) => boolean) | undefined,
  expected: readonly number[],
): void {
  const scores = index.scores(query);
  expect([...scores.docs]).toEqual(expected.flatMap((score, id) => (score > 0 ? [id] : [])));
  expect(scores.max).toBeCloseTo(Math.max(0, ...expected), 5);
  for (const [id, score] of expected.entries()) expect(scores.score(id)).toBeCloseTo(score, 5);
  const [best] = scores.top(k, keep);
  const [hit] = index.search(query, k, keep);
  expect(best?.score ?? 0).toBeCloseTo(hit?.score ?? 0, 9);
  expect(best && scores.hit(best.id)).toEqual(best);
  expect(scores.score(expected.length)).toBe(0);
}
