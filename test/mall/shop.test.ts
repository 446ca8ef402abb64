import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/assets.js';
import { filesUnder, MALL, read, sources } from './layer.js';

const run = promisify(execFile);

describe('the shop as it lies there', () => {
  it('is a believable size, in the modules that teams have', () => {
    expect(sources.length).toBeGreaterThanOrEqual(40);
    expect(sources.length).toBeLessThanOrEqual(50);
    const folders = new Set(sources.map(({ path }) => path.split('/')[1]));
    for (const name of [
      'order',
      'payment',
      'refund',
      'coupon',
      'inventory',
      'export',
      'report',
      'user',
      'permission',
    ]) {
      expect(folders).toContain(name);
    }
  });

  it('opens every file with a Chinese comment and never says any', () => {
    for (const { path, text } of sources) {
      expect(text.startsWith('/**\n * '), path).toBe(true);
      expect(/\p{Script=Han}/u.test(text.split('*/')[0] ?? ''), path).toBe(true);
      expect(/:\s*any\b|\bas any\b|<any>|@ts-ignore/.test(text), path).toBe(false);
    }
  });

  it('has what the scenarios need: a Chinese path, a missing guide, no REFUND_ONLY, GBK files', () => {
    expect(existsSync(join(MALL, 'src/支付网关/notify.ts'))).toBe(true);
    expect(existsSync(join(MALL, 'docs/payment/接入指南.md'))).toBe(false);
    expect(sources.filter(({ text }) => text.includes('REFUND_ONLY'))).toEqual([]);
    for (const path of filesUnder('legacy', '')) {
      const bytes = readFileSync(join(MALL, path));
      expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes), path).toThrow();
      expect(/\p{Script=Han}/u.test(new TextDecoder('gbk', { fatal: true }).decode(bytes)), path).toBe(true);
    }
  });

  it('has no runtime dependency, and the tsx of the project', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string> | undefined>;
    const root = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as typeof manifest;
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.devDependencies).toEqual({ tsx: root.devDependencies?.tsx });
  });
});

describe('a copy of the shop elsewhere, with node_modules linked', () => {
  let copy: string;
  beforeAll(() => {
    copy = mkdtempSync(join(tmpdir(), 'mall-'));
    cpSync(MALL, copy, { recursive: true, filter: (path) => !/[\\/](node_modules|state)$/.test(path) });
    symlinkSync(join(packageRoot(), 'node_modules'), join(copy, 'node_modules'), 'junction');
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  // Far from Shanghai: nothing of the shop may depend on where it runs.
  const env = { ...process.env, TZ: 'America/New_York' };

  it('passes its own tests', { timeout: 180_000 }, async () => {
    const tests = filesUnder('test', '.test.ts');
    expect(tests.length).toBeGreaterThanOrEqual(8);
    const args = ['--import', 'tsx', '--test', '--test-concurrency=4', '--test-reporter=tap', ...tests];
    const { stdout } = await run(process.execPath, args, { cwd: copy, env });
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThanOrEqual(25);
    expect(stdout).toMatch(/^# fail 0$/m);
  });

  it('closes expired orders from the ops script', async () => {
    const script = ['--import', 'tsx', 'scripts/close-expired.ts'];
    const preview = await run(process.execPath, [...script, '--dry-run'], { cwd: copy, env });
    const done = await run(process.execPath, script, { cwd: copy, env });
    const { expired } = JSON.parse(preview.stdout) as { expired: string[] };
    expect(expired).toHaveLength(2);
    expect(JSON.parse(done.stdout)).toEqual({ closed: expired, releaseFailed: [] });
    await expect(run(process.execPath, [...script, '--nope'], { cwd: copy, env })).rejects.toMatchObject({ code: 2 });
  });
});
