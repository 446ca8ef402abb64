import { afterAll, describe, expect, it } from 'vitest';
import { openHistory } from '../../src/history/index.js';
import { openPaths, type TermLookup } from '../../src/paths/index.js';
import { cleanUp, commit, initRepository, project } from './support.js';

afterAll(cleanUp);

const FILES = {
  'src/views/captcha/index.vue': '<template><div /></template>\n',
  'src/views/avatar/index.vue': '<template><div /></template>\n',
  'src/views/report/index.vue': '<template><div /></template>\n',
  'src/utils/format.ts': '// 验证手机格式\nexport const format = (s: string) => s;\n',
};

function terms(related: TermLookup['related'], known: readonly string[] = []): TermLookup {
  return {
    symbolsFor: (text) => known.filter((word) => text.includes(word)).map((word) => ({ word, symbols: ['format'] })),
    moduleOf: () => undefined,
    ...(related ? { related } : {}),
  };
}

const first = async (paths: Awaited<ReturnType<typeof openPaths>>, request: string) =>
  (await paths.lookupFile(request)).candidates[0]?.path;

describe('kinds of evidence', () => {
  it('a word of the lexicon finds the file that is called so, where no word of the request stands', async () => {
    const place = project(FILES);
    const without = await openPaths({ ...place, terms: terms(undefined) });
    expect((await without.lookupFile('图形码过期太快')).candidates).toEqual([]);
    const captcha = [{ word: 'captcha', relation: 'equal' as const, from: '图形码' }];
    const paths = await openPaths({ ...place, terms: terms(() => captcha) });
    expect(await first(paths, '图形码过期太快')).toBe('src/views/captcha/index.vue');
  });

  it('a reason names the word of the request and what it is called in code; words that only ask for a change give none', async () => {
    const paths = await openPaths({
      ...project(FILES),
      terms: terms(() => [
        { word: 'captcha', relation: 'equal', from: '图形码' },
        { word: 'verifyAvatar', relation: 'equal', from: '图形码' },
        { word: 'format', relation: 'near', from: '修改' },
      ]),
    });
    const { candidates } = await paths.lookupFile('修改图形码');
    const whyOf = (path: string) => candidates.find((one) => one.path === path)?.why;
    expect(whyOf('src/views/captcha/index.vue')).toBe('「图形码≈captcha」');
    // Of `verifyAvatar` the file has one name only.
    expect(whyOf('src/views/avatar/index.vue')).not.toContain('verifyAvatar');
    expect(whyOf('src/utils/format.ts') ?? '').not.toContain('修改');
  });

  it('a word that is called in three ways counts more than one, and less than three words', async () => {
    const called = (from: string, ...words: string[]) =>
      words.map((word) => ({ word, relation: 'equal' as const, from }));
    const place = project({
      'src/a.ts': '// captcha\n',
      'src/b.ts': '// captcha kaptcha verifier\n',
      'src/c.ts': '// captcha drawer snapshot\n',
      'src/d.ts': '// kaptcha verifier drawer snapshot\n',
    });
    const related = [
      ...called('图形码', 'captcha', 'kaptcha', 'verifier'),
      ...called('抽屉', 'drawer'),
      ...called('快照', 'snapshot'),
    ];
    const paths = await openPaths({ ...place, terms: terms(() => related) });
    const { candidates } = await paths.lookupFile('图形码抽屉快照');
    const order: string[] = candidates.map(({ path }) => path);
    expect(order.indexOf('src/c.ts')).toBeLessThan(order.indexOf('src/b.ts'));
    expect(order.indexOf('src/b.ts')).toBeLessThan(order.indexOf('src/a.ts'));
  });

  it('an equal word counts more than a near one', async () => {
    const paths = await openPaths({
      ...project(FILES),
      terms: terms(() => [
        { word: 'report', relation: 'near', from: '统计' },
        { word: 'avatar', relation: 'equal', from: '统计' },
      ]),
    });
    const { candidates } = await paths.lookupFile('统计');
    expect(candidates.slice(0, 2).map(({ path }) => path)).toEqual([
      'src/views/avatar/index.vue',
      'src/views/report/index.vue',
    ]);
  });

  it('a term of the team outweighs the words of the repository', async () => {
    const place = project({ ...FILES, 'src/phone/bind.ts': '// 手机绑定 手机绑定\nexport const bind = 1;\n' });
    const without = await openPaths({ ...place, terms: terms(undefined) });
    expect(await first(without, '手机绑定失败')).toBe('src/phone/bind.ts');
    const own = await openPaths({ ...place, terms: terms(undefined, ['手机']) });
    expect(await first(own, '手机绑定失败')).toBe('src/utils/format.ts');
  });

  it('a file that many commits of a subject changed comes before one that a single commit changed', async () => {
    const { root, stateDir } = project(FILES);
    initRepository(root);
    commit(root, '初始提交');
    for (let i = 1; i <= 3; i++)
      commit(root, `对账单第 ${i} 版`, { 'src/views/report/index.vue': `<template><p>${i}</p></template>\n` });
    commit(root, '对账单入口', { 'src/views/avatar/index.vue': '<template><p /></template>\n' });
    const history = await openHistory(root, stateDir);
    const { paths: known, scores } = history.fileScores(['对账', '账单']);
    const scoreOf = (path: string) => scores[known.indexOf(path)]!;
    expect(scoreOf('src/views/report/index.vue')).toBeGreaterThan(scoreOf('src/views/avatar/index.vue'));
    const paths = await openPaths({ root, stateDir, history });
    expect(await first(paths, '对账单导出')).toBe('src/views/report/index.vue');
  });

  it('how often a file changes never makes it a candidate by itself', async () => {
    const { root, stateDir } = project(FILES);
    initRepository(root);
    commit(root, '初始提交');
    for (let i = 1; i <= 3; i++) commit(root, `改 ${i}`, { 'src/views/report/index.vue': `<p>${i}</p>\n` });
    const paths = await openPaths({ root, stateDir, history: await openHistory(root, stateDir) });
    const found = (await paths.lookupFile('手机格式')).candidates.map(({ path }) => path);
    expect(found).toContain('src/utils/format.ts');
    expect(found).not.toContain('src/views/report/index.vue');
  });
});
