import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { Changeset, listReceipts, pruneSandboxState, type Receipt, undo } from '../../src/sandbox/index.js';
import { runChild, runChildren, snapshot, tempDir } from './support.js';

const OLD = {
  'src/a.txt': iconv.encode('订单\r\n结算', 'gbk'),
  'src/gone.txt': 'gone',
  'run.sh': '#!/bin/sh\n',
  '保留.txt': '不动',
};

/** A project, and a changeset that changes, adds (in new folders), and deletes. */
function staged(id = 'c1'): {
  root: string;
  state: string;
  c: Changeset;
  before: Record<string, string>;
  after: Record<string, string>;
} {
  const root = tempDir();
  const state = tempDir();
  for (const [path, content] of Object.entries(OLD)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  chmodSync(join(root, 'run.sh'), 0o755);
  const c = Changeset.create(state, root, id);
  const before = snapshot(root);
  c.stage({ kind: 'edit', path: 'src/a.txt', edits: [{ start: 0, end: 2, text: '退款' }] });
  c.stage({ kind: 'write', path: 'run.sh', text: '#!/bin/sh\necho 1\n' });
  c.stage({ kind: 'write', path: 'docs/新/说明.md', text: '# 说明\n' });
  c.stage({ kind: 'delete', path: 'src/gone.txt' });
  const after: Record<string, string> = {
    ...before,
    'src/a.txt': iconv.encode('退款\r\n结算', 'gbk').toString('hex'),
    'run.sh': Buffer.from('#!/bin/sh\necho 1\n').toString('hex'),
    docs: 'dir',
    'docs/新': 'dir',
    'docs/新/说明.md': Buffer.from('# 说明\n').toString('hex'),
  };
  delete after['src/gone.txt'];
  return { root, state, c, before, after };
}

const receiptOf = (out: string) => JSON.parse(out.trim().split('\n').at(-1)!) as Receipt & { error?: string };

describe('apply and undo', () => {
  it('keeps the mode that a file has when it is written, not when it was staged, also through an undo', () => {
    const { root, state, c } = staged();
    const mode = (path: string) => statSync(join(root, path)).mode & 0o7777;
    chmodSync(join(root, 'src/a.txt'), 0o711);
    chmodSync(join(root, 'src/gone.txt'), 0o600);
    chmodSync(join(root, 'run.sh'), 0o700);
    c.apply();
    expect([mode('src/a.txt'), mode('run.sh')]).toEqual([0o711, 0o700]);
    chmodSync(join(root, 'run.sh'), 0o750);
    undo(state, root);
    expect([mode('src/a.txt'), mode('src/gone.txt'), mode('run.sh')]).toEqual([0o711, 0o600, 0o750]);
  });

  it('writes all, keeps modes, gives the same receipt twice, and takes back the exact bytes', () => {
    const { root, state, c, before, after } = staged();
    const receipt = c.apply();
    expect(receipt).toMatchObject({ changesetId: 'c1', state: 'applied' });
    expect(receipt.files.map((f) => [f.path, f.before === null, f.after === null])).toEqual([
      ['docs/新/说明.md', true, false],
      ['run.sh', false, false],
      ['src/a.txt', false, false],
      ['src/gone.txt', false, true],
    ]);
    expect(snapshot(root)).toEqual(after);
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(c.apply()).toEqual(receipt);
    expect(listReceipts(state)).toEqual([receipt]);
    expect(undo(state, root).state).toBe('undone');
    expect(snapshot(root)).toEqual(before);
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(undo(state, root, receipt.id).state).toBe('undone');
    expect(() => undo(state, root)).toThrowError(expect.objectContaining({ code: 'RECEIPT_NOT_FOUND' }));
    expect(() => c.apply()).toThrowError(expect.objectContaining({ code: 'APPLY_FAILED' }));
    expect(snapshot(root)).toEqual(before);
  });

  it('an applied changeset takes no more edits, and is undone by its own id too', () => {
    const { root, state, c, before } = staged();
    c.apply();
    expect(() => c.stage({ kind: 'write', path: 'x', text: '' })).toThrowError(
      expect.objectContaining({ code: 'EDIT_INVALID' }),
    );
    c.discard();
    undo(state, root, 'c1');
    expect(snapshot(root)).toEqual(before);
  });

  const CHANGES: Record<string, (root: string) => void> = {
    changed: (root) => writeFileSync(join(root, 'src/a.txt'), '用户改了'),
    deleted: (root) => rmSync(join(root, 'run.sh')),
    created(root) {
      mkdirSync(join(root, 'docs/新'), { recursive: true });
      writeFileSync(join(root, 'docs/新/说明.md'), '用户的');
    },
    'replaced by a folder': (root) => {
      rmSync(join(root, 'src/gone.txt'));
      mkdirSync(join(root, 'src/gone.txt'));
    },
    'led away by a link': (root) => {
      rmSync(join(root, 'src'), { recursive: true });
      symlinkSync(tempDir(), join(root, 'src'));
    },
  };

  it.each(Object.entries(CHANGES))(
    'a file that the user has %s meanwhile: refused, nothing written',
    (_what, change) => {
      const { root, state, c } = staged();
      change(root);
      const now = snapshot(root);
      expect(() => c.apply()).toThrowError(expect.objectContaining({ code: 'CHANGESET_CONFLICT' }));
      expect(snapshot(root)).toEqual(now);
      expect(listReceipts(state)).toEqual([]);
    },
  );

  it('names the files of a conflict', () => {
    const { root, c } = staged();
    writeFileSync(join(root, 'src/a.txt'), 'x');
    expect(() => c.apply()).toThrowError(/src\/a\.txt/);
    // Put back as it was, it can be applied.
    writeFileSync(join(root, 'src/a.txt'), OLD['src/a.txt']);
    expect(c.apply().state).toBe('applied');
  });

  it('refuses to undo over later work, and leaves it alone', () => {
    const { root, state, c } = staged();
    c.apply();
    writeFileSync(join(root, 'run.sh'), 'later');
    const now = snapshot(root);
    expect(() => undo(state, root)).toThrowError(
      expect.objectContaining({ code: 'UNDO_CONFLICT', message: expect.stringContaining('run.sh') }),
    );
    expect(snapshot(root)).toEqual(now);
    expect(listReceipts(state)[0]!.state).toBe('applied');
  });

  it('undo keeps what others put into a folder that we made', () => {
    const { root, state, c } = staged();
    c.apply();
    writeFileSync(join(root, 'docs/他人.md'), 'x');
    undo(state, root);
    expect(existsSync(join(root, 'docs/他人.md'))).toBe(true);
    expect(existsSync(join(root, 'docs/新'))).toBe(false);
  });

  it('undoes step by step, newest first', () => {
    const { root, state, c, after, before } = staged();
    c.apply();
    const next = Changeset.create(state, root, 'c2');
    next.stage({ kind: 'write', path: 'run.sh', text: '2' });
    next.apply();
    expect(() => undo(state, root, 'c1')).toThrowError(expect.objectContaining({ code: 'UNDO_CONFLICT' }));
    expect(undo(state, root).changesetId).toBe('c2');
    expect(snapshot(root)).toEqual(after);
    expect(undo(state, root).changesetId).toBe('c1');
    expect(snapshot(root)).toEqual(before);
  });

  const APPLY_POINTS = [
    'apply:before-receipt',
    'apply:after-receipt',
    'apply:after-temps',
    'apply:after-first-rename',
    'apply:after-renames',
    'apply:before-done',
  ];
  const UNDO_POINTS = [
    'undo:after-receipt',
    'undo:after-temps',
    'undo:after-first-rename',
    'undo:after-renames',
    'undo:before-done',
  ];

  it.each(APPLY_POINTS)('kill -9 at %s: apply again carries it to its end, once', (point) => {
    const { root, state, after, before } = staged();
    expect(runChild(['apply', state, root, 'c1'], { XIHE_CRASH_AT: point }).signal).toBe('SIGKILL');
    const between = snapshot(root);
    for (const path of Object.keys(OLD)) expect([before[path], after[path]]).toContain(between[path]);
    const receipt = receiptOf(runChild(['apply', state, root, 'c1']).out);
    expect(receipt.state).toBe('applied');
    expect(snapshot(root)).toEqual(after);
    expect(receiptOf(runChild(['apply', state, root, 'c1']).out)).toEqual(receipt);
    expect(listReceipts(state)).toHaveLength(1);
    undo(state, root);
    expect(snapshot(root)).toEqual(before);
  });

  it.each(APPLY_POINTS.slice(1))(
    'kill -9 at %s, then the user edits a file: what was written is taken back',
    (point) => {
      const { root, state, c, before } = staged();
      runChild(['apply', state, root, 'c1'], { XIHE_CRASH_AT: point });
      writeFileSync(join(root, 'run.sh'), 'user');
      expect(() => c.apply()).toThrowError(expect.objectContaining({ code: 'CHANGESET_CONFLICT' }));
      expect(snapshot(root)).toEqual({ ...before, 'run.sh': Buffer.from('user').toString('hex') });
      expect(listReceipts(state)[0]!.state).toBe('rolled-back');
      writeFileSync(join(root, 'run.sh'), OLD['run.sh']);
      expect(c.apply().state).toBe('applied');
    },
  );

  it.each(UNDO_POINTS)('kill -9 at %s: undo again carries it to its end, and goes no further', (point) => {
    const { root, state, c, before } = staged();
    const earlier = Changeset.create(state, root, 'c0');
    earlier.stage({ kind: 'write', path: '保留.txt', text: '早先的修改' });
    earlier.apply();
    c.apply();
    expect(runChild(['undo', state, root, null], { XIHE_CRASH_AT: point }).signal).toBe('SIGKILL');
    const receipt = receiptOf(runChild(['undo', state, root, null]).out);
    expect(receipt).toMatchObject({ changesetId: 'c1', state: 'undone' });
    expect(snapshot(root)).toEqual({ ...before, '保留.txt': Buffer.from('早先的修改').toString('hex') });
  });

  it('kill -9 in an undo, then the user edits a file: the rest is put back as applied', () => {
    const { root, state, c, after } = staged();
    c.apply();
    runChild(['undo', state, root, null], { XIHE_CRASH_AT: 'undo:after-first-rename' });
    writeFileSync(join(root, 'run.sh'), 'user');
    expect(() => undo(state, root)).toThrowError(expect.objectContaining({ code: 'UNDO_CONFLICT' }));
    expect(snapshot(root)).toEqual({ ...after, 'run.sh': Buffer.from('user').toString('hex') });
    expect(listReceipts(state)[0]!.state).toBe('applied');
  });

  it.each(['apply:after-temps', 'apply:after-first-rename', 'apply:after-renames'])(
    'a full disk at %s: all is taken back',
    (point) => {
      const { root, state, before, after } = staged();
      const failed = runChild(['apply', state, root, 'c1'], { XIHE_FAIL_AT: point });
      expect(receiptOf(failed.out).error).toBe('APPLY_FAILED');
      expect(snapshot(root)).toEqual(before);
      expect(receiptOf(runChild(['apply', state, root, 'c1']).out).state).toBe('applied');
      expect(snapshot(root)).toEqual(after);
    },
  );

  it('kill -9 while taking back after a full disk: the next apply still ends in one version', () => {
    const { root, state, after } = staged();
    runChild(['apply', state, root, 'c1'], {
      XIHE_FAIL_AT: 'apply:after-first-rename',
      XIHE_CRASH_AT: 'rollback:after-temps',
    });
    expect(receiptOf(runChild(['apply', state, root, 'c1']).out).state).toBe('applied');
    expect(snapshot(root)).toEqual(after);
  });

  it.each(['undo:after-temps', 'undo:after-first-rename', 'undo:after-renames'])(
    'a full disk at %s: the tree stays as applied',
    (point) => {
      const { root, state, c, before, after } = staged();
      c.apply();
      expect(receiptOf(runChild(['undo', state, root, null], { XIHE_FAIL_AT: point }).out).error).toBe('APPLY_FAILED');
      expect(snapshot(root)).toEqual(after);
      undo(state, root);
      expect(snapshot(root)).toEqual(before);
    },
  );

  it('another changeset, or an undo, first finishes what a crash has left half done', () => {
    const { root, state, after } = staged();
    runChild(['apply', state, root, 'c1'], { XIHE_CRASH_AT: 'apply:after-first-rename' });
    const other = Changeset.create(state, root, 'other');
    other.stage({ kind: 'write', path: 'other.txt', text: 'o' });
    other.apply();
    expect(snapshot(root)).toEqual({ ...after, 'other.txt': Buffer.from('o').toString('hex') });
    expect(listReceipts(state).map((r) => [r.changesetId, r.state])).toEqual([
      ['other', 'applied'],
      ['c1', 'applied'],
    ]);
  });

  it('two processes apply at once: both when they touch different files, one when they touch the same', async () => {
    const root = tempDir();
    const state = tempDir();
    writeFileSync(join(root, 'shared.txt'), '0');
    for (const id of ['p', 'q', 'r', 's']) {
      const c = Changeset.create(state, root, id);
      c.stage({ kind: 'write', path: `${id}.txt`, text: id });
      if (id === 'p' || id === 'q') c.stage({ kind: 'write', path: 'shared.txt', text: id });
    }
    const results = await runChildren(['p', 'q', 'r', 's'].map((id) => ['apply', state, root, id]));
    const outcome = results.map((out) => receiptOf(out).error ?? receiptOf(out).state);
    expect(outcome.slice(0, 2).sort()).toEqual(['CHANGESET_CONFLICT', 'applied']);
    expect(outcome.slice(2)).toEqual(['applied', 'applied']);
    const winner = outcome[0] === 'applied' ? 'p' : 'q';
    expect(readFileSync(join(root, 'shared.txt'), 'utf8')).toBe(winner);
    expect(readdirSync(root).sort()).toEqual([`${winner}.txt`, 'r.txt', 's.txt', 'shared.txt'].sort());
  });

  it('applies an empty changeset', () => {
    const root = tempDir();
    expect(Changeset.create(tempDir(), root).apply()).toMatchObject({ state: 'applied', files: [] });
  });

  it('does not touch what is not its own project', () => {
    const { state, c } = staged();
    c.apply();
    expect(() => undo(state, tempDir())).toThrowError(expect.objectContaining({ code: 'RECEIPT_NOT_FOUND' }));
  });
});

describe('pruneSandboxState', () => {
  it('keeps the newest, the protected and the pending', () => {
    const root = tempDir();
    const state = tempDir();
    for (let i = 0; i < 6; i++) {
      const c = Changeset.create(state, root, `c${i}`);
      c.stage({ kind: 'write', path: `f${i}`, text: String(i) });
      if (i === 0) runChild(['apply', state, root, 'c0'], { XIHE_CRASH_AT: 'apply:after-receipt' });
      else if (i > 1) c.apply();
      // c0 was finished by the first apply after it; make it pending again.
      if (i === 5) {
        const file = join(state, 'receipts/r-c0/receipt.json');
        writeFileSync(file, readFileSync(file, 'utf8').replace('"applied"', '"applying"'));
      }
    }
    expect(pruneSandboxState(state, { keep: 2, protect: ['c1'] })).toEqual({ changesets: 2, receipts: 2 });
    expect(readdirSync(join(state, 'changesets')).sort()).toEqual(['c0', 'c1', 'c4', 'c5']);
    expect(listReceipts(state).map((r) => r.changesetId)).toEqual(['c5', 'c4', 'c0']);
    undo(state, root, 'c5');
    expect(existsSync(join(root, 'f5'))).toBe(false);
  });
});
