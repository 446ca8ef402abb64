import { describe, expect, it } from 'vitest';
import { Bm25Index, contentWords } from '../../src/text/index.js';

function build() {
  const index = new Bm25Index<string>({ fields: { title: 3, body: 1 } });
  index.add('refund', {
    title: contentWords('退款流程'),
    body: contentWords('用户申请退款之后原路退回，退款金额不能大于实付'),
  });
  index.add('timeout', { title: contentWords('超时关单'), body: contentWords('下单三十分钟未付款自动取消，释放库存') });
  index.add('export', { title: contentWords('报表导出'), body: contentWords('导出订单明细，也包含退款明细') });
  return index.finish();
}

const join = (pieces: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(pieces));

describe('Bm25Index', () => {
  it('finds the document that is about the words, and says which matched', () => {
    const hits = build().search(contentWords('退款金额怎么算'), 10);
    expect(hits.map((hit) => hit.id)).toEqual(['refund', 'export']);
    expect(hits[0]!.matched).toEqual(['退款', '金额']);
    expect(hits[0]!.score).toBeGreaterThan(hits[1]!.score);
  });

  it('weighs fields: a word in the title beats the same word in the body', () => {
    const index = new Bm25Index<string>({ fields: { title: 5, body: 1 } });
    index.add('body', { title: ['x'], body: ['退款'] });
    index.add('title', { title: ['退款'], body: ['x'] });
    index.add('other', { title: ['y'], body: ['z'] });
    expect(
      index
        .finish()
        .search(['退款'], 2)
        .map((hit) => hit.id),
    ).toEqual(['title', 'body']);
  });

  it('prefers rare words to common ones', () => {
    const index = new Bm25Index<number>();
    for (let i = 0; i < 20; i++) index.add(i, { body: ['订单', i === 7 ? '验签' : '列表'] });
    expect(index.finish().search(['订单', '验签'], 1)[0]!.id).toBe(7);
  });

  it('holds long documents back', () => {
    const index = new Bm25Index<string>();
    index.add('long', { body: ['退款', ...Array.from({ length: 200 }, (_, i) => `w${i}`)] });
    index.add('short', { body: ['退款', 'x'] });
    expect(index.finish().search(['退款'], 1)[0]!.id).toBe('short');
  });

  it('weighs query tokens, and adds up repeated ones', () => {
    const index = build();
    const plain = index.search(['退款'], 1)[0]!.score;
    expect(index.search(['退款', '退款'], 1)[0]!.score).toBeCloseTo(2 * plain);
    expect(index.search([{ token: '退款', weight: 0.5 }], 1)[0]!.score).toBeCloseTo(plain / 2);
    expect(index.search([{ token: '退款', weight: 0 }], 1)).toEqual([]);
  });

  it('keeps the order of adding among equals, and the limit', () => {
    const index = new Bm25Index<number>();
    for (let i = 0; i < 50; i++) index.add(i, { body: ['x'] });
    expect(
      index
        .finish()
        .search(['x'], 3)
        .map((hit) => hit.id),
    ).toEqual([0, 1, 2]);
  });

  it('answers the same after a trip through bytes, hostile tokens included', () => {
    const index = new Bm25Index<string>({ k1: 0.9, b: 0.4, fields: { title: 2 } });
    index.add('a', { title: ['__proto__', '退款', ''], body: ['constructor', '退款', '退款', '𠮷野家'] });
    index.add('b', { title: [], body: ['退款'] });
    const query = ['退款', '__proto__', 'constructor', 'toString', '', '𠮷野家'];
    const before = index.finish().search(query, 5);
    const { index: copy, note } = Bm25Index.fromBytes<string>(join(index.toPieces({ key: 'k' })));
    expect(copy.search(query, 5)).toEqual(before);
    expect(before[0]?.matched).toEqual(['退款', '__proto__', 'constructor', '', '𠮷野家']);
    expect(note).toEqual({ key: 'k' });
    expect(copy.size).toBe(2);
    expect(copy.documentFrequency('退款')).toBe(2);
    expect(copy.documentFrequency('toString')).toBe(0);
  });

  it('refuses bytes that are cut, changed, foreign or of another version', () => {
    const bytes = join(build().toPieces());
    expect(Bm25Index.fromBytes(bytes).index.size).toBe(3);
    for (const length of [0, 3, 15, 16, 40, bytes.length - 1])
      expect(() => Bm25Index.fromBytes(bytes.subarray(0, length)), `${length} bytes`).toThrow();
    for (let at = 0; at < bytes.length; at++) {
      const changed = Uint8Array.from(bytes);
      changed[at]! ^= 0x55;
      expect(() => Bm25Index.fromBytes(changed), `byte ${at}`).toThrow();
    }
    expect(() => Bm25Index.fromBytes(bytes, () => false)).toThrow(/another/);
    expect(() => Bm25Index.fromBytes(Buffer.from('{"key": "an index of an older version"}'))).toThrow();
  });

  it('refuses use out of order, and more fields than it can tell apart', () => {
    expect(() => build().add('x', { body: [] })).toThrow(/finish/);
    expect(() => new Bm25Index().search(['x'], 1)).toThrow(/finish/);
    expect(() => new Bm25Index().scores(['x'])).toThrow(/finish/);
    const fields = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}`, ['x']]));
    expect(() => new Bm25Index().add('x', fields)).toThrow(/8 fields/);
  });

  it('is empty when nothing was added', () => {
    expect(new Bm25Index().finish().search(['退款'], 5)).toEqual([]);
  });
});
