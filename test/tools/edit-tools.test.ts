import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeText } from '../../src/text/index.js';
import { editFile } from '../../src/tools/builtin/edit-file.js';
import { moveFile } from '../../src/tools/builtin/move-file.js';
import { deleteFile, writeFile } from '../../src/tools/builtin/write-file.js';
import { type Bench, openBench } from './support.js';

let bench: Bench;
afterEach(() => bench.close());

const gbk = (text: string) =>
  encodeText(text, { text: '', encoding: 'gbk', bom: false, eol: 'none', finalNewline: false });
const edit = (path: string, search: string, replace: string) =>
  bench.call(editFile, { path, edits: [{ search, replace }] });

describe('edit_file', () => {
  it('changes a GBK file with CRLF and no final newline at its place, and refuses what GBK can not hold', async () => {
    const text = '// 超时关单\r\nint minutes = 30;  \r\n// 结束';
    bench = await openBench({ 'a.c': gbk(text) });
    const done = await edit('a.c', '// 超时关单\nint minutes = 30;', '// 超时关单：十五分钟\nint minutes = 15;');
    expect(done.ok).toBe(true);
    expect(done.text).toContain('换行符');
    const bytes = Buffer.from(bench.changeset.bytes('a.c')!);
    expect(bytes.equals(gbk('// 超时关单：十五分钟\r\nint minutes = 15;  \r\n// 结束'))).toBe(true);
    const refused = await edit('a.c', '// 结束', '// 结束 😀');
    expect(refused).toMatchObject({ ok: false, code: 'ENCODING_UNMAPPABLE' });
    expect(Buffer.from(bench.changeset.bytes('a.c')!).equals(bytes)).toBe(true);
  });

  it('is all or nothing a file', async () => {
    bench = await openBench({ 'a.ts': 'const a = 1;\nconst b = 2;\n' });
    const edits = [
      { search: 'const a = 1;', replace: 'const a = 9;' },
      { search: 'const bb = 2;', replace: 'const b = 9;' },
    ];
    const missed = await bench.call(editFile, { path: 'a.ts', edits });
    expect(missed).toMatchObject({ ok: false, code: 'EDIT_NOT_FOUND' });
    expect(missed.text).toContain('2\tconst b = 2;');
    expect(bench.changeset.list()).toEqual([]);
  });

  it('tells new syntax errors with their line, also after a later edit that is sound, until they are mended', async () => {
    bench = await openBench({ 'a.ts': 'export function a() {\n  return 1;\n}\nexport const b = 2;\n' });
    const broken = await edit('a.ts', '  return 1;\n}', '  return 1;');
    expect(broken.text).toMatch(/语法错误（修改之前没有）[\s\S]*第 \d+ 行/);
    expect((await edit('a.ts', 'b = 2', 'b = 3')).text).toContain('语法错误');
    expect((await edit('a.ts', '  return 1;', '  return 1;\n}')).text).not.toContain('语法错误');
  });

  it.each([
    ['that was broken before', 'a.ts', 'const = ;\nconst b = 1;\n', 'const b = 1;', 'const b = {;'],
    ['without a parser', 'a.rb', 'def a\n  1\nend\n', '  1', '  (1'],
    ['with template marks', 'a.py', 'x = 1\n', 'x = 1', 'x = 1\n{% if a %}\ny = 2\n{% endif %}'],
    ['with holes of a generator', 'a.ts', 'export const a = 1;\n', '1;', '1;\nexport class {{ name }} {}'],
    [
      'of Vue with types in an attribute',
      'a.vue',
      '<script setup lang="ts" generic="T extends Foo<string>">\nconst a = 1;\n</script>\n<template><p>{{ a }}</p></template>\n',
      'const a = 1;',
      'const a = 2;',
    ],
  ])('says nothing about a file %s', async (_what, path, text, search, replace) => {
    bench = await openBench({ [path]: text });
    const done = await edit(path, search, replace);
    expect(done.ok).toBe(true);
    expect(done.text).not.toContain('语法');
  });

  it('finds an error in the script of a Vue file, at its line in the file', async () => {
    bench = await openBench({
      'a.vue': '<template><p>{{ a }}</p></template>\n<script setup lang="ts">\nconst a = 1;\n</script>\n',
    });
    expect((await edit('a.vue', 'const a = 1;', 'const a = (1;')).text).toContain('第 3 行');
  });
});

describe('move_file', () => {
  it('keeps every byte and lists importers with what to write, and what the file itself imports', async () => {
    bench = await openBench({
      'src/utils/money.ts': "import { cents } from './cents.js';\nexport const yuan = (n: number) => cents(n);\n",
      'src/utils/cents.ts': 'export const cents = (n: number) => n * 100;\n',
      'src/order/order.ts': "import { yuan } from '../utils/money.js';\nexport const total = yuan(1);\n",
      'src/web/page.ts':
        "import { yuan } from '../utils/money';\nimport { total } from '../order/order.js';\nvoid [yuan, total];\n",
      'src/web/alias.ts': "import { yuan } from '@/utils/money';\nvoid yuan;\n",
    });
    bench.changeset.stage({
      kind: 'write',
      path: 'src/new.ts',
      text: "export { yuan } from './utils/money.js';\n",
    });
    const moved = await bench.call(moveFile, { path: 'src/utils/money.ts', to: 'src/common/money/index.ts' });
    expect(moved.text).toContain(
      "src/new.ts:1　export { yuan } from './utils/money.js';　→ 引用写成 './common/money/index.js'",
    );
    expect(moved.text).toContain(
      "src/order/order.ts:1　import { yuan } from '../utils/money.js';　→ 引用写成 '../common/money/index.js'",
    );
    expect(moved.text).toContain("→ 引用写成 '../common/money/index'");
    expect(moved.text).toContain("→ 引用写成 '@/common/money/index'");
    expect(moved.text).toContain(
      "src/common/money/index.ts:1　import { cents } from './cents.js';　→ 引用写成 '../../utils/cents.js'",
    );
    expect(bench.changeset.exists('src/utils/money.ts')).toBe(false);
    expect(bench.changeset.read('src/common/money/index.ts').text).toContain('yuan');
    expect(readFileSync(join(bench.repo, 'src/utils/money.ts'), 'utf8')).toContain('yuan');
  });

  it('keeps a GBK file GBK, also for later edits, and moves what is no text', async () => {
    const text = '超时关单\r\n第二行';
    bench = await openBench({ 'a.txt': gbk(text), 'b.bin': Uint8Array.from([0, 1, 2, 255, 0, 7]) });
    await bench.call(moveFile, { path: 'a.txt', to: 'docs/甲.txt' });
    await edit('docs/甲.txt', '第二行', '第二行：改');
    expect(Buffer.from(bench.changeset.bytes('docs/甲.txt')!).equals(gbk('超时关单\r\n第二行：改'))).toBe(true);
    expect((await bench.call(moveFile, { path: 'b.bin', to: 'c.bin' })).ok).toBe(true);
    bench.changeset.apply();
    expect([...readFileSync(join(bench.repo, 'c.bin'))]).toEqual([0, 1, 2, 255, 0, 7]);
  });

  it('refuses a target that is there, and a second call with one id does nothing', async () => {
    bench = await openBench({ 'a.ts': 'export {};\n', 'b.ts': 'export const b = 1;\n' });
    expect(await bench.call(moveFile, { path: 'a.ts', to: 'b.ts' })).toMatchObject({ ok: false, code: 'EDIT_INVALID' });
    const again = { ...bench.ctx, callId: 'same' };
    await moveFile.run({ path: 'a.ts', to: 'c.ts' }, again);
    expect(await moveFile.run({ path: 'a.ts', to: 'c.ts' }, again)).toMatchObject({
      note: expect.stringContaining('之前'),
    });
    expect(bench.changeset.list().map(({ path, change }) => [path, change])).toEqual([
      ['a.ts', 'deleted'],
      ['c.ts', 'added'],
    ]);
  });
});

describe('write_file and delete_file', () => {
  it('write what is new only, and delete what is there only', async () => {
    bench = await openBench({ 'a.ts': 'export {};\n' });
    expect(await bench.call(writeFile, { path: 'a.ts', content: 'x' })).toMatchObject({
      ok: false,
      code: 'EDIT_INVALID',
    });
    expect((await bench.call(writeFile, { path: 'b.ts', content: 'export const b = (;\n' })).text).toContain(
      '语法错误',
    );
    expect((await bench.call(deleteFile, { path: 'a.ts' })).ok).toBe(true);
    expect((await bench.call(deleteFile, { path: 'nope.ts' })).code).toBe('PATH_NOT_FOUND');
  });
});
