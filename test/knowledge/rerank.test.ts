import { describe, expect, it } from 'vitest';
import { XiheError } from '../../src/errors.js';
import type { SearchHit } from '../../src/knowledge/index.js';
import { inOrderOf, type Reranker, Reranking } from '../../src/knowledge/rerank.js';

const hit = (id: string, version = 'v1') =>
  ({ chunk: { id, title: id, heading: '', content: `${id}的内容`, provenance: { version } } }) as unknown as SearchHit;
const HITS = ['a', 'b', 'c', 'd'].map((id) => hit(id));
const orderBy = (rerank: Reranker, timeoutMs?: number) => new Reranking(rerank, timeoutMs).order('问题', HITS);

describe('a judge of the order', () => {
  it('can do nothing but change the order, whatever it says', async () => {
    expect(await orderBy(async () => [2, 0, 1, 3])).toEqual(['c', 'a', 'b', 'd']);
    expect(await orderBy(async () => [3])).toEqual(['d', 'a', 'b', 'c']);
    expect(await orderBy(async () => [1, 1, 99, -1, 0.5, Number.NaN])).toEqual(['b', 'a', 'c', 'd']);
    expect(inOrderOf([...HITS, hit('e')], ['c', 'nowhere', 'a']).map(({ chunk }) => chunk.id)).toEqual([
      'c',
      'a',
      'b',
      'd',
      'e',
    ]);
  });

  it('that fails or is late is left out', async () => {
    const failing = async () => {
      throw new Error('坏了');
    };
    expect(await orderBy(failing)).toBeUndefined();
    expect(await orderBy(() => new Promise(() => undefined), 20)).toBeUndefined();
  });

  it('is asked once for the same passages, and again when one changes', async () => {
    let asked = 0;
    const reranking = new Reranking(async () => {
      asked++;
      return [1, 0];
    });
    await reranking.order('问题', HITS);
    await reranking.order('问题', HITS);
    expect(asked).toBe(1);
    await reranking.order('问题', [hit('a', 'v2'), ...HITS.slice(1)]);
    await reranking.order('别的问题', HITS);
    expect(asked).toBe(3);
    await reranking.order('问题', HITS.slice(0, 1));
    expect(asked).toBe(3);
  });

  it('ends with its caller', async () => {
    const stop = new AbortController();
    const asking = new Reranking(() => new Promise(() => undefined)).order('问题', HITS, stop.signal);
    stop.abort(new XiheError('CANCELLED', '不等了', { hint: '再来。' }));
    await expect(asking).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
