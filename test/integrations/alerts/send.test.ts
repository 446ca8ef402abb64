import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Platform } from '../../../src/integrations/alerts/index.js';
import { type Instead, KEY, type RobotServer, SECRET, startRobot } from './robot-server.js';
import { alertsOf, allOf, failureOf, newStateDir, removed } from './support.js';

let stateDir: string;
let robot: RobotServer;
beforeEach(() => {
  stateDir = newStateDir();
});
afterEach(async () => {
  removed(stateDir);
  await robot?.close();
});

const open = (more: Record<string, unknown> = {}) =>
  alertsOf(stateDir, { webhook: robot.address, platform: robot.platform, ...more });

describe.each(['wecom', 'dingtalk', 'feishu'] as Platform[])('%s', (platform) => {
  it.each(['text', 'markdown'])('takes an alert as %s, signed where it can be', async (format) => {
    robot = await startRobot(platform, platform === 'wecom' ? {} : { secret: SECRET });
    const sent = await open({ format, secret: SECRET }).notify(failureOf(1));
    expect(sent).toEqual({ state: 'sent', messages: 1, waiting: 0 });
    for (const part of ['任务失败', '回滚订单服务 1', '退出码 1：镜像不存在', '12.3 秒', 't-1', 'not found'])
      expect(robot.group[0]).toContain(part);
  });

  it.each(['text', 'markdown'])('takes the longest log as %s: cut in bytes, the end kept', async (format) => {
    robot = await startRobot(platform);
    const log = Array.from({ length: 60 }, (_, i) => `第 ${i} 行："引号"\\ 👨‍👩‍👧‍👦 ${'超时关单'.repeat(60)}`).join(
      '\n',
    );
    const sent = await open({ format }).notify(failureOf(1, { log: `${log}\n最后一句`, reason: '原因'.repeat(2000) }));
    expect(sent.state).toBe('sent');
    expect(robot.group[0]).toMatch(/最后一句$/);
    expect(robot.group[0]).not.toContain('\ufffd');
  });

  it('names a wrong key as such, keeps the alert, and tells no key', async () => {
    robot = await startRobot(platform);
    const wrong = robot.address.replace(KEY, KEY.replace('693a', 'ffff'));
    const sent = await open({ webhook: wrong }).notify(failureOf(1));
    expect(sent).toMatchObject({ state: 'queued', waiting: 1, error: { code: 'ALERT_AUTH' } });
    expect(JSON.stringify([sent, sent.error, String(sent.error?.stack)])).not.toContain('7f9c-4bc4');
    expect(robot.bodies).toHaveLength(1);
    expect(await open().flush()).toMatchObject({ messages: 1, waiting: 0 });
  });

  it('stops at once when the platform says too many, and waits out its pause', async () => {
    robot = await startRobot(platform);
    const code = { wecom: { errcode: 45009 }, dingtalk: { errcode: 130101 }, feishu: { code: 11232 } }[platform];
    robot.next.push({ body: code });
    const sent = await open().notify(failureOf(1));
    expect(sent).toMatchObject({ state: 'queued', waiting: 1, error: { code: 'ALERT_RATE_LIMITED' } });
    expect((await open().flush()).until).toBeGreaterThan(Date.now() + (platform === 'dingtalk' ? 500_000 : 50_000));
    expect(robot.bodies).toHaveLength(1);
  });
});

describe('signatures', () => {
  it.each([
    ['dingtalk', 'sign not match'],
    ['feishu', 'sign match fail'],
  ] as [Platform, string][])('%s: a missing one is told with what to do', async (platform, said) => {
    robot = await startRobot(platform, { secret: SECRET });
    const sent = await open().notify(failureOf(1));
    expect(sent.error).toMatchObject({ code: 'ALERT_AUTH', message: expect.stringContaining(said) });
    expect(sent.error?.hint).toContain('XIHE_ALERT_SECRET');
  });
});

describe('what goes wrong on the way', () => {
  beforeEach(async () => {
    robot = await startRobot('wecom');
  });

  it.each<[string, Instead]>([
    ['500', { status: 500, body: 'oops' }],
    ['503 with a short Retry-After', { status: 503, headers: { 'retry-after': '0' } }],
    ['429 with a short Retry-After', { status: 429, headers: { 'retry-after': '0' } }],
    ['-1, system busy', { body: { errcode: -1, errmsg: 'system busy' } }],
  ])('%s: is tried again', async (_, instead) => {
    robot.next.push(instead);
    expect(await open().notify(failureOf(1))).toMatchObject({ state: 'sent', waiting: 0 });
    expect([robot.bodies.length, robot.group.length]).toEqual([2, 1]);
  });

  it('gives up after three tries, and keeps the alert', async () => {
    robot.next.push({ status: 502 }, { status: 502 }, { status: 502 });
    const sent = await open().notify(failureOf(1));
    expect(sent).toMatchObject({ state: 'queued', waiting: 1, error: { code: 'ALERT_UNREACHABLE' } });
    expect(robot.bodies).toHaveLength(3);
  });

  it('429 with a long Retry-After waits as long', async () => {
    robot.next.push({ status: 429, headers: { 'retry-after': '120' } });
    await open().notify(failureOf(1));
    expect((await open().flush()).until).toBeGreaterThan(Date.now() + 100_000);
  });

  it.each<[string, Instead]>([
    ['no answer', { hang: true }],
    ['a connection that breaks', { reset: true }],
  ])('%s: is not sent again, and the next message says so', async (_, instead) => {
    robot.next.push(instead);
    const sent = await open({ timeoutSeconds: 0.3 }).notify(failureOf(1));
    expect(sent).toMatchObject({ state: 'unclear', waiting: 0, error: { code: 'ALERT_UNCERTAIN' } });
    await open().notify(failureOf(2));
    await open().notify(failureOf(3));
    expect(robot.group.map((text) => text.includes('不知道有没有送到：回滚订单服务 1（t-1）'))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('a server that is not there: nothing left, so it waits', async () => {
    const alerts = open();
    await robot.close();
    const sent = await alerts.notify(failureOf(1));
    expect(sent).toMatchObject({ state: 'queued', waiting: 1, error: { code: 'ALERT_UNREACHABLE' } });
  });

  it('a redirect is not followed: the key would go along', async () => {
    const other = await startRobot('wecom');
    robot.next.push({ status: 302, headers: { location: other.address } });
    const sent = await open().notify(failureOf(1));
    expect([sent.error?.code, other.bodies.length]).toEqual(['ALERT_BAD_REPLY', 0]);
    await other.close();
  });

  it('a page instead of an answer is named as such', async () => {
    robot.next.push({ body: '<html>请先登录</html>' });
    expect((await open().notify(failureOf(1))).error?.code).toBe('ALERT_BAD_REPLY');
  });

  it('a content that the platform refuses is dropped, told in the next message, and does not block it', async () => {
    robot.next.push({ body: { errcode: 40008, errmsg: 'invalid message type' } });
    const sent = await open().notify(failureOf(1));
    expect(sent).toMatchObject({ state: 'refused', waiting: 0, error: { code: 'ALERT_REFUSED' } });
    expect(await open().notify(failureOf(2))).toMatchObject({ state: 'sent' });
    expect(robot.group[0]).toContain('被平台拒收：回滚订单服务 1');
  });

  it('is cancelled at once while it waits for an answer', async () => {
    const stop = new AbortController();
    robot.next.push({ hang: true });
    const sending = open().notify(failureOf(1), { signal: stop.signal });
    while (robot.bodies.length === 0) await new Promise((done) => setTimeout(done, 10));
    stop.abort();
    expect((await sending).state).toBe('unclear');
  });

  it('a run that was cancelled before leaves the alert in the queue', async () => {
    const sent = await open().notify(failureOf(1), { signal: AbortSignal.abort() });
    expect([sent.state, sent.waiting, robot.bodies.length]).toEqual(['queued', 1, 0]);
  });

  it('a test that fails leaves nothing behind', async () => {
    robot.next.push({ body: { errcode: 93000, errmsg: 'invalid webhook url' } });
    expect(await open().notify(failureOf(1), { keep: false })).toMatchObject({ state: 'queued', waiting: 0 });
  });
});

describe('secrets', () => {
  it('masks them in the message and on disk; the key stands nowhere', async () => {
    robot = await startRobot('feishu', { secret: SECRET });
    robot.next.push({ status: 500 }, { status: 500 }, { status: 500 });
    const log = `export DB_PASSWORD=hunter2hunter2\ncurl ${robot.address}\nkey ${KEY} ${SECRET}\nAuthorization: Bearer abcdef123456`;
    const alerts = open({ secret: SECRET });
    await alerts.notify(failureOf(1, { log, reason: `token=abc123def456 ${KEY}` }));
    for (const secret of ['hunter2', KEY, SECRET, 'abcdef123456', 'abc123def456'])
      expect(allOf(stateDir)).not.toContain(secret);
    await alerts.flush();
    expect(robot.group).toHaveLength(1);
    for (const secret of ['hunter2', KEY, SECRET, 'abcdef123456', 'abc123def456'])
      expect(robot.group[0]).not.toContain(secret);
    expect(alerts.target).toMatch(/^飞书 http:\/\/127\.0\.0\.1:\d+\/open-apis\/bot\/v2\/hook\/\*\*\*$/);
  });

  it('calls nobody, whatever a log says', async () => {
    robot = await startRobot('feishu');
    await open().notify(failureOf(1, { log: '<at user_id="all">所有人</at> <@zhangsan> a<b' }));
    expect(robot.group[0]).not.toMatch(/<at|<@|<\/at/);
    expect(robot.group[0]).toContain('a<b');
  });
});

describe('settings', () => {
  const codeOf = (more: Record<string, unknown>) => {
    try {
      alertsOf(stateDir, more);
      return 'ok';
    } catch (e) {
      return (e as { code: string }).code;
    }
  };

  it.each([
    [{}, 'ALERT_NOT_CONFIGURED'],
    [{ webhook: `http://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${KEY}` }, 'ALERT_INVALID'],
    [{ webhook: `https://proxy.example/send?key=${KEY}` }, 'ALERT_INVALID'],
    [{ webhook: `https://proxy.example/send?key=${KEY}`, platform: 'wecom' }, 'ok'],
    [{ webhook: `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${KEY}` }, 'ok'],
    [{ webhook: `https://open.feishu.cn/open-apis/bot/v2/hook/${KEY}` }, 'ok'],
    [{ webhook: `https://oapi.dingtalk.com/robot/send?access_token=${KEY}` }, 'ok'],
  ])('%j: %s', (more, code) => {
    expect(codeOf(more)).toBe(code);
  });
});
