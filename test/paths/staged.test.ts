import { afterAll, describe, expect, it } from 'vitest';
import { grainOf, openPaths } from '../../src/paths/index.js';
import { estimateTokens } from '../../src/text/index.js';
import { cleanUp, project } from './support.js';

afterAll(cleanUp);

const text = (s: string) => Buffer.from(s);

describe('expansions as a run sees the tree', () => {
  const FILES = {
    'src/a.ts': "// 原来的说明\nimport './b.js';\nexport const a = 1;\n",
    'src/b.ts': 'export const b = 1;\n',
    'src/c.ts': "import './b.js';\n",
  };

  it('shows what was written as written, and nothing of what was deleted', async () => {
    const paths = await openPaths(project(FILES));
    const staged = {
      added: ['src/new/d.ts'],
      changed: ['src/a.ts'],
      deleted: ['src/c.ts'],
      bytes: (path: string) =>
        path === 'src/a.ts' ? text("// 新的说明\nimport './c.js';\nexport const renamed = 1;\n") : text('// 新文件\n'),
    };
    const a = await paths.expandPath('src/a.ts', { staged });
    expect(a.text).toContain('新的说明');
    expect(a.symbols?.map(({ name }) => name)).toEqual(['renamed']);
    // It imports what is deleted, so there is nothing to lead to.
    expect(a.importsOut).toEqual([]);
    expect((await paths.expandPath('src/b.ts', { staged })).importersIn.map(({ path }) => path)).toEqual(['src/a.ts']);
    expect((await paths.expandPath('src', { staged })).children?.map(({ name }) => name)).toEqual([
      'new/',
      'a.ts',
      'b.ts',
    ]);
    expect((await paths.expandPath('src/new', { staged })).children?.[0]).toMatchObject({
      name: 'd.ts',
      summary: '新文件',
    });
    expect((await paths.expandPath('src/new/d.ts', { staged })).text).toContain('新文件');
    await expect(paths.expandPath('src/c.ts', { staged })).rejects.toMatchObject({ code: 'PATH_NOT_FOUND' });
    // The index itself knows nothing of it.
    expect((await paths.expandPath('src/a.ts')).text).toContain('原来的说明');
  });
});

describe('what an expansion costs', () => {
  const deep = 'mall-admin/src/main/java/com/example/shopping/platform/administration';

  it('stays below 300 tokens with hundreds of references and long paths, and counts what it leaves out', async () => {
    const files: Record<string, string> = {
      [`${deep}/core/OrderManager.java`]:
        'package com.example.shopping.platform.administration.core;\n/** 订单总管 */\npublic class OrderManager {\n' +
        `${Array.from({ length: 30 }, (_, i) => `  public void veryLongMethodNameNumber${i}() {}`).join('\n')}\n}\n`,
    };
    for (let i = 0; i < 200; i++)
      files[`${deep}/feature${i}/VeryLongFeatureName${i}Controller.java`] =
        `package x;\nimport com.example.shopping.platform.administration.core.OrderManager;\npublic class VeryLongFeatureName${i}Controller {}\n`;
    const paths = await openPaths(project(files));
    const { text: told, tokens, symbols } = await paths.expandPath(`${deep}/core/OrderManager.java`);
    expect(tokens).toBe(estimateTokens(told));
    expect(tokens).toBeLessThanOrEqual(300);
    expect(symbols).toHaveLength(5);
    expect(told).toMatch(/被引用于 .*等 200 个/);
    const { tokens: ofFolder } = await paths.expandPath(deep);
    expect(ofFolder).toBeLessThanOrEqual(300);
    expect(ofFolder).toBeGreaterThanOrEqual(100);
  });

  it('names sources before tests and near files before far ones', async () => {
    const files: Record<string, string> = { 'src/order/pay.ts': 'export const pay = 1;\n' };
    for (let i = 0; i < 9; i++) files[`test/order/t${i}.test.ts`] = "import '../../src/order/pay.js';\n";
    for (let i = 0; i < 9; i++) files[`src/far/f${i}.ts`] = "import '../order/pay.js';\n";
    files['src/order/near.ts'] = "import './pay.js';\n";
    const { importersIn } = await (await openPaths(project(files))).expandPath('src/order/pay.ts');
    expect(importersIn[0]?.path).toBe('src/order/near.ts');
    expect(importersIn.some(({ path }) => path.startsWith('test/'))).toBe(false);
  });
});

describe('how deep a decision goes', () => {
  const focus = ['src/order/a.ts', 'src/pay/b.ts'];
  it.each([
    ['给 cancelExpired 加一次重试', 'general', focus, true, 'function'],
    ['订单列表的导出太慢', 'bugfix', focus, false, 'change'],
    ['把订单和支付两个模块重构一下', 'refactor', focus, false, 'redesign'],
    ['整体改造登录流程', 'general', focus, false, 'redesign'],
    ['重构 cancelExpired', 'refactor', ['src/order/a.ts'], true, 'function'],
    ['加一个页面', 'feature', [], false, 'change'],
  ] as const)('%s', (request, taskType, files, isPinned, expected) => {
    expect(grainOf({ request, taskType, focus: files, isPinned })).toBe(expected);
  });
});
