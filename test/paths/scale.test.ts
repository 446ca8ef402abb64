import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPaths, type PathContext, type SkeletonOptions } from '../../src/paths/index.js';
import { estimateTokens } from '../../src/text/index.js';
import { cleanUp, commit, initRepository, project, seeded, tempDir } from './support.js';

afterAll(cleanUp);

const MODULES = [
  'order',
  'payment',
  'refund',
  'coupon',
  'inventory',
  'report',
  'user',
  'permission',
  'export',
  'message',
];
const PARTS = ['Controller', 'Service', 'ServiceImpl', 'Mapper', 'Entity', 'Dto', 'Test', 'Utils'];

/** A tree of a given size as a generator of Java projects would lay it out, some folders deep, some flat. */
function largeTree(size: number): Record<string, string> {
  const random = seeded(7);
  const files: Record<string, string> = { 'README.md': '# 大仓库\n', 'pom.xml': '<project/>\n' };
  for (let i = 0; Object.keys(files).length < size; i++) {
    const module = MODULES[Math.floor(random() * MODULES.length)]!;
    const part = PARTS[Math.floor(random() * PARTS.length)]!;
    const deep = random() < 0.2 ? '/a/b/c/d/e/f/g' : '';
    const root = random() < 0.1 ? `flat` : `mall-${module}/src/main/java/com/mall/${module}${deep}`;
    files[`${root}/${module[0]!.toUpperCase()}${module.slice(1)}${i}${part}.java`] =
      `package com.mall.${module};\n/** 第 ${i} 个${module}类 */\npublic class C${i} {}\n`;
  }
  return files;
}

describe('a folder of 5,000 files', () => {
  const SIZE = 5_000;
  let paths: PathContext;
  let root: string;
  let stateDir: string;

  beforeAll(async () => {
    ({ root, stateDir } = project(largeTree(SIZE)));
    paths = await openPaths({ root, stateDir });
  }, 120_000);

  it('is listed whole and found by content', async () => {
    expect(paths.files).toHaveLength(SIZE);
    const { candidates } = await paths.lookupFile('第 777 个类 C777');
    expect(candidates).toHaveLength(5);
    expect((await paths.findSymbol('C777'))[0]?.path).toMatch(/777/);
  });

  it('is read once: the next start reads nothing', async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const warm = await openPaths({ root, stateDir });
    expect(warm.lastRefresh.read).toBeLessThan(SIZE / 20);
    expect(warm.files).toEqual(paths.files);
    expect(await warm.lookupFile('退款 refund 类')).toEqual(await paths.lookupFile('退款 refund 类'));
    expect(warm.loadContext()).toEqual(paths.loadContext());
  });

  it.each<[SkeletonOptions]>([
    [{}],
    [{ maxNodes: 20 }],
    [{ maxTokens: 150 }],
    [{ maxNodes: 5_000, maxTokens: 1_000_000 }],
    [{ depth: 1 }],
    [{ depth: 99 }],
    [{ maxNodes: 1 }],
    [{ maxNodes: 0, maxTokens: 0 }],
  ])('its map keeps to its bounds with %j', (options) => {
    const { text, nodes, tokens, omitted } = paths.loadContext(options);
    expect(nodes).toBeLessThanOrEqual(Math.min(200, Math.max(1, options.maxNodes ?? 200)));
    expect(tokens).toBeLessThanOrEqual(Math.min(1_000, Math.max(60, options.maxTokens ?? 1_000)));
    expect(tokens).toBe(estimateTokens(text));
    expect(omitted).toBeGreaterThan(SIZE - 200);
    expect(text).toContain(`${SIZE} 个文件`);
    expect(text).toContain(`${omitted} 个未列出`);
    expect(text).toContain('expand_path');
  });

  it('its map adds up: what is shown and what each folder says it hides are all files', () => {
    const { text, omitted } = paths.loadContext();
    const lines = text
      .split('\n')
      .slice(1)
      .filter((line) => !line.startsWith('…'));
    const shownFiles = lines.filter((line) => !/\/( 〔.*〕)?( \+\d+)?$/.test(line)).length;
    const topLevel = lines.filter((line) => !line.startsWith(' ') && / \+\d+$/.test(line));
    const hidden = topLevel.reduce((sum, line) => sum + Number(/\+(\d+)$/.exec(line)?.[1]), 0);
    expect(shownFiles + omitted).toBe(SIZE);
    expect(hidden).toBe(omitted);
  });

  it('its map shows no path deeper than five levels, chains lifted', () => {
    const { text } = paths.loadContext();
    expect(text).toContain('src/main/java/com/mall/order');
    for (const line of text.split('\n')) expect(/^ */.exec(line)![0].length / 2).toBeLessThan(5);
  });

  it('its map of one folder holds that folder only, deeper than the map of all', () => {
    const path = paths.files.find((file) => /coupon.*\/e\/f\/g\//.test(file))!;
    const folder = path.slice(0, path.indexOf('/e/'));
    const name = path.split('/').at(-1)!;
    expect(paths.loadContext().text).not.toContain(name);
    const { text, tokens } = paths.loadContext({ focus: folder });
    const inside = paths.files.filter((file) => file.startsWith(`${folder}/`));
    expect(text.split('\n')[0]).toContain(`${folder}/ 的骨架`);
    expect(text.split('\n')[0]).toContain(`${inside.length} 个文件`);
    expect(text).toContain(name);
    expect(tokens).toBeLessThanOrEqual(1_000);
    expect(paths.loadContext({ focus: path }).text.split('\n')[1]).toContain(name);
  });

  it('its map of a folder with thousands of files keeps to its bounds and says how to see more', () => {
    const { text, nodes, omitted } = paths.loadContext({ focus: 'flat', maxTokens: 300, reader: 'person' });
    const inside = paths.files.filter((file) => file.startsWith('flat/'));
    expect(nodes + omitted).toBe(inside.length);
    expect(text).toContain('xihe expand flat 可看');
    expect(text).not.toContain('expand_path');
  });

  it('one folder of it expands within 300 tokens, the rest counted', async () => {
    const { text, tokens, children } = await paths.expandPath('flat');
    expect(tokens).toBeLessThanOrEqual(300);
    expect(children!.length).toBeGreaterThan(3);
    expect(text).toMatch(/另有 \d+ 项/);
  });

  it('a name that is not there gets near ones named', () => {
    const real = paths.files.find((path) => path.endsWith('Service.java'))!;
    expect(() => paths.resolve(`${real.slice(0, -'Service.java'.length)}Servise.java`)).toThrow(real);
  });
});

describe('the map of smaller trees', () => {
  it.each([1, 3, 40, 250])('of %d files keeps its bounds and says what it leaves out', async (size) => {
    const { root, stateDir } = project(Object.fromEntries(Object.entries(largeTree(size + 2)).slice(0, size)));
    const paths = await openPaths({ root, stateDir });
    const { nodes, tokens, omitted, text } = paths.loadContext();
    expect(nodes).toBeLessThanOrEqual(200);
    expect(tokens).toBeLessThanOrEqual(1_000);
    expect(omitted > 0).toBe(text.includes('未列出'));
  });

  it('with one very long name and many emoji stays below its tokens', async () => {
    const long = Object.fromEntries(
      Array.from({ length: 120 }, (_, i) => [`目录${i}/${'很长的中文文件名'.repeat(9)}${i}🧨.ts`, 'x']),
    );
    const { root, stateDir } = project(long);
    const { tokens, nodes } = (await openPaths({ root, stateDir })).loadContext();
    expect(tokens).toBeLessThanOrEqual(1_000);
    expect(nodes).toBeGreaterThan(0);
  });

  it('shows source before tests, styles and pictures', async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 120; i++) {
      files[`src/m${i % 6}/service${i}.ts`] = 'x';
      files[`test/m${i % 6}/service${i}.test.ts`] = 'x';
      files[`assets/img${i}.png`] = 'x';
    }
    const { root, stateDir } = project(files);
    const { text } = (await openPaths({ root, stateDir })).loadContext();
    const count = (pattern: RegExp) => text.split('\n').filter((line) => pattern.test(line)).length;
    expect(count(/service\d+\.ts/)).toBeGreaterThan(count(/\.test\.ts/));
    expect(count(/\.png/)).toBeLessThan(5);
  });

  it('lets commits say what is worked on', async () => {
    const { root, stateDir } = project(
      Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`src/f${String(i).padStart(3, '0')}.ts`, 'x'])),
    );
    initRepository(root);
    commit(root, '导入', {}, 1000);
    for (let i = 0; i < 6; i++) commit(root, `改动 ${i}`, { 'src/f399.ts': `${i}` }, 2000 + i);
    const { openHistory } = await import('../../src/history/index.js');
    const history = await openHistory(root, tempDir());
    expect((await openPaths({ root, stateDir })).loadContext().text).not.toContain('f399.ts');
    expect((await openPaths({ root, stateDir, history })).loadContext().text).toContain('f399.ts');
  });
});
