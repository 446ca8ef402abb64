import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readRecord } from '../../src/zhcore/scan/index.js';
import { xihe } from '../support/mall.js';

const SCANNED = '.xihe/knowledge/terms/scanned.yaml';
const RECORD = '.xihe/scan.yaml';
const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function temp(): string {
  const dir = mkdtempSync(join(tmpdir(), 'xihe-scan-'));
  roots.push(dir);
  return dir;
}

/** A repository with two folders of ten classes each. */
function repository(): string {
  const dir = temp();
  execFileSync('git', ['init', '-q'], { cwd: dir });
  const things = '订单 优惠券 购物车 收货地址 会员 积分 退款单 发票 运费模板 库存'.split(' ');
  const names = 'Order Coupon Cart Address Member Points Refund Invoice Freight Stock'.split(' ');
  for (const [folder, prefix, han] of [
    ['shop', 'Shop', '商城'],
    ['desk', 'Desk', '柜台'],
  ] as const) {
    mkdirSync(join(dir, folder));
    for (const [i, name] of names.entries())
      writeFileSync(
        join(dir, folder, `${prefix}${name}.java`),
        `package a;\n/** ${han}${things[i]} */\npublic class ${prefix}${name} {}\n`,
      );
  }
  return dir;
}

/**
 * Loaded before the command line: does something at the n-th moment of a kind that a file of the layer is replaced. What is tested
 * stays the real thing; only the moment is ours.
 */
function atMoment(script: string): Record<string, string> {
  const hook = join(temp(), 'moment.cjs');
  writeFileSync(
    hook,
    `const fs = require('node:fs');
const real = fs.renameSync;
const kill = () => process.kill(process.pid, 'SIGKILL');
const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const isOurs = (to) => /\\.xihe.(?:scan\\.yaml|knowledge.terms.scanned\\.yaml)$/.test(to);
const realSync = fs.fsyncSync;
${script}
require('node:module').syncBuiltinESMExports();
`,
  );
  return { NODE_OPTIONS: `--require ${JSON.stringify(hook)}` };
}

const idsIn = (dir: string) =>
  existsSync(join(dir, SCANNED))
    ? [...readFileSync(join(dir, SCANNED), 'utf8').matchAll(/^- id: (\S+)$/gm)].map((m) => m[1]!)
    : [];
const recorded = (dir: string) => [...readRecord(readFileSync(join(dir, RECORD), 'utf8')).proposed.keys()];
const untracked = (dir: string) =>
  execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: dir, encoding: 'utf8' });

describe('xihe scan --write that is killed', () => {
  it.each([
    ['between its two files', 0],
    ['after both', 1],
  ])('%s loses nothing, and the next run sets it right', async (_name, n) => {
    const dir = repository();
    const env = atMoment(`let n = 0;
fs.renameSync = (from, to) => {
  const now = isOurs(to) && n++ === ${n};
  real(from, to);
  if (now) kill();
};`);
    const killed = await xihe(['scan', '--write', '--repo', dir, '--json'], { env });
    expect(killed.signal, killed.stderr).toBe('SIGKILL');
    expect(untracked(dir)).not.toContain('.tmp');
    const look = await xihe(['scan', '--repo', dir, '--json']);
    expect(look.json.stats.declined).toBe(0);
    const next = await xihe(['scan', '--write', '--repo', dir, '--json']);
    expect(next.code, next.stderr).toBe(0);
    expect(idsIn(dir)).toHaveLength(20);
    expect(recorded(dir).sort()).toEqual(idsIn(dir).sort());
    const again = await xihe(['scan', '--write', '--repo', dir, '--json']);
    expect(again.json).toMatchObject({ written: { added: [] }, stats: { already_written: 20, declined: 0 } });
    expect(readdirSync(join(dir, '.xihe/state')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    // What is set right is as good as what was never broken: a deleted entry stays away, a moved symbol is followed.
    const text = readFileSync(join(dir, SCANNED), 'utf8');
    writeFileSync(join(dir, SCANNED), text.replace(/- id: s-shop-order\n(?: {2}.*\n)+\n?/, ''));
    const declined = await xihe(['scan', '--write', '--repo', dir, '--json']);
    expect(declined.json).toMatchObject({ written: { added: [] }, stats: { declined: 1 } });
  });

  it('while the new content is made leaves no file that git would propose', async () => {
    const dir = repository();
    const killed = await xihe(['scan', '--write', '--repo', dir], { env: atMoment('fs.fsyncSync = kill;') });
    expect(killed.signal).toBe('SIGKILL');
    expect(untracked(dir)).not.toContain('.xihe');
  });
});

describe('two at once', () => {
  it('both keep their entries', async () => {
    const dir = repository();
    const slow = atMoment('fs.renameSync = (from, to) => { if (isOurs(to)) sleep(2500); real(from, to); };');
    const [shop, desk] = await Promise.all([
      xihe(['scan', 'shop', '--write', '--repo', dir, '--json'], { env: slow }),
      xihe(['scan', 'desk', '--write', '--repo', dir, '--json'], { env: slow }),
    ]);
    expect([shop.code, desk.code], shop.stderr + desk.stderr).toEqual([0, 0]);
    expect(idsIn(dir).sort()).toEqual([...shop.json.written.added, ...desk.json.written.added].sort());
    expect(idsIn(dir)).toHaveLength(20);
    expect(recorded(dir).sort()).toEqual(idsIn(dir).sort());
  });

  it('what a person saves meanwhile stays, in both files', async () => {
    const dir = repository();
    await xihe(['scan', 'shop', '--write', '--repo', dir]);
    const env = atMoment(`let n = 0;
fs.fsyncSync = (fd) => {
  realSync(fd);
  n++;
  if (n === 1) fs.appendFileSync(${JSON.stringify(join(dir, SCANNED))}, '\\n- id: mine\\n  keyword_ch: 手写的词\\n  code_symbols: [DeskOrder]\\n');
  if (n === 3) fs.writeFileSync(${JSON.stringify(join(dir, RECORD))}, fs.readFileSync(${JSON.stringify(join(dir, RECORD))}, 'utf8').replace('ignore: []', 'ignore: [首字母]'));
};`);
    const run = await xihe(['scan', 'desk', '--write', '--repo', dir, '--json'], { env });
    expect(run.code, run.stderr).toBe(0);
    expect(idsIn(dir)).toHaveLength(21);
    expect(idsIn(dir)).toContain('mine');
    expect(readFileSync(join(dir, RECORD), 'utf8')).toContain('ignore: [首字母]');
    expect(recorded(dir)).toHaveLength(20);
  });
});
