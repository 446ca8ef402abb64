import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DolphinClient, type DolphinSettings } from '../../../src/integrations/dolphin/index.js';
import { type DolphinServer, type Style, startDolphin, TOKEN } from '../../support/dolphin-server.js';

let server: DolphinServer;
afterEach(() => server.close());

const open = (extra: DolphinSettings = {}) =>
  new DolphinClient({ address: server.address, token: TOKEN, project: '数仓', ...extra }, { backoffMs: 1 });
const SCRIPT = { name: '每日对账', kind: 'shell', script: 'echo 你好\n' } as const;
const acts = () => server.asked.filter((line) => line.startsWith('POST'));

describe.each(['3.1', '3.2', '3.3'] as Style[])('a server of %s', (style) => {
  beforeEach(async () => {
    server = await startDolphin(style);
  });

  it('takes a script from creation to its log through the same calls', async () => {
    const client = open();
    expect(await client.version()).toBe(style === '3.3' ? 'workflow' : 'process');
    const { made, recovered } = await client.create(SCRIPT);
    expect([made.name, made.releaseState, made.version, recovered]).toEqual(['每日对账', 'OFFLINE', 1, false]);
    // Exactly as the server wrote it, although a double would make it …994.
    expect(made.code).toBe('9007199254740995');
    await expect(client.run('每日对账')).rejects.toMatchObject({ code: 'DOLPHIN_NOT_ONLINE' });
    expect(await client.release('每日对账', 'ONLINE')).toMatchObject({ changed: true });
    expect(await client.release('每日对账', 'ONLINE')).toMatchObject({ changed: false });
    expect(await client.run('每日对账', { params: { 日期: '2026-12-01' } })).toEqual({ instanceIds: ['1'] });
    expect(await client.instance('1')).toMatchObject({
      instance: { id: '1', state: 'RUNNING_EXECUTION', ended: false },
      tasks: [{ id: '10', state: 'RUNNING_EXECUTION' }],
    });
    server.state.instances[0]!.state = 'SUCCESS';
    expect((await client.instances('每日对账'))[0]).toMatchObject({ id: '1', ended: true });
    server.state.log = ['第一行', '第二行'];
    expect(await client.log('10')).toEqual({ lines: ['第一行', '第二行'], from: 0 });
  });

  it('sends what the server asks for', async () => {
    const client = open({ tenant: 'etl', workerGroup: '大内存' });
    await client.create({ ...SCRIPT, retries: 2 });
    const sent = server.last('-definition');
    const [task] = JSON.parse(sent.taskDefinitionJson!);
    const [relation] = JSON.parse(sent.taskRelationJson!);
    expect(task).toMatchObject({ taskType: 'SHELL', workerGroup: '大内存', failRetryTimes: 2, environmentCode: -1 });
    expect(task.taskParams).toEqual({ localParams: [], rawScript: 'echo 你好\n', resourceList: [] });
    expect([relation.preTaskCode, relation.postTaskCode]).toEqual([0, task.code]);
    await client.release('每日对账', 'ONLINE');
    await client.run('每日对账');
    expect(server.last('-instance')).toMatchObject({ tenantCode: 'etl', execType: 'START_PROCESS', dryRun: '0' });
  });

  it('gives a workflow one schedule, which starts nothing before it is online', async () => {
    const client = open();
    await client.create(SCRIPT);
    const daily = { crontab: '0 0 3 * * ?', start: '2026-12-01', end: '2027-12-01' };
    await expect(client.createSchedule('每日对账', daily)).rejects.toMatchObject({ code: 'DOLPHIN_NOT_ONLINE' });
    await client.release('每日对账', 'ONLINE');
    const { made } = await client.createSchedule('每日对账', daily);
    expect(made).toMatchObject({ crontab: '0 0 3 * * ?', timezone: 'Asia/Shanghai', releaseState: 'OFFLINE' });
    expect(made.startTime).toBe('2026-12-01 00:00:00');
    await expect(client.createSchedule('每日对账', daily)).rejects.toMatchObject({ code: 'DOLPHIN_EXISTS' });
    expect(await client.releaseSchedule('每日对账', 'ONLINE')).toMatchObject({ releaseState: 'ONLINE' });
    expect(server.state.schedules).toHaveLength(1);
  });
});

const CREATE = /^POST .*\/workflow-definition$/;
const LOOK = /\/query-by-name$/;

describe('an answer that gets lost', () => {
  beforeEach(async () => {
    server = await startDolphin('3.3');
  });

  it.each(['lose', 'lose-hang'] as const)(
    '%s: a creation that went through is found by its name, and not sent again',
    async (kind) => {
      server.fault(CREATE, kind);
      const client = open({ timeoutSeconds: kind === 'lose' ? 10 : 1 });
      expect(await client.create(SCRIPT)).toMatchObject({ made: { name: '每日对账' }, recovered: true });
      expect(acts()).toHaveLength(1);
      expect(server.state.workflows).toHaveLength(1);
    },
  );

  it('a creation that did not go through is sent once more, and no more', async () => {
    server.fault(CREATE, 'drop');
    expect(await open().create(SCRIPT)).toMatchObject({ recovered: false });
    expect(acts()).toHaveLength(2);
    server.fault(CREATE, 'drop', 'drop');
    await expect(open().create({ ...SCRIPT, name: '另一个' })).rejects.toMatchObject({
      code: 'DOLPHIN_OUTCOME_UNKNOWN',
    });
    expect(acts()).toHaveLength(4);
    expect(server.state.workflows).toHaveLength(1);
  });

  it('a creation that came through late is ours, although the second try finds the name taken', async () => {
    // It broke off, the look-up did not see it yet, and it was there when it was sent again.
    server.fault(CREATE, 'drop', 'lose');
    expect(await open().create(SCRIPT)).toMatchObject({ recovered: true });
    expect(server.state.workflows).toHaveLength(1);
  });

  it('a workflow of that name that somebody else made meanwhile is never taken for ours', async () => {
    server.fault(CREATE, 'drop');
    server.fault(LOOK, 'pass', 'hang', 'pass');
    const creation = open({ timeoutSeconds: 1 }).create(SCRIPT);
    await expect.poll(() => server.asked.filter((line) => LOOK.test(line)).length).toBe(2);
    server.state.workflows.push({ id: 9, code: 9n, name: '每日对账', version: 1, releaseState: 'OFFLINE', tasks: [] });
    await expect(creation).rejects.toMatchObject({ code: 'DOLPHIN_EXISTS' });
    expect(acts()).toHaveLength(1);
  });

  it('a creation that nobody can look up is told as unknown, and not sent again', async () => {
    server.fault(CREATE, 'lose');
    server.fault(LOOK, 'pass', 'drop', 'drop', 'drop');
    await expect(open().create(SCRIPT)).rejects.toMatchObject({ code: 'DOLPHIN_OUTCOME_UNKNOWN' });
    expect(acts()).toHaveLength(1);
  });

  it('a run is never sent again, and the run that may be ours is named', async () => {
    const client = open();
    await client.create(SCRIPT);
    await client.release('每日对账', 'ONLINE');
    for (const kind of ['lose', 'drop'] as const) {
      server.fault(/start-workflow-instance$/, kind);
      const e = await client.run('每日对账').catch((e) => e);
      expect(e.code).toBe('DOLPHIN_OUTCOME_UNKNOWN');
      expect(e.hint).toContain(kind === 'lose' ? '多了实例 1' : '还没有新的实例');
    }
    expect(acts().filter((line) => line.includes('start-'))).toHaveLength(2);
    expect(server.state.instances).toHaveLength(1);
  });

  it('going online is judged by the state that is there', async () => {
    const client = open();
    await client.create(SCRIPT);
    server.fault(/release$/, 'lose', 'drop');
    expect(await client.release('每日对账', 'ONLINE')).toMatchObject({ changed: true });
    await expect(client.release('每日对账', 'OFFLINE')).rejects.toMatchObject({ code: 'DOLPHIN_OUTCOME_UNKNOWN' });
    expect(acts().filter((line) => line.endsWith('release'))).toHaveLength(2);
  });

  it('a schedule is found by its workflow', async () => {
    const client = open();
    await client.create(SCRIPT);
    await client.release('每日对账', 'ONLINE');
    server.fault(/^POST .*schedules$/, 'drop', 'lose');
    const daily = { crontab: '0 0 3 * * ?' };
    await expect(client.createSchedule('每日对账', daily)).rejects.toMatchObject({ code: 'DOLPHIN_OUTCOME_UNKNOWN' });
    expect(await client.createSchedule('每日对账', daily)).toMatchObject({ recovered: true, made: daily });
    expect(server.state.schedules).toHaveLength(1);
  });
});
