import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import {
  Changeset,
  conflictFiles,
  fileHistory,
  forkChangeset,
  hasMarks,
  mergeForks,
  takeSolutions,
} from '../../src/sandbox/index.js';
import { mergeLines } from '../../src/sandbox/mergeLines.js';
import { decodeText, type Encoding } from '../../src/text/index.js';
import { seeded, tempDir } from './support.js';

const bytes = (text: string, encoding: Encoding = 'utf-8') =>
  encoding === 'utf-16be'
    ? Buffer.from(iconv.encode(text, 'utf-16le')).swap16()
    : iconv.encode(text, encoding === 'utf-8' ? 'utf8' : encoding);
const side = (name: string, text: string | Uint8Array) => ({
  name,
  bytes: typeof text === 'string' ? bytes(text) : text,
});
const text = (merged: { bytes: Uint8Array }) => Buffer.from(merged.bytes).toString('utf8');

describe('merging versions of one file', () => {
  const base = bytes('一\n二\n三\n四\n五\n');

  it('takes changes to different lines, and the same change once', () => {
    const a = side('a', '一\n二改\n三\n四\n五\n');
    const b = side('b', '一\n二改\n三\n四\n五改\n六\n');
    expect(mergeLines(base, [a, b], 'utf-8')).toMatchObject({ clean: true });
    expect(text(mergeLines(base, [a, b], 'utf-8'))).toBe('一\n二改\n三\n四\n五改\n六\n');
  });

  it('marks lines that were changed differently, and lines that meet', () => {
    const merged = mergeLines(base, [side('a', '一\n甲\n三\n四\n五\n'), side('b', '一\n乙\n三\n四\n五改\n')], 'utf-8');
    expect(merged.clean).toBe(false);
    expect(text(merged)).toBe(
      '一\n<<<<<<< xihe a\n甲\n||||||| xihe base\n二\n======= xihe b\n乙\n>>>>>>> xihe\n三\n四\n五改\n',
    );
    expect(hasMarks(text(merged))).toBe(true);
    const meeting = mergeLines(base, [side('a', '一\n甲\n三\n四\n五\n'), side('b', '一\n二\n乙\n四\n五\n')], 'utf-8');
    expect(meeting.clean).toBe(false);
    // Marks of the user's own are no conflict of ours.
    expect(hasMarks('<<<<<<< HEAD\n=======\n>>>>>>> main\n标题\n=======\n')).toBe(false);
  });

  it('two new files of one name agree where their texts do', () => {
    const empty = new Uint8Array(0);
    expect(mergeLines(empty, [side('a', 'x\n'), side('b', 'x\n')], 'utf-8').clean).toBe(true);
    expect(mergeLines(empty, [side('a', 'x\n'), side('b', 'y')], 'utf-8').clean).toBe(false);
  });

  it('keeps bytes that the encoding cannot read, mixed line ends and the missing last one', () => {
    const odd = Buffer.from([0xff, 0xfe, 0x80]);
    const make = (first: string, last: string) =>
      Buffer.concat([bytes(`${first}\r\n`, 'gbk'), odd, bytes(`\n中\r三\n尾\r\n${last}`, 'gbk')]);
    const merged = mergeLines(make('一', '终'), [side('a', make('壹', '终')), side('b', make('一', '完'))], 'gbk');
    expect(merged.clean).toBe(true);
    expect(Buffer.compare(merged.bytes, make('壹', '完'))).toBe(0);
  });

  const ENCODINGS: Encoding[] = ['utf-8', 'gbk', 'gb18030', 'big5', 'utf-16le', 'utf-16be'];
  it.each(ENCODINGS)('%s: disjoint edits give the same bytes in every order, and nothing else changes', (encoding) => {
    const pick = seeded(7);
    let edits = 0;
    const ends = ['\n', '\r\n', '\r'];
    for (let round = 0; round < 120; round++) {
      const lines = Array.from(
        { length: 8 + pick(30) },
        (_, i) => `行${i}文${pick(4)}${ends[pick(round % 3 === 0 ? 3 : 1)]}`,
      );
      const cut = (one: string[]) => bytes(one.join(''), encoding);
      // Every third line may be edited, by one of three; the lines between stay, and all lines differ.
      const owner = lines.map((_, i) => (i % 3 === 1 && pick(3) > 0 ? pick(3) : -1));
      const edited = lines.map((line, i) => {
        if (owner[i] === -1) return line;
        return [`改${i}\n`, '', `前${i}\n${line}`, `${line}后${i}\r\n`][pick(4)]!;
      });
      const versions = [0, 1, 2].map((who) =>
        side(`p${who}`, cut(lines.map((line, i) => (owner[i] === who ? edited[i]! : line)))),
      );
      const all = cut(edited);
      edits += owner.filter((who) => who >= 0).length;
      for (const order of [
        [0, 1, 2],
        [2, 1, 0],
        [1, 2, 0],
        [1, 0, 2],
      ]) {
        const merged = mergeLines(
          cut(lines),
          order.map((i) => versions[i]!),
          encoding,
        );
        expect(merged.clean).toBe(true);
        expect(Buffer.compare(merged.bytes, all)).toBe(0);
      }
    }
    expect(edits).toBeGreaterThan(300);
  });
});

describe('merging forks of a changeset', () => {
  const setup = (files: Record<string, string | Buffer>) => {
    const root = tempDir();
    const state = tempDir();
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    const main = Changeset.create(state, root, 'main');
    const fork = (name: string, files?: Parameters<typeof forkChangeset>[4]) => {
      forkChangeset(state, root, 'main', name, files);
      return Changeset.open(state, root, name);
    };
    const merge = (...names: string[]) =>
      mergeForks(
        state,
        'main',
        names.map((name) => ({ name, id: name })),
        'r1',
      );
    return { root, state, main, fork, merge };
  };
  const replace = (changeset: Changeset, path: string, search: string, text: string, key: string) => {
    const start = changeset.read(path).text.indexOf(search);
    changeset.stage({ kind: 'edit', path, edits: [{ start, end: start + search.length, text }] }, key);
  };
  const lines = (path: string, { state }: { state: string }) => fileHistory(state, 'main', path).map(({ key }) => key);

  it('GBK with CRLF: hunks of two forks and what was staged before, byte by byte, each under its call', () => {
    const gbk = iconv.encode('一\r\n二\r\n三\r\n四\r\n五\r\n', 'gbk');
    const at = setup({ 'a.txt': gbk });
    replace(at.main, 'a.txt', '三', '三！', 'm');
    const [a, b] = [at.fork('a'), at.fork('b')];
    expect(a.read('a.txt').text).toContain('三！');
    replace(a, 'a.txt', '一', '壹', 'call');
    replace(b, 'a.txt', '五', '伍', 'call');
    expect(at.main.read('a.txt').text).not.toContain('壹');
    expect(at.merge('a', 'b')).toEqual({ files: ['a.txt'], conflicts: [] });
    at.main.apply();
    expect(
      Buffer.compare(readFileSync(join(at.root, 'a.txt')), iconv.encode('壹\r\n二\r\n三！\r\n四\r\n伍\r\n', 'gbk')),
    ).toBe(0);
    expect(lines('a.txt', at).slice(0, 4)).toEqual([null, 'm', 'a/call', 'b/call']);
  });

  it('a merge that runs again stages nothing twice; a fork that is made again stays as it is', () => {
    const at = setup({ 'a.txt': 'a\nb\nc\n' });
    const a = at.fork('a');
    replace(a, 'a.txt', 'a', 'A', '1');
    expect(at.fork('a').read('a.txt').text).toBe('A\nb\nc\n');
    at.merge('a');
    const once = lines('a.txt', at);
    expect(at.merge('a')).toEqual({ files: ['a.txt'], conflicts: [] });
    expect(lines('a.txt', at)).toEqual(once);
  });

  it('what the user changed meanwhile is noticed when it is written', () => {
    const at = setup({ 'a.txt': 'a\n' });
    replace(at.fork('a'), 'a.txt', 'a', 'A', '1');
    writeFileSync(join(at.root, 'a.txt'), 'user\n');
    at.merge('a');
    expect(() => at.main.apply()).toThrowError(expect.objectContaining({ code: 'CHANGESET_CONFLICT' }));
    expect(readFileSync(join(at.root, 'a.txt'), 'utf8')).toBe('user\n');
  });

  it('conflicts of every kind leave the file as it was; the rest is merged', () => {
    const at = setup({ 'text.txt': 'x\n', 'gone.txt': 'x\n', 'moved.txt': 'x\n', 'twice.txt': 'x\n', 'ok.txt': 'x\n' });
    const [a, b] = [at.fork('a'), at.fork('b')];
    replace(a, 'text.txt', 'x', 'a', '1');
    replace(b, 'text.txt', 'x', 'b', '1');
    a.stage({ kind: 'delete', path: 'gone.txt' }, '2');
    replace(b, 'gone.txt', 'x', 'y\nz', '2');
    a.stage({ kind: 'move', path: 'moved.txt', to: 'new/moved.txt' }, '3');
    replace(b, 'moved.txt', 'x', 'y', '3');
    a.stage({ kind: 'move', path: 'twice.txt', to: 'one.txt' }, '4');
    b.stage({ kind: 'move', path: 'twice.txt', to: 'two.txt' }, '4');
    a.stage({ kind: 'write', path: 'fresh.txt', text: 'a\n' }, '5');
    b.stage({ kind: 'write', path: 'fresh.txt', text: 'b\n' }, '5');
    a.stage({ kind: 'write', path: 'name', text: 'a file\n' }, '6');
    b.stage({ kind: 'write', path: 'name/inside.txt', text: 'in a folder\n' }, '6');
    a.stage({ kind: 'delete', path: 'ok.txt' }, '7');
    b.stage({ kind: 'delete', path: 'ok.txt' }, '7');
    const { files, conflicts } = at.merge('a', 'b');
    expect(files).toEqual(['ok.txt']);
    expect(conflicts.map(({ path, kind, paths }) => [path, kind, paths.length])).toEqual([
      ['fresh.txt', 'added', 1],
      ['gone.txt', 'deleted', 1],
      ['moved.txt', 'moved', 2],
      ['name', 'place', 2],
      ['text.txt', 'text', 1],
      ['twice.txt', 'moved', 3],
    ]);
    expect(conflicts[1]!.sides.map(({ name, lines }) => [name, lines])).toEqual([
      ['a', 1],
      ['b', 3],
    ]);
    expect(at.main.list().map(({ path, change }) => [path, change])).toEqual([['ok.txt', 'deleted']]);
    for (const conflict of conflicts) {
      const given = conflictFiles(at.state, conflict);
      if (conflict.kind === 'place') expect(given).toBeUndefined();
      else expect(hasMarks(decodeText([...given!.values()][0]!.bytes!).text)).toBe(true);
    }
  });

  it('a solution is taken when its marks are gone, and only then', () => {
    const at = setup({ 'a.txt': 'x\n', 'b.txt': 'x\n' });
    for (const name of ['a', 'b']) {
      const fork = at.fork(name);
      replace(fork, 'a.txt', 'x', name, '1');
      replace(fork, 'b.txt', 'x', name, '2');
    }
    const { conflicts } = at.merge('a', 'b');
    const given = new Map(conflicts.flatMap((one) => [...conflictFiles(at.state, one)!]));
    const fix = at.fork('fix', given);
    const take = () => takeSolutions(at.state, 'main', { name: 'fix', id: 'fix' }, conflicts, 'r2');
    expect(take().open).toHaveLength(2);
    fix.stage({ kind: 'write', path: 'a.txt', text: 'a 和 b\n' }, 'c1');
    replace(fix, 'b.txt', 'xihe base', 'xihe 底', 'c2');
    expect(take().open.map(({ path }) => path)).toEqual(['b.txt']);
    expect(at.main.read('a.txt').text).toBe('a 和 b\n');
    expect(at.main.read('b.txt').text).toBe('x\n');
    expect(lines('a.txt', at)).toEqual([null, 'fix/c1']);
  });
});
