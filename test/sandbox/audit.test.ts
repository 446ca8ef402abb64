import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AuditEntry, AuditLog } from '../../src/sandbox/index.js';
import { runChild, runChildren, seeded, tempDir } from './support.js';

const entry = (what: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  at: '2026-01-01T00:00:00Z',
  who: '小王',
  what,
  args: { 原因: '重启' },
  result: 'ok',
  durationMs: 1,
  thread: 't1',
  ...more,
});

/** A log of `count` entries. */
function logOf(count: number, maxBytes?: number, keep?: number) {
  const state = tempDir();
  const log = new AuditLog(state, { ...(maxBytes ? { maxBytes } : {}), ...(keep ? { keep } : {}) });
  for (let i = 1; i <= count; i++) log.append(entry(`w${i}`));
  const dir = join(state, 'audit');
  return { state, log, dir, file: join(dir, 'audit.jsonl') };
}

const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n');
const write = (file: string, lines: string[]) => writeFileSync(file, `${lines.join('\n')}\n`);
const filesOf = (dir: string) =>
  readdirSync(dir)
    .filter((n) => n.endsWith('.jsonl'))
    .sort();

describe('the chain of the audit log', () => {
  it('holds, over rotations and processes that append at once', async () => {
    const state = tempDir();
    await runChildren(['甲', '乙'].map((name) => ['audit', state, name, 150, 20_000]));
    const log = new AuditLog(state);
    expect(log.check()).toMatchObject({ ok: true, links: 300, unchained: 0, notes: [], end: { seq: 300 } });
    expect(filesOf(join(state, 'audit')).length).toBeGreaterThan(3);
  });

  it('is whole when there is no log, and when there is one line', () => {
    expect(logOf(0).log.check()).toEqual({ ok: true, links: 0, unchained: 0, notes: [] });
    expect(logOf(1).log.check()).toMatchObject({ ok: true, links: 1 });
  });

  it('finds any random edit, removal, copy or swap of lines, in any file', () => {
    const random = seeded(7);
    const { dir, log } = logOf(14, 1_300);
    const whole = readdirSync(dir).map((name) => [join(dir, name), readFileSync(join(dir, name))] as const);
    const files = filesOf(dir);
    expect(files.length).toBeGreaterThan(2);
    for (let round = 0; round < 300; round++) {
      rmSync(dir, { recursive: true });
      mkdirSync(dir);
      for (const [file, bytes] of whole) writeFileSync(file, bytes);
      expect([round, log.check().ok]).toEqual([round, true]);
      const name = files[random(files.length)]!;
      const file = join(dir, name);
      const lines = linesOf(file);
      const at = random(lines.length);
      const other = (at + 1 + random(Math.max(1, lines.length - 1))) % lines.length;
      const kind = ['edit', 'remove', 'copy', 'swap', 'byte', 'file'][random(6)]!;
      if (kind === 'edit') lines[at] = lines[at]!.replace('小王', '小张');
      if (kind === 'remove') lines.splice(at, 1);
      if (kind === 'copy') lines.splice(at, 0, lines[other]!);
      if (kind === 'swap') {
        if (at === other) continue;
        [lines[at], lines[other]] = [lines[other]!, lines[at]!];
      }
      if (kind === 'byte') {
        const bytes = Buffer.from(lines[at]!);
        const i = random(bytes.length);
        bytes[i] = bytes[i]! ^ 1;
        const changed = Buffer.concat([
          Buffer.from(
            lines
              .slice(0, at)
              .map((l) => `${l}\n`)
              .join(''),
          ),
          bytes,
          Buffer.from(
            `\n${lines
              .slice(at + 1)
              .map((l) => `${l}\n`)
              .join('')}`,
          ),
        ]);
        writeFileSync(file, changed);
      } else if (kind === 'file' || lines.length === 0) rmSync(file);
      else write(file, lines);
      const found = log.check();
      expect([round, kind, name, found.ok]).toEqual([round, kind, name, false]);
      if (kind === 'edit' || kind === 'byte') expect(found.broken).toMatchObject({ file: name });
      // An entry that comes after does not make it whole again.
      log.append(entry('later'));
      expect([round, kind, log.check().ok]).toEqual([round, kind, false]);
    }
  }, 60_000);

  it('names the line and what happened to it', () => {
    const breakOf = (change: (lines: string[]) => string[]) => {
      const { log, file } = logOf(6);
      write(file, change(linesOf(file)));
      const { kind, line } = log.check().broken!;
      return [kind, line];
    };
    expect(breakOf((l) => l.with(2, l[2]!.replace('"ok"', '"no"')))).toEqual(['changed', 3]);
    expect(breakOf((l) => l.toSpliced(2, 1))).toEqual(['removed', 3]);
    expect(breakOf((l) => l.toSpliced(0, 2))).toEqual(['removed', 1]);
    expect(breakOf((l) => l.toSpliced(3, 0, JSON.stringify(entry('neu'))))).toEqual(['inserted', 4]);
    expect(breakOf((l) => l.toSpliced(4, 0, l[1]!))).toEqual(['inserted', 5]);
    expect(breakOf((l) => [l[0]!, l[2]!, l[1]!, ...l.slice(3)])).toEqual(['moved', 2]);
    expect(breakOf((l) => l.slice(0, -2))).toEqual(['cut', 4]);
    expect(breakOf((l) => l.with(5, 'x'))).toEqual(['cut', 6]);
  });

  it('finds a line that was made anew with a right hash of its own', async () => {
    const { chainedLine, readLine } = await import('../../src/sandbox/auditChain.js');
    const { log, file } = logOf(5);
    const lines = linesOf(file);
    const read = readLine(Buffer.from(lines[2]!).toString('latin1'));
    if (read.kind !== 'link') throw new Error('no link');
    const { hash: _, seq, prev, ...rest } = read.entry;
    write(file, lines.with(2, chainedLine({ ...rest, who: '别人' }, { seq, prev }).line));
    expect(log.check().broken).toMatchObject({ kind: 'changed', line: 3 });
    write(file, [...lines.slice(0, 4), chainedLine({ ...rest, who: '别人' }, { seq: 5, prev: 'x' }).line]);
    expect(log.check().ok).toBe(false);
  });

  it('notices that the note of its end is gone or can not be read, also after the next entry', () => {
    const { log, dir } = logOf(3);
    rmSync(join(dir, 'head.json'));
    expect(log.check().broken).toMatchObject({ kind: 'head' });
    log.append(entry('later'));
    expect(log.check().broken).toMatchObject({ kind: 'head', line: 4 });
    const other = logOf(3);
    writeFileSync(join(other.dir, 'head.json'), '{');
    expect(other.log.check().broken).toMatchObject({ kind: 'head', file: 'head.json' });
  });

  it('keeps a cut visible after later entries', () => {
    const { log, file } = logOf(6);
    write(file, linesOf(file).slice(0, 4));
    log.append(entry('later'));
    expect(log.check().broken).toMatchObject({ kind: 'removed', line: 5, reason: '这一行前面少了第 5 到 6 条' });
    const half = logOf(6);
    writeFileSync(half.file, readFileSync(half.file, 'utf8').slice(0, -20));
    expect(half.log.check().broken).toMatchObject({ kind: 'cut', line: 6, reason: expect.stringContaining('半行') });
    half.log.append(entry('later'));
    expect(half.log.check().ok).toBe(false);
  });

  it('compares with an end that was kept elsewhere: a chain made anew is another one', () => {
    const { log, dir } = logOf(4);
    const end = log.check().end!;
    log.append(entry('w5'));
    expect(log.check(end).ok).toBe(true);
    rmSync(dir, { recursive: true });
    for (let i = 0; i < 6; i++) log.append(entry('forged'));
    expect(log.check().ok).toBe(true);
    expect(log.check(end).broken).toMatchObject({ kind: 'anchor', line: 4 });
    rmSync(dir, { recursive: true });
    log.append(entry('forged'));
    expect(log.check(end).broken).toMatchObject({ kind: 'anchor' });
  });
});

describe('a log from before there was a chain', () => {
  const plain = (what: string) => JSON.stringify(entry(what));

  it('is an unchained beginning; what comes after it is chained to its last line', () => {
    const state = tempDir();
    const dir = join(state, 'audit');
    mkdirSync(dir);
    write(join(dir, 'audit.000001.jsonl'), [plain('a'), '{"torn', plain('b')]);
    write(join(dir, 'audit.jsonl'), [plain('c')]);
    const log = new AuditLog(state);
    expect(log.check()).toMatchObject({ ok: true, links: 0, unchained: 4 });
    log.append(entry('d'));
    log.append(entry('e'));
    expect(log.check()).toMatchObject({ ok: true, links: 2, unchained: 4 });
    expect(log.recent(9).map((e) => e.what)).toEqual(['a', 'b', 'c', 'd', 'e']);
    const file = join(dir, 'audit.jsonl');
    const lines = linesOf(file);
    write(file, [plain('x'), ...lines.slice(1)]);
    expect(log.check().broken).toMatchObject({ kind: 'changed', line: 1 });
    write(file, [...lines, plain('x')]);
    expect(log.check().broken).toMatchObject({ kind: 'inserted', line: 4 });
    // Stripped of its hashes it is no beginning: the note of the end knows better.
    write(file, [plain('c'), plain('d'), plain('e')]);
    expect(log.check().broken).toMatchObject({ kind: 'cut' });
  });
});

describe('a crash', () => {
  it('in the middle of a line is no tampering, before and after the next entry', () => {
    for (const bytes of [1, 40, 90]) {
      const { log, file } = logOf(3);
      const before = readFileSync(file, 'utf8');
      log.append(entry('killed'));
      const added = readFileSync(file).subarray(Buffer.byteLength(before));
      // What a process leaves that dies in its write: some first bytes, here through a Chinese character as well.
      const again = logOf(3);
      appendFileSync(again.file, added.subarray(0, bytes));
      expect(again.log.check()).toMatchObject({
        ok: true,
        links: 3,
        notes: [expect.stringContaining(':4 是进程中断')],
      });
      again.log.append(entry('next'));
      expect(again.log.check()).toMatchObject({
        ok: true,
        links: 4,
        notes: [expect.stringContaining(':4 是进程中断')],
      });
      // The half line is part of the chain: whoever changes it is found.
      const all = readFileSync(again.file);
      const start = Buffer.byteLength(linesOf(again.file).slice(0, 3).join('\n')) + 1;
      all[start + bytes - 1] = all[start + bytes - 1]! ^ 1;
      writeFileSync(again.file, all);
      expect(again.log.check().broken).toMatchObject({ kind: 'changed', line: 4 });
    }
  });

  it('by SIGKILL between the line and the note of the end loses nothing', () => {
    const { state, log } = logOf(2);
    for (let i = 3; i <= 5; i++) {
      expect(runChild(['audit', state, '甲', 1, 5_000_000], { XIHE_CRASH_AT: 'audit:written' }).signal).toBe('SIGKILL');
      expect(log.check()).toMatchObject({ ok: true, links: i, notes: [expect.stringContaining('进程中断')] });
    }
    log.append(entry('next'));
    expect(log.check()).toMatchObject({ ok: true, links: 6, notes: [] });
  });

  it('by SIGKILL in the middle of a write leaves half a line that the chain takes in', () => {
    const { state, log } = logOf(2);
    expect(runChild(['audit', state, '甲', 1, 5_000_000], { XIHE_CRASH_AT: 'audit:half' }).signal).toBe('SIGKILL');
    expect(log.check()).toMatchObject({ ok: true, links: 2, notes: [expect.stringContaining('半行')] });
    log.append(entry('next'));
    expect(log.check()).toMatchObject({ ok: true, links: 3 });
    expect(log.recent(9).map((e) => e.what)).toEqual(['w1', 'w2', 'next']);
  });

  it('half a line is still known after the log was set aside', () => {
    const { state, log, file, dir } = logOf(2);
    appendFileSync(file, '{"at":"2026');
    new AuditLog(state, { maxBytes: 100 }).append(entry('next'));
    expect(filesOf(dir)).toHaveLength(2);
    expect(log.check()).toMatchObject({ ok: true, links: 3, notes: [expect.stringContaining('audit.000001.jsonl:3')] });
  });
});

describe('old logs that are removed by age', () => {
  it('are no break; logs that somebody removes are', () => {
    const { log, dir } = logOf(60, 1_300, 3);
    const found = log.check();
    expect(found).toMatchObject({ ok: true, end: { seq: 60 } });
    expect(found.links).toBeLessThan(30);
    expect(log.check({ seq: 1, hash: 'x' }).notes).toEqual([expect.stringContaining('没法比')]);
    rmSync(join(dir, filesOf(dir)[0]!));
    expect(log.check().broken).toMatchObject({ kind: 'removed', line: 1 });
  });
});

describe('find', () => {
  it('by thread, tool and day, with what a run is called', () => {
    const state = tempDir();
    const log = new AuditLog(state, { maxBytes: 1_000 });
    for (let i = 0; i < 20; i++)
      log.append(
        entry(i % 2 ? 'odd' : 'even', { thread: `t${i % 3}`, at: `2026-01-${10 + i}T08:00:00Z`, trace: 'r1' }),
      );
    expect(log.find({ limit: 3, tool: 'odd' }).map((e) => e.at.slice(8, 10))).toEqual(['25', '27', '29']);
    expect(log.find({ limit: 99, thread: 't1' })).toHaveLength(7);
    expect(log.find({ limit: 99, since: new Date('2026-01-28') })).toHaveLength(2);
    expect(log.find({ limit: 1 })[0]).toEqual(entry('odd', { thread: 't1', at: '2026-01-29T08:00:00Z', trace: 'r1' }));
  });
});
