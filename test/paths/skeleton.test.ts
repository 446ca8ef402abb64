import { describe, expect, it } from 'vitest';
import { ImportGraph } from '../../src/paths/imports.js';
import { type SkeletonOptions, skeletonOf } from '../../src/paths/skeleton.js';
import { estimateTokens } from '../../src/text/index.js';
import { seeded } from './support.js';

const map = (paths: string[], options: SkeletonOptions = {}, churn: (path: string) => number = () => 0) =>
  skeletonOf(
    {
      paths: [...new Set(paths)].sort(),
      graph: new ImportGraph([]),
      churn,
      moduleOf: (path) => (/(?:^|\/)订单(?:\/|$)/.test(path) ? '订单' : undefined),
    },
    options,
  );

const WORDS = [
  'order',
  '订单',
  '支付 网关',
  'api',
  'components',
  'a',
  'x'.repeat(80),
  '很长的中文目录名'.repeat(6),
  '😀',
];
const ENDS = ['.ts', '.vue', 'Service.java', 'Mapper.xml', '.test.ts', '.less', '.md', '.png', ''];

/** A tree of some shape: `wide` puts files side by side, `deep` one below the other. */
function tree(seed: number, files: number, shape: 'wide' | 'deep' | 'mixed'): string[] {
  const random = seeded(seed);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  const made: string[] = [];
  for (let i = 0; i < files; i++) {
    const levels = { wide: Math.floor(random() * 2), deep: Math.floor(random() * 30), mixed: Math.floor(random() * 9) };
    const folders = Array.from({ length: levels[shape] }, () => `${pick(WORDS)}${random() < 0.3 ? i % 7 : ''}`);
    made.push([...folders, `${pick(WORDS)}${i}${pick(ENDS)}`].join('/'));
  }
  return made;
}

/** What must hold of every map. */
function assertSound(paths: string[], options: SkeletonOptions = {}): void {
  const size = new Set(paths).size;
  const { text, nodes, tokens, omitted } = map(paths, options);
  expect(nodes).toBeLessThanOrEqual(200);
  expect(tokens).toBeLessThanOrEqual(1_000);
  expect(tokens).toBe(estimateTokens(text));
  const lines = text.split('\n').slice(1);
  for (const line of lines) expect(/^ */.exec(line)![0].length / 2).toBeLessThan(Math.min(5, options.depth ?? 5));
  // Everything is either shown or counted where it is hidden, and then the map says how to see it.
  const isFolder = (line: string) => /\/(?: \[[\w-]+\])?(?: 〔.*〕)?(?: \+\d+)?$/.test(line);
  const files = lines.filter((line) => !line.startsWith('…') && !isFolder(line)).length;
  expect(files + omitted).toBe(size);
  if (omitted > 0) expect(text).toContain(`${omitted} 个未列出`);
  if (omitted > 0) expect(text).toContain('expand_path');
}

describe('the map of any tree keeps its bounds and adds up', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))('mixed trees, seed %d', (seed) => {
    for (const size of [1, 2, 17, 150, 900]) assertSound(tree(seed, size, 'mixed'));
  });

  it.each(['wide', 'deep', 'mixed'] as const)('50,000 files, %s', (shape) => {
    assertSound(tree(3, 50_000, shape));
  });

  it.each([1, 2, 3])('%d levels', (depth) => {
    assertSound(tree(5, 3_000, 'mixed'), { depth });
    assertSound(tree(5, 3_000, 'deep'), { depth });
  });
});

describe('what the map shows', () => {
  it('folds what lies deeper than five levels and says how much it is', () => {
    const deep = ['a/x.ts', 'a/b/x.ts', 'a/b/c/x.ts', 'a/b/c/d/x.ts', 'a/b/c/d/e/x.ts', 'a/b/c/d/e/f.ts'];
    const { text, omitted } = map([...deep, 'z.ts']);
    expect(omitted).toBe(2);
    expect(text).toContain('        e/ +2');
  });

  it('lifts a folder that holds one file, and chains of folders', () => {
    const { text } = map(['src/utils/request.ts', 'src/a.ts', 'lib/one/two/three.ts']);
    expect(text.split('\n')).toEqual([
      '项目骨架：3 个文件',
      'src/',
      '  a.ts',
      '  utils/request.ts [helper]',
      'lib/one/two/three.ts [helper]',
    ]);
  });

  it('gives a folder the part that its files play, once, and the name of its module', () => {
    const { text } = map([
      ...['Login', 'Home', 'Cart'].map((name) => `src/pages/${name}.tsx`),
      ...['detail', 'list'].map((name) => `src/pages/sub/${name}.tsx`),
      ...['create', 'close', 'pay'].map((name) => `src/订单/${name}.ts`),
    ]);
    expect(text).toContain('  pages/ [page]\n    sub/\n');
    expect(text).toContain('  订单/ 〔订单〕');
    expect(text).toContain('Login.tsx [page]');
  });

  it('prefers what is changed often and imported much', () => {
    const paths = Array.from({ length: 400 }, (_, i) => `src/f${String(i).padStart(3, '0')}.ts`);
    expect(map(paths).text).not.toContain('f399.ts');
    expect(map(paths, {}, (path) => (path.endsWith('f399.ts') ? 50 : 0)).text).toContain('f399.ts');
  });

  it('a redesign sees few levels, and every top folder with its size', () => {
    const paths = Array.from({ length: 12 }, (_, i) => [
      `mod${i}/src/a.ts`,
      `mod${i}/src/b/c/d.ts`,
      `mod${i}/src/b/e.ts`,
    ]);
    const { text } = map(paths.flat(), { depth: 2 });
    for (let i = 0; i < 12; i++) expect(text).toContain(`mod${i}/src/`);
    expect(text).not.toContain('d.ts');
  });
});
