import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ChunkIndex,
  type IndexFilter,
  type IndexHit,
  type RowSource,
  syncIndex,
} from '../../../src/knowledge/index.js';
import { axis, bm25, cosines, fused, fusedBounds, idsOf, makeQuery, makeRows, row, sourceOf } from './corpus.js';

export interface Opened {
  project: string;
  embedderId?: string;
  dimension?: number;
}

const FILTERS: (IndexFilter | undefined)[] = [
  undefined,
  { modules: ['order'] },
  { modules: [] },
  { modules: ['a"b\\%', '支付'] },
  { status: 'verified' },
  { layer: 'project', status: 'candidate' },
  { validOn: '2026-12-01' },
  { modules: ['refund'], status: 'verified', layer: 'general', validOn: '2026-12-02' },
];

function expectHits(found: readonly IndexHit[], expected: readonly IndexHit[]): void {
  expect(idsOf(found)).toEqual(idsOf(expected));
  found.forEach(({ score }, n) => {
    expect(Math.abs(score - expected[n]!.score)).toBeLessThan(1e-3);
  });
}

/** Servers rank equal words as they like, so a score has bounds; in them the hits are the best, best first. */
function expectFused(found: readonly IndexHit[], arms: IndexHit[][]): void {
  const bounds = fusedBounds(...arms);
  const margin = 1e-6;
  expect(found).toHaveLength(Math.min(10, bounds.size));
  for (const [n, { id, score }] of found.entries()) {
    const { least, most } = bounds.get(id)!;
    expect([id, score >= least - margin && score <= most + margin]).toEqual([id, true]);
    if (n > 0) expect(score).toBeLessThanOrEqual(found[n - 1]!.score + margin);
    bounds.delete(id);
  }
  for (const { least } of bounds.values()) expect(least).toBeLessThanOrEqual(found.at(-1)!.score + margin);
}

/** What every kind of index must do, against searches that are written down plainly in `corpus.ts`. */
export function contract(open: (what: Opened) => Promise<ChunkIndex>): void {
  describe('1,000 rows', () => {
    const rows = makeRows(1_000);
    let index: ChunkIndex;
    const progress: number[] = [];

    beforeAll(async () => {
      index = await open({ project: 'thousand' });
      await syncIndex(index, sourceOf(rows), { onProgress: (done) => progress.push(done) });
    });
    afterAll(() => index.close());

    it('are there, and progress was told', async () => {
      expect(await index.hashes()).toEqual(new Map(rows.map(({ id, hash }) => [id, hash])));
      expect(progress).toEqual([0, 256, 512, 768, 1_000]);
      await index.probe();
    });

    it.each(FILTERS)('filter %j: ids, order and scores of each search', async (filter) => {
      for (let seed = 1; seed <= 12; seed++) {
        const vector = makeRows(1, 1_000 + seed)[0]!.vector;
        const words = makeQuery(seed);
        const [near, lexical] = [cosines(rows, vector, filter), bm25(rows, words, filter)];
        expectHits(await index.dense(vector, 10, filter), near.slice(0, 10));
        expectHits(await index.lexical(words, 10, filter), lexical.slice(0, 10));
        expectFused(await index.hybrid(vector, words, 10, filter), [near, lexical]);
      }
    });

    it('limits: none, one, more than there are', async () => {
      const { vector, tokens } = rows[3]!;
      expect(await index.dense(vector, 0)).toEqual([]);
      expect(await index.lexical(tokens, 0)).toEqual([]);
      expect(await index.hybrid(vector, tokens, 0)).toEqual([]);
      expect(idsOf(await index.dense(vector, 1))).toEqual([rows[3]!.id]);
      expect(await index.dense(vector, 5_000)).toHaveLength(1_000);
      expect((await index.hybrid(vector, tokens, 5_000)).length).toBe(1_000);
    });

    it('a query without words is answered by the vectors alone', async () => {
      const vector = rows[5]!.vector;
      expect(await index.lexical([], 5)).toEqual([]);
      expect(await index.lexical(['没有的词'], 5)).toEqual([]);
      expectHits(await index.hybrid(vector, [], 5), fused(cosines(rows, vector)).slice(0, 5));
      expectHits(await index.hybrid(vector, ['没有的词'], 5), fused(cosines(rows, vector)).slice(0, 5));
    });

    it('syncing again writes nothing; one row more, one changed and one gone are that', async () => {
      expect(await syncIndex(index, sourceOf(rows))).toEqual({ written: 0, removed: 0 });
      const changed = [row('new#1', 1, ['崭新']), { ...rows[1]!, hash: 'other', tokens: ['换过'] }, ...rows.slice(2)];
      expect(await syncIndex(index, sourceOf(changed))).toEqual({ written: 2, removed: 1 });
      expect(await index.hashes()).toEqual(sourceOf(changed).hashes);
      expect(idsOf(await index.lexical(['崭新'], 5))).toEqual(['new#1']);
      expect(idsOf(await index.lexical(['换过'], 5))).toEqual([rows[1]!.id]);
      await syncIndex(index, sourceOf(rows));
    });
  });

  describe('a small index', () => {
    const opened: ChunkIndex[] = [];
    const small = async (project: string, more: Partial<Opened> = {}) => {
      const index = await open({ project, ...more });
      opened.push(index);
      return index;
    };
    afterAll(() => Promise.all(opened.map((index) => index.close())));

    it('that is empty finds nothing and is sound', async () => {
      const index = await small('empty');
      expect(await index.dense(axis(0), 5)).toEqual([]);
      expect(await index.lexical(['订单'], 5)).toEqual([]);
      expect(await index.hybrid(axis(0), ['订单'], 5)).toEqual([]);
      expect(await index.hashes()).toEqual(new Map());
      await index.remove(['nothing#1']);
      await index.probe();
    });

    it('keeps words apart that look alike: Chinese, signs, case, length', async () => {
      const index = await small('words');
      const long = 'y'.repeat(70_000);
      const words = ['订单', '订', 'order_no', 'order', 'pay.channel', 'pay-channel', 'Pay', 'pay', 'c++', 'c', long];
      await index.upsert(words.map((word, n) => row(`w#${n}`, n, [word])));
      for (const [n, word] of words.entries()) expect(idsOf(await index.lexical([word], 20))).toEqual([`w#${n}`]);
      await index.probe();
    });

    it('finds a row by its rarest word however long the row is', async () => {
      const index = await small('long');
      const many = Array.from({ length: 9_000 }, (_, n) => `重复${n % 50}`);
      await index.upsert([row('long#1', 0, [...many, '最后一个']), row('short#1', 1, ['别的'])]);
      expect(idsOf(await index.lexical(['最后一个'], 5))).toEqual(['long#1']);
    });

    it('a word asked for twice counts twice', async () => {
      const index = await small('twice');
      await index.upsert([row('a#1', 0, ['甲', '丙']), row('b#1', 1, ['乙', '丁'])]);
      expect(idsOf(await index.lexical(['甲', '乙', '乙'], 5))).toEqual(['b#1', 'a#1']);
      expect(idsOf(await index.lexical(['甲', '甲', '乙'], 5))).toEqual(['a#1', 'b#1']);
    });

    it('orders equal scores by id', async () => {
      const index = await small('ties');
      const ids = Array.from({ length: 12 }, (_, n) => `t#${(n * 7) % 12}`);
      await index.upsert(ids.map((id) => row(id, 0, ['同样'])));
      expect(idsOf(await index.dense(axis(0), 5))).toEqual([...ids].sort().slice(0, 5));
      expect(idsOf(await index.lexical(['同样'], 5))).toEqual([...ids].sort().slice(0, 5));
    });

    it('writes by hash, and the newest of a row is the only one', async () => {
      const index = await small('upsert');
      expect(await index.upsert([row('a#1', 0, ['旧词']), row('b#1', 1, ['别的'])])).toBe(2);
      expect(await index.upsert([row('a#1', 0, ['没看的词'])])).toBe(0);
      expect(await index.lexical(['没看的词'], 5)).toEqual([]);
      expect(await index.upsert([row('a#1', 2, ['新词'], { module: 'order' }), row('b#1', 1, ['别的'])])).toBe(1);
      expect(await index.lexical(['旧词'], 5)).toEqual([]);
      expect(idsOf(await index.lexical(['新词'], 5))).toEqual(['a#1']);
      expect((await index.dense(axis(2), 1))[0]).toMatchObject({ id: 'a#1' });
      expect(idsOf(await index.dense(axis(2), 5, { modules: ['refund'] }))).toEqual(['b#1']);
      expect(await index.upsert([])).toBe(0);
    });

    it('removes rows, and what is not there is no error', async () => {
      const index = await small('remove');
      await index.upsert([row('a#1', 0, ['甲']), row('b"\\\n#1', 1, ['乙']), row("c'#1", 2, ['丙'])]);
      await index.remove(['b"\\\n#1', 'never#1', 'a#1']);
      expect([...(await index.hashes()).keys()]).toEqual(["c'#1"]);
      expect(await index.lexical(['乙'], 5)).toEqual([]);
      expect(idsOf(await index.dense(axis(1), 5))).toEqual(["c'#1"]);
    });

    it('refuses vectors of another length and vectors without direction', async () => {
      const index = await small('vectors');
      const wrong = { code: 'EMBED_DIMENSION' };
      await expect(index.dense(axis(0, 5), 3)).rejects.toMatchObject(wrong);
      await expect(index.hybrid(axis(0, 5), ['甲'], 3)).rejects.toMatchObject(wrong);
      await expect(index.upsert([{ ...row('a#1', 0, ['甲']), vector: axis(0, 5) }])).rejects.toMatchObject(wrong);
      await expect(index.dense(axis(-1), 3)).rejects.toMatchObject({ code: 'EMBED_BAD_REPLY' });
      expect(await index.hashes()).toEqual(new Map());
    });

    it('of another model has rows of its own', async () => {
      const one = await small('models', { embedderId: 'one' });
      const two = await small('models', { embedderId: 'two', dimension: 3 });
      await one.upsert([row('a#1', 0, ['甲'])]);
      await two.upsert([{ ...row('b#1', 0, ['甲']), vector: axis(0, 3) }]);
      expect(idsOf(await one.lexical(['甲'], 5))).toEqual(['a#1']);
      expect(idsOf(await two.lexical(['甲'], 5))).toEqual(['b#1']);
    });

    it('stops when it is told to', async () => {
      const index = await small('cancel');
      const stop = new AbortController();
      stop.abort();
      const cancelled = { code: 'CANCELLED' };
      await expect(index.dense(axis(0), 3, undefined, stop.signal)).rejects.toMatchObject(cancelled);
      await expect(index.lexical(['甲'], 3, undefined, stop.signal)).rejects.toMatchObject(cancelled);
      await expect(index.upsert([row('a#1', 0, ['甲'])], stop.signal)).rejects.toMatchObject(cancelled);
      await expect(index.rebuild(sourceOf([]), { signal: stop.signal })).rejects.toMatchObject(cancelled);
      expect(await index.hashes()).toEqual(new Map());
    });
  });

  describe('a rebuild', () => {
    it('answers from the old rows until the new ones are all there', async () => {
      const index = await open({ project: 'rebuild' });
      await index.upsert([row('old#1', 0, ['旧'])]);
      const rows = makeRows(600);
      const seen: string[][] = [];
      const source = sourceOf(rows);
      const watched: RowSource = {
        ...source,
        rows: async (ids) => {
          seen.push(idsOf(await index.lexical(['旧'], 5)));
          return source.rows(ids);
        },
      };
      await index.rebuild(watched);
      expect(seen).toEqual([['old#1'], ['old#1'], ['old#1']]);
      expect(await index.hashes()).toEqual(source.hashes);
      const { vector } = rows[0]!;
      expectHits(await index.dense(vector, 5), cosines(rows, vector).slice(0, 5));
      await index.close();
    });

    it('that is interrupted leaves the old rows', async () => {
      const index = await open({ project: 'interrupted' });
      await index.upsert([row('old#1', 0, ['旧'])]);
      const rows = makeRows(600);
      const stop = new AbortController();
      const onProgress = (done: number) => done > 200 && stop.abort();
      await expect(index.rebuild(sourceOf(rows), { signal: stop.signal, onProgress })).rejects.toMatchObject({
        code: 'CANCELLED',
      });
      expect([...(await index.hashes()).keys()]).toEqual(['old#1']);
      await index.rebuild(sourceOf(rows));
      expect(await index.hashes()).toEqual(sourceOf(rows).hashes);
      await index.close();
    });
  });
}
