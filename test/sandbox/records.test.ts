import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  AuditLog,
  maskSecrets,
  maskText,
  SideEffectLedger,
  withAsyncFileLock,
  withFileLock,
} from '../../src/sandbox/index.js';
import { runChild, runChildren, tempDir } from './support.js';

describe('withFileLock', () => {
  it('lets one in at a time, across processes', async () => {
    const dir = tempDir();
    const file = join(dir, 'trace');
    const out = await runChildren(Array.from({ length: 6 }, () => ['lock', join(dir, 'locks/a'), file, 40]));
    expect(out.map((o) => o.trim())).toEqual(Array(6).fill('null'));
    expect(readFileSync(file, 'utf8')).toBe('<>'.repeat(240));
  });

  it('takes over from a process that was killed, one of many at once', async () => {
    const dir = tempDir();
    for (let round = 0; round < 3; round++) {
      const file = join(dir, `trace${round}`);
      expect(runChild(['lock-and-die', join(dir, 'a')]).signal).toBe('SIGKILL');
      await runChildren(Array.from({ length: 5 }, () => ['lock', join(dir, 'a'), file, 10]));
      expect(readFileSync(file, 'utf8')).toBe('<>'.repeat(50));
    }
    // Old numbers are cleared away.
    expect(readdirSync(dir).filter((n) => n.startsWith('a.'))).toHaveLength(1);
  });

  it('gives up with LOCK_BUSY, is free again after an error, and holds through a promise', async () => {
    const path = join(tempDir(), 'l');
    withFileLock(path, () => {
      expect(() => withFileLock(path, () => 1, { waitMs: 0 })).toThrowError(
        expect.objectContaining({ code: 'LOCK_BUSY' }),
      );
    });
    expect(() =>
      withFileLock(path, () => {
        throw new Error('inside');
      }),
    ).toThrow('inside');
    expect(withFileLock(path, () => 2, { waitMs: 0 })).toBe(2);
    const order: string[] = [];
    const slow = withAsyncFileLock(path, async () => {
      await new Promise((r) => setTimeout(r, 50));
      order.push('slow');
    });
    await expect(withAsyncFileLock(path, async () => 0, { waitMs: 0 })).rejects.toMatchObject({ code: 'LOCK_BUSY' });
    await Promise.all([slow, withAsyncFileLock(path, async () => order.push('next'))]);
    expect(order).toEqual(['slow', 'next']);
    await expect(withAsyncFileLock(path, async () => Promise.reject(new Error('later')))).rejects.toThrow('later');
    expect(withFileLock(path, () => 3, { waitMs: 0 })).toBe(3);
  });

  it('masks a value whose name stands in a Chinese sentence, and leaves the sentence', () => {
    expect(maskText('已回滚，token=abcd1234efgh。完成')).toBe('已回滚，token=***。完成');
    expect(maskText('令牌token=abcd1234efgh')).not.toContain('abcd1234');
    expect(maskText('（password=hunter2secret9）好')).toBe('（password=***）好');
  });

  it('respects a lock of another machine, and one that was half written a moment ago', () => {
    const path = join(tempDir(), 'l');
    writeFileSync(`${path}.1`, JSON.stringify({ pid: 1, start: 5, host: `not-${hostname()}/x/y` }));
    expect(() => withFileLock(path, () => 1, { waitMs: 0 })).toThrowError(
      expect.objectContaining({ code: 'LOCK_BUSY' }),
    );
    writeFileSync(`${path}.2`, '');
    expect(() => withFileLock(path, () => 1, { waitMs: 0 })).toThrowError(
      expect.objectContaining({ code: 'LOCK_BUSY' }),
    );
  });
});

describe('masking', () => {
  it.each([
    ['curl -H "Authorization: Bearer abcdef123456" https://x', 'abcdef123456'],
    ['export OPENAI_API_KEY=sk-proj-abcdefgh12345678', 'abcdefgh12345678'],
    ['mysql --password hunter2 -u root', 'hunter2'],
    ['mysql --password=hunter2', 'hunter2'],
    ['git clone https://user:hunter2@example.com/a.git', 'hunter2'],
    ['{"api_key": "hunter2-x", "a": 1}', 'hunter2-x'],
    ['https://qyapi.example.com/cgi-bin/webhook/send?key=693a91f6-7xxx', '693a91f6'],
    ['ghp_abcdefghijklmnopqrstuvwxyz0123', 'ghp_abcdef'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'c2lnbmF0dXJl'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', 'MIIE'],
    ['access_token=abc; x', 'abc'],
    ['DB_PASSWORD: 密码一二三', '密码一二三'],
  ])('hides the secret in %s', (text, secret) => {
    expect(maskText(text)).not.toContain(secret);
    expect(maskText(text)).toContain('***');
  });

  it('hides values by their names, keeps counts and plain text', () => {
    expect(
      maskSecrets({
        apiKey: 'a',
        token: 'b',
        user: { password: 'c', tokens: 1200 },
        list: ['Bearer abcdefghij'],
        text: '订单 token 数',
        authorization: { x: 1 },
        secretCount: 3,
      }),
    ).toEqual({
      apiKey: '***',
      token: '***',
      user: { password: '***', tokens: 1200 },
      list: ['Bearer ***'],
      text: '订单 token 数',
      authorization: '***',
      secretCount: 3,
    });
    for (const plain of ['npm test', 'git log --oneline -5', 'src/auth/token.ts', '关单 keyword: 超时', 'sk-1'])
      expect(maskText(plain)).toBe(plain);
  });
});

describe('masking of long texts', () => {
  // Each took minutes to hours while an open run was read again from each of its characters.
  it.each([
    ['dashes', '-', 400_000],
    ['words with dashes', 'ab-', 130_000],
    ['beginnings of keys', 'eyJ-', 40_000],
    ['secret words', '-token', 60_000],
    ['spaces after a secret word', ' ', 400_000],
    ['beginnings of private keys', '-----BEGIN ', 40_000],
    ['addresses', '://a:', 80_000],
  ])('reads %s once', (_name, part, times) => {
    const text = `--token${part.repeat(times)}`;
    expect(maskText(`${text} password=hunter2`)).not.toContain('hunter2');
  });

  it('hides names of any usual length, and keeps words that only look like one', () => {
    expect(maskText(`${'x_'.repeat(90)}token=abc --${'y-'.repeat(90)}api-key abc`)).not.toContain('abc');
    expect(maskText('this.token = next; api-key abc; retoken abc')).toBe('this.token = next; api-key abc; retoken abc');
  });
});

describe('AuditLog', () => {
  const entry = (what: string) => ({
    at: '2026-01-01T00:00:00Z',
    who: '小王',
    what,
    args: {},
    result: 'ok',
    durationMs: 1,
    thread: 't1',
  });

  it('writes JSON lines, masked and cut, and reads them back', () => {
    const state = tempDir();
    const log = new AuditLog(state);
    log.append({
      ...entry('run_command'),
      args: { command: 'curl --token abcdef', long: '长'.repeat(5_000), password: 'p' },
    });
    const lines = readFileSync(join(state, 'audit/audit.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    const [read] = log.recent(5);
    expect(read).toMatchObject({
      who: '小王',
      what: 'run_command',
      thread: 't1',
      args: { command: 'curl --token ***', password: '***' },
    });
    expect((read!.args as { long: string }).long).toMatch(/^长{2000}…（共 5000 字符）$/u);
  });

  it('cuts long values before it masks them, and leaks nothing at the cut', () => {
    const log = new AuditLog(tempDir());
    const loop: Record<string, unknown> = { text: `${'x '.repeat(7_000)}password=${'s'.repeat(9_000)}` };
    loop.self = loop;
    log.append({ ...entry('w'), args: { loop, dashes: '-'.repeat(5_000_000), early: `token=${'s'.repeat(20_000)}` } });
    const args = log.recent(1)[0]!.args as Record<string, unknown>;
    expect(args).toMatchObject({
      loop: { text: expect.stringMatching(/^(x ){1000}…（共 23009 字符）$/), self: '[循环引用]' },
      dashes: `${'-'.repeat(2_000)}…（共 5000000 字符）`,
    });
    expect(args.early).toBe('token=***\n…（共 20006 字符）');
  });

  it('goes on after a torn line', () => {
    const state = tempDir();
    const log = new AuditLog(state);
    log.append(entry('a'));
    appendFileSync(join(state, 'audit/audit.jsonl'), '{"at":"2026","who":"torn');
    log.append(entry('b'));
    expect(log.recent(10).map((e) => e.what)).toEqual(['a', 'b']);
  });

  it('loses nothing when several processes append and rotate', async () => {
    const state = tempDir();
    await runChildren(['甲', '乙', '丙'].map((name) => ['audit', state, name, 200, 20_000]));
    const all = new AuditLog(state).recent(10_000);
    expect(all).toHaveLength(600);
    for (const name of ['甲', '乙', '丙']) {
      expect(all.filter((e) => e.who === name).map((e) => (e.args as { i: number }).i)).toEqual(
        Array.from({ length: 200 }, (_, i) => i),
      );
    }
    expect(readdirSync(join(state, 'audit')).filter((n) => /^audit\.\d+\.jsonl$/.test(n)).length).toBeGreaterThan(3);
  });

  it('keeps only so many old logs', () => {
    const state = tempDir();
    const log = new AuditLog(state, { maxBytes: 200, keep: 2 });
    for (let i = 0; i < 20; i++) log.append(entry(`w${i}`));
    expect(readdirSync(join(state, 'audit')).filter((n) => n.endsWith('.jsonl'))).toHaveLength(3);
    expect(log.recent(1)[0]!.what).toBe('w19');
  });

  it('says when it can not write', () => {
    const state = tempDir();
    writeFileSync(join(state, 'audit'), 'a file in the way');
    expect(() => new AuditLog(state).append(entry('x'))).toThrowError(
      expect.objectContaining({ code: 'STATE_UNWRITABLE' }),
    );
  });
});

describe('SideEffectLedger', () => {
  const effect = {
    thread: 't1',
    step: 's1',
    what: '重启 order',
    args: { service: 'order', options: { force: true, wait: 3 } },
  };

  it('new, then done with its result; the order of keys does not matter', () => {
    const ledger = new SideEffectLedger(tempDir());
    const begun = ledger.begin(effect);
    expect(begun.state).toBe('new');
    expect(ledger.begin(effect)).toMatchObject({ state: 'open', what: '重启 order' });
    ledger.close(begun.key, { text: '好了' });
    const again = {
      what: '重启 order',
      args: { options: { wait: 3, force: true }, service: 'order' },
      step: 's1',
      thread: 't1',
    };
    expect(ledger.begin(again)).toMatchObject({ state: 'done', result: { text: '好了' }, key: begun.key });
    for (const other of [
      { ...effect, thread: 't2' },
      { ...effect, step: 's2' },
      { ...effect, what: 'x' },
      { ...effect, args: { service: 'pay' } },
    ]) {
      expect(ledger.begin(other).state).toBe('new');
    }
    expect(ledger.openEntries('t1')).toHaveLength(3);
    expect(ledger.openEntries()).toHaveLength(4);
  });

  it('an act that surely did not happen may begin anew; closing what was never begun is an error', () => {
    const ledger = new SideEffectLedger(tempDir());
    const { key } = ledger.begin(effect);
    ledger.abandon(key);
    expect(ledger.begin(effect).state).toBe('new');
    expect(() => ledger.close('0123', {})).toThrowError(expect.objectContaining({ code: 'USAGE' }));
  });

  it('of many processes at once one acts', async () => {
    const state = tempDir();
    const acts = join(state, 'acts');
    const out = await runChildren(Array.from({ length: 8 }, () => ['effect', state, effect, acts]));
    expect(out.filter((o) => o.includes('"new"'))).toHaveLength(1);
    expect(readFileSync(acts, 'utf8')).toBe('x');
  });

  it.each([
    ['effect:begun', '', 'open'],
    ['effect:acted', 'x', 'open'],
  ])('kill -9 at %s: never acted on again by itself', (point, acted, state) => {
    const dir = tempDir();
    const acts = join(dir, 'acts');
    expect(runChild(['effect', dir, effect, acts], { XIHE_CRASH_AT: point }).signal).toBe('SIGKILL');
    expect(runChild(['effect', dir, effect, acts]).out).toContain(state);
    expect(existsSync(acts) ? readFileSync(acts, 'utf8') : '').toBe(acted);
    expect(new SideEffectLedger(dir).openEntries()).toMatchObject([{ thread: 't1', step: 's1', what: '重启 order' }]);
  });

  it('keeps no secrets', () => {
    const dir = tempDir();
    const acts = join(dir, 'acts');
    runChild(['effect', dir, { ...effect, args: { token: 'very-secret', command: 'x --password hunter2' } }, acts]);
    const [file] = readdirSync(join(dir, 'side-effects'));
    const text = readFileSync(join(dir, 'side-effects', file!), 'utf8');
    for (const secret of ['very-secret', 'hunter2', 'sk-abcdefghijkl']) expect(text).not.toContain(secret);
  });

  it('keeps no numbers and addresses of people, in arguments and results', () => {
    const dir = tempDir();
    const ledger = new SideEffectLedger(dir);
    const { key } = ledger.begin({ ...effect, args: { to: 'wang@example.com', note: '客户 13800138000' } });
    ledger.close(key, { text: '已通知 13900139000，密码是 Tr0ub4dor3x' });
    const text = readFileSync(join(dir, 'side-effects', `${key}.json`), 'utf8');
    for (const secret of ['wang@', '13800138000', '13900139000', 'Tr0ub4dor3x']) expect(text).not.toContain(secret);
    expect(ledger.entries()[0]).toMatchObject({ result: { text: expect.stringContaining('已通知 ***') } });
  });

  it('half an entry counts as open', () => {
    const dir = tempDir();
    const ledger = new SideEffectLedger(dir);
    const { key } = ledger.begin(effect);
    writeFileSync(join(dir, 'side-effects', `${key}.json`), '{"key":');
    expect(ledger.begin(effect).state).toBe('open');
    mkdirSync(join(dir, 'side-effects'), { recursive: true });
    expect(ledger.openEntries()).toHaveLength(1);
  });
});
