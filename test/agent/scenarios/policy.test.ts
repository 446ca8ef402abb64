import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { xiheHere as xihe } from '../../support/mallHere.js';
import { makeRepo, removeRepo } from '../support.js';

const act = (name: string, words: string, more: string, args = '') =>
  `name: ${name}\ndescription: ${words}\nkeywords: [${words}]\ndanger: medium\n${more}argv: [node, -e, "require('fs').appendFileSync('acts.log', process.argv.slice(1).join(' ') + ';')", ${name}${args}]\n`;

let repo: string;
let user: string;
beforeEach(() => {
  repo = makeRepo({
    '.xihe/tools/restart.yaml': `${act('restart_service', '重启服务', 'parameters:\n  env: { explain: 环境, enum: [dev, prod], required: true }\n', ', "{env}"')}examples: [{ env: dev }]\n`,
    '.xihe/tools/wipe.yaml': `${act('wipe_cache', '清空演示缓存', 'irreversible: 清掉的缓存要半天才热\n')}examples: [{}]\n`,
  });
  user = makeRepo({});
});
afterEach(() => {
  removeRepo(repo);
  removeRepo(user);
});

const cli = (...args: string[]) => xihe([...args, '--repo', repo, '--json'], { env: { XDG_CONFIG_HOME: user } });
const ask = (text: string, ...more: string[]) => cli('run', text, '--no-model', ...more);
const log = () => (existsSync(join(repo, 'acts.log')) ? readFileSync(join(repo, 'acts.log'), 'utf8') : '');
const rules = (file: string, ...list: string[]) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `rules:\n${list.map((rule) => `  - { ${rule} }\n`).join('')}`);
};

describe('rules decide on what people ask for', () => {
  it("a repository's rule denies and asks at once, and allows once the user has trusted it", async () => {
    rules(
      join(repo, '.xihe/policy.yaml'),
      'tool: restart_service, args: { env: prod }, decision: deny, reason: 生产环境只有运维能重启',
      'tool: restart_service, decision: allow, reason: 开发环境随便重启',
    );
    const denied = await ask('帮我重启服务，prod 环境', '--yes', 'medium');
    expect([denied.code, denied.json.error.code]).toEqual([1, 'COMMAND_DENIED']);
    expect(denied.json.report.text).toContain('生产环境只有运维能重启（.xihe/policy.yaml:2）');
    const asked = await ask('帮我重启服务，dev 环境');
    expect([asked.code, asked.json.waiting.kind]).toEqual([3, 'approve']);
    const question = asked.json.waiting.request.actionRequests[0].description;
    expect(question).toContain('还没有信任');
    expect(question).toMatch(/命令：node -e .*restart_service dev\n在哪里：/);
    expect(log()).toBe('');
    const { destinations } = (await cli('trust', '--yes')).json;
    expect(destinations.map((one: { setting: string }) => one.setting)).toEqual([
      '.xihe/tools/restart.yaml',
      '.xihe/policy.yaml',
    ]);
    expect((await ask('帮我重启服务，dev 环境')).code).toBe(0);
    expect(log()).toBe('restart_service dev;');
    expect((await ask('帮我重启服务，prod 环境')).json.error.code).toBe('COMMAND_DENIED');
  });

  it('what can not be undone waits whatever --yes says, until a rule allows it by its full name', async () => {
    const own = join(user, 'xihe/policy.yaml');
    const wipe = () => ask('执行一下清空演示缓存', '--yes', 'medium');
    expect((await ask('帮我重启服务，dev 环境', '--yes', 'medium')).code).toBe(0);
    const asked = await wipe();
    expect([asked.code, asked.json.waiting?.kind]).toEqual([3, 'approve']);
    expect(asked.json.waiting.request.actionRequests[0].description).toContain('清掉的缓存要半天才热');
    rules(own, 'tool: wipe_cache, decision: allow, reason: 演示缓存');
    expect((await wipe()).code).toBe(3); // what runs under that name is still the repository's word
    await cli('trust', '--yes');
    rules(own, 'tool: "wipe_*", decision: allow, reason: 演示缓存');
    expect((await wipe()).code).toBe(3);
    expect(log()).toBe('restart_service dev;');
    rules(own, 'tool: wipe_cache, decision: allow, reason: 演示缓存');
    expect((await wipe()).code).toBe(0);
    expect(log()).toBe('restart_service dev;wipe_cache;');
  });
});
