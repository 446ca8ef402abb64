import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moduleFindings } from '../../src/agent/checks/module-checks.js';
import { namedPathFindings, outsidePlanFindings } from '../../src/agent/checks/path-checks.js';
import type { Plan } from '../../src/agent/state.js';
import { openPaths, type PathContext } from '../../src/paths/index.js';
import { Changeset } from '../../src/sandbox/index.js';
import { makeRepo, removeRepo } from './support.js';

let repo: string;
let changeset: Changeset;
let paths: PathContext;
beforeEach(async () => {
  repo = makeRepo({
    'package.json': '{"name":"shop","dependencies":{"zod":"1"},"devDependencies":{"@types/estree":"1"}}',
    'tsconfig.json': '{"compilerOptions":{"paths":{"shared/*":["src/shared/*"]}}}',
    'node_modules/left-pad/index.js': '',
    'src/order/order.ts': "import { z } from 'zod';\nexport const a = z;\n",
    'src/order/close.ts': 'export const close = 1;\n',
    'src/web/page.ts': "import { a } from '../order/order.js';\nexport const page = a;\n",
    'src/pay/pay.ts': 'export const pay = 1;\n',
    'config/order.yml': 'a: 1\n',
    'app/__init__.py': '',
    'app/order.py': 'X = 1\n',
    'svc/go.mod': 'module example.com/svc\n',
    'svc/order/order.go': 'package order\n',
    'svc/main.go': 'package main\n',
    'java/src/main/java/com/mall/order/Order.java': 'package com.mall.order;\npublic class Order {}\n',
  });
  changeset = Changeset.create(`${repo}/.xihe/state`, repo, 'c');
  paths = await openPaths({ root: repo, stateDir: `${repo}/.xihe/state` });
});
afterEach(() => removeRepo(repo));

const write = (path: string, text: string) => changeset.stage({ kind: 'write', path, text });
const modules = async () =>
  (await moduleFindings(changeset, changeset.diff(), repo, paths)).map(
    (f) => `${f.severity} ${f.path}:${f.line} ${f.text}`,
  );

describe('imports that name what is not there', () => {
  it('npm packages neither declared nor installed', async () => {
    write(
      'src/new.ts',
      [
        "import { z } from 'zod';",
        "import 'left-pad';",
        "import fs from 'node:fs';",
        "import path from 'path';",
        "import type { Node } from 'estree';",
        "import x from '@/order/order';",
        "import y from 'src/order/order';",
        "import s from 'shared/money';",
        "import v from 'virtual:pages';",
        "import m from 'moment';",
        "import d from '@acme/none/deep';",
      ].join('\n'),
    );
    const found = await modules();
    expect(found.map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
      'block src/new.ts:10',
      'block src/new.ts:11',
    ]);
    expect(found[0]).toContain('没有声明、也没有安装的包：moment');
    expect(found[1]).toContain('@acme/none');
  });

  it('none where the change declares the package too, and none on lines that did not change', async () => {
    write('package.json', '{"dependencies":{"zod":"1","moment":"2"}}');
    write('src/new.ts', "import m from 'moment';\n");
    expect(await modules()).toEqual([]);
  });

  it("modules of the project's own Python packages", async () => {
    write(
      'app/close.py',
      'from app.order import X\nfrom .order import X\nfrom . import order\nimport os.path\nimport numpy.linalg\nfrom app.stock import Y\nfrom .stock import Y\n',
    );
    expect(await modules()).toEqual([
      'block app/close.py:6 引入的模块不存在：app.stock',
      'block app/close.py:7 引入的模块不存在：.stock',
    ]);
  });

  it('packages of the own Go module, classes of own Java packages', async () => {
    write('svc/b.go', 'package main\n\nimport (\n\t"fmt"\n\t"example.com/svc/order"\n\t"example.com/svc/stock"\n)\n');
    write(
      'java/src/main/java/com/mall/web/Page.java',
      'package com.mall.web;\nimport java.util.List;\nimport com.mall.order.Order;\nimport com.mall.order.Refund;\nimport org.other.Thing;\nclass Page {}\n',
    );
    expect(await modules()).toEqual([
      'warn java/src/main/java/com/mall/web/Page.java:4 项目的包里没有找到这个类：com.mall.order.Refund',
      'block svc/b.go:6 引入的包不存在：example.com/svc/stock',
    ]);
  });
});

describe('paths on added lines', () => {
  it('that lead nowhere are told; those that exist, are staged, or are no paths of the project are not', () => {
    write('config/new.yml', 'a: 1\n');
    write(
      'src/order/load.ts',
      [
        "load('config/order.yml');",
        "load('config/new.yml');",
        "load('config/orders.yml');",
        "load('./close.ts');",
        "load('./nope.json');",
        "get('https://a.cn/config/x.yml');",
        "type('text/plain.x');",
        "import './other.js';",
      ].join('\n'),
    );
    const found = namedPathFindings(changeset, changeset.diff(), paths);
    expect(found.map((f) => [f.severity, f.line])).toEqual([
      ['warn', 3],
      ['warn', 5],
    ]);
  });
});

describe('files outside the plan', () => {
  const plan = {
    focus: ['src/order/order.ts'],
    candidates: [{ path: 'src/order/order.ts' }],
    steps: ['改 app/order.py'],
    playbook: null,
  } as unknown as Plan;
  const outside = async (request: string, p: Plan | null = plan) =>
    (await outsidePlanFindings(p, request, changeset.diff(), paths)).map((f) => f.path);

  it('are told, but not what is beside it, imports it, is named, or comes along', async () => {
    for (const path of ['src/order/close.ts', 'src/web/page.ts', 'app/order.py', 'src/pay/pay.ts', 'config/order.yml'])
      changeset.stage({ kind: 'write', path, text: '改\n' });
    changeset.stage({ kind: 'write', path: 'test/order.test.ts', text: '测\n' });
    expect(await outside('改订单，配置在 order.yml')).toEqual(['src/pay/pay.ts']);
    expect(await outside('改 pay.ts 和 order.yml')).toEqual([]);
    expect(await outside('改订单', null)).toEqual([]);
  });
});
