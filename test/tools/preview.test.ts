import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callSite } from '../../src/agent/tool-context.js';
import { loadConfig } from '../../src/config.js';
import { shownCommand } from '../../src/tools/file-facts.js';
import { type AnyContract, loadTeamTools, previewOf, type ToolContext, ToolRegistry } from '../../src/tools/index.js';
import { envOf, NO_VECTORS, stateOf } from '../agent/support.js';
import { settings } from '../integrations/alerts/support.js';
import { type DolphinServer, startDolphin, TOKEN } from '../support/dolphin-server.js';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-preview-')));
  mkdirSync(join(dir, '.xihe/tools'), { recursive: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

const textOf = async (contract: AnyContract, input: Record<string, unknown>, ctx: Partial<ToolContext>) => {
  const { lines, now = [] } = await previewOf(contract, contract.input.parse(input), ctx as ToolContext);
  return [...lines, ...now.map((line) => `现在：${line}`)].join('\n');
};

describe('every tool that acts on the world', () => {
  it('says what exactly it would do', () => {
    const acts = new ToolRegistry([], { dolphin: true }).all().filter(({ effect }) => effect === 'outside');
    expect(acts.map(({ name }) => name)).toContain('send_alert');
    for (const { name, preview } of acts) expect([name, typeof preview]).toEqual([name, 'function']);
  });
});

describe("a team's command", () => {
  const tool = (argv: string) => {
    writeFileSync(
      join(dir, '.xihe/tools/a.yaml'),
      `name: clean_logs\ndescription: 清日志\ndanger: high\nenv: [LOG_TOKEN]\ntimeout_seconds: 5\nargv: [${argv}]\nparameters: { dir: { explain: 目录, required: true } }\nexamples: [{ dir: logs }]\n`,
    );
    return loadTeamTools(join(dir, '.xihe')).tools[0] as AnyContract;
  };
  const shown = (argv: string, to: string) => textOf(tool(argv), { dir: to }, { root: dir });

  it('is shown with the places that it names: size, age, how many files', async () => {
    mkdirSync(join(dir, 'logs/old'), { recursive: true });
    writeFileSync(join(dir, 'logs/a.log'), 'x'.repeat(2_048));
    writeFileSync(join(dir, 'logs/old/b.log'), 'x'.repeat(1_024));
    utimesSync(join(dir, 'logs'), new Date(2026, 10, 5, 12, 3), new Date(2026, 10, 5, 12, 3));
    const text = await shown('rm, -rf, "{dir}"', 'logs');
    expect(text).toContain('命令：rm -rf logs');
    expect(text).toContain('现在：logs：目录，2 个文件，共 3.0 KB，2026-11-05 12:03 改过');
    expect(text).toContain('用到的环境变量：LOG_TOKEN');
    expect(text).toContain(`在哪里：${dir}，不隔离，最多 5 秒`);
    writeFileSync(join(dir, 'one.log'), 'x');
    expect(await shown('rm, "--file={dir}"', 'one.log')).toMatch(
      /现在：one\.log：1 字节，\d{4}-\d\d-\d\d \d\d:\d\d 改过/,
    );
    symlinkSync('/etc', join(dir, 'link'));
    expect(await shown('rm, "{dir}"', 'link')).toContain('link：链接，指向 /etc');
    expect(await shown('rm, "{dir}"', 'none')).not.toContain('现在：none');
  });

  it('is another one when the program of the project behind it is', async () => {
    const program = (text: string) => writeFileSync(join(dir, 'clean.sh'), text);
    program('#!/bin/sh\necho 1\n');
    const first = await shown('./clean.sh, "{dir}"', 'a');
    expect(first).toMatch(/程序：\.\/clean\.sh：17 字节，指纹 [0-9a-f]{12}/);
    program('#!/bin/sh\necho 2\n');
    expect(await shown('./clean.sh, "{dir}"', 'a')).not.toBe(first);
  });

  it('shows where each argument begins and ends, and no line that an argument makes up', () => {
    expect(shownCommand(['rm', '-rf', 'a b', '', '$HOME', 'x\n危险等级：低'])).toBe(
      'rm -rf "a b" "" "$HOME" "x\\n危险等级：低"',
    );
  });
});

describe('a message to the group', () => {
  const alert = new ToolRegistry([]).get('send_alert');
  const ctx = (alerts: ReturnType<typeof settings>) => ({ alerts, stateDir: dir, thread: 't', callId: 'c' });

  it('is shown with where it goes, the key masked, and its text as it would be sent', async () => {
    const key = '0a1b2c3d-1111-2222-3333-444455556666';
    const webhook = `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${key}`;
    const text = await textOf(alert, { text: '已回滚，token=abcd1234efgh', title: '回滚' }, ctx(settings({ webhook })));
    expect(text).toMatch(/发到：企业微信 https:\/\/qyapi\.weixin\.qq\.com\/.*key=\*\*\*/);
    expect(text).toContain('关于：回滚\n内容：已回滚');
    expect(text).not.toContain('abcd1234efgh');
    expect(text).not.toContain(key);
  });

  it('that can not be sent is not asked about', async () => {
    await expect(textOf(alert, { text: '好' }, ctx(settings({})))).rejects.toMatchObject({
      code: 'ALERT_NOT_CONFIGURED',
    });
  });
});

describe('an act on DolphinScheduler', () => {
  let server: DolphinServer;
  beforeEach(async () => {
    server = await startDolphin('3.3');
    mkdirSync(join(dir, 'jobs'));
    writeFileSync(join(dir, '.xihe/config.yaml'), `dolphin:\n  address: ${server.address}\n  project: 数仓\n`);
    writeFileSync(
      join(dir, 'jobs/rec.sh'),
      `#!/bin/bash\necho 对账\nexport DB_PASSWORD=hunter2secret\n${'true\n'.repeat(20)}`,
    );
  });
  afterEach(() => server.close());

  const shown = async (name: string, input: Record<string, unknown>) => {
    const env = await envOf(dir);
    env.project.config = loadConfig(join(dir, '.xihe'), { ...NO_VECTORS, XIHE_DOLPHIN_TOKEN: TOKEN });
    return textOf(env.project.tools.get(name), input, (await callSite(stateOf('建', 'tool'), env)).ctx('c'));
  };

  it('that makes a workflow shows where, under which name, and what of: the script’s first lines, size and fingerprint', async () => {
    const text = await shown('create_workflow', { name: '每日对账', script: 'jobs/rec.sh', retries: 2 });
    for (const part of [
      `服务器：${server.address}`,
      '项目：数仓\n工作流：每日对账',
      '脚本：jobs/rec.sh（shell，23 行，',
      '  echo 对账',
      '…（还有 11 行）',
      '失败后重跑 2 次',
      '定时：不建',
    ])
      expect(text).toContain(part);
    expect(text).toMatch(/现在：jobs\/rec\.sh：\d+ 字节，\d{4}-/);
    expect(text).not.toContain('hunter2secret');
    expect(server.asked).toEqual([]);
    writeFileSync(join(dir, 'jobs/rec.sh'), '#!/bin/bash\n./none.sh\n');
    await expect(shown('create_workflow', { name: '甲', script: 'jobs/rec.sh' })).rejects.toMatchObject({
      code: 'SCRIPT_DEPENDENCIES',
    });
  });

  it('on one that is there shows how it stands on the server, and asks all the same when that is not to be known', async () => {
    expect(await shown('run_workflow', { workflow: '甲', params: { 日期: '2026-12-01' } })).toContain(
      '操作：马上运行一次\n启动参数：日期=2026-12-01\n现在：服务器上没有这个名字的工作流',
    );
    const schedule = await shown('create_schedule', { workflow: '甲', cron: '0 0 3 * * ?', end: '2027-01-01' });
    expect(schedule).toContain('马上生效，到点就运行\n定时：0 0 3 * * ?（Asia/Shanghai），从 今天 到 2027-01-01');
    await expect(shown('create_schedule', { workflow: '甲', cron: '0 3 * * *' })).rejects.toMatchObject({
      code: 'CRON_INVALID',
    });
    await server.close();
    expect(await shown('release_workflow', { workflow: '甲', state: 'offline' })).toMatch(
      /操作：下线，它的定时也停\n现在：查不到服务器上的状态/,
    );
  });
});
