import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { lintJson } from '../../src/cli/schemas/lint.js';
import { scanJson } from '../../src/cli/schemas/scan.js';
import { xihe } from '../support/mall.js';

const roots: string[] = [];
const closed: string[] = [];
afterEach(() => {
  for (const path of closed.splice(0)) chmodSync(path, 0o755);
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function project(files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'xihe-scan-'));
  roots.push(dir);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

/** Nobody, who may not read what is closed; a usual user is one already. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, env: { HOME: tmpdir() } } : {};

function giveAway(dir: string): void {
  if (!('uid' in NOBODY)) return;
  chownSync(dir, 65534, 65534);
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) chownSync(join(dir, name), 65534, 65534);
}

const JAVA = (name: string, han: string) => `package a;\n/** ${han} */\npublic class ${name} {}\n`;
const TERMS = `- id: refund
  keyword_ch: 退款
  code_symbols: [RefundDesk]
  status: verified
  source: repo://src/refund/RefundDesk.java#L3
  reviewed_at: 2026-11-01
- id: said
  keyword_ch: 退款单
  code_symbols: [RefundBill]
  status: verified
  source: 业务部门口头
  reviewed_at: 2026-11-01
- id: lost
  keyword_ch: 发票
  code_symbols: [InvoiceDesk]
  status: verified
  source: repo://src/order/Order.java#L3
  reviewed_at: 2026-11-01
`;

describe.skipIf(process.platform === 'win32')('what can not be read', () => {
  it.each([
    ['a folder, with git', true, 'src/refund', 0o000],
    ['a folder, without git', false, 'src/refund', 0o000],
    ['a folder that lists its files only', false, 'src/refund', 0o444],
    ['a folder that git does not know', 'untracked', 'src/refund', 0o000],
    ['a file', true, 'src/refund/RefundDesk.java', 0o000],
  ] as const)('makes no statement: %s', async (_name, git, path, mode) => {
    const dir = project({
      'src/refund/RefundDesk.java': JAVA('RefundDesk', '退款台'),
      'src/refund/RefundBill.java': path.endsWith('.java') ? '' : JAVA('RefundBill', '退款单'),
      'src/order/Order.java': JAVA('Order', '订单'),
      '.xihe/knowledge/terms/own.yaml': TERMS,
    });
    giveAway(dir);
    const gitAs = (...args: string[]) => execFileSync('git', args, { cwd: dir, ...NOBODY, stdio: 'ignore' });
    if (git !== false) gitAs('init', '-q');
    if (git === true) gitAs('add', '.');
    chmodSync(join(dir, path), mode);
    closed.push(join(dir, path));
    const run = await xihe(['scan', '--repo', dir, '--json'], NOBODY);
    expect(run.code, run.stderr).toBe(0);
    expect(scanJson.parse(run.json)).toEqual(run.json);
    expect(run.json.gone.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['InvoiceDesk']);
    expect(run.json.stats).toMatchObject({ unreadable: [path], unchecked: 2 });
    expect(run.json.stats.skipped).toContainEqual({ reason: 'unreadable', files: 1, example: path });
    const text = await xihe(['scan', '--repo', dir], NOBODY);
    expect(text.stdout).toContain(`读不了：${path}`);
    const lint = await xihe(['lint', '--repo', dir, '--json'], NOBODY);
    expect(lintJson.parse(lint.json)).toEqual(lint.json);
    const dead = lint.json.findings.filter(({ rule }: { rule: string }) => rule === 'XL201');
    expect(dead.map(({ entry_id }: { entry_id: string }) => entry_id)).toEqual(['lost']);
    const stale = await xihe(['stale', '--repo', dir, '--json'], NOBODY);
    const gone = stale.json.entries.filter(({ state }: { state: string }) => state === 'gone');
    expect(gone.map(({ id }: { id: string }) => id)).toEqual(['lost']);
  });
});

describe('what people see', () => {
  it('keeps each place on its line, whatever a file is called', async () => {
    const dir = project({ 'src/bad\nname\u001b[31m.java': JAVA('Order', '订单') });
    const run = await xihe(['scan', '--repo', dir]);
    expect(run.stdout).toContain('     src/bad\\u{a}name\\u{1b}[31m.java:3  注释「订单」\n');
  });

  it('is why nothing was read, with an example and how to read it', async () => {
    const dir = project({
      'examples/my shop/Order.java': JAVA('Order', '订单'),
      'docs/order.md': '# 订单\n',
      'node.lock': '',
    });
    const run = await xihe(['scan', '--repo', dir]);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('一个文件都没有读：');
    expect(run.stdout).toContain('- 测试和示例 1 个，如 examples/my shop/Order.java');
    expect(run.stdout).toContain('- 文档和样式 1 个，如 docs/order.md');
    expect(run.stdout).toContain("xihe scan 'examples/my shop'");
    const named = await xihe(['scan', 'examples/my shop', '--repo', dir, '--json']);
    expect(named.json.proposals).toMatchObject([{ keyword_ch: '订单' }]);
  });
});
