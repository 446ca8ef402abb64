import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openProject } from '../../src/agent/project.js';
import { callSite } from '../../src/agent/tool-context.js';
import { dolphinCheck } from '../../src/cli/commands/doctorDolphin.js';
import { configFaults, loadConfig } from '../../src/config.js';
import {
  approvalOf,
  BUILTIN_NAMES,
  callTool,
  contractFaults,
  loadTeamTools,
  ToolRegistry,
} from '../../src/tools/index.js';
import { envOf, makeRepo, NO_VECTORS, removeRepo, stateOf } from '../agent/support.js';
import { type DolphinServer, startDolphin, TOKEN } from '../support/dolphin-server.js';

let server: DolphinServer;
let repo: string;
const layer = () => `${repo}/.xihe`;
const settings = (address: string) => `dolphin:\n  address: ${address}\n  project: 数仓\n`;

beforeEach(async () => {
  server = await startDolphin('3.3');
  repo = makeRepo({
    '.xihe/config.yaml': settings(server.address),
    'jobs/rec.sh': '#!/bin/bash\r\necho 对账\r\n./lib/none.sh\r\n',
  });
});
afterEach(async () => {
  await server.close();
  removeRepo(repo);
});

/** Calls a tool as the graph does after a yes, with the settings of the project and the token of the environment. */
async function call(name: string, input: Record<string, unknown>) {
  const env = await envOf(repo);
  env.project.config = loadConfig(layer(), { ...NO_VECTORS, XIHE_DOLPHIN_TOKEN: TOKEN });
  const site = await callSite(stateOf('改', 'tool'), env);
  const ctx = { ...site.ctx(`id-${Math.random()}`), approval: approvalOf(name, input) };
  return callTool(env.project.tools.get(name), input, ctx);
}

describe('the tools of DolphinScheduler', () => {
  it('are offered where it is set up, and their names are taken everywhere', async () => {
    const { tools } = await openProject(repo, NO_VECTORS);
    const names = ['create_workflow', 'release_workflow', 'run_workflow', 'create_schedule', 'release_schedule'];
    const looks = ['list_workflows', 'workflow_status', 'workflow_log'];
    for (const name of [...names, ...looks]) {
      const tool = tools.get(name);
      expect([name, contractFaults(tool), BUILTIN_NAMES.has(name)]).toEqual([name, [], true]);
      expect([name, tool.effect]).toEqual([name, looks.includes(name) ? 'none' : 'outside']);
    }
    const without = new ToolRegistry(loadTeamTools(layer()).tools);
    expect(() => without.get('create_schedule')).toThrow(/没有名叫/);
    expect(tools.preselect('运行工作流 每日对账')[0]?.contract.name).toBe('run_workflow');
    expect(tools.preselect('用 jobs/rec.sh 建一个工作流')[0]?.contract.name).toBe('create_workflow');
    expect(tools.preselect('给每日对账加定时，每天三点')[0]?.contract.name).toBe('create_schedule');
  });

  it('say how dangerous each call is', async () => {
    const { tools } = await openProject(repo, NO_VECTORS);
    const danger = (name: string, input: Record<string, unknown>) => {
      const tool = tools.get(name);
      const parsed = tool.input.parse(input);
      return tool.dangerOf?.(parsed).danger ?? tool.danger;
    };
    const workflow = '甲';
    expect(danger('list_workflows', {})).toBe('low');
    expect(danger('create_workflow', { name: workflow, script: 'a.sh' })).toBe('medium');
    expect(danger('release_workflow', { workflow, state: 'online' })).toBe('medium');
    expect(danger('release_workflow', { workflow, state: 'offline' })).toBe('high');
    expect(danger('run_workflow', { workflow })).toBe('high');
    expect(danger('create_schedule', { workflow, cron: '0 0 3 * * ?' })).toBe('high');
    expect(danger('create_schedule', { workflow, cron: '0 0 3 * * ?', online: false })).toBe('medium');
    expect(danger('release_schedule', { workflow, state: 'offline' })).toBe('high');
  });

  it('ask about what the script needs before anything is sent, then do the whole way', async () => {
    const asked = await call('create_workflow', { name: '每日对账', script: 'jobs/rec.sh' });
    expect(asked).toMatchObject({ ok: false, code: 'SCRIPT_DEPENDENCIES' });
    expect(asked.text).toContain('./lib/none.sh');
    expect(server.asked).toEqual([]);
    const made = await call('create_workflow', {
      name: '每日对账',
      script: 'jobs/rec.sh',
      confirmed: ['./lib/none.sh'],
    });
    expect(made.text).toContain('建好了工作流 每日对账，还没有上线。\n注意：换行已从 CRLF 改成 LF');
    expect(server.state.workflows[0]!.tasks[0]).toMatchObject({
      taskParams: { rawScript: expect.not.stringContaining('\r') },
    });
    expect((await call('run_workflow', { workflow: '每日对账' })).code).toBe('DOLPHIN_NOT_ONLINE');
    expect((await call('release_workflow', { workflow: '每日对账', state: 'online' })).text).toBe(
      '工作流 每日对账 已上线。',
    );
    expect((await call('run_workflow', { workflow: '每日对账' })).text).toContain('实例 1');
    expect((await call('workflow_status', { instance_id: '1' })).text).toContain('任务 10　RUNNING_EXECUTION');
    expect((await call('workflow_status', {})).code).toBe('TOOL_INPUT_INVALID');
    server.state.log = ['连接 mysql://u:hunter2@db/x', '完成'];
    const { text } = await call('workflow_log', { task_id: '10' });
    expect(text).toContain('第 1–2 行');
    expect(text).not.toContain('hunter2');
    expect((await call('list_workflows', {})).text).toContain('每日对账　已上线');
  });

  it('make a schedule that holds at once, and say which expression is wrong before anything is sent', async () => {
    await call('create_workflow', { name: '甲', script: 'jobs/rec.sh', confirmed: ['./lib/none.sh'] });
    await call('release_workflow', { workflow: '甲', state: 'online' });
    const acts = () => server.asked.filter((line) => line.startsWith('POST')).length;
    const before = acts();
    const wrong = await call('create_schedule', { workflow: '甲', cron: '0 3 * * *' });
    expect([wrong.code, acts()]).toEqual(['CRON_INVALID', before]);
    expect(wrong.text).toContain('0 0 3 * * ?');
    const made = await call('create_schedule', { workflow: '甲', cron: '0 0 3 * * ?' });
    expect(made.text).toBe('甲 的定时：0 0 3 * * ?（Asia/Shanghai），已生效。');
    expect((await call('release_schedule', { workflow: '甲', state: 'offline' })).text).toContain('没有生效');
  });
});

describe('the settings of DolphinScheduler', () => {
  const elsewhere = 'http://dolphin.example:12345/dolphinscheduler';
  const user = { XDG_CONFIG_HOME: '/nowhere', XIHE_DOLPHIN_TOKEN: TOKEN };

  it('take the token from the environment, and refuse it in a file', () => {
    expect(loadConfig(layer(), user).dolphin).toMatchObject({ address: server.address, project: '数仓', token: TOKEN });
    removeRepo(repo);
    repo = makeRepo({ '.xihe/config.yaml': `${settings(server.address)}  token: abc\n` });
    expect(() => loadConfig(layer(), user)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(configFaults(layer())).toMatchObject([{ line: 4 }]);
  });

  it('give no token to an address that only the repository has chosen', async () => {
    removeRepo(repo);
    repo = makeRepo({ '.xihe/config.yaml': settings(elsewhere) });
    const { dolphin } = loadConfig(layer(), user);
    expect([dolphin.token, dolphin.untrusted?.[0]?.setting]).toEqual([undefined, 'dolphin.address']);
    expect(await call('list_workflows', {})).toMatchObject({ ok: false, code: 'UNTRUSTED_ADDRESS' });
    expect(loadConfig(layer(), { ...user, XIHE_DOLPHIN_ADDRESS: elsewhere }).dolphin.token).toBe(TOKEN);
    expect(await dolphinCheck(loadConfig(layer(), user), 5_000)).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('信任'),
    });
  });

  it('are tried by doctor', async () => {
    const check = (env: NodeJS.ProcessEnv) => dolphinCheck(loadConfig(layer(), env), 5_000);
    expect(await check(user)).toMatchObject({ state: 'ok', detail: expect.stringContaining('项目 数仓') });
    expect(await check({ ...user, XIHE_DOLPHIN_TOKEN: 'wrong' })).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('401'),
    });
    expect(await check({ ...user, XIHE_DOLPHIN_PROJECT: '没有' })).toMatchObject({ state: 'fail' });
    server.fault(/\/projects$/, 'hang');
    expect(await dolphinCheck(loadConfig(layer(), user), 300)).toMatchObject({
      state: 'fail',
      detail: expect.stringContaining('没有应答'),
    });
    removeRepo(repo);
    repo = makeRepo({ 'a.txt': '' });
    expect(await check(user)).toMatchObject({ state: 'off' });
  });
});
