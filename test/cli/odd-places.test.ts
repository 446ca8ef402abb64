import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyMall, removeDir, treeHash } from '../support/mall.js';
import { xiheHere as xihe } from '../support/mallHere.js';

describe('places that are not a tidy repository', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'xihe-odd-'));
  });
  afterEach(() => removeDir(dir));

  it('an empty folder gives a brief, and look-ups say that there is nothing', async () => {
    const run = await xihe(['run', '加一个登录页面', '--no-model', '--repo', dir, '--json']);
    expect(run.code).toBe(0);
    expect(run.json.files).toEqual([]);
    const find = await xihe(['find', '登录', '--repo', dir]);
    expect(find.code).toBe(1);
    expect(find.stdout).toContain('没有找到');
    expect((await xihe(['tree', '--repo', dir])).code).toBe(0);
  });

  it('a folder of 5,000 files works', async () => {
    for (let m = 0; m < 50; m++) {
      mkdirSync(join(dir, `src/mod${m}`), { recursive: true });
      for (let f = 0; f < 100; f++)
        writeFileSync(
          join(dir, `src/mod${m}/file${f}.ts`),
          `/** 模块 ${m} 的第 ${f} 个文件 */\nexport function work${m}_${f}() { return ${f}; }\n`,
        );
    }
    writeFileSync(join(dir, 'src/mod7/coupon.ts'), '/** 优惠券核销 */\nexport function redeemCoupon() {}\n');
    const run = await xihe(['run', '给优惠券核销加上日志', '--no-model', '--repo', dir, '--json']);
    expect(run.code).toBe(0);
    expect(run.json.files[0].path).toBe('src/mod7/coupon.ts');
    const tree = await xihe(['tree', '--repo', dir, '--json']);
    expect(tree.json.tokens).toBeLessThanOrEqual(1000);
    expect(tree.json.nodes).toBeLessThanOrEqual(200);
  });

  it('a missing folder is a clear message, not a stack', async () => {
    const run = await xihe(['run', '加日志', '--no-model', '--repo', join(dir, '没有'), '--json']);
    expect(run.code).toBe(1);
    expect(run.json.error.code).toBe('REPO_NOT_FOUND');
    const plain = await xihe(['find', 'x', '--repo', join(dir, '没有')]);
    expect(plain.stderr).toContain('找不到项目目录');
    expect(plain.stderr).not.toMatch(/\n\s+at /);
  });

  it('a project whose state can be written nowhere is read all the same, with a word about it; what has to be kept is refused', async () => {
    // Files where folders should be: modes don't stop root.
    mkdirSync(join(dir, '.xihe', 'knowledge'), { recursive: true });
    writeFileSync(join(dir, '.xihe', 'state'), '');
    writeFileSync(join(dir, 'cache'), '');
    writeFileSync(
      join(dir, '.xihe', 'knowledge', 'night.md'),
      '---\ntitle: 夜间对账\nkeywords: [夜间对账]\nsummary: 每晚对账。\n---\n\n每晚两点对账。\n',
    );
    writeFileSync(join(dir, 'night.ts'), '/** 夜间对账 */\nexport function reconcile() {}\n');
    const env = { XDG_CACHE_HOME: join(dir, 'cache') };
    const run = (...args: string[]) => xihe([...args, '--repo', dir], { env });
    const found = await run('lookup', '夜间对账');
    expect([found.code, found.stdout.includes('每晚两点对账'), found.stderr.split('\n').length]).toEqual([0, true, 2]);
    expect(found.stderr).toContain('不留缓存和记录');
    expect((await run('core', '夜间对账')).stderr).toContain('不留缓存和记录');
    for (const args of [
      ['find', '夜间对账'],
      ['tree'],
      ['lint'],
      ['stats'],
      ['stale'],
      ['scan'],
      ['index', '--status'],
    ])
      expect([args[0], (await run(...args)).code]).toEqual([args[0], 0]);
    const { checks } = (await run('doctor', '--json')).json;
    expect(checks.find((c: { name: string }) => c.name === '运行状态').state).toBe('fail');
    for (const args of [['run', '加日志', '--no-model'], ['threads']])
      expect((await run(...args, '--json')).json.error.code).toBe('STATE_UNWRITABLE');
  });

  it('a project whose state cannot be written there keeps it elsewhere and works', async () => {
    // A file where the folder should be stands for a read-only project: tests may run as root, whom modes don't stop.
    writeFileSync(join(dir, '.xihe'), '');
    writeFileSync(join(dir, 'a.ts'), '/** 登录 */\nexport const login = 1;\n');
    const cache = mkdtempSync(join(tmpdir(), 'xihe-cache-'));
    try {
      const run = await xihe(['run', '给登录加上日志', '--no-model', '--repo', dir, '--json'], {
        env: { XDG_CACHE_HOME: cache },
      });
      expect(run.code).toBe(0);
      expect(run.json.files[0].path).toBe('a.ts');
      const doctor = await xihe(['doctor', '--repo', dir, '--json'], { env: { XDG_CACHE_HOME: cache } });
      expect(doctor.json.checks.find((c: { name: string }) => c.name === '运行状态').state).toBe('warn');
    } finally {
      removeDir(cache);
    }
  });

  it('links that lead out of the project are not followed', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'xihe-outside-'));
    writeFileSync(join(outside, 'secret.ts'), '/** 登录密钥 */\nexport const key = 1;\n');
    symlinkSync(outside, join(dir, 'link'));
    try {
      const find = await xihe(['find', '登录密钥', '--repo', dir, '--json']);
      expect(find.json.files).toEqual([]);
      const expand = await xihe(['expand', 'link/secret.ts', '--repo', dir, '--json']);
      expect(expand.code).toBe(1);
    } finally {
      removeDir(outside);
    }
  });
});

describe('a broken file of the layer', () => {
  it('is reported with file and line; everything else works, and nothing in the tree changes', async () => {
    const mall = copyMall({ link: false });
    try {
      writeFileSync(
        join(mall, '.xihe/knowledge/terms/broken.yaml'),
        '- id: ok\n  keyword_ch: 好的\n- id: [坏\n  keyword_ch: 坏\n',
      );
      const before = treeHash(mall);
      const run = await xihe(['run', '超时关单加一次重试', '--no-model', '--repo', mall, '--json']);
      expect(run.code).toBe(0);
      const problem = run.json.problems.find((p: { file: string }) => p.file.includes('broken.yaml'));
      expect(problem.line).toBeGreaterThanOrEqual(3);
      expect(problem.reason).toBeTruthy();
      expect(run.json.terms.some((t: { keyword_ch: string }) => t.keyword_ch === '超时关单')).toBe(true);
      const plain = await xihe(['lookup', 'ERR_TIMEOUT', '--repo', mall]);
      expect(plain.stderr).toContain('broken.yaml:');
      expect(plain.code).toBe(0);
      expect(treeHash(mall)).toBe(before);
    } finally {
      removeDir(mall);
    }
  });
});
