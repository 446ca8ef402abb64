import { describe, expect, it } from 'vitest';
import { fuse, kindOf } from '../../src/knowledge/fusion.js';
import type { Meaning } from '../../src/knowledge/meaning.js';
import type { RetrieverHit } from '../../src/knowledge/retriever.js';
import { withoutTwins } from '../../src/knowledge/twins.js';
import type { Chunk } from '../../src/knowledge/types.js';

const chunk = (id: string, content = id) => ({ id, content, provenance: { layer: 'project' } }) as unknown as Chunk;
const hit = (id: string, raw: number, score = raw / 20): RetrieverHit => ({
  chunk: chunk(id),
  score,
  coverage: score,
  matched: [],
  raw,
  ideal: 20,
});
function meaningOf(closeness: Record<string, number>): Meaning {
  const best = Math.max(0, ...Object.values(closeness));
  return { of: ({ id }) => closeness[id], nearest: () => [], best, missing: 0, chunks: [] };
}
const order = (hits: RetrieverHit[], meaning: Meaning, kind: 'sentence' | 'identifier') =>
  fuse(hits, meaning, kind).map(({ chunk: { id } }) => id);

describe('the kind of a query', () => {
  it.each([
    ['ERR_TIMEOUT', 'identifier'],
    ['tls.client_cert', 'identifier'],
    ['HomeKit', 'identifier'],
    ['eg:127.0.0.1:2181', 'identifier'],
    ['httpclient-4.5.2', 'identifier'],
    ['OrderService cancelExpired', 'identifier'],
    ['$IOTDB_HOME', 'identifier'],
    ['ERR_TIMEOUT 是什么', 'sentence'],
    ['退款', 'sentence'],
    ['how to cancel an order', 'sentence'],
  ])('%s is a bare name or a sentence', (query, kind) => {
    expect(kindOf(query)).toBe(kind);
  });
});

describe('fusion', () => {
  const hits = [hit('words', 10), hit('meaning', 2)];
  const meaning = meaningOf({ words: 0.02, meaning: 0.09 });

  it('follows meaning in sentences and words in bare names', () => {
    expect(order(hits, meaning, 'sentence')).toEqual(['meaning', 'words']);
    expect(order(hits, meaning, 'identifier')).toEqual(['words', 'meaning']);
  });

  it('does not let a word that is there by chance outweigh what is near', () => {
    const byChance = [hit('words', 1), hit('meaning', 0)];
    expect(order(byChance, meaningOf({ words: 0.045, meaning: 0.07 }), 'sentence')).toEqual(['meaning', 'words']);
  });

  it('takes what has no vector yet to be as near as its words say', () => {
    expect(order([hit('new', 10), hit('old', 2)], meaningOf({ old: 0.04 }), 'sentence')).toEqual(['new', 'old']);
    expect(order([hit('new', 1), hit('old', 2)], meaningOf({ old: 0.09 }), 'sentence')).toEqual(['old', 'new']);
  });

  it('gives scores between 0 and 1 that rise with the standing', () => {
    const [best, next] = fuse(hits, meaning, 'sentence');
    expect(best!.score).toBeGreaterThan(next!.score);
    for (const { score } of [best!, next!]) expect(score > 0 && score < 1).toBe(true);
  });
});

describe('passages that say the same', () => {
  const text =
    '退款原路返回，零钱当天到账，银行卡一到三个工作日到账，节假日顺延；超过五个工作日没到就去查退款单号和渠道流水。';
  const of = (id: string, content: string) => ({ ...hit(id, 1), chunk: chunk(id, content) });

  it('are given once, the better one', () => {
    const hits = [of('a', text), of('copy', ` ${text.replace('。', '')}\n`), of('b', `${'关单释放库存。'.repeat(8)}`)];
    expect(withoutTwins(hits, 3).map(({ chunk: { id } }) => id)).toEqual(['a', 'b']);
  });

  it('are different where a part is', () => {
    const hits = [of('a', text), of('b', `${text}另外，部分退款每笔订单最多五十次，两次之间至少隔一分钟。`)];
    expect(withoutTwins(hits, 3)).toHaveLength(2);
    expect(withoutTwins([of('a', '超时'), of('b', '超时')], 3)).toHaveLength(2);
  });
});
