import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { openEndpoint } from '../../src/embed/endpoint.js';
import { type Embedder, type EndpointSettings, openEmbedded, openEmbedder, providerOf } from '../../src/embed/index.js';
import { XiheError } from '../../src/errors.js';
import { type EmbeddingServer, send, startEmbeddingServer } from './embedding-server.js';
import { dot, tempDir } from './support.js';

const KEY = 'sk-test-1234567890';
const TEXTS = Array.from({ length: 25 }, (_, i) => `第 ${i} 条`);

let model: Embedder;
let server: EmbeddingServer;
beforeAll(async () => {
  model = openEmbedded({ workers: 1, runtime: 'wasm' });
  server = await startEmbeddingServer(model);
});
afterAll(async () => {
  await server.close();
  await model.close();
});
beforeEach(() => {
  Object.assign(server, { fault: undefined, style: {}, requests: [], aborted: 0 });
});

const open = (settings: Partial<EndpointSettings> = {}, signal?: AbortSignal) =>
  openEndpoint({ baseUrl: server.baseUrl, name: 'e5', apiKey: KEY, dimension: 384, ...settings }, signal, {
    backoffMs: 5,
    maxWaitMs: 2000,
  });

/** A port of this machine that nobody listens on. */
async function freePort(): Promise<{ port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { port };
}

/** What a call fails with; fails itself when it does not. */
async function failure(call: Promise<unknown>): Promise<XiheError> {
  const e = await call.then(
    () => new Error('no failure'),
    (e: unknown) => e,
  );
  expect(XiheError.is(e), String(e)).toBe(true);
  return e as XiheError;
}

describe('endpoint', () => {
  it.each([
    ['numbers', {}],
    ['base64', { base64: true }],
    ['another order', { shuffle: true }],
    ['no index', { noIndex: true }],
    ['vectors that are not of length 1', { scale: 3 }],
  ])('reads %s', async (_, style) => {
    server.style = style;
    const endpoint = await open();
    const progress: number[] = [];
    const got = await endpoint.embed(TEXTS, { kind: 'query', onProgress: (done) => progress.push(done) });
    const direct = await model.embed(TEXTS, { kind: 'query' });
    for (const [i, v] of got.entries()) expect(dot(v, direct[i]!)).toBeCloseTo(1, 4);
    expect(server.requests.map((r) => r.body.input.length).sort()).toEqual([10, 10, 5]);
    expect(server.requests.every((r) => r.authorization === `Bearer ${KEY}` && r.body.model === 'e5')).toBe(true);
    expect(progress.at(-1)).toBe(25);
  });

  it('learns the dimension by asking, and keys vectors by model, dimension and prefixes', async () => {
    const plain = await open({ dimension: undefined });
    expect(plain.dimension).toBe(384);
    expect(plain.id).toBe('endpoint-e5-384');
    const prefixed = await open({ queryPrefix: 'query: ' });
    expect(prefixed.id).not.toBe(plain.id);
    expect((await open({ queryPrefix: 'query: ' })).id).toBe(prefixed.id);
    expect((await open({ inputType: true })).id).not.toBe(plain.id);
  });

  it('remembers the dimension: a service that is down can be opened, and one that changed is asked anew', async () => {
    const { dir, remove } = tempDir();
    const dimensionFile = join(dir, 'state', 'dimensions.json');
    const opened = (settings: Partial<EndpointSettings> = {}) =>
      openEndpoint({ baseUrl: server.baseUrl, name: 'e5', apiKey: KEY, maxRetries: 0, ...settings }, undefined, {
        dimensionFile,
      });
    server.fault = (_, response) => send(response, 503, '');
    expect((await failure(opened())).code).toBe('EMBED_UNREACHABLE');
    server.fault = undefined;
    const first = await opened();
    server.fault = (_, response) => send(response, 503, '');
    server.requests = [];
    const later = await opened();
    expect(server.requests).toEqual([]);
    expect(later).toMatchObject({ id: first.id, dimension: 384 });
    expect((await failure(later.embed(['a'], { kind: 'query' }))).code).toBe('EMBED_UNREACHABLE');
    // Another model, another address: not known yet.
    expect((await failure(opened({ name: 'bge' }))).code).toBe('EMBED_UNREACHABLE');
    expect(readFileSync(dimensionFile, 'utf8')).not.toContain('127.0.0.1');
    server.fault = (_, response) => send(response, 200, { data: [{ index: 0, embedding: [1, 2, 3] }] });
    expect((await failure(later.embed(['a'], { kind: 'query' }))).code).toBe('EMBED_DIMENSION');
    expect((await opened()).dimension).toBe(3);
    // A folder that can't be made costs only the memory.
    const nowhere = openEndpoint({ baseUrl: server.baseUrl, name: 'e5' }, undefined, {
      dimensionFile: join(dimensionFile, 'x'),
    });
    expect((await nowhere).dimension).toBe(3);
    remove();
  });

  it('puts prefixes, input_type and dimensions where they are asked for', async () => {
    const endpoint = await open({ queryPrefix: 'Q:', passagePrefix: 'P:', inputType: true, sendDimensions: true });
    await endpoint.embed(['a'], { kind: 'query' });
    await endpoint.embed(['b'], { kind: 'passage' });
    await (await open()).embed([''], { kind: 'query' });
    const [query, passage, bare] = server.requests.map((r) => r.body);
    expect(query).toMatchObject({ input: ['Q:a'], input_type: 'query', dimensions: 384, encoding_format: 'float' });
    expect(passage).toMatchObject({ input: ['P:b'], input_type: 'passage' });
    expect(Object.keys(bare!).sort()).toEqual(['encoding_format', 'input', 'model']);
    expect(bare!.input).toEqual([' ']);
  });

  it('bounds requests by characters as well', async () => {
    server.fault = (asked, response) => {
      const data = asked.body.input.map((_, index) => ({ index, embedding: [1, 2] }));
      return send(response, 200, { data });
    };
    await (await open({ dimension: 2, batchSize: 100 })).embed(Array(5).fill('长'.repeat(5000)), { kind: 'passage' });
    expect(server.requests.map((r) => r.body.input.length).sort()).toEqual([1, 2, 2]);
  });

  it('tries again after 429, 500 and a broken connection', async () => {
    server.fault = (_, response, count) => {
      if (count === 1) return send(response, 429, { error: { message: 'slow down' } }, { 'retry-after': '0' });
      if (count === 2) return send(response, 500, 'oops');
      if (count > 3) return false;
      response.destroy();
      return true;
    };
    const [v] = await (await open()).embed(['a'], { kind: 'query' });
    expect(v).toHaveLength(384);
    expect(server.requests).toHaveLength(4);
  });

  it('waits as long as Retry-After says, and tells at once when that is too long', async () => {
    const times: number[] = [];
    server.fault = (_, response, count) => {
      times.push(performance.now());
      return count === 1 && send(response, 503, '', { 'retry-after': '1' });
    };
    await (await open()).embed(['a'], { kind: 'query' });
    // Timers may fire a little early against another clock.
    expect(times[1]! - times[0]!).toBeGreaterThan(950);
    server.fault = (_, response) => send(response, 429, '', { 'retry-after': 'Wed, 01 Jan 2200 00:00:00 GMT' });
    server.requests = [];
    expect((await failure((await open()).embed(['a'], { kind: 'query' }))).code).toBe('EMBED_RATE_LIMITED');
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['EMBED_AUTH', 1, (key: string) => [401, { error: { message: `bad key ${key}` } }]],
    ['EMBED_AUTH', 1, () => [429, { error: { message: 'You exceeded your current quota, check billing' } }]],
    ['EMBED_RATE_LIMITED', 3, () => [429, 'slow']],
    ['EMBED_UNREACHABLE', 3, (key: string) => [503, `upstream said: Bearer ${key}`]],
    ['EMBED_REFUSED', 1, () => [404, { error: 'model not found' }]],
    ['EMBED_REFUSED', 1, () => [400, { detail: 'input too long' }]],
    ['EMBED_REFUSED', 1, () => [302, '']],
    ['EMBED_BAD_REPLY', 1, () => [200, '<html>login</html>']],
    ['EMBED_BAD_REPLY', 3, () => [200, '{"data": [{"embed']],
    ['EMBED_BAD_REPLY', 3, () => [200, {}]],
    ['EMBED_BAD_REPLY', 3, () => [200, 'null']],
    ['EMBED_BAD_REPLY', 3, () => [200, { data: [] }]],
    ['EMBED_BAD_REPLY', 3, () => [200, { data: [null] }]],
    ['EMBED_BAD_REPLY', 3, () => [200, { data: [{ index: 7, embedding: [1] }] }]],
    ['EMBED_BAD_REPLY', 3, () => [200, { data: [{ index: 0, embedding: ['1'] }] }]],
    ['EMBED_BAD_REPLY', 3, () => [200, { data: [{ index: 0, embedding: 'abc' }] }]],
    ['EMBED_BAD_REPLY', 3, () => [200, { data: [{ index: 0, embedding: new Array(384).fill(0) }] }]],
    ['EMBED_DIMENSION', 1, () => [200, { data: [{ index: 0, embedding: [1, 2, 3] }] }]],
  ] as [string, number, (key: string) => [number, unknown]][])(
    'is %s after %i requests',
    async (code, requests, reply) => {
      server.fault = (_, response) => send(response, ...reply(KEY));
      const e = await failure((await open({ maxRetries: 2 })).embed(['a'], { kind: 'query' }));
      expect(e.code).toBe(code);
      expect(e.message).toMatch(/[\u4e00-\u9fff]/);
      expect(e.hint).not.toBe('');
      expect(JSON.stringify([e.toJSON(), e.stack, String(e.cause)])).not.toContain(KEY);
      expect(server.requests).toHaveLength(requests);
    },
  );

  it('halves a request that is too large for the service', async () => {
    server.fault = (asked, response) =>
      asked.body.input.length > 4 && send(response, 413, { error: { message: 'at most 4 texts' } });
    const got = await (await open()).embed(TEXTS, { kind: 'query' });
    const direct = await model.embed(TEXTS, { kind: 'query' });
    for (const [i, v] of got.entries()) expect(dot(v, direct[i]!)).toBeCloseTo(1, 4);
  });

  it('gives up a slow request, and stops at a signal and at closing', async () => {
    server.fault = () => new Promise(() => undefined);
    const slow = await open({ timeoutSeconds: 0.1, maxRetries: 1 });
    expect((await failure(slow.embed(['a'], { kind: 'query' }))).code).toBe('EMBED_TIMEOUT');
    expect(server.requests).toHaveLength(2);
    const stop = new AbortController();
    const endpoint = await open();
    const stopped = failure(endpoint.embed(['a'], { kind: 'query', signal: stop.signal }));
    const closed = failure(endpoint.embed(['b'], { kind: 'query' }));
    while (server.requests.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    expect((await stopped).code).toBe('CANCELLED');
    await endpoint.close();
    expect((await closed).code).toBe('CANCELLED');
    while (server.aborted < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await failure(open({ dimension: undefined }, AbortSignal.abort()))).code).toBe('CANCELLED');
  });

  it('does not make a question wait for a service that is not there; a build waits for it to start', async () => {
    const { port } = await freePort();
    const settings = { baseUrl: `http://127.0.0.1:${port}/v1`, name: 'e5', dimension: 2, maxRetries: 3 };
    // Any other try would come in a year.
    const never = await openEndpoint(settings, undefined, { backoffMs: 4e10, maxWaitMs: 1e12 });
    const e = await failure(never.embed(['a'], { kind: 'query' }));
    expect([e.code, e.message]).toEqual([
      'EMBED_UNREACHABLE',
      expect.stringContaining(`:${port}/v1（没有服务在这个地址上`),
    ]);
    const asked = failure(
      openEndpoint({ ...settings, dimension: undefined }, undefined, { backoffMs: 4e10, maxWaitMs: 1e12 }),
    );
    expect((await asked).message).toContain('ECONNREFUSED');
    const patient = await openEndpoint(settings, undefined, { backoffMs: 300 });
    const built = patient.embed(['a'], { kind: 'passage' });
    const late = createServer((_, response) =>
      response.end(JSON.stringify({ data: [{ index: 0, embedding: [0, 1] }] })),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    await new Promise<void>((resolve) => late.listen(port, '127.0.0.1', resolve));
    expect([...(await built)[0]!]).toEqual([0, 1]);
    late.closeAllConnections();
    await new Promise((resolve) => late.close(resolve));
  });

  it('says that nobody answers, without what stands before the @', async () => {
    const url = 'http://user:secret@127.0.0.1:1/v1';
    const e = await failure(openEndpoint({ baseUrl: url, name: 'e5', maxRetries: 0 }));
    expect(e.code).toBe('EMBED_UNREACHABLE');
    expect(e.message).toContain('127.0.0.1:1');
    expect(JSON.stringify(e.toJSON())).not.toContain('secret');
  });
});

describe('settings', () => {
  const embedding = (env: Record<string, string>) => loadConfig('/nowhere', env).embedding;

  it('choose the provider', async () => {
    const address = { XIHE_EMBED_BASE_URL: 'http://127.0.0.1:1/v1' };
    expect(providerOf(embedding({}))).toBe('embedded');
    expect(providerOf(embedding({ ...address, XIHE_EMBED_MODEL: 'bge-m3' }))).toBe('endpoint');
    expect(providerOf(embedding({ ...address, XIHE_EMBED_PROVIDER: 'embedded' }))).toBe('embedded');
    expect(await openEmbedder(embedding({ XIHE_EMBED_PROVIDER: 'none' }))).toBeUndefined();
    expect(() => providerOf(embedding(address))).toThrowError(/embedding\.name/);
    expect(() => providerOf(embedding({ XIHE_EMBED_PROVIDER: 'endpoint' }))).toThrowError(/embedding\.baseUrl/);
  });

  it('open the embedded model and an endpoint', async () => {
    const embedded = await openEmbedder(embedding({}));
    expect(embedded?.id).toMatch(/^e5-small-zh/);
    await embedded?.close();
    const endpoint = await openEmbedder(embedding({ XIHE_EMBED_BASE_URL: server.baseUrl, XIHE_EMBED_MODEL: 'e5' }));
    expect(endpoint?.id).toBe('endpoint-e5-384');
    await endpoint?.close();
  });
});
