import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DolphinClient, type DolphinSettings } from '../../../src/integrations/dolphin/index.js';
import { type DolphinServer, type Fault, startDolphin, TOKEN } from '../../support/dolphin-server.js';

let server: DolphinServer;
beforeEach(async () => {
  server = await startDolphin('3.3');
});
afterEach(() => server.close());

const open = (extra: DolphinSettings = {}) =>
  new DolphinClient({ address: server.address, token: TOKEN, project: '数仓', ...extra }, { backoffMs: 1 });
const failing = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (e) => e,
  );

describe('what goes wrong', () => {
  it.each([
    ['login', 'DOLPHIN_AUTH', /登录页/],
    ['redirect', 'DOLPHIN_AUTH', /跳转/],
  ] as [Fault, string, RegExp][])('%s is told as %s, and not asked again', async (fault, code, said) => {
    server.fault(/\/projects$/, fault);
    const e = await failing(open().projects());
    expect(e).toMatchObject({ code });
    expect(e.message).toMatch(said);
    expect(e.hint).toContain('dolphin.address');
    expect(server.asked).toHaveLength(1);
  });

  it('a wrong token is a 401 without words, and the token is in no message', async () => {
    const e = await failing(open({ token: 'wrong-token-of-somebody' }).projects());
    expect(e).toMatchObject({ code: 'DOLPHIN_AUTH', details: { status: 401 } });
    expect(e.hint).toContain('XIHE_DOLPHIN_TOKEN');
    expect(JSON.stringify([e, e.message])).not.toContain('wrong-token');
  });

  it('reads are tried again after what may pass, and only then', async () => {
    server.fault(/\/projects$/, 'e502', 'drop');
    expect(await open().projects()).toHaveLength(2);
    expect(server.asked).toHaveLength(3);
    server.fault(/\/projects$/, 'e502', 'e502', 'e502');
    expect(await failing(open().projects())).toMatchObject({ code: 'DOLPHIN_UNREACHABLE', details: { status: 502 } });
    server.fault(/\/projects$/, 'e10000');
    expect(await failing(open().projects())).toMatchObject({ code: 'DOLPHIN_REFUSED', details: { serverCode: 10000 } });
    expect(server.asked).toHaveLength(7);
  });

  it('a server that does not answer is given up after the time limit', async () => {
    server.fault(/\/projects$/, 'hang', 'hang', 'hang');
    expect(await failing(open({ timeoutSeconds: 0.2 }).projects())).toMatchObject({ code: 'DOLPHIN_TIMEOUT' });
    expect(server.asked).toHaveLength(3);
  });

  it('a cancelled call ends at once and is not tried again', async () => {
    server.fault(/\/projects$/, 'hang');
    const stop = new AbortController();
    const asked = failing(open().projects({ signal: stop.signal }));
    await expect.poll(() => server.asked.length).toBe(1);
    stop.abort();
    expect(await asked).toMatchObject({ code: 'CANCELLED' });
    expect(server.asked).toHaveLength(1);
  });

  it('nobody at the address', async () => {
    const { address } = server;
    await server.close();
    const e = await failing(open({ address }).projects());
    expect(e).toMatchObject({ code: 'DOLPHIN_UNREACHABLE' });
    expect(e.message).toContain('ECONNREFUSED');
    server = await startDolphin('3.3');
  });

  it('an address that is no DolphinScheduler knows neither name of workflows', async () => {
    const e = await failing(open({ address: `${server.address}/api` }).projects());
    expect(e).toMatchObject({ code: 'DOLPHIN_BAD_REPLY', details: { status: 404 } });
  });

  it('the server’s refusals say in its words and ours what to do', async () => {
    const client = open();
    expect(await failing(client.log('404'))).toMatchObject({ code: 'DOLPHIN_NOT_FOUND' });
    expect(await failing(client.log('191'))).toMatchObject({
      code: 'DOLPHIN_NOT_FOUND',
      hint: expect.stringContaining('派发'),
    });
    expect(await failing(client.instance('7'))).toMatchObject({ code: 'DOLPHIN_NOT_FOUND' });
    expect(await failing(client.workflows('数仓-测试'))).toMatchObject({ code: 'DOLPHIN_FORBIDDEN' });
    expect(await failing(client.workflows('没有'))).toMatchObject({ code: 'DOLPHIN_NOT_FOUND' });
    expect(await failing(client.project('数'))).toMatchObject({ hint: expect.stringContaining('数仓、数仓-测试') });
    expect(await failing(client.release('没有', 'ONLINE'))).toMatchObject({ code: 'DOLPHIN_NOT_FOUND' });
    await client.create({ name: '甲', kind: 'shell', script: 'true' });
    expect(await failing(client.create({ name: '甲', kind: 'shell', script: 'true' }))).toMatchObject({
      code: 'DOLPHIN_EXISTS',
    });
  });

  it('nothing is sent without address, token or trust, or with an id that is none', async () => {
    expect(() => open({ token: undefined })).toThrow(/没有设置 DolphinScheduler 的令牌/);
    expect(() => open({ address: undefined })).toThrow(/地址/);
    const untrusted = [{ project: '/p', setting: 'dolphin.address', address: server.address }];
    expect(() => open({ untrusted })).toThrow(/信任/);
    expect(() => open().log('1/../2')).toThrow(/只有数字/);
    expect(server.asked).toEqual([]);
  });
});

describe('a log', () => {
  it('is read in pages, whose header counts as no line', async () => {
    server.state.log = Array.from({ length: 450 }, (_, i) => `行 ${i}`);
    const first = await open().log('1');
    expect([first.lines.length, first.lines[0], first.next]).toEqual([200, '行 0', 200]);
    const last = await open().log('1', { from: 400 });
    expect([last.lines.length, last.lines[0], last.next]).toEqual([50, '行 400', undefined]);
  });

  it('gives its end, however long it is', async () => {
    server.state.log = Array.from({ length: 12_345 }, (_, i) => `行 ${i}`);
    const tail = await open().tail('1', 20);
    expect([tail.lines.length, tail.lines[0], tail.lines.at(-1), tail.from]).toEqual([
      20,
      '行 12325',
      '行 12344',
      12_325,
    ]);
    server.state.log = [];
    expect((await open().tail('1')).lines).toEqual([]);
  });
});
