import { afterAll, describe, expect, it } from 'vitest';
import { FeedingLedger, openPaths, roleOf } from '../../src/paths/index.js';
import { cleanUp, project } from './support.js';

afterAll(cleanUp);

describe('roles', () => {
  it.each([
    ['src/pages/Login.tsx', 'page'],
    ['src/components/Button.tsx', 'ui'],
    ['src/components/Button.test.tsx', 'test'],
    ['src/main/java/com/mall/order/OrderMapper.java', 'mapper'],
    ['src/main/resources/mapper/OrderMapper.xml', 'mapper'],
    ['src/main/java/com/mall/order/OrderController.java', 'controller'],
    ['src/main/java/com/mall/order/impl/OrderServiceImpl.java', 'service'],
    ['src/test/java/com/mall/order/OrderServiceTest.java', 'test'],
    ['backend/order/service_test.go', 'test'],
    ['tests/test_order.py', 'test'],
    ['src/services/api.ts', 'data-layer'],
    ['src/services/order.ts', 'service'],
    ['src/api/user.js', 'data-layer'],
    ['src/styles/login.less', 'style'],
    ['src/locales/zh-CN/order.json', 'i18n'],
    ['i18n/zh-CN.json', 'i18n'],
    ['src/router/index.ts', 'route'],
    ['src/hooks/useOrder.ts', 'hook'],
    ['docs/接入指南.md', 'doc'],
    ['sql/schema.sql', 'sql'],
    ['package.json', 'config'],
    ['vite.config.ts', 'config'],
    ['.github/workflows/ci.yml', 'ci'],
    ['assets/logo.png', 'asset'],
    ['src/utils/date.ts', 'helper'],
    ['src/main.ts', 'entry'],
    ['src/order/refund.ts', ''],
    ['src/views/user/index.vue', 'page'],
  ])('%s is [%s]', (path, role) => {
    expect(roleOf(path)).toBe(role);
  });
});

/** Who imports whom, as expansions tell it. */
async function importsIn(files: Record<string, string>, path: string): Promise<string[]> {
  const { root, stateDir } = project(files);
  const paths = await openPaths({ root, stateDir });
  return (await paths.expandPath(path)).importsOut.map((reference) => reference.path);
}

describe('imports lead to files', () => {
  it.each<[string, Record<string, string>, string, string[]]>([
    [
      'TypeScript by .js, by folder, by alias',
      {
        'src/a.ts': "import './b.js';\nimport './dir';\nimport x from '@/api/user';\nimport 'react';\n",
        'src/b.ts': '',
        'src/dir/index.ts': '',
        'src/api/user.ts': '',
      },
      'src/a.ts',
      ['src/b.ts', 'src/dir/index.ts', 'src/api/user.ts'],
    ],
    [
      'an alias of its own package in a monorepo',
      {
        'web/src/a.vue': "<script>\nimport x from '@/u';\n</script>\n",
        'web/src/u.js': 'export {};',
        'admin/src/u.js': 'export {};',
      },
      'web/src/a.vue',
      ['web/src/u.js'],
    ],
    [
      'Java classes, static members, packages',
      {
        'a/src/main/java/com/mall/A.java':
          'package com.mall;\nimport com.mall.order.Order;\nimport static com.mall.order.State.PAID;\nimport com.mall.util.*;\nimport java.util.List;\nclass A {}\n',
        'a/src/main/java/com/mall/order/Order.java': 'package com.mall.order;\nclass Order {}',
        'b/src/main/java/com/mall/order/State.java': 'package com.mall.order;\nenum State { PAID }',
        'a/src/main/java/com/mall/util/U.java': 'package com.mall.util;\nclass U {}',
      },
      'a/src/main/java/com/mall/A.java',
      [
        'a/src/main/java/com/mall/order/Order.java',
        'b/src/main/java/com/mall/order/State.java',
        'a/src/main/java/com/mall/util/U.java',
      ],
    ],
    [
      'Python modules, relative ones',
      {
        'app/a.py': 'from app.order import service\nfrom . import b\nfrom .c import x\nimport os\n',
        'app/order/service.py': '',
        'app/order/__init__.py': 'x=1',
        'app/b.py': 'x=1',
        'app/c.py': 'x=1',
        'app/__init__.py': 'x=1',
      },
      'app/a.py',
      ['app/order/__init__.py', 'app/__init__.py', 'app/c.py'],
    ],
    [
      'Go packages without their tests',
      {
        'go.mod': 'module github.com/x/mall\n',
        'cmd/main.go':
          'package main\nimport (\n  "fmt"\n  "github.com/x/mall/internal/order"\n)\nfunc main() { fmt.Println(order.A) }\n',
        'internal/order/a.go': 'package order\nvar A = 1\n',
        'internal/order/a_test.go': 'package order\n',
      },
      'cmd/main.go',
      ['internal/order/a.go'],
    ],
  ])('%s', async (_, files, path, expected) => {
    expect(await importsIn(files, path)).toEqual(expected);
  });
});

describe('companions', () => {
  it.each<[string[], string, string[]]>([
    [
      ['src/Button.tsx', 'src/Button.test.tsx', 'src/Button.less', 'src/Input.tsx'],
      'src/Button.tsx',
      ['src/Button.less', 'src/Button.test.tsx'],
    ],
    [
      [
        'j/OrderController.java',
        'j/OrderService.java',
        'j/impl/OrderServiceImpl.java',
        'r/OrderMapper.xml',
        'j/OrderMapper.java',
        'j/UserMapper.java',
      ],
      'j/OrderService.java',
      ['j/OrderController.java', 'j/OrderMapper.java', 'j/impl/OrderServiceImpl.java', 'r/OrderMapper.xml'],
    ],
    [
      ['src/a/index.ts', 'src/b/index.ts', 'src/a/index.test.ts', 'test/b/index.test.ts'],
      'src/b/index.ts',
      ['test/b/index.test.ts'],
    ],
    [
      ['src/order/service.ts', 'src/user/service.ts', 'test/order/service.test.ts'],
      'src/order/service.ts',
      ['test/order/service.test.ts'],
    ],
  ])('of %j', async (names, path, expected) => {
    const { root, stateDir } = project(Object.fromEntries(names.map((name) => [name, 'x'])));
    const paths = await openPaths({ root, stateDir });
    expect((await paths.expandPath(path)).companions.map((companion) => companion.path)).toEqual(expected);
  });
});

describe('interface texts', () => {
  it.each<[string, Record<string, string>]>([
    ['JSON', { 'i18n/zh-CN.json': '{"order": {"close": "超时关闭"}}' }],
    ['JSON of one part', { 'src/locales/zh-CN/order.json': '{"close": "超时关闭"}' }],
    ['TypeScript', { 'src/locales/zh-CN.ts': "export default {\n  order: {\n    close: '超时关闭',\n  },\n};\n" }],
    ['YAML', { 'src/lang/zh.yaml': 'order:\n  close: 超时关闭\n' }],
    [
      'properties',
      { 'src/main/resources/i18n/messages_zh_CN.properties': 'order.close=\\u8d85\\u65f6\\u5173\\u95ed\n' },
    ],
    ['traditional only', { 'i18n/zh-TW.json': '{"order": {"close": "超時關閉"}}' }],
  ])('in %s lead to the file that uses the key', async (_, locale) => {
    const { root, stateDir } = project({
      ...locale,
      'src/page.vue': "<template><p>{{ $t('order.close') }}</p></template>\n",
      'src/other.vue': "<template><p>{{ $t('order.open') }}</p></template>\n",
    });
    const paths = await openPaths({ root, stateDir });
    const found = (await paths.lookupFile('超时关闭按钮')).candidates.find(({ path }) => path === 'src/page.vue');
    expect(found?.evidence.some(({ kind, detail }) => kind === 'i18n' && detail.includes('order.close'))).toBe(true);
    expect((await paths.lookupFile('超时关闭按钮')).candidates.some(({ path }) => path === 'src/other.vue')).toBe(
      false,
    );
  });
});

describe('feeding ledger', () => {
  const fed = { path: 'a.ts', form: 'expand', turn: 1, tokens: 120, version: 'v1' } as const;

  it('gives a path once a turn, and shorter in later turns', () => {
    const ledger = new FeedingLedger();
    expect(ledger.decide('a.ts', 'expand', 1)).toEqual({ form: 'expand' });
    ledger.record(fed);
    expect(ledger.decide('a.ts', 'expand', 1)).toMatchObject({
      form: undefined,
      note: expect.stringContaining('a.ts'),
    });
    expect(ledger.decide('a.ts', 'summary', 1)).toMatchObject({ form: undefined });
    expect(ledger.decide('a.ts', 'read', 1)).toEqual({ form: 'read' });
    expect(ledger.decide('a.ts', 'expand', 2)).toMatchObject({ form: 'summary' });
    expect(ledger.decide('b.ts', 'expand', 1)).toEqual({ form: 'expand' });
  });

  it('gives a changed file in full, and text whenever a later turn asks for it', () => {
    const ledger = new FeedingLedger([fed, { ...fed, form: 'read', turn: 2 }]);
    expect(ledger.decide('a.ts', 'expand', 1, 'v2')).toEqual({ form: 'expand' });
    expect(ledger.decide('a.ts', 'read', 2, 'v1')).toMatchObject({ form: undefined });
    expect(ledger.decide('a.ts', 'read', 3, 'v1')).toEqual({ form: 'read' });
  });

  it('survives JSON, counts tokens, names recent paths, forgets at a new task', () => {
    const ledger = new FeedingLedger(
      JSON.parse(JSON.stringify(new FeedingLedger([fed, { ...fed, path: 'b.ts', turn: 2, tokens: 30 }]))),
    );
    expect(ledger.decide('a.ts', 'expand', 1)).toMatchObject({ form: undefined });
    expect([ledger.tokens(), ledger.tokens(2)]).toEqual([150, 30]);
    expect(ledger.recent(5)).toEqual(['b.ts', 'a.ts']);
    ledger.reset();
    expect(ledger.decide('a.ts', 'expand', 1)).toEqual({ form: 'expand' });
  });
});
