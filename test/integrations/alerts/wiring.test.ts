import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { doctorJson, runJson } from '../../../src/agent/output-schemas.js';
import { alertJson } from '../../../src/cli/schemas/alert.js';
import { approvalOf, callTool, ToolRegistry } from '../../../src/tools/index.js';
import { xihe } from '../../support/mall.js';
import { KEY, type RobotServer, startRobot } from './robot-server.js';
import { allOf, settings } from './support.js';

let robot: RobotServer;
let repo: string;
let env: Record<string, string>;
beforeEach(async () => {
  robot = await startRobot('wecom');
  repo = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-alert-cli-')));
  mkdirSync(join(repo, '.xihe', 'tools'), { recursive: true });
  env = { XIHE_ALERT_WEBHOOK: robot.address, XIHE_ALERT_PLATFORM: 'wecom' };
});
afterEach(async () => {
  await robot.close();
  rmSync(repo, { recursive: true, force: true });
});

describe('xihe alert', () => {
  it('test shows what goes where, without the key, and sends just that', async () => {
    const r = await xihe(['alert', 'test', '--repo', repo], { env });
    expect([r.code, robot.group.length]).toEqual([0, 1]);
    expect(r.stdout).toContain('/cgi-bin/webhook/send?key=***');
    expect(r.stdout).toContain(robot.group[0]);
    expect(r.stdout + r.stderr + allOf(join(repo, '.xihe'))).not.toContain(KEY);
  });

  it('test says why it failed, as JSON too, and leaves nothing in the queue', async () => {
    robot.next.push({ body: { errcode: 93000, errmsg: 'invalid webhook url' } });
    const r = await xihe(['alert', 'test', '--repo', repo, '--json'], { env });
    const said = alertJson.parse(r.json);
    expect([r.code, said.ok, said.waiting, said.error?.code]).toEqual([1, false, 0, 'ALERT_AUTH']);
  });

  it('without a robot says how to get one; an unknown act names those there are', async () => {
    const none = await xihe(['alert', 'test', '--repo', repo], {});
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringMatching(/ALERT_NOT_CONFIGURED[\s\S]*XIHE_ALERT_WEBHOOK/),
    ]);
    const other = await xihe(['alert', 'shout', '--repo', repo], { env });
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('xihe alert flush')]);
  });
});

describe('xihe doctor', () => {
  const line = async (more: Record<string, string>) => {
    const r = await xihe(['doctor', '--repo', repo, '--json'], { env: more });
    expect(r.stdout).not.toContain(KEY);
    return doctorJson.parse(r.json).checks.find(({ name }) => name === '告警');
  };

  it('says whether there is a robot, and sends nothing', async () => {
    expect(await line({})).toMatchObject({ state: 'off' });
    expect(await line(env)).toMatchObject({ state: 'ok', detail: expect.stringContaining('企业微信') });
    expect(await line({ ...env, XIHE_ALERT_PLATFORM: '' })).toMatchObject({ state: 'fail' });
    expect(robot.bodies).toEqual([]);
  });
});

describe('a run that fails for good', () => {
  const failing = { XIHE_BASE_URL: 'http://127.0.0.1:9/v1', XIHE_MODEL: 'm', XIHE_MODEL_RETRIES: '0' };
  const run = (more: Record<string, string>) =>
    xihe(['run', '给 src/a.ts 加一行注释', '--repo', repo, '--json', '--thread', 'night'], {
      env: { ...env, ...failing, ...more },
    });
  beforeEach(() => {
    mkdirSync(join(repo, 'src'));
    writeFileSync(join(repo, 'src', 'a.ts'), 'export const a = 1;\n');
  });

  it('tells the group, once a thread', async () => {
    const r = await run({ XIHE_ALERT_ON_FAILURE: 'true' });
    expect([r.code, runJson.parse(r.json).status]).toEqual([1, 'failed']);
    expect(robot.group).toHaveLength(1);
    for (const part of ['给 src/a.ts 加一行注释', 'MODEL_UNREACHABLE', '追踪：night', '耗时：'])
      expect(robot.group[0]).toContain(part);
    await run({ XIHE_ALERT_ON_FAILURE: 'true' });
    expect(robot.group).toHaveLength(1);
  });

  it('tells nobody where nobody asked for it', async () => {
    expect(runJson.parse((await run({})).json).status).toBe('failed');
    expect(robot.bodies).toEqual([]);
  });

  it('fails as before where the robot is not there, and the alert waits', async () => {
    await robot.close();
    expect(runJson.parse((await run({ XIHE_ALERT_ON_FAILURE: 'true' })).json).status).toBe('failed');
    const kept = JSON.parse(readFileSync(join(repo, '.xihe', 'state', 'alerts.json'), 'utf8'));
    expect(kept.waiting).toHaveLength(1);
  });
});

describe('an act that fails', () => {
  it('tells the group the end of its output', async () => {
    writeFileSync(
      join(repo, '.xihe', 'tools', 'restart.yaml'),
      `name: restart_service\ndescription: 重启一个服务\nkeywords: [重启]\ndanger: medium\nparameters:\n  service: { type: string, explain: 服务名 }\nargv: [node, -e, "console.log('正在连接 10.0.0.7'); console.error('token=abcd1234efgh'); process.exit(7)", '{service}']\nexamples: [{ service: gateway }]\n`,
    );
    const on = { ...env, XIHE_ALERT_ON_FAILURE: '1' };
    const args = ['--repo', repo, '--json', '--no-model', '--yes', 'medium', '--thread', 'act'];
    let r = await xihe(['run', '重启 gateway 服务', ...args], { env: on });
    if (r.code === 3)
      r = await xihe(['resume', 'act', '--param', 'service=gateway', '--repo', repo, '--json'], { env: on });
    expect([r.code, robot.group.length]).toEqual([1, 1]);
    expect(robot.group[0]).toContain('正在连接 10.0.0.7');
    expect(robot.group[0]).not.toContain('abcd1234efgh');
  });
});

describe('the tool send_alert', () => {
  const sendAlert = new ToolRegistry([]).get('send_alert');
  const ctx = (alerts: unknown, agreed?: unknown) =>
    ({
      caller: { name: 'li', roles: ['developer'] },
      thread: 't1',
      callId: 'run-1-0',
      stateDir: join(repo, '.xihe', 'state'),
      alerts,
      approval: agreed === undefined ? undefined : approvalOf('send_alert', agreed),
      audit: () => {},
    }) as never;

  it('is an act on the world of medium danger, that only asking for it finds', () => {
    expect(sendAlert).toMatchObject({ danger: 'medium', effect: 'outside', idempotent: false });
    expect(new ToolRegistry([]).preselect('往企业微信群里发通知：订单服务已回滚')[0]?.contract.name).toBe('send_alert');
  });

  it('sends what it is given, and the same call once', async () => {
    const where = settings({ webhook: robot.address, platform: 'wecom' });
    const input = { text: '订单服务已回滚到 v1.8.2' };
    const first = await callTool(sendAlert, input, ctx(where, input));
    const again = await callTool(sendAlert, input, ctx(where, input));
    expect([first.ok, again.ok, robot.group.length]).toEqual([true, true, 1]);
    expect(robot.group[0]).toContain('内容：订单服务已回滚到 v1.8.2');
    expect(again.text).toContain('没有再发');
    expect(first.text).not.toContain(KEY);
  });

  it('sends nothing without a yes to these words', async () => {
    const where = settings({ webhook: robot.address, platform: 'wecom' });
    for (const agreed of [undefined, { text: '好' }])
      expect(await callTool(sendAlert, { text: '不好' }, ctx(where, agreed))).toMatchObject({ code: 'COMMAND_DENIED' });
    expect(robot.bodies).toEqual([]);
  });

  it('fails with a code where no robot is set, or the platform refuses', async () => {
    expect(await callTool(sendAlert, { text: '好' }, ctx(settings({}), { text: '好' }))).toMatchObject({
      code: 'ALERT_NOT_CONFIGURED',
    });
    robot.next.push({ body: { errcode: 93000, errmsg: 'x' } });
    const where = settings({ webhook: robot.address, platform: 'wecom' });
    expect(await callTool(sendAlert, { text: '好' }, ctx(where, { text: '好' }))).toMatchObject({
      ok: false,
      code: 'ALERT_AUTH',
    });
  });
});
