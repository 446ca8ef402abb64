import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { Changeset, type StagedEdit } from '../../src/sandbox/index.js';
import { decodeText } from '../../src/text/index.js';
import { runChild, seeded, snapshot, tempDir } from './support.js';

/** A project with a few files; returns its root and a state folder outside it. */
function project(files: Record<string, string | Buffer> = {}): { root: string; state: string } {
  const root = tempDir();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return { root, state: tempDir() };
}

const replace = (text: string, old: string, fresh: string) => {
  const start = text.indexOf(old);
  return [{ start, end: start + old.length, text: fresh }];
};

describe('Changeset', () => {
  it('is an overlay: reads see staged edits, the tree does not', () => {
    const { root, state } = project({ 'src/订单.ts': 'a\nb\nc\n', 'old.txt': 'x' });
    const c = Changeset.create(state, root, 't1');
    const before = snapshot(root);
    c.stage({ kind: 'edit', path: 'src/订单.ts', edits: replace('a\nb\nc\n', 'b', '超时') });
    c.stage({ kind: 'write', path: 'src/new/深/a.ts', text: '新\n' });
    c.stage({ kind: 'delete', path: 'old.txt' });
    expect(c.read('src/订单.ts').text).toBe('a\n超时\nc\n');
    expect(c.read('./src/new/深/a.ts')).toMatchObject({ text: '新\n', encoding: 'utf-8', bom: false });
    expect(() => c.read('old.txt')).toThrowError(expect.objectContaining({ code: 'PATH_NOT_FOUND' }));
    expect([
      c.exists('src/订单.ts'),
      c.exists('src/new/深/a.ts'),
      c.exists('old.txt'),
      c.exists('src'),
      c.exists('../x'),
    ]).toEqual([true, true, false, false, false]);
    expect(c.list().map((f) => [f.path, f.change])).toEqual([
      ['old.txt', 'deleted'],
      ['src/new/深/a.ts', 'added'],
      ['src/订单.ts', 'modified'],
    ]);
    expect(snapshot(root)).toEqual(before);
  });

  it('edits on edits, and a file that is back at its old bytes is no change', () => {
    const { root, state } = project({ 'a.txt': 'one two' });
    const c = Changeset.create(state, root);
    c.stage({ kind: 'edit', path: 'a.txt', edits: replace('one two', 'two', 'three') });
    c.stage({ kind: 'edit', path: 'a.txt', edits: replace('one three', 'three', 'four') });
    expect(c.read('a.txt').text).toBe('one four');
    c.stage({ kind: 'write', path: 'a.txt', text: 'one two' });
    expect(c.list()).toEqual([]);
    c.stage({ kind: 'write', path: 'b.txt', text: 'b' });
    c.stage({ kind: 'delete', path: 'b.txt' });
    expect(c.list()).toEqual([]);
    expect(c.diff()).toEqual([]);
  });

  it('stages an act once, by its key, in this process and in others', () => {
    const { root, state } = project({ 'a.txt': 'x' });
    const c = Changeset.create(state, root, 'keys');
    const insert: StagedEdit = { kind: 'edit', path: 'a.txt', edits: [{ start: 0, end: 0, text: '+' }] };
    c.stage(insert, 'call-1');
    c.stage(insert, 'call-1');
    Changeset.open(state, root, 'keys').stage(insert, 'call-1');
    runChild(['stage', state, root, 'keys', [{ edit: insert, key: 'call-1' }]]);
    expect(c.read('a.txt').text).toBe('+x');
    expect([c.hasKey('call-1'), c.hasKey('call-2')]).toEqual([true, false]);
    runChild(['stage', state, root, 'keys', [{ edit: insert, key: 'call-2' }]]);
    expect(c.read('a.txt').text).toBe('++x');
  });

  it.each([
    ['gbk', false, '\r\n'],
    ['gb18030', false, '\n'],
    ['big5', false, '\r\n'],
    ['utf-16le', true, '\r\n'],
    ['utf-16be', true, '\n'],
    ['utf-8', true, '\r\n'],
    ['utf-8', false, '\n'],
  ] as const)('keeps every byte outside an edit: %s, BOM %s, %j', (encoding, bom, eol) => {
    const body =
      encoding === 'big5'
        ? ['註解：訂單', 'int a = 1;', '結算', '']
        : ['注释：订单超时关闭的处理', 'int a = 1;', '结算', ''];
    const bytes = iconv.encode(body.join(eol), encoding, { addBOM: bom });
    const { root, state } = project({ 'a.java': bytes });
    const c = Changeset.create(state, root);
    const text = decodeText(bytes).text;
    c.stage({ kind: 'edit', path: 'a.java', edits: replace(text, '1;', '22;\nint b;') });
    const expected = iconv.encode(body.join(eol).replace('1;', `22;${eol}int b;`), encoding, { addBOM: bom });
    expect(Buffer.from(c.bytes('a.java')!).toString('hex')).toBe(expected.toString('hex'));
    c.stage({ kind: 'write', path: 'a.java', text: `${body[2]}\n一\n` });
    const whole = iconv.encode(`${body[2]}${eol}一${eol}`, encoding, { addBOM: bom });
    expect(Buffer.from(c.bytes('a.java')!).toString('hex')).toBe(whole.toString('hex'));
    expect(c.read('a.java').encoding).toBe(encoding === 'gb18030' ? decodeText(bytes).encoding : encoding);
  });

  it('refuses what an encoding can not hold, and stages nothing then', () => {
    const { root, state } = project({ 'a.txt': iconv.encode('注释：订单超时', 'gbk') });
    const c = Changeset.create(state, root);
    expect(() => c.stage({ kind: 'write', path: 'a.txt', text: '表情 😀 与注释' }, 'k')).toThrowError(
      expect.objectContaining({ code: 'ENCODING_UNMAPPABLE' }),
    );
    expect(c.hasKey('k')).toBe(false);
    expect(c.list()).toEqual([]);
  });

  it('keeps the bytes outside random edits of a mixed file', () => {
    const random = seeded(42);
    const parts = ['订单', 'abc', '\r\n', '\n', '结算', ' ', '关单'];
    for (let round = 0; round < 40; round++) {
      const text = Array.from({ length: 30 }, () => parts[random(parts.length)]).join('');
      const { root, state } = project({ 'a.txt': iconv.encode(text, 'gbk') });
      const c = Changeset.create(state, root);
      const shown = c.read('a.txt');
      const at = random(shown.text.length);
      const end = Math.min(shown.text.length, at + random(3));
      c.stage({ kind: 'edit', path: 'a.txt', edits: [{ start: at, end, text: '改' }] });
      const [head, tail] = [
        iconv.encode(shown.text.slice(0, at), shown.encoding),
        iconv.encode(shown.text.slice(end), shown.encoding),
      ];
      const after = Buffer.from(c.bytes('a.txt')!);
      expect(after.subarray(0, head.length).equals(head)).toBe(true);
      expect(after.subarray(after.length - tail.length).equals(tail)).toBe(true);
    }
  });

  it('refuses paths that lead out, into git or into the state', () => {
    const outside = project({ 'secret.txt': 's' }).root;
    const { root, state } = project({ 'in.txt': 'x', '.git/config': '', '.xihe/state/a.json': '{}', 'dir/file': 'x' });
    symlinkSync(outside, join(root, 'link'));
    symlinkSync(join(outside, 'secret.txt'), join(root, 'secret'));
    symlinkSync(join(outside, 'nothing.txt'), join(root, 'dangling'));
    symlinkSync('in.txt', join(root, 'alias'));
    const c = Changeset.create(state, root);
    const code = (path: string) => {
      try {
        c.stage({ kind: 'write', path, text: 'y' });
        return 'staged';
      } catch (e) {
        return (e as { code: string }).code;
      }
    };
    for (const path of [
      '../x',
      '/etc/passwd',
      'a/../../x',
      'link/secret.txt',
      'link/new.txt',
      'secret',
      'dangling',
      'C:/x',
    ])
      expect([path, code(path)]).toEqual([path, 'PATH_OUTSIDE_PROJECT']);
    for (const path of [
      '',
      '.',
      'a\\b',
      'a\0b',
      '.git/config',
      '.git/hooks/pre-commit',
      '.xihe/state/a.json',
      'in.txt/x',
      'dir',
      'a/',
    ])
      expect([path, code(path)]).toEqual([path, 'PATH_INVALID']);
    // A link inside the project is the file it points to.
    expect(code('alias')).toBe('staged');
    expect(c.list().map((f) => f.path)).toEqual(['in.txt']);
    expect(c.read('in.txt').text).toBe('y');
    expect(() => c.stage({ kind: 'delete', path: 'alias' })).toThrowError(
      expect.objectContaining({ code: 'EDIT_INVALID' }),
    );
  });

  it('refuses a name that is file and folder at once, edits of missing files, binary files as text', () => {
    const { root, state } = project({ 'bin.dat': Buffer.from([0, 1, 2, 0, 255, 0, 3]) });
    const c = Changeset.create(state, root);
    c.stage({ kind: 'write', path: 'a/b', text: '1' });
    expect(() => c.stage({ kind: 'write', path: 'a', text: '1' })).toThrowError(
      expect.objectContaining({ code: 'EDIT_INVALID' }),
    );
    expect(() => c.stage({ kind: 'write', path: 'a/b/c', text: '1' })).toThrowError(
      expect.objectContaining({ code: 'EDIT_INVALID' }),
    );
    expect(() => c.stage({ kind: 'edit', path: 'none', edits: [] })).toThrowError(
      expect.objectContaining({ code: 'PATH_NOT_FOUND' }),
    );
    expect(() => c.stage({ kind: 'delete', path: 'none' })).toThrowError(
      expect.objectContaining({ code: 'PATH_NOT_FOUND' }),
    );
    expect(() => c.stage({ kind: 'write', path: 'bin.dat', text: '1' })).toThrowError(
      expect.objectContaining({ code: 'FILE_BINARY' }),
    );
    c.stage({ kind: 'delete', path: 'bin.dat' });
    expect(c.diff().find((d) => d.path === 'bin.dat')).toMatchObject({ change: 'deleted', removedLines: [] });
    expect(c.diff()[1]!.patch).toContain('Binary files differ');
  });

  it('shows diffs with real line numbers, in Chinese encodings too', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `第${i + 1}行`);
    const { root, state } = project({ 'a.txt': iconv.encode(lines.join('\r\n'), 'gbk'), 'gone.txt': 'x\ny\n' });
    const c = Changeset.create(state, root);
    const text = c.read('a.txt').text;
    c.stage({
      kind: 'edit',
      path: 'a.txt',
      edits: [...replace(text, '第5行', '第五行\r\n插入'), ...replace(text, '第30行\r\n', '')],
    });
    c.stage({ kind: 'delete', path: 'gone.txt' });
    c.stage({ kind: 'write', path: 'new.txt', text: '一\n二' });
    const [a, gone, added] = c.diff();
    expect(a).toMatchObject({
      change: 'modified',
      addedLines: [
        { line: 5, text: '第五行' },
        { line: 6, text: '插入' },
      ],
      removedLines: [
        { line: 5, text: '第5行' },
        { line: 30, text: '第30行' },
      ],
    });
    expect(a!.patch).toMatch(/^--- a\/a\.txt\n\+\+\+ b\/a\.txt\n@@ -2,7 \+2,8 @@\n 第2行/);
    expect(gone!.patch).toBe('--- a/gone.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n');
    expect(added!.patch).toBe(
      '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+一\n+二\n\\ No newline at end of file\n',
    );
  });

  it('diffs a file of which everything changed', () => {
    const old = Array.from({ length: 20_000 }, (_, i) => `old ${i}\n`).join('');
    const { root, state } = project({ 'big.txt': old });
    const c = Changeset.create(state, root);
    c.stage({ kind: 'write', path: 'big.txt', text: Array.from({ length: 15_000 }, (_, i) => `new ${i}\n`).join('') });
    const [d] = c.diff();
    expect([d!.removedLines.length, d!.addedLines.length]).toEqual([20_000, 15_000]);
    expect(d!.addedLines.at(-1)).toEqual({ line: 15_000, text: 'new 14999' });
  });

  it('belongs to one project, and Chinese ids stay apart', () => {
    const a = project();
    const b = project();
    Changeset.create(a.state, a.root, '支付');
    Changeset.create(a.state, a.root, '退款').stage({ kind: 'write', path: 'x', text: '1' });
    expect(Changeset.open(a.state, a.root, '支付').list()).toEqual([]);
    expect(() => Changeset.open(a.state, b.root, '支付')).toThrowError(
      expect.objectContaining({ code: 'CHANGESET_NOT_FOUND' }),
    );
    expect(() => Changeset.open(a.state, a.root, 'none')).toThrowError(
      expect.objectContaining({ code: 'CHANGESET_NOT_FOUND' }),
    );
    Changeset.create(a.state, a.root, '退款').discard();
    expect(Changeset.create(a.state, a.root, '退款').list()).toEqual([]);
  });

  it.each(['stage:after-blob', 'stage:torn-line', 'stage:done'])(
    'kill -9 at %s: the same call again gives the same result',
    (point) => {
      const { root, state } = project({ 'a.txt': iconv.encode('订单 x', 'gbk') });
      const first = { edit: { kind: 'edit', path: 'a.txt', edits: [{ start: 3, end: 3, text: '1' }] }, key: 'k1' };
      const second = { edit: { kind: 'edit', path: 'a.txt', edits: [{ start: 3, end: 3, text: '2' }] }, key: 'k2' };
      runChild(['stage', state, root, 'c', [first]]);
      expect(runChild(['stage', state, root, 'c', [second]], { XIHE_CRASH_AT: point }).signal).toBe('SIGKILL');
      // Reading a torn journal is fine …
      expect(Changeset.open(state, root, 'c').read('a.txt').text).toBe(point === 'stage:done' ? '订单 21x' : '订单 1x');
      // … and so is going on after it, the act that was cut off included.
      runChild(['stage', state, root, 'c', [first, second]]);
      const c = Changeset.open(state, root, 'c');
      expect(c.read('a.txt').text).toBe('订单 21x');
      c.stage({ kind: 'write', path: 'b.txt', text: 'b' }, 'k3');
      expect(
        Changeset.open(state, root, 'c')
          .list()
          .map((f) => f.path),
      ).toEqual(['a.txt', 'b.txt']);
      expect(readFileSync(join(root, 'a.txt'))).toEqual(iconv.encode('订单 x', 'gbk'));
    },
  );

  it('kill -9 between the two lines of a move: the same call again makes one move of it, of the edited bytes', () => {
    const { root, state } = project({ 'a/订单.txt': iconv.encode('订单 x\r\n', 'gbk') });
    const edit = {
      edit: { kind: 'edit', path: 'a/订单.txt', edits: [{ start: 3, end: 3, text: '单' }] },
      key: 'k1',
    };
    const move = { edit: { kind: 'move', path: 'a/订单.txt', to: 'b/订单.txt' }, key: 'k2' };
    const half = runChild(['stage', state, root, 'c', [edit, move]], { XIHE_CRASH_AT: 'stage:move-half' });
    expect(half.signal).toBe('SIGKILL');
    expect(Changeset.open(state, root, 'c').list()).toMatchObject([
      { path: 'a/订单.txt', change: 'modified' },
      { path: 'b/订单.txt', change: 'added' },
    ]);
    for (let again = 0; again < 2; again++) runChild(['stage', state, root, 'c', [edit, move]]);
    const c = Changeset.open(state, root, 'c');
    expect(c.list()).toMatchObject([
      { path: 'a/订单.txt', change: 'deleted' },
      { path: 'b/订单.txt', change: 'added' },
    ]);
    c.apply();
    expect(existsSync(join(root, 'a/订单.txt'))).toBe(false);
    expect(readFileSync(join(root, 'b/订单.txt'))).toEqual(iconv.encode('订单 单x\r\n', 'gbk'));
  });

  it('says so when its journal is damaged in the middle', () => {
    const { root, state } = project();
    const c = Changeset.create(state, root, 'c');
    c.stage({ kind: 'write', path: 'a', text: '1' });
    appendFileSync(join(state, 'changesets/c/journal.jsonl'), 'garbage\n{"path":"x","after":null}\n');
    expect(() => Changeset.open(state, root, 'c')).toThrowError(
      expect.objectContaining({ code: 'CHANGESET_NOT_FOUND' }),
    );
  });

  it('keeps modes and gives new files the usual one', () => {
    const { root, state } = project({ 'run.sh': '#!/bin/sh\n' });
    chmodSync(join(root, 'run.sh'), 0o750);
    const c = Changeset.create(state, root);
    c.stage({ kind: 'write', path: 'run.sh', text: '#!/bin/sh\necho 1\n' });
    expect(c.list()).toMatchObject([{ mode: 0o750 }]);
    expect(existsSync(join(root, 'run.sh'))).toBe(true);
  });
});

describe('a state folder that can not be written', () => {
  const stage = (state: string, root: string) => {
    const c = Changeset.create(state, root, 'c');
    c.stage({ kind: 'write', path: 'a.txt', text: '1' });
    return c;
  };

  it.each(['locks', 'changesets', 'receipts', 'changesets/c'])(
    'a file where %s should be is said, not a fault of ours',
    (name) => {
      const state = tempDir();
      const root = tempDir();
      mkdirSync(dirname(join(state, name)), { recursive: true });
      writeFileSync(join(state, name), '');
      try {
        stage(state, root).apply();
        expect.unreachable();
      } catch (e) {
        expect(e).toMatchObject({ code: 'STATE_UNWRITABLE', message: expect.stringContaining(state) });
      }
      expect(existsSync(join(root, 'a.txt'))).toBe(false);
    },
  );
});
