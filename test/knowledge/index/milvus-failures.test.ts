import { once } from 'node:events';
import { createServer as createHttp2 } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { type MilvusOptions, openMilvusIndex } from '../../../src/knowledge/index.js';
import { freePort, startMilvus } from '../../support/milvus.js';
import { axis, DIMENSION, idsOf, makeRows, row, sourceOf } from './corpus.js';

const server = await startMilvus();
afterAll(() => server?.close());

const TOKEN = 'root:gEheim-9+/=';

function open(address: string, more: Partial<MilvusOptions> = {}) {
  return openMilvusIndex({
    address,
    project: 'failures',
    embedderId: 'test',
    dimension: DIMENSION,
    timeoutMs: 2_000,
    token: TOKEN,
    ...more,
  });
}

/** What `work` throws, and that neither message nor hint nor details show the token. */
async function failure(work: Promise<unknown>): Promise<{ code: string; message: string; hint: string; ms: number }> {
  const from = performance.now();
  const e = await work.then(
    () => expect.fail('no error'),
    (caught: unknown) => caught as { code: string; message: string; hint: string; toJSON(): unknown; cause?: unknown },
  );
  const shown = JSON.stringify([e.toJSON(), String(e.cause)]);
  for (const secret of [TOKEN, TOKEN.slice(5), Buffer.from(TOKEN).toString('base64')])
    expect(shown).not.toContain(secret);
  return { code: e.code, message: e.message, hint: e.hint, ms: performance.now() - from };
}

describe.skipIf(server === undefined)('a server that comes and goes', () => {
  it('is killed and started again: rows are there, the collection is loaded again', async () => {
    const index = await open(server!.address, { project: 'killed', timeoutMs: 10_000 });
    await index.rebuild(sourceOf(makeRows(100)));
    await index.upsert([row('last#1', 0, ['最后'])]);
    await server!.kill();
    await server!.start();
    expect(idsOf(await index.lexical(['最后'], 5))).toEqual(['last#1']);
    expect((await index.hashes()).size).toBe(101);
    await server!.kill();
    await server!.start();
    expect(await index.upsert([row('last#1', 0, ['最后']), row('more#1', 1, ['又一个'])])).toBe(1);
    await server!.kill();
    await server!.start();
    await index.remove(['more#1']);
    expect((await index.hashes()).size).toBe(101);
    await index.close();
  });

  it('is killed in the middle of a rebuild: the old rows answer, and the next rebuild goes on', async () => {
    const index = await open(server!.address, { project: 'halfway', timeoutMs: 10_000 });
    await index.upsert([row('old#1', 0, ['旧'])]);
    const source = sourceOf(makeRows(600));
    let asked = 0;
    const cut = {
      ...source,
      rows: async (ids: readonly string[]) => {
        if (++asked === 2) await server!.kill();
        return source.rows(ids);
      },
    };
    expect((await failure(index.rebuild(cut))).code).toBe('MILVUS_UNAVAILABLE');
    await index.close();
    await server!.start();
    const again = await open(server!.address, { project: 'halfway', timeoutMs: 10_000 });
    expect(idsOf(await again.lexical(['旧'], 5))).toEqual(['old#1']);
    const later = sourceOf(makeRows(600));
    let left = 0;
    const counted = (ids: readonly string[]) => {
      left += ids.length;
      return later.rows(ids);
    };
    await again.rebuild({ ...later, rows: counted });
    expect(left).toBe(600 - 256);
    expect(await again.hashes()).toEqual(later.hashes);
    await again.close();
  });

  it('is down: every call says so, at once, and works when it is back', async () => {
    const index = await open(server!.address, { project: 'down' });
    await index.upsert([row('a#1', 0, ['甲'])]);
    await server!.kill();
    const calls = [
      () => index.dense(axis(0), 5),
      () => index.lexical(['甲'], 5),
      () => index.hybrid(axis(0), ['甲'], 5),
      () => index.hashes(),
      () => index.upsert([row('b#1', 1, ['乙'])]),
      () => index.remove(['a#1']),
      () => index.probe(),
      () => index.rebuild(sourceOf([])),
      () => open(server!.address, { project: 'down' }),
    ];
    for (const call of calls) {
      // At once: a call that waited for its limit would say MILVUS_TIMEOUT.
      const { code, hint } = await failure(call());
      expect([code, hint]).toEqual(['MILVUS_UNAVAILABLE', expect.stringContaining('milvus.address')]);
    }
    await server!.start();
    await expect.poll(() => index.lexical(['甲'], 5).then(idsOf, () => []), { timeout: 10_000 }).toEqual(['a#1']);
    await index.close();
  });

  it('hangs: a call ends with its time limit, or with that of the caller, or when it is cancelled', async () => {
    const index = await open(server!.address, { project: 'hangs', timeoutMs: 1_500 });
    await index.upsert([row('a#1', 0, ['甲'])]);
    server!.pause();
    try {
      const { code, ms } = await failure(index.lexical(['甲'], 5));
      expect(code).toBe('MILVUS_TIMEOUT');
      expect(ms).toBeGreaterThan(1_000);
      expect((await failure(index.lexical(['甲'], 5, {}, AbortSignal.timeout(100)))).code).toBe('MILVUS_TIMEOUT');
      const stop = new AbortController();
      const work = failure(index.upsert([row('b#1', 1, ['乙'])], stop.signal));
      setTimeout(() => stop.abort(), 100);
      expect((await work).code).toBe('CANCELLED');
      const opening = failure(open(server!.address, { project: 'hangs', signal: AbortSignal.timeout(100) }));
      expect((await opening).code).toBe('MILVUS_TIMEOUT');
    } finally {
      server!.resume();
    }
    expect(idsOf(await index.lexical(['甲'], 5))).toEqual(['a#1']);
    await index.close();
  });
});

describe('an address', () => {
  it('that nothing listens on', async () => {
    expect(await failure(open(`127.0.0.1:${await freePort()}`))).toMatchObject({ code: 'MILVUS_UNAVAILABLE' });
  });

  it('of a host that does not exist', async () => {
    expect(await failure(open('no-such-host.invalid:19530'))).toMatchObject({ code: 'MILVUS_UNAVAILABLE' });
  });

  it.each(['', ' ', 'http://', `http://${TOKEN}@127.0.0.1:19530`, 'ftp://127.0.0.1'])(
    'that is none: %j',
    async (address) => {
      expect(await failure(open(address))).toMatchObject({
        code: 'MILVUS_UNAVAILABLE',
        message: '连不上 Milvus：地址写法不对',
      });
    },
  );

  it('of a server that takes connections and says nothing', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { code } = await failure(open(addressOf(silent.address()), { timeoutMs: 500 }));
    expect(code).toBe('MILVUS_TIMEOUT');
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('of something else', async () => {
    const other = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    expect(await failure(open(addressOf(other.address())))).toMatchObject({
      code: expect.stringMatching(/^MILVUS_(UNAVAILABLE|TIMEOUT)$/),
    });
    other.close();
  });
});

describe('what the server says of itself', () => {
  it('a token that it does not take, and shows in its answer', async () => {
    const { address, close } = await grpcServer((headers) => {
      const sent = String(headers.authorization);
      return { status: 16, message: `auth check failure: ${sent} is not ${Buffer.from(sent, 'base64').toString()}` };
    });
    expect(await failure(open(address))).toMatchObject({
      code: 'MILVUS_AUTH',
      hint: expect.stringContaining('XIHE_MILVUS_TOKEN'),
    });
    close();
  });

  it('a version without BM25', async () => {
    const version = Buffer.concat([Buffer.from([0x0a, 0, 0x12, 6]), Buffer.from('v2.4.1')]);
    const { address, close } = await grpcServer((headers) => ({
      status: 0,
      body: String(headers[':path']).endsWith('/GetVersion') ? version : Buffer.from([0x0a, 0]),
    }));
    expect(await failure(open(address))).toMatchObject({
      code: 'MILVUS_SCHEMA',
      message: expect.stringContaining('v2.4.1'),
      hint: expect.stringContaining('2.5'),
    });
    close();
  });
});

type Reply = { status: number; message?: string; body?: Buffer };

/** A gRPC server that gives one answer to each method: for what milvus-lite can't be made to say. */
async function grpcServer(answer: (headers: NodeJS.Dict<string | string[]>) => Reply) {
  const http = createHttp2();
  http.on('stream', (stream, headers) => {
    const { status, message = '', body } = answer(headers);
    stream.on('error', () => {});
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () =>
      stream.sendTrailers({ 'grpc-status': String(status), 'grpc-message': encodeURIComponent(message) }),
    );
    const head = Buffer.alloc(5);
    head.writeUInt32BE(body?.length ?? 0, 1);
    stream.end(body === undefined ? undefined : Buffer.concat([head, body]));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return { address: addressOf(http.address()), close: () => void http.close() };
}

function addressOf(address: AddressInfo | string | null): string {
  return `127.0.0.1:${(address as AddressInfo).port}`;
}
