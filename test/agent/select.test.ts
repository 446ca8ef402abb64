import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { selectNode } from '../../src/agent/nodes/select.js';
import { route } from '../../src/agent/routing/index.js';
import { commandIn, nameDoes } from '../../src/tools/index.js';
import { envOf, makeRepo, removeRepo, stateOf } from './support.js';

const tool = (name: string, description: string, keyword: string) =>
  `name: ${name}\ndescription: ${description}\nkeywords: [${keyword}]\ndanger: high\nargv: [echo]\nexamples: [{}]\n`;

let repo: string;
beforeEach(() => {
  repo = makeRepo({
    'a.ts': 'export {};\n',
    '.xihe/tools/restart.yaml': tool('restart_service', '重启测试环境的服务', '重启服务'),
    '.xihe/tools/clean.yaml': tool('close_expired', '关掉线上超时的订单', '关单'),
  });
});
afterEach(() => removeRepo(repo));

const select = async (text: string) => {
  const [intent] = route(text).intents;
  const state = stateOf(text, 'tool');
  state.routed!.intents = [intent!];
  const update = await selectNode(state, await envOf(repo));
  return { hint: intent!.toolHint, ...(update.tool as { name: string | null; refusal?: string }) };
};

describe('the tool of a request to act', () => {
  it.each([
    ['重启一下订单服务', 'restart_service'],
    ['帮我跑一下测试', 'run_tests'],
    ['把所有用例都跑一遍', 'run_tests'],
    ['运行一下 npm run lint', 'run_command'],
  ])('%s → %s', async (text, name) => {
    expect(await select(text)).toMatchObject({ name });
  });

  it.each([
    ['把订单服务部署到测试环境', '部署或发布'],
    ['回滚到上一个版本', '回滚'],
    ['提交一下代码', 'git 操作'],
    ['备份一下数据库', '备份数据库'],
    ['启动一下订单服务', '运行命令'],
  ])('%s: no tool does that, and it says so instead of taking the nearest', async (text, act) => {
    const { name, refusal } = await select(text);
    expect(name).toBeNull();
    expect(refusal).toContain(`这是要${act}`);
  });
});

describe('acts and names', () => {
  it('a name does an act when it holds all of its words', () => {
    expect(nameDoes('deploy_staging', 'deploy')).toBe(true);
    expect(nameDoes('git_log', 'git_op')).toBe(false);
  });

  it.each([
    ['跑一下 npm run lint 看看', 'npm run lint'],
    ['执行 node scripts/a.mjs --all', 'node scripts/a.mjs --all'],
    ['启动 nginx 服务', undefined],
    ['跑一下 lint', undefined],
  ])('%s', (text, command) => expect(commandIn(text)).toBe(command));
});
