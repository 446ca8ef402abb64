import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/assets.js';
import { cleanEnv, copyMall, removeDir } from '../support/mall.js';

/** What users install, in bytes (issue: under 250 MB). */
const MAX_INSTALL_BYTES = 250 * 1024 * 1024;

let work: string;
let mall: string;
let bin: string;

/** npm's own JavaScript, so that a PATH without the usual folders can run it. */
const npmCli = (): string => {
  const beside = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return process.env.npm_execpath?.endsWith('.js') ? process.env.npm_execpath : beside;
};

function sizeOf(dir: string): number {
  return readdirSync(dir, { withFileTypes: true }).reduce((sum, e) => {
    const path = join(dir, e.name);
    return sum + (e.isDirectory() ? sizeOf(path) : e.isFile() ? statSync(path).size : 0);
  }, 0);
}

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'xihe-pack-'));
  mall = copyMall({ link: false });
  // Packing writes dist/ and a lock file: in a copy, so that tests that run at the same time keep theirs.
  const source = join(work, 'source');
  cpSync(packageRoot(), source, {
    recursive: true,
    filter: (p) => !/\/(node_modules|\.git|dist|\.langgraph_api)(\/|$)/.test(p.slice(packageRoot().length)),
  });
  symlinkSync(join(packageRoot(), 'node_modules'), join(source, 'node_modules'));
  const pack = spawnSync(process.execPath, [npmCli(), 'pack', '--pack-destination', work], {
    cwd: source,
    encoding: 'utf8',
    env: cleanEnv(),
  });
  expect(pack.status, pack.stderr).toBe(0);
  const tarball = join(work, readdirSync(work).find((f) => f.endsWith('.tgz'))!);
  // A machine without compilers: PATH holds node and a shell, nothing else.
  bin = join(work, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  symlinkSync('/bin/sh', join(bin, 'sh'));
  const install = spawnSync(
    process.execPath,
    [npmCli(), 'install', '-g', '--prefix', join(work, 'prefix'), '--no-audit', '--no-fund', tarball],
    {
      cwd: work,
      encoding: 'utf8',
      env: { ...cleanEnv(), PATH: bin },
    },
  );
  expect(install.status, install.stderr).toBe(0);
}, 300_000);

afterAll(() => {
  removeDir(work);
  removeDir(mall);
});

function installed(args: string[]) {
  return spawnSync(join(work, 'prefix/bin/xihe'), args, {
    cwd: mall,
    encoding: 'utf8',
    env: { ...cleanEnv(), PATH: bin },
  });
}

describe('npm pack and a global install without a compiler', () => {
  it('runs the main job, looks up and finds', () => {
    const run = installed(['run', '下单超时没付款的单子，关单时加一次重试', '--no-model', '--json']);
    expect(run.status, run.stderr).toBe(0);
    expect(JSON.parse(run.stdout).files[0].path).toBe('src/order/order-service.ts');
    expect(installed(['lookup', 'ERR_TIMEOUT']).stdout).toContain('精确命中');
    expect(installed(['graph']).stdout).toContain('graph TD');
    expect(installed(['doctor', '--json']).status).toBe(0);
    expect(installed(['init']).stdout).toContain('.gitignore');
  });

  it('stays under the size limit and brings no development packages', () => {
    const modules = join(work, 'prefix/lib/node_modules/xihe');
    expect(sizeOf(modules)).toBeLessThan(MAX_INSTALL_BYTES);
    const names = readdirSync(join(modules, 'node_modules'));
    expect(names).not.toContain('vitest');
    expect(names).not.toContain('better-sqlite3');
    const lock = JSON.parse(readFileSync(join(packageRoot(), 'package-lock.json'), 'utf8')).packages;
    const core = JSON.parse(readFileSync(join(modules, 'node_modules/@langchain/core/package.json'), 'utf8')).version;
    expect(core).toBe(lock['node_modules/@langchain/core'].version);
  });

  it('its rooms can be imported by name', () => {
    const script =
      "import('xihe/text').then((m) => { if (m.fold('訂單') !== '订单') process.exit(1); return import('xihe/errors'); }).then((m) => { if (!m.XiheError) process.exit(1); })";
    const project = join(work, 'project');
    mkdirSync(join(project, 'node_modules'), { recursive: true });
    symlinkSync(join(work, 'prefix/lib/node_modules/xihe'), join(project, 'node_modules/xihe'));
    const r = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: project, encoding: 'utf8' });
    expect(r.status, r.stderr).toBe(0);
  });
});
