import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/assets.js';
import { XiheClient, XiheHttpError } from '../../src/client/index.js';
import { type Served, serveHttp } from '../support/http-service.js';

let served: Served;
beforeAll(async () => {
  served = await serveHttp();
});
afterAll(() => served.close());

/** A server that answers each request with the next of these; the last one again and again. */
async function scripted(
  replies: readonly { status: number; body?: string; headers?: Record<string, string>; hang?: true }[],
) {
  let asked = 0;
  const server = createServer((_, response) => {
    const reply = replies[Math.min(asked, replies.length - 1)]!;
    asked += 1;
    if (!reply.hang) response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('the client', () => {
  it('asks every route and gets typed documents', async () => {
    const xihe = new XiheClient({ baseUrl: `${served.url}/`, project: 'mall' });
    const { terms, request_id } = await xihe.query({ user_intent: '超时关单' });
    expect(terms[0]?.keyword_ch).toBe('超时关单');
    expect((await xihe.queryTerms({ user_intent: '超时关单' })).terms).toEqual(terms);
    expect((await xihe.queryKnowledge({ user_intent: '超时关单' })).knowledge.length).toBeGreaterThan(0);
    expect((await xihe.queryPlaybooks({ user_intent: '给关单加重试' })).playbooks.length).toBeGreaterThan(0);
    expect((await xihe.lookup({ query_text: 'ERR_TIMEOUT' })).primary?.match_type).toBe('exact_L0');
    expect((await xihe.find({ query: '回调验签' })).files.length).toBeGreaterThan(0);
    expect((await xihe.expand({ path: '.' })).children?.length).toBeGreaterThan(0);
    const id = (await xihe.queryKnowledge({ user_intent: '超时关单' })).knowledge[0]?.id as string;
    expect((await xihe.entry(id)).id).toBe(id);
    expect((await xihe.feedback({ request_id, verdict: 'good' })).verdict).toBe('good');
  });

  it('keeps answers by their tag: the same question again transfers nothing, and nobody can change what the next one gets', async () => {
    const statuses: number[] = [];
    const spy: typeof fetch = async (...args) => {
      const response = await fetch(...args);
      statuses.push(response.status);
      return response;
    };
    const xihe = new XiheClient({ baseUrl: served.url, project: 'mall', fetch: spy });
    const first = await xihe.query({ user_intent: '退款' });
    const whole = structuredClone(first.terms);
    first.terms.length = 0;
    const again = await xihe.query({ user_intent: '退款' });
    expect(statuses).toEqual([200, 304]);
    expect(again.terms).toEqual(whole);
    expect(again.request_id).not.toBe(first.request_id);
    await new XiheClient({ baseUrl: served.url, project: 'mall', fetch: spy, cacheEntries: 0 }).query({
      user_intent: '退款',
    });
    expect(statuses).toEqual([200, 304, 200]);
  });

  it('throws the server’s code, hint and request id, and does not try again what can’t succeed', async () => {
    const xihe = new XiheClient({ baseUrl: served.url, project: 'nope' });
    const e = await xihe.find({ query: 'x' }).catch((error: unknown) => error);
    expect(e).toBeInstanceOf(XiheHttpError);
    expect(e).toMatchObject({
      code: 'PROJECT_UNKNOWN',
      status: 404,
      isTransient: false,
      requestId: expect.stringMatching(/./),
    });
  });

  it('tries again what may succeed later, and no oftener than it was told', async () => {
    const busy = {
      status: 503,
      body: '{"error":{"code":"PROJECT_UNAVAILABLE","message":"打不开","hint":"等"}}',
      headers: { 'retry-after': '0' },
    };
    const good = { status: 200, body: '{"data_version":"v","terms":[]}', headers: { 'x-request-id': 'r' } };
    const server = await scripted([busy, busy, good]);
    const ask = (retries: number) => new XiheClient({ baseUrl: server.baseUrl, retries }).query({ user_intent: 'x' });
    expect(await ask(2)).toMatchObject({ data_version: 'v', request_id: 'r' });
    server.close();
    const always = await scripted([busy]);
    await expect(
      new XiheClient({ baseUrl: always.baseUrl, retries: 1 }).query({ user_intent: 'x' }),
    ).rejects.toMatchObject({ code: 'PROJECT_UNAVAILABLE' });
    expect(always.asked()).toBe(2);
    always.close();
  });

  it('gives up on a server that says nothing, is not there, or is none of ours; an abort is the caller’s own', async () => {
    const silent = await scripted([{ status: 200, hang: true }]);
    const client = (baseUrl: string) => new XiheClient({ baseUrl, retries: 0, timeoutMs: 80 });
    await expect(client(silent.baseUrl).query({ user_intent: 'x' })).rejects.toMatchObject({
      code: 'TIMEOUT',
      status: 0,
    });
    const stop = new AbortController();
    const asked = client(silent.baseUrl).query({ user_intent: 'x' }, { signal: stop.signal });
    stop.abort(new Error('不等了'));
    await expect(asked).rejects.toThrow('不等了');
    silent.close();
    await expect(client(silent.baseUrl).query({ user_intent: 'x' })).rejects.toMatchObject({ code: 'NETWORK' });
    const page = await scripted([
      { status: 200, body: '<html>' },
      { status: 418, body: '<html>' },
    ]);
    await expect(client(page.baseUrl).query({ user_intent: 'x' })).rejects.toMatchObject({ code: 'BAD_REPLY' });
    await expect(client(page.baseUrl).query({ user_intent: 'x' })).rejects.toMatchObject({
      code: 'BAD_REPLY',
      status: 418,
    });
    page.close();
  });

  it('goes into a page as one small file without anything of Node', async () => {
    const { outputFiles } = await build({
      entryPoints: [join(packageRoot(), 'src/client/index.ts')],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'browser',
    });
    const { text } = outputFiles[0]!;
    expect(text).not.toMatch(/\bimport\b|require\(|process\.|Buffer/);
    expect(text.length).toBeLessThan(6_000);
  });
});
