import { writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addKey, KeyRing, keysFile, readKeys, removeKey } from '../../src/server/http/keys.js';
import { RateLimiter } from '../../src/server/http/limits.js';
import { PROJECT_ROUTES } from '../../src/server/http/routes.js';
import { startService } from '../../src/server/http/service.js';
import { SITE_ROUTES } from '../../src/server/http/siteRoutes.js';
import { SECRET, type Served, serveHttp } from '../support/http-service.js';

/**
 * Every route of the service, made of its own tables: a new one is tested without anybody thinking of it. Questions ask for what only
 * `other` knows.
 */
const ROUTES = [
  ...PROJECT_ROUTES.map((route) => {
    const example = route.example as Record<string, unknown>;
    const text = Object.keys(example).find((key) => ['user_intent', 'query_text', 'query'].includes(key));
    const asked: Record<string, unknown> = {
      ...example,
      ...(text ? { [text]: SECRET } : {}),
      ...(route.path === '/expand' ? { path: 'src' } : {}),
    };
    const path = route.path.replace('{id}', 'obsidian');
    return {
      name: `${route.method} ${route.path}`,
      path,
      body: route.method === 'GET' ? undefined : asked,
      role: route.role as string | undefined,
    };
  }),
  ...SITE_ROUTES.map(({ method, path, role }) => ({ name: `${method} ${path}`, path, body: undefined, role })),
];
const CLOSED = ROUTES.filter(({ role }) => role !== undefined);
const OF_PROJECT = ROUTES.slice(0, PROJECT_ROUTES.length);

let served: Served;
const keys: Record<string, string> = {};
const bearer = (key: string | undefined) => ({ authorization: `Bearer ${key}` });
const issue = (env: NodeJS.ProcessEnv, name: string, projects: string[], roles: string[]) => {
  keys[name] = addKey(keysFile(env), { name, projects, roles });
};

beforeAll(async () => {
  served = await serveHttp({}, (env) => {
    issue(env, 'mall', ['mall'], ['reader', 'developer', 'ops']);
    issue(env, 'other', ['other'], ['reader', 'developer', 'ops']);
    issue(env, 'poor', ['*'], []);
    issue(env, 'reader', ['*'], ['reader']);
  });
});
afterAll(() => served.close());

describe('without a key', () => {
  it.each(CLOSED)('$name reads nothing', async ({ path, body }) => {
    for (const project of ['', '?project=mall', '?project=other', '?project=nope']) {
      const none = await served.ask(`${path}${project}`, body);
      expect([none.status, none.json.error.code]).toEqual([401, 'KEY_REQUIRED']);
      const wrong = await served.ask(`${path}${project}`, body, bearer(`${keys.mall?.slice(0, -1)}~`));
      expect([wrong.status, wrong.json.error.code]).toEqual([401, 'KEY_INVALID']);
      expect(none.text + wrong.text).not.toMatch(/mall|Obsidian|黑曜/);
    }
  });

  it('what is open to everybody names no project and nothing of one', async () => {
    for (const { path } of ROUTES.filter(({ role }) => role === undefined)) {
      const { status, text } = await served.ask(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toMatch(new RegExp(`${SECRET}|Obsidian|${served.mall}|${served.other}`));
    }
  });

  it.each(['Basic x', 'Bearer', 'Bearer  ', 'xihe_', `Bearer ${'x'.repeat(9000)}`])(
    'what is no key opens nothing (%#)',
    async (header) => {
      expect((await served.ask('/query', {}, { authorization: header })).status).toBe(401);
    },
  );
});

describe('a key of one project', () => {
  it.each(OF_PROJECT)(
    '$name: reads nothing of another, and does not learn whether there is one',
    async ({ path, body }) => {
      const foreign = await served.ask(`${path}?project=other`, body, bearer(keys.mall));
      const missing = await served.ask(`${path}?project=nope`, body, bearer(keys.mall));
      expect([foreign.status, foreign.json.error.code]).toEqual([403, 'KEY_FORBIDDEN']);
      expect(foreign.json.error).toEqual({ ...missing.json.error, request_id: foreign.json.error.request_id });
      // Nor does it get there without naming it, nor with the tag of an answer of the other.
      const theirs = await served.ask(path, body, bearer(keys.other));
      const tag = theirs.headers.get('etag');
      const own = await served.ask(path, body, {
        ...bearer(keys.mall),
        ...(tag === null ? {} : { 'if-none-match': tag }),
      });
      expect(own.status).not.toBe(304);
      expect(own.text).not.toContain('Obsidian');
    },
  );

  it('finds what its own project knows: the secret is there for those who may', async () => {
    const { json } = await served.ask('/query', { user_intent: SECRET }, bearer(keys.other));
    expect(json.terms[0].code_symbols).toEqual(['ObsidianVault.open']);
    expect((await served.ask('/entries/obsidian', undefined, bearer(keys.other))).status).toBe(200);
  });

  it('sees metrics of its own project only', async () => {
    const { text } = await served.ask('/metrics', undefined, bearer(keys.mall));
    expect(text).toContain('project="mall"');
    expect(text).not.toContain('project="other"');
  });
});

describe('roles', () => {
  it.each(CLOSED)('$name wants its role', async ({ path, body }) => {
    const { status, json } = await served.ask(`${path}?project=mall`, body, bearer(keys.poor));
    expect([status, json.error.code]).toEqual([403, 'KEY_FORBIDDEN']);
  });

  it('a reader can ask, but neither judge nor see metrics; the role comes from the key, whatever a request says of itself', async () => {
    const claims = { ...bearer(keys.reader), 'x-role': 'ops', 'x-roles': 'developer,ops', 'x-user': 'mall' };
    expect((await served.ask('/query?project=mall', { user_intent: '关单' }, claims)).status).toBe(200);
    expect((await served.ask('/metrics', undefined, claims)).status).toBe(403);
    const word = { request_id: 'a', verdict: 'good' };
    expect((await served.ask('/feedback?project=mall', word, claims)).status).toBe(403);
  });

  it('with several projects one has to be named', async () => {
    const { status, json } = await served.ask('/query', { user_intent: '关单' }, bearer(keys.reader));
    expect([status, json.error.code, json.error.hint]).toEqual([
      400,
      'PROJECT_REQUIRED',
      expect.stringContaining('mall、other'),
    ]);
  });
});

describe('the keys themselves', () => {
  it('a removed key ends within a second; the file holds hashes alone, and no line of the log a key', async () => {
    const file = keysFile(served.env);
    issue(served.env, 'gone', ['*'], ['reader']);
    const ask = async () =>
      (await served.ask('/query?project=mall', { user_intent: '关单' }, bearer(keys.gone))).status;
    await expect.poll(ask).toBe(200);
    removeKey(file, 'gone');
    await expect.poll(ask).toBe(401);
    const kept = JSON.stringify(readKeys(file)) + JSON.stringify(served.lines());
    for (const key of Object.values(keys)) expect(kept).not.toContain(key);
    expect(() => removeKey(file, 'gone')).toThrow('没有叫');
    expect(() => addKey(file, { name: 'mall', projects: ['*'], roles: [] })).toThrow('已经有');
  });

  it('a file that breaks under a running service changes nothing; one that is broken at the start stops it', async () => {
    const file = keysFile(served.env);
    const good = JSON.stringify(readKeys(file));
    const told: string[] = [];
    let now = 0;
    const ring = new KeyRing(
      [],
      served.env,
      (why) => told.push(why),
      () => now,
    );
    writeFileSync(file, '{broken');
    now = 5_000;
    expect(ring.find(keys.mall as string)?.name).toBe('mall');
    expect(told[0]).toContain('不是 JSON');
    expect(() => new KeyRing([], served.env)).toThrow('有误');
    writeFileSync(file, good);
  });

  it('may come from the environment, and may not lie in a project', async () => {
    const [record] = readKeys(keysFile(served.env)).filter(({ name }) => name === 'mall');
    const env = { XIHE_SERVE_KEYS_FILE: join(served.other, 'none.json'), XIHE_SERVE_KEYS: JSON.stringify([record]) };
    expect(new KeyRing([served.other], env).find(keys.mall as string)?.projects).toEqual(['mall']);
    const inside = { XIHE_SERVE_KEYS_FILE: join(served.other, 'keys.json') };
    addKey(inside.XIHE_SERVE_KEYS_FILE, { name: 'a', projects: ['*'], roles: [] });
    expect(() => new KeyRing([served.other], inside)).toThrow('在项目');
  });

  it('without one only this machine may ask', async () => {
    const env = { ...served.env, XIHE_SERVE_KEYS_FILE: join(served.env.HOME as string, 'no-keys.json') };
    const start = startService({ projects: { mall: served.mall }, host: '0.0.0.0', port: 0, env, writeLog: () => {} });
    await expect(start).rejects.toMatchObject({ code: 'KEYS_REQUIRED' });
  });
});

describe('browsers', () => {
  /** fetch sets Host itself. */
  const raw = (headers: Record<string, string>, method = 'GET') =>
    new Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
      const request = httpRequest(`${served.url}/healthz`, { method, headers }, (reply) => {
        reply.resume();
        resolve({ status: reply.statusCode as number, headers: reply.headers });
      });
      request.on('error', reject).end();
    });

  it.each(['evil.example', '127.0.0.1.evil.example', 'localhost.evil:80', '10.0.0.1'])(
    'a name that leads here from elsewhere (%s) gets no answer',
    async (host) => {
      expect((await raw({ host })).status).toBe(421);
    },
  );

  it.each(['localhost', '127.0.0.1:80', '[::1]:7700', 'LOCALHOST:1'])('%s is this machine', async (host) => {
    expect((await raw({ host })).status).toBe(200);
  });

  it('a page of another site is refused, also when it only asks whether it may', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil']) {
      expect((await raw({ origin })).status).toBe(403);
      const asked = await raw({ origin, 'access-control-request-method': 'POST' }, 'OPTIONS');
      expect(asked.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('one that was allowed may ask and read', async () => {
    const site = 'https://wiki.example';
    const open = await serveHttp({ cors: [site] });
    try {
      const preflight = await fetch(`${open.url}/query`, {
        method: 'OPTIONS',
        headers: { origin: site, 'access-control-request-method': 'POST' },
      });
      expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, site]);
      const { status, headers } = await open.ask('/query?project=mall', { user_intent: '关单' }, { origin: site });
      expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([200, site, 'Origin']);
      expect((await open.ask('/healthz', undefined, { origin: 'https://evil.example' })).status).toBe(403);
    } finally {
      await open.close();
    }
  });
});

describe('the rate limit', () => {
  it('gives each key its share, twice that at once, and says when to come again', () => {
    let now = 0;
    const limiter = new RateLimiter(10, () => now);
    const taken = (key: string, n: number) =>
      Array.from({ length: n }, () => limiter.take(key)).filter((wait) => wait === 0).length;
    expect(taken('a', 50)).toBe(20);
    expect(taken('b', 5)).toBe(5);
    expect(limiter.take('a')).toBeCloseTo(0.1);
    now = 1_000;
    expect(taken('a', 50)).toBe(10);
  });

  it('answers 429 with Retry-After', async () => {
    const slow = await serveHttp({ rate: 1 });
    try {
      const all = await Promise.all(Array.from({ length: 5 }, () => slow.ask('/entries/obsidian?project=other')));
      const refused = all.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(3);
      expect(refused[0]?.json.error.code).toBe('RATE_LIMITED');
      expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    } finally {
      await slow.close();
    }
  });
});
