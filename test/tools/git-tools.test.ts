import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callSite } from '../../src/agent/tool-context.js';
import { callTool, EXECUTE_TOOLS } from '../../src/tools/index.js';
import { envOf, makeRepo, put, removeRepo, stateOf } from '../agent/support.js';

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, encoding: 'utf8' });

describe('git tools', () => {
  let repo: string;
  const made: string[] = [];
  const call = async (root: string, name: string, args: Record<string, unknown> = {}) => {
    const site = await callSite(stateOf('改', 'edit'), await envOf(root));
    return callTool(EXECUTE_TOOLS.find((t) => t.name === name)!, args, site.ctx(`id-${Math.random()}`));
  };
  beforeEach(() => {
    repo = realpathSync(
      makeRepo({ 'top.txt': '1\n', 'packages/订单/a.ts': 'old\n', 'packages/订单/.env': 'A=hunter2\n' }),
    );
    git(repo, 'init', '-q', '-b', 'main');
    git(repo, 'add', '-A');
    git(repo, 'commit', '-qm', '第一次提交');
  });
  afterEach(() => {
    for (const dir of [repo, ...made.splice(0)]) removeRepo(dir);
  });

  it('in a subfolder: its own commits and changes, paths relative to it, no secrets', async () => {
    const app = join(repo, 'packages/订单');
    put(repo, { 'top.txt': '2\n', 'packages/订单/a.ts': 'new\n', 'packages/订单/.env': 'A=hunter3\n' });
    const { text } = await call(app, 'git_diff', { staged: false });
    expect(text).toContain('+++ b/a.ts\n');
    expect(text).toContain('+new');
    expect(text).toContain('.env：有改动');
    expect(text).not.toMatch(/hunter|top\.txt/);
    expect((await call(app, 'git_log', { path: 'a.ts' })).text).toContain('第一次提交');
  });

  it('in a worktree, also when Xihe runs inside a hook', async () => {
    const tree = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-worktree-')));
    made.push(tree);
    git(repo, 'worktree', 'add', '-q', join(tree, 'w'), '-b', 'side');
    put(join(tree, 'w'), { 'top.txt': 'side\n' });
    process.env.GIT_DIR = '/nowhere';
    process.env.GIT_EXTERNAL_DIFF = 'false';
    try {
      expect((await call(join(tree, 'w'), 'git_diff', { staged: false })).text).toContain('+side');
      expect((await call(join(tree, 'w'), 'git_log')).text).toContain('第一次提交');
    } finally {
      delete process.env.GIT_DIR;
      delete process.env.GIT_EXTERNAL_DIFF;
    }
  });

  it("runs no program of the repository's config, and no prefix of it uncovers secrets", async () => {
    const spy = join(repo, '.git/spy.sh');
    const trace = join(repo, '.git/trace');
    writeFileSync(spy, `#!/bin/sh\necho "$0 $@" >> ${trace}\ncat\n`);
    chmodSync(spy, 0o755);
    for (const [name, value] of Object.entries({
      'core.fsmonitor': spy,
      'diff.external': spy,
      'diff.spy.command': spy,
      'diff.spy.textconv': spy,
      'filter.spy.clean': spy,
      'filter.spy.required': 'true',
      'core.pager': spy,
      'diff.noprefix': 'true',
      'diff.mnemonicPrefix': 'true',
    }))
      git(repo, 'config', name, value);
    writeFileSync(join(repo, '.git/info/attributes'), '* diff=spy filter=spy\n');
    put(repo, { 'top.txt': '2\n', 'packages/订单/.env': 'A=hunter3\n' });
    const { text } = await call(repo, 'git_diff', { staged: false });
    expect(text).toContain('+2');
    expect(text).not.toContain('hunter');
    expect((await call(repo, 'git_log')).text).toContain('第一次提交');
    expect(existsSync(trace)).toBe(false);
    git(repo, 'config', 'filter.a=b.clean', spy);
    expect(await call(repo, 'git_diff', { staged: false })).toMatchObject({ ok: false, code: 'COMMAND_FAILED' });
    expect(existsSync(trace)).toBe(false);
  });

  it('shows each file in its own encoding', async () => {
    writeFileSync(join(repo, 'top.txt'), iconv.encode('订单结算，超时未付款的要关闭\n', 'gbk'));
    put(repo, { 'packages/订单/a.ts': '// 支付\n' });
    const { text } = await call(repo, 'git_diff', { staged: false });
    expect(text).toContain('+订单结算，超时未付款的要关闭');
    expect(text).toContain('+// 支付');
  });

  it('says so where there is no repository', async () => {
    const plain = makeRepo({ 'a.txt': '1' });
    made.push(plain);
    expect(await call(plain, 'git_log')).toMatchObject({ ok: false, code: 'COMMAND_FAILED' });
  });
});

describe('run_command without bwrap', () => {
  it('runs what looks or tests, and refuses the rest with a way out', async () => {
    const repo = makeRepo({ 'a.txt': 'one\n', '.env': 'A=hunter2\n' });
    const before = process.env.XIHE_SANDBOX;
    process.env.XIHE_SANDBOX = 'process-group';
    try {
      const site = await callSite(stateOf('改', 'edit'), await envOf(repo));
      const tool = EXECUTE_TOOLS.find((t) => t.name === 'run_command')!;
      const run = (command: string) => callTool(tool, { command }, site.ctx(`id-${Math.random()}`));
      expect((await run('cat a.txt')).text).toContain('one');
      for (const command of ['touch b', 'node -e "1"', 'X=rm; $X -f a', 'echo x > /tmp/x-outside', 'cat .env']) {
        const outcome = await run(command);
        expect(outcome, command).toMatchObject({ ok: false, code: 'COMMAND_DENIED' });
        expect(outcome.text).toContain('bubblewrap');
      }
      expect(await run('X=rm; $X -rf ~')).toMatchObject({ ok: false, code: 'COMMAND_DENIED' });
      expect((await run('cat missing.txt')).text).toContain('副本里没有放存密钥的文件：.env');
    } finally {
      if (before === undefined) delete process.env.XIHE_SANDBOX;
      else process.env.XIHE_SANDBOX = before;
      removeRepo(repo);
    }
  });
});
