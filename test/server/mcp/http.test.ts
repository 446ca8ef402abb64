import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createMcpHandler,
  type Listening,
  listen,
  type McpProject,
  OneProject,
  openMcpProject,
  servedSource,
} from '../../../src/server/mcp/index.js';
import { openServed } from '../../../src/server/projects/index.js';
import { copyMall, removeDir } from '../../support/mall.js';
import { callText } from './support.js';

let mall: string;
let listening: Listening;
let source: OneProject;
let project: McpProject;
const logs: string[] = [];
const log = (text: string) => void logs.push(text);

beforeAll(async () => {
  mall = copyMall({ link: false });
  source = new OneProject(() => openMcpProject(mall, log));
  listening = await listen(0, { source, log });
  project = await source.current();
});
afterAll(async () => {
  await listening.close();
  await source.close();
  removeDir(mall);
});

async function connect(options: { fetch?: typeof fetch } = {}) {
  const transport = new StreamableHTTPClientTransport(new URL(listening.url), {
    reconnectionOptions: {
      initialReconnectionDelay: 20,
      maxReconnectionDelay: 50,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 500,
    },
    ...options,
  });
  const client = new Client({ name: 'test', version: '1' }, { capabilities: {} });
  await client.connect(transport as unknown as Transport);
  return { client, transport };
}

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
const post = (headers: Record<string, string>, body = INITIALIZE) =>
  fetch(listening.url, { method: 'POST', headers: { ...HEADERS, ...headers }, body });

/** `fetch` that can't be told another Host; the raw request can. */
async function statusWithHost(host: string): Promise<number> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const sent = request(listening.url, { method: 'POST', headers: { ...HEADERS, host } }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(INITIALIZE);
  });
}

describe('xihe mcp over streamable HTTP', () => {
  it('serves two clients at once, each with a session and a place of its own', async () => {
    const [a, b] = await Promise.all([connect(), connect()]);
    expect(a.transport.sessionId).not.toBe(b.transport.sessionId);
    const look = (client: Client, path: string) => callText(client, 'expand_path', { path });
    await Promise.all([look(a.client, 'src/order/order.ts'), look(b.client, 'src/refund/refund.ts')]);
    const ups = await Promise.all([a, b].map(({ client }) => callText(client, 'expand_path', { move: 'up' })));
    expect(ups.map(({ data }) => data.paths[0].path)).toEqual(['src/order', 'src/refund']);
    const [one, two] = await Promise.all(
      [a, b].map(({ client }) => callText(client, 'zh_core_query', { user_intent: '超时关单' })),
    );
    expect(one?.data).toEqual(two?.data);

    await a.transport.terminateSession();
    await expect(callText(a.client, 'load_context')).rejects.toThrow();
    expect((await callText(b.client, 'load_context')).isError).toBe(false);
    await Promise.all([a.client.close(), b.client.close()]);
  });

  it('refuses other hosts, other sites, unknown sessions and what is no MCP', async () => {
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ origin: 'null' })).status).toBe(403);
    expect((await post({ origin: new URL(listening.url).origin })).status).toBe(200);
    expect(await statusWithHost('evil.example')).toBe(403);
    expect(await statusWithHost('127.0.0.1.evil.example:80')).toBe(403);
    const unknown = await post({ 'mcp-session-id': 'nope' }, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain('重新 initialize');
    expect((await post({}, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).status).toBe(400);
    expect((await post({}, '{"jsonrpc":')).status).toBe(400);
    expect((await post({}, JSON.stringify({ x: 'x'.repeat(1024 * 1024) }))).status).toBe(413);
    expect((await post({ 'content-type': 'text/plain' })).status).toBe(415);
    expect((await fetch(listening.url, { method: 'PUT' })).status).toBe(405);
    expect((await fetch(listening.url.replace('/mcp', '/'))).status).toBe(404);
  });

  it('gives a client that lost its stream what it missed', async () => {
    const resumedFrom: string[] = [];
    const cut = new AbortController();
    let isDown = false;
    const { client } = await connect({
      // The first stream of notifications breaks, as one over a bad network does, and no other can be had for a while.
      fetch: (url, init) => {
        if (init?.method !== 'GET') return fetch(url, init);
        if (isDown) return Promise.reject(new TypeError('fetch failed'));
        const from = new Headers(init.headers).get('last-event-id');
        if (from !== null) resumedFrom.push(from);
        const signals = [...(cut.signal.aborted ? [] : [cut.signal]), ...(init.signal ? [init.signal] : [])];
        return fetch(url, { ...init, signal: AbortSignal.any(signals) });
      },
    });
    const updated: string[] = [];
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
    await client.subscribeResource({ uri: 'xihe://term/order-state' });
    await callText(client, 'load_context');
    const file = join(mall, '.xihe', 'knowledge', 'terms', 'order.yaml');
    const text = readFileSync(file, 'utf8');
    const write = (note: string) => writeFileSync(file, text.replace('note: 待付款、', `note: ${note}待付款、`));
    write('一');
    await vi.waitFor(() => expect(updated).toHaveLength(1), 20_000);
    const before = project.core.dataVersion;
    isDown = true;
    cut.abort();
    write('二');
    await vi.waitFor(() => expect(project.core.dataVersion).not.toBe(before), 20_000);
    expect(updated).toHaveLength(1);
    isDown = false;
    await vi.waitFor(() => expect(updated).toHaveLength(2), 20_000);
    expect(resumedFrom).toHaveLength(1);
    writeFileSync(file, text);
    await client.close();
  });

  it('is mounted by a service that knows who asks: a session is its owner’s alone', async () => {
    const served = await openServed('mall', mall);
    const handler = createMcpHandler({ source: servedSource(async () => served), log });
    const send = (owner: string, headers: Record<string, string>, body: string) =>
      handler.fetch(new Request('http://service/mcp', { method: 'POST', headers: { ...HEADERS, ...headers }, body }), {
        owner,
      });
    const begun = await send('key-a', {}, INITIALIZE);
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const call = JSON.stringify({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'lookup_file', arguments: { query: '超时关单' } },
    });
    expect((await send('key-b', session, call)).status).toBe(404);
    expect(await (await send('key-a', session, call)).text()).toContain('src/order/order-service.ts');
    expect(handler.size).toBe(1);
    await handler.close();
    expect((await send('key-a', session, call)).status).toBe(404);
    await served.close();
  });

  it('tells when its port is taken', async () => {
    const port = Number(new URL(listening.url).port);
    await expect(listen(port, { source, log })).rejects.toMatchObject({
      code: 'USAGE',
      hint: expect.stringContaining('--port'),
    });
  });
});
