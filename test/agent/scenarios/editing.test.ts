import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeText } from '../../../src/text/index.js';
import { modelEnv } from '../../support/mall.js';
import { xiheHere as xihe } from '../../support/mallHere.js';
import { type ModelServer, type Rule, startModelServer } from '../../support/model-server.js';
import { makeRepo, removeRepo } from '../support.js';
import { asks, calmReview } from './scripts.js';

let repo: string;
let server: ModelServer;
beforeEach(() => {
  repo = makeRepo({
    'package.json': '{"type":"module","scripts":{"test":"node --test"}}',
    'src/money.js': 'export const cents = (yuan) => yuan * 100;\nexport const yuan = (n) => n / 100;\n',
    'src/order.js':
      "import { cents } from './money.js';\nexport const total = (list) => list.reduce((sum, p) => sum + cents(p), 0);\n",
    'src/page.js':
      "import { yuan } from './money.js';\nimport { total } from './order.js';\nexport const show = (list) => `${yuan(total(list))} 元`;\n",
    'test/order.test.js':
      "import assert from 'node:assert';\nimport test from 'node:test';\nimport { show } from '../src/page.js';\ntest('合计', () => assert.strictEqual(show([1, 2]), '3 元'));\n",
  });
});
afterEach(async () => {
  await server.close();
  removeRepo(repo);
});

const call = (name: string, args: Record<string, unknown>) => ({ toolCalls: [{ name, args }] });
const edit = (path: string, ...pairs: [search: string, replace: string][]) =>
  call('edit_file', { path, edits: pairs.map(([search, replace]) => ({ search, replace })) });

/** One run of a scripted model, up to the question; what its tools answered, in order. */
async function run(request: string, reply: Rule['reply']) {
  server = await startModelServer({ rules: [calmReview, { name: 'execute', when: asks.execute, reply }] });
  const env = modelEnv(server.baseUrl);
  const asked = await xihe(['run', request, '--repo', repo, '--thread', 't', '--json'], { env });
  const last = server.requests.filter((r) => JSON.stringify(r.body!.messages).includes('做一次修改')).at(-1)!;
  const results = last.body!.messages.filter((m) => m.role === 'tool').map((m) => String(m.content));
  const approve = () => xihe(['resume', 't', '--approve', '--repo', repo, '--json'], { env });
  return { asked, results, approve };
}
const text = (path: string) => readFileSync(join(repo, path), 'utf8');

describe('a model that edits', () => {
  it('three files, and the tests say that it is right', async () => {
    const { asked, results, approve } = await run(
      '修改 src/page.js、src/money.js、src/order.js，把单位「元」改成「圆」',
      [
        edit('src/money.js', ['export const yuan', '/** 分 → 圆 */\nexport const yuan']),
        edit('src/order.js', ['export const total', '/** 合计，单位分 */\nexport const total']),
        {
          toolCalls: [
            { name: 'edit_file', args: { path: 'src/page.js', edits: [{ search: '} 元`', replace: '} 圆`' }] } },
            {
              name: 'edit_file',
              args: { path: 'test/order.test.js', edits: [{ search: "'3 元'", replace: "'3 圆'" }] },
            },
          ],
        },
        call('run_tests', {}),
        '三个文件都改好了，测试通过。',
      ],
    );
    expect(asked.code).toBe(3);
    expect(results.at(-1)).toMatch(/成功（退出码 0[\s\S]*通过 1，失败 0/);
    expect(asked.json.tests).toMatchObject({ ok: true });
    expect(asked.json.findings).toEqual([]);
    expect((await approve()).code).toBe(0);
    expect(text('src/page.js')).toContain('圆`');
  });

  it('a failing test: told what it broke, mends it; what was red before is told apart', async () => {
    writeFileSync(
      join(repo, 'test/old.test.js'),
      "import assert from 'node:assert';\nimport test from 'node:test';\ntest('早就坏了', () => assert.ok(false));\n",
    );
    const { asked, results } = await run('修改 src/order.js，合计时打九折', [
      edit('src/order.js', ['sum + cents(p), 0)', 'sum + cents(p), 0) * 0.9']),
      call('run_tests', {}),
      edit('test/order.test.js', ["'3 元'", "'2.7 元'"]),
      call('run_tests', {}),
      '改好了；「早就坏了」这个测试改动前就失败。',
    ]);
    expect(results[1]).toMatch(
      /这次改动弄坏的[\s\S]*合计（test\/order\.test\.js:4）[\s\S]*改动前就失败的[\s\S]*早就坏了/,
    );
    expect(results[1]).toContain('先改好这次改动弄坏的');
    expect(results[3]).not.toContain('这次改动弄坏的');
    expect(results[3]).toContain('与这次改动无关');
    expect(asked.json.tests.ok).toBe(false);
    expect(asked.json.findings).toMatchObject([{ from: 'tests', severity: 'warn' }]);
    expect(asked.json.findings[0].text).toContain('改动前也失败');
  });

  it('a wrong search text: the nearest lines lead to the right one', async () => {
    const { results } = await run('修改 src/order.js，合计改成从 1 开始', [
      edit('src/order.js', ['export const total = (items) => items.reduce((sum, p) => sum + cents(p), 0);', 'x']),
      edit('src/order.js', ['sum + cents(p), 0)', 'sum + cents(p), 1)']),
      '改好了。',
    ]);
    expect(results[0]).toContain('EDIT_NOT_FOUND');
    expect(results[0]).toContain('2\texport const total = (list) => list.reduce');
    expect(results[1]).toContain('已暂存 src/order.js 的修改：第 2 行');
  });

  it('a syntax error is told at once and mended before anything else', async () => {
    const { asked, results } = await run('修改 src/order.js，合计加日志', [
      edit('src/order.js', [
        'export const total = (list) =>',
        'export const total = (list) => {\n  console.log(list);\n  return',
      ]),
      edit('src/order.js', ['sum + cents(p), 0);', 'sum + cents(p), 0);\n};']),
      '改好了。',
    ]);
    expect(results[0]).toMatch(/语法错误（修改之前没有）[\s\S]*第 \d+ 行/);
    expect(results[1]).not.toContain('语法错误');
    expect(asked.json.findings).toEqual([]);
  });

  it('a moved file: its importers are listed, and changed with it', async () => {
    const { asked, results, approve } = await run('把 src/money.js 移到 src/common/money.js', [
      call('move_file', { path: 'src/money.js', to: 'src/common/money.js' }),
      {
        toolCalls: ['src/order.js', 'src/page.js'].map((path) => ({
          name: 'edit_file',
          args: { path, edits: [{ search: "'./money.js'", replace: "'./common/money.js'" }] },
        })),
      },
      '移好了，两处引用也改了。',
    ]);
    expect(results[0]).toContain("src/order.js:1　import { cents } from './money.js';　→ 引用写成 './common/money.js'");
    expect(asked.json.tests).toMatchObject({ ok: true });
    expect(asked.json.findings.filter((f: { severity: string }) => f.severity === 'block')).toEqual([]);
    expect((await approve()).code).toBe(0);
    expect(text('src/common/money.js')).toContain('cents');
  });

  it('a GBK file with CRLF stays one, and what GBK can not hold is refused', async () => {
    const gbk = (s: string) =>
      encodeText(s, { text: '', encoding: 'gbk', bom: false, eol: 'none', finalNewline: false });
    writeFileSync(join(repo, 'src/legacy.js'), gbk('// 超时关单，分钟\r\nexport const minutes = 30;\r\n// 结束'));
    const { results, approve } = await run('修改 src/legacy.js，超时改成 15 分钟', [
      call('read_file', { path: 'src/legacy.js' }),
      edit('src/legacy.js', ['minutes = 30;', 'minutes = 15; // ⏱']),
      edit('src/legacy.js', [
        '// 超时关单,分钟\nexport const minutes = 30;',
        '// 超时关单,分钟\nexport const minutes = 15;',
      ]),
      '改成 15 分钟了。',
    ]);
    expect(results[0]).toContain('编码 gbk');
    expect(results[1]).toContain('ENCODING_UNMAPPABLE');
    expect(results[2]).toContain('全角半角标点');
    expect((await approve()).code).toBe(0);
    const wanted = Buffer.from(gbk('// 超时关单，分钟\r\nexport const minutes = 15;\r\n// 结束'));
    expect(readFileSync(join(repo, 'src/legacy.js')).equals(wanted)).toBe(true);
  });
});
