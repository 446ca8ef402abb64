import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditCheckJson, auditJson } from '../../src/cli/schemas/audit.js';
import { AuditLog } from '../../src/sandbox/index.js';
import { xiheHere as run } from '../support/mallHere.js';

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-audit-')));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const file = join(dir, '.xihe/state/audit/audit.jsonl');

const xihe = (...args: string[]) => run(['audit', ...args], { cwd: dir });

describe('xihe audit', () => {
  beforeAll(() => {
    const log = new AuditLog(join(dir, '.xihe/state'));
    const at = ['2026-11-01T08:00:00.000Z', '2026-11-20T08:00:00.000Z', '2026-11-20T09:00:00.000Z'];
    const who = '小王';
    const base = { who, result: 'ok', durationMs: 1_250, trace: 'r7' };
    log.append({ ...base, at: at[0]!, what: 'read_file', args: { path: 'a.ts' }, thread: 't1' });
    log.append({
      ...base,
      at: at[1]!,
      what: 'restart',
      args: { password: 'geheim' },
      thread: 't2',
      result: 'COMMAND_FAILED',
    });
    log.append({ ...base, at: at[2]!, what: 'read_file', args: { path: '\u001b[2J\n.ts' }, thread: 't2' });
  });

  it('tells who did what, masked, for people and programs', async () => {
    const { stdout: out, code } = await xihe();
    expect(code).toBe(0);
    expect(out).toContain('2026-11-20 08:00:00  小王  restart  COMMAND_FAILED  1.3 秒  会话 t2，追踪 r7');
    expect(out).not.toMatch(/geheim|\u001b/);
    const { entries } = auditJson.parse((await xihe('--json')).json);
    expect(entries.map((e) => [e.what, e.trace, e.duration_ms])).toEqual([
      ['read_file', 'r7', 1250],
      ['restart', 'r7', 1250],
      ['read_file', 'r7', 1250],
    ]);
  });

  it('picks by thread, tool, day and number', async () => {
    const whats = async (...args: string[]) =>
      auditJson.parse((await xihe('--json', ...args)).json).entries.map((e) => `${e.thread} ${e.what}`);
    expect(await whats('--thread', 't2')).toEqual(['t2 restart', 't2 read_file']);
    expect(await whats('--tool', 'read_file', '--limit', '1')).toEqual(['t2 read_file']);
    expect(await whats('--since', '2026-11-10', '--tool', 'read_file')).toEqual(['t2 read_file']);
    expect((await xihe('--tool', 'nothing')).stdout).toContain('没有这样的记录');
  });

  it('refuses what is no day and no number', async () => {
    for (const args of [
      ['--since', '2026-02-31'],
      ['--limit', '0'],
      ['--anchor', '1:x'],
      ['--anchor', `1:${'0'.repeat(64)}`],
    ])
      expect([args, (await xihe(...args)).code]).toEqual([args, 2]);
  });

  it('checks the chain, and against an end that was kept', async () => {
    const { ok, end, links } = auditCheckJson.parse((await xihe('--check', '--json')).json);
    expect([ok, links, end?.seq]).toEqual([true, 3, 3]);
    expect((await xihe('--check')).stdout).toMatch(/✓ 审计日志是完整的：3 条首尾相接\n {2}链尾 3:[0-9a-f]{64}/);
    expect((await xihe('--check', '--anchor', `3:${end!.hash}`)).code).toBe(0);
    expect((await xihe('--check', '--anchor', `3:${'0'.repeat(64)}`)).stdout).toContain('整条重写过');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, whole.replace('COMMAND_FAILED', 'ok'));
    const broken = await xihe('--check');
    expect([broken.code, broken.stdout]).toEqual([1, expect.stringContaining(`断在 ${file}:2：这一行被改过`)]);
    expect(auditCheckJson.parse((await xihe('--check', '--json')).json).broken).toMatchObject({ line: 2, file });
    writeFileSync(file, whole);
    expect((await xihe('--check')).code).toBe(0);
  });
});
