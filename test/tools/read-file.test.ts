import { afterEach, describe, expect, it } from 'vitest';
import { encodeText, estimateTokens } from '../../src/text/index.js';
import { editFile } from '../../src/tools/builtin/edit-file.js';
import { readFile } from '../../src/tools/builtin/read-file.js';
import { MAX_RESULT_TOKENS } from '../../src/tools/index.js';
import { type Bench, openBench } from './support.js';

let bench: Bench;
afterEach(() => bench.close());

const lines = (n: number, text = (i: number) => `const v${i} = ${i};`) =>
  Array.from({ length: n }, (_, i) => text(i + 1)).join('\n');

describe('a window of a file', () => {
  it('is numbered, says how to go on, and never comes twice while the conversation holds it', async () => {
    bench = await openBench({ 'a.ts': lines(300) });
    const read = (args: object, turn: number) => bench.call(readFile, { path: 'a.ts', ...args }, turn);
    const first = await read({}, 1);
    expect(first.text).toContain('1\tconst v1 = 1;');
    expect(first.text).toMatch(/start_line=1[12]\d/);
    for (const [args, turn] of [
      [{}, 1],
      [{}, 2],
      [{ start_line: 40, line_count: 20 }, 3],
    ] as const) {
      const again = await read(args, turn);
      expect(again.text).toContain('前面已经给过');
      expect(again.text).not.toContain('const v');
    }
    expect((await read({ start_line: 100, line_count: 40 }, 3)).text).toContain('139\tconst v139');
    expect((await read({ start_line: 100, line_count: 40 }, 4)).text).toContain('用 start_line=140');
  });

  it('comes again after an edit, when it was long ago, and when it was cut out of the conversation', async () => {
    bench = await openBench({ 'a.ts': lines(10) });
    const read = async (turn: number) => (await bench.call(readFile, { path: 'a.ts' }, turn)).text;
    expect(await read(1)).toContain('const v3 = 3');
    await bench.call(editFile, { path: 'a.ts', edits: [{ search: 'v3 = 3', replace: 'v3 = 33' }] }, 2);
    expect(await read(2)).toContain('const v3 = 33');
    expect(await read(3)).toContain('前面已经给过');
    expect(await read(9)).toContain('const v3 = 33');
    expect(await read(10)).toContain('前面已经给过');
    const held = bench.ctx.feeding!.toJSON().filter((fed) => fed.turn === 9);
    bench.ctx.feeding!.forget(new Set(held.map((fed) => fed.call!)));
    expect(await read(10)).toContain('const v3 = 33');
  });

  it('holds whole lines within a result, however long they are', async () => {
    bench = await openBench({
      'a.ts': lines(200, (i) => `const text${i} = '${'订单超时关闭'.repeat(8)}';`),
      'b.js': 'x'.repeat(9000),
    });
    const { text } = await bench.call(readFile, { path: 'a.ts', line_count: 200 });
    expect(estimateTokens(text)).toBeLessThanOrEqual(MAX_RESULT_TOKENS);
    expect(text).not.toContain('已截断');
    const last = Number(/第 1–(\d+) 行/.exec(text)![1]);
    expect(text).toContain(`start_line=${last + 1}`);
    expect(text.trimEnd().endsWith("';")).toBe(true);
    expect((await bench.call(readFile, { path: 'b.js' })).text).toContain('这一行共 9000 字');
  });

  it('of GBK says so', async () => {
    const gbk = encodeText('// 超时关单\n', { text: '', encoding: 'gbk', bom: false, eol: 'lf', finalNewline: true });
    bench = await openBench({ 'a.c': gbk });
    expect((await bench.call(readFile, { path: 'a.c' })).text).toMatch(/编码 gbk[\s\S]*超时关单/);
  });
});

describe('a file that is no window', () => {
  it('long: its symbols with their lines first, any part on demand', async () => {
    const code = lines(300, (i) => `export function step${i}() {\n  return ${i};\n}`);
    bench = await openBench({ 'a.ts': code });
    const { text } = await bench.call(readFile, { path: 'a.ts' });
    expect(text).toContain('共 900 行');
    expect(text).toMatch(/4–6\t\S+ step2/);
    expect(text).toMatch(/还有 \d+ 个符号/);
    expect(estimateTokens(text)).toBeLessThanOrEqual(MAX_RESULT_TOKENS);
    expect((await bench.call(readFile, { path: 'a.ts', start_line: 4, line_count: 3 })).text).toContain(
      '4\texport function step2',
    );
  });

  it('binary: its kind and size, and what can be done', async () => {
    const png = Buffer.concat([
      Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
      Buffer.from([0, 0, 0, 13]),
      Buffer.from('IHDR'),
    ]);
    const pixels = Buffer.alloc(3000);
    pixels.writeUInt32BE(640, 0);
    pixels.writeUInt32BE(480, 4);
    bench = await openBench({
      'logo.png': Buffer.concat([png, pixels]),
      'a.jar': Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(100)]),
    });
    const image = await bench.call(readFile, { path: 'logo.png' });
    expect(image).toMatchObject({ ok: true });
    expect(image.text).toMatch(/PNG 图片，2\.9 KB，640×480 像素/);
    expect((await bench.call(readFile, { path: 'a.jar' })).text).toContain('Java 库');
  });
});
