import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODY_BYTES } from '../../src/server/http/limits.js';
import { STATUS_OF } from '../../src/server/http/statuses.js';
import { openProjects } from '../../src/server/projects/index.js';
import { put, type Served, serveHttp } from '../support/http-service.js';

let served: Served;
beforeAll(async () => {
  served = await serveHttp();
});
afterAll(() => served.close());

const QUERY = '/query?project=other';
const JSON_TYPE = { 'content-type': 'application/json' };

/** A body as bytes. */
async function send(path: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = JSON_TYPE) {
  const response = await fetch(`${served.url}${path}`, { method: 'POST', body, headers });
  return { status: response.status, code: ((await response.json()) as { error: { code: string } }).error.code };
}

/** Bytes on a connection, and all that comes back until it is closed. */
async function raw(bytes: string, isWhole: (reply: string) => boolean = () => false): Promise<string> {
  const socket = open();
  let reply = '';
  socket.setEncoding('utf8').on('data', (text) => {
    reply += text;
    if (isWhole(reply)) socket.destroy();
  });
  socket.write(bytes);
  await once(socket, 'close');
  return reply;
}

function open(): Socket {
  const { hostname, port } = new URL(served.url);
  return connect(Number(port), hostname).on('error', () => {});
}

/** The service is as well as before. */
async function isUp(): Promise<void> {
  const { status, json } = await served.ask(QUERY, { user_intent: '黑曜石计划' });
  expect([status, json.terms.length]).toEqual([200, 1]);
}

describe('a body that is none', () => {
  const deep = `{"user_intent":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  it.each([
    ['broken JSON', '{"user_intent": "超时', 'BODY_NOT_JSON'],
    ['nothing', '', 'BODY_NOT_JSON'],
    ['a list', '[]', 'REQUEST_INVALID'],
    ['null', 'null', 'REQUEST_INVALID'],
    ['a number beyond all', '{"user_intent":"关单","max_results":1e999}', 'REQUEST_INVALID'],
    ['a field that there is not', '{"user_intent":"关单","user_intnet":"x"}', 'REQUEST_INVALID'],
    ['a prototype', '{"user_intent":"关单","__proto__":{"max_results":1}}', 'REQUEST_INVALID'],
    ['two hundred thousand brackets', deep, 'REQUEST_INVALID'],
    ['a question of 100,000 characters', `{"user_intent":"${'关'.repeat(100_000)}"}`, 'REQUEST_INVALID'],
    [
      '50,000 unknown fields',
      `{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
      'REQUEST_INVALID',
    ],
    ['half a character', Buffer.from([...Buffer.from('{"user_intent":"'), 0xe8, 0xb6, 0x22, 0x7d]), 'BODY_NOT_UTF8'],
    ['GBK', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xb3, 0xac, 0xca, 0xb1, 0x22, 0x7d]), 'BODY_NOT_UTF8'],
    ['10 MB', 'x'.repeat(10_000_000), 'BODY_TOO_LARGE'],
    ['a little too much', `{"user_intent":"${'x'.repeat(BODY_BYTES)}"}`, 'BODY_TOO_LARGE'],
  ])('%s', async (_, body, code) => {
    expect(await send(QUERY, body)).toEqual({ status: STATUS_OF[code as 'USAGE'], code });
    await isUp();
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    '%s is not read: forms of web pages can send it',
    async (type) => {
      expect(await send(QUERY, '{"user_intent":"关单"}', { 'content-type': type })).toEqual({
        status: 415,
        code: 'BODY_TYPE',
      });
    },
  );

  it('packed ones are not unpacked', async () => {
    const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' };
    expect((await send(QUERY, 'x', headers)).code).toBe('BODY_TYPE');
  });

  it('pieces without a length, more and more of them, are refused at the limit', async () => {
    const request = httpRequest(`${served.url}${QUERY}`, { method: 'POST', headers: JSON_TYPE });
    const answered = once(request, 'response');
    request.on('error', () => {});
    for (let i = 0; i < 40; i++) request.write('x'.repeat(50_000));
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    request.destroy();
    await isUp();
  });
});

describe('paths that lead out', () => {
  const out = [
    '../../etc/passwd',
    '/etc/passwd',
    'src/../../x',
    '..\\..\\x',
    'src/\u0000x',
    'file:///etc/passwd',
    '~/.ssh/id_rsa',
    '.git/config',
  ];
  it.each(out)('%s', async (path) => {
    const expanded = await served.ask('/expand?project=other', { path });
    const found = await served.ask('/find?project=other', { query: '黑曜石', scope: path });
    for (const { status, json } of [expanded, found]) {
      expect([400, 404]).toContain(status);
      expect(json.error.code).toMatch(/^PATH_|^REQUEST_INVALID$/);
    }
    expect(expanded.text + found.text).not.toMatch(/root:|BEGIN/);
  });

  it.each(['..%2f..%2fetc%2fpasswd', '%00', '%E0%A4%A', '%2e%2e', 'a'.repeat(3000), '__proto__', 'constructor'])(
    'an entry called %s',
    async (id) => {
      const { status } = await served.ask(`/entries/${id}?project=other`);
      expect([400, 404]).toContain(status);
    },
  );

  it('an address with something unknown in it', async () => {
    const { json } = await served.ask(`${QUERY}&projct=mall`, { user_intent: '关单' });
    expect([json.error.code, json.error.message]).toEqual(['REQUEST_INVALID', expect.stringContaining('projct')]);
    expect((await served.ask('/query?project=nope', { user_intent: '关单' })).json.error.code).toBe('PROJECT_UNKNOWN');
    const get = await served.ask('/query');
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await served.ask('/nope')).json.error.code).toBe('ROUTE_NOT_FOUND');
  });
});

describe('what is hardly HTTP', () => {
  const host = 'Host: 127.0.0.1\r\n';
  it.each([
    ['garbage', '\u0016\u0003\u0001 hello\r\n\r\n', 400],
    ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['20 KB of headers', `GET /healthz HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['two lengths', `POST ${QUERY} HTTP/1.1\r\n${host}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`, 400],
    [
      'length and pieces',
      `POST ${QUERY} HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['a path with backslashes', `GET /\\..\\x HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, 404],
    ['an address without a path', `GET * HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, 400],
  ])('%s', async (_, bytes, status) => {
    const reply = await raw(bytes, (text) => text.includes('\r\n\r\n'));
    expect(Number(reply.split(' ')[1])).toBeGreaterThanOrEqual(400);
    expect(Number(reply.split(' ')[1])).toBeLessThan(500);
    if (status !== 404) expect(Number(reply.split(' ')[1])).toBe(status);
    await isUp();
  });

  it('a thousand connections that say nothing keep nobody waiting; a client that goes away in the middle harms nobody', async () => {
    const idle = Array.from({ length: 1000 }, open);
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    for (const socket of idle.slice(0, 100))
      socket.write(
        `POST ${QUERY} HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"user`,
      );
    await isUp();
    for (const socket of idle) socket.destroy();
    await isUp();
    expect(served.lines().filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('a reader who does not read holds his own connection only', async () => {
    const slow = open();
    await once(slow, 'connect');
    slow.pause();
    const body = '{"user_intent":"超时关单加重试"}';
    const one = `POST /query?project=mall HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    // Answers of some 4 MB, which no buffer of the system takes.
    for (let i = 0; i < 1000; i++) slow.write(one);
    await isUp();
    slow.destroy();
    await isUp();
  });
});

describe('several projects', () => {
  it('one that can’t be opened says so to those who ask for it, and is back once it is mended; the others go on', async () => {
    const broken = join(served.other, 'broken');
    put(broken, '.xihe/config.yaml', 'core:\n  topK: 很多\n');
    const events: string[] = [];
    const projects = openProjects({
      roots: { broken, gone: join(served.other, 'gone'), good: served.other },
      retryMs: 30,
      env: served.env,
      onEvent: ({ project, what }) => events.push(`${project} ${what}`),
    });
    await expect(projects.use('broken', () => 1)).rejects.toMatchObject({
      code: 'PROJECT_UNAVAILABLE',
      details: { retryAfter: 1 },
    });
    await expect(projects.use('gone', () => 1)).rejects.toMatchObject({
      code: 'PROJECT_UNAVAILABLE',
      message: expect.stringContaining('找不到项目目录'),
    });
    expect(await projects.use('good', ({ core }) => core.counts().terms)).toBeGreaterThan(500);
    put(broken, '.xihe/config.yaml', 'core:\n  topK: 3\n');
    await expect.poll(() => projects.use('broken', ({ name }) => name).catch(() => '')).toBe('broken');
    expect(projects.states().map(({ name, state }) => `${name} ${state}`)).toEqual([
      'broken open',
      'gone failed',
      'good open',
    ]);
    await projects.close();
    await expect(projects.use('good', () => 1)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(events).toEqual(expect.arrayContaining(['broken failed', 'gone failed', 'broken opened', 'good closed']));
  });

  it('one that nobody asks is closed, and opened again by the next question; one at work stays', async () => {
    const events: string[] = [];
    const projects = openProjects({
      roots: { other: served.other },
      idleMs: 40,
      env: served.env,
      onEvent: ({ what }) => events.push(what),
    });
    let finish: () => void = () => {};
    const held = projects.use(
      'other',
      () =>
        new Promise<void>((done) => {
          finish = done;
        }),
    );
    await expect.poll(() => projects.states()[0]?.state).toBe('open');
    await new Promise((done) => setTimeout(done, 150));
    expect(events).toEqual(['opened']);
    finish();
    await held;
    await expect.poll(() => events).toEqual(['opened', 'closed']);
    expect(await projects.use('other', ({ dataVersion }) => dataVersion)).toMatch(/^[0-9a-f]{12}$/);
    await projects.close();
  });

  it('what one asks for at once has a bound', async () => {
    const projects = openProjects({ roots: { other: served.other }, atOnce: 2, env: served.env });
    let finish: () => void = () => {};
    const wait = new Promise<void>((done) => {
      finish = done;
    });
    const running = [projects.use('other', () => wait), projects.use('other', () => wait)];
    await expect(projects.use('other', () => 1)).rejects.toMatchObject({ code: 'PROJECT_BUSY' });
    finish();
    await Promise.all(running);
    expect(await projects.use('other', () => 1)).toBe(1);
    await projects.close();
  });

  it('an answer over HTTP says when to come again', async () => {
    const one = await serveHttp({ projects: { gone: '/nowhere/at/all' } });
    const { status, headers, json } = await one.ask('/query', { user_intent: '关单' });
    expect([status, json.error.code]).toEqual([503, 'PROJECT_UNAVAILABLE']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await one.ask('/readyz')).status).toBe(200);
    await one.close();
  });
});

describe('the end', () => {
  it('finishes what runs, lets nobody else in, and is over', async () => {
    const one = await serveHttp();
    const asked = Array.from({ length: 8 }, (_, i) => one.ask('/query?project=mall', { user_intent: `超时关单 ${i}` }));
    await expect.poll(() => one.service.projects.states()[0]?.running).toBeGreaterThan(0);
    const closing = one.service.close();
    const replies = await Promise.all(asked.map((reply) => reply.catch(() => undefined)));
    await closing;
    // Those that had come in are answered; what was still on its way may find the door shut.
    const answered = replies.filter((reply) => reply !== undefined);
    expect(answered.length).toBeGreaterThan(0);
    for (const { status } of answered) expect(status).toBe(200);
    await expect(one.ask('/healthz')).rejects.toThrow();
    expect(one.lines().at(-1)).toMatchObject({ msg: 'ended' });
    await one.close();
  });
});
