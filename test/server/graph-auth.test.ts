import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { graphApp } from '../../src/server/graph/app.js';
import { authentication } from '../../src/server/graph/auth.js';
import type { GraphApp } from '../../src/server/graph/context.js';
import { MIGRATIONS, migrate } from '../../src/server/graph/schema.js';
import { openSqliteStore } from '../../src/server/graph/sqlite.js';
import type { Store } from '../../src/server/graph/store.js';
import { addKey } from '../../src/server/http/keys.js';
import { openProbeStore } from './graph-probe.js';

const PUBLIC = ['/ok', '/healthz', '/readyz'];
const ISSUER = 'https://id.example.com/';

let dir: string;
let store: Store;
let app: GraphApp;
let jwks: Server;
let keysUrl: string;
const keys: Record<'lilei' | 'hanmei' | 'stranger', string> = { lilei: '', hanmei: '', stranger: '' };
let sign: (claims: Record<string, unknown>, audience?: string, expires?: string) => Promise<string>;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'xihe-auth-'));
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
  sign = (claims, audience = 'xihe', expires = '5m') =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setSubject('lilei')
      .setExpirationTime(expires)
      .sign(privateKey);
  jwks = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] })));
  await new Promise<void>((resolve) => jwks.listen(0, '127.0.0.1', resolve));
  keysUrl = `http://127.0.0.1:${(jwks.address() as AddressInfo).port}/`;
  const file = join(dir, 'keys.json');
  for (const name of ['lilei', 'hanmei'] as const)
    keys[name] = addKey(file, { name, projects: ['mall'], roles: ['developer'] });
  keys.stranger = addKey(file, { name: 'stranger', projects: ['other'], roles: ['developer'] });
  store = await openProbeStore(join(dir, 'store'));
  const env = {
    XIHE_SERVE_KEYS_FILE: file,
    XIHE_OIDC_ISSUER: ISSUER,
    XIHE_OIDC_AUDIENCE: 'xihe',
    XIHE_OIDC_JWKS: keysUrl,
  };
  const { authenticate } = authentication(env, [join(dir, 'mall')], () => {});
  app = graphApp({
    ...store,
    authenticate,
    log: () => {},
    isLoopback: false,
    cors: [],
    closing: new AbortController().signal,
    isClosing: () => false,
  });
});

afterAll(async () => {
  await store?.close();
  jwks?.close();
  rmSync(dir, { recursive: true, force: true });
});

const send = (method: string, path: string, key?: string, body: unknown = {}) =>
  app.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...(key ? { 'x-api-key': key } : {}) },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });

/** Every route that the app has: what is added later is tested too. */
function routes(): { method: string; path: string }[] {
  return app.routes.filter((route) => route.method !== 'ALL').map(({ method, path }) => ({ method, path }));
}

describe('who may ask', () => {
  it('answers nothing but its health to whoever shows no key, on every route', async () => {
    expect(routes().length).toBeGreaterThan(30);
    for (const { method, path } of routes()) {
      const expected = PUBLIC.includes(path) ? 200 : 401;
      expect([path, (await send(method, path.replaceAll(/:\w+\??/g, 'x'))).status]).toEqual([path, expected]);
      if (expected === 401)
        expect((await send(method, path.replaceAll(/:\w+\??/g, 'x'), 'xihe_wrong')).status).toBe(401);
    }
  });

  it('shows no thread to anybody but its owner, on every route that names one', async () => {
    const { thread_id } = (await (await send('POST', '/threads', keys.lilei)).json()) as { thread_id: string };
    expect((await send('GET', `/threads/${thread_id}`, keys.lilei)).status).toBe(200);
    const own = routes().filter(({ path }) => path.includes(':thread_id'));
    expect(own.length).toBeGreaterThan(12);
    for (const { method, path } of own) {
      const real = path.replace(':thread_id', thread_id).replaceAll(/:\w+/g, 'x');
      const answer = await send(method, real, keys.hanmei, { assistant_id: 'probe', input: {} });
      expect([method, path, answer.status]).toEqual([method, path, 404]);
      expect(await answer.text()).not.toContain('lilei');
    }
    expect((await send('GET', `/threads/${thread_id}`, keys.lilei)).status).toBe(200);
    expect((await send('POST', '/threads/search', keys.stranger)).status).toBe(403);
  });

  it('takes a token of its issuer, for itself, that is not over, and mixes up no names', async () => {
    const search = async (token: string) =>
      await app.request('/threads/search', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: '{}',
      });
    const answer = await search(await sign({ roles: ['developer'] }));
    expect(answer.status).toBe(200);
    // The key that is called lilei has a thread; the person whose subject is lilei is somebody else.
    expect(await answer.json()).toEqual([]);
    expect((await search(await sign({}, 'another'))).status).toBe(401);
    expect((await search(await sign({}, 'xihe', '-5m'))).status).toBe(401);
    const [head, claims] = (await sign({})).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    expect((await search(`${none}.${claims}.`)).status).toBe(401);
    expect((await search(`${head}.${claims}.AAAA`)).status).toBe(401);
  });

  it('gives pages of other sites nothing', async () => {
    const headers = { 'x-api-key': keys.lilei, origin: 'https://evil.example.com' };
    const answer = await app.request('/info', { headers });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('refuses what is no request with words, and stays up', async () => {
    const bad = await app.request('/threads', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': keys.lilei },
      body: '{',
    });
    expect([bad.status, ((await bad.json()) as { code: string }).code]).toEqual([422, 'USAGE']);
    const big = await send('POST', '/threads', keys.lilei, { metadata: { x: 'x'.repeat(5_000_000) } });
    expect(big.status).toBe(413);
    expect((await send('POST', '/threads', keys.lilei, { thread_id: '../../x' })).status).toBe(422);
  });
});

describe('the tables of the store', () => {
  it('go forward from every version, also when two processes do it, and a newer one is refused', async () => {
    for (let from = 0; from <= MIGRATIONS.length; from++) {
      const sql = openSqliteStore(join(dir, `v${from}.sqlite`));
      await migrate(sql, from);
      await Promise.all([migrate(sql), migrate(sql)]);
      const [row] = await sql.all<{ version: number }>('SELECT MAX(version) AS version FROM xihe_schema');
      expect(row?.version).toBe(MIGRATIONS.length);
      await sql.run('INSERT INTO xihe_schema (version, at) VALUES (?, 0)', MIGRATIONS.length + 1);
      await expect(migrate(sql)).rejects.toMatchObject({ code: 'STATE_CORRUPT' });
      await sql.close();
    }
  });
});
