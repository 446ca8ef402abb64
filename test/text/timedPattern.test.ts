import { describe, expect, it } from 'vitest';
import { compilePattern, SlowPatternError, searchLines } from '../../src/text/index.js';

describe('searchLines', () => {
  it('gives the first match of each line, and no more than asked for', () => {
    const lines = ['x', 'ab ab', '', '中文ab'];
    expect(searchLines(/ab/g, lines)).toEqual([
      { index: 1, column: 0 },
      { index: 3, column: 2 },
    ]);
    expect(searchLines(/ab/y, lines, 1)).toEqual([{ index: 1, column: 0 }]);
    expect(searchLines(/AB/iu, ['ab'])).toHaveLength(1);
    expect(searchLines(/ab/, [])).toEqual([]);
  });

  it('ends a pattern that backtracks without end, and works again after it', () => {
    const lines = [`${'a'.repeat(60)}!`];
    for (const pattern of [/(a+)+$/, /(a|a)*$/, /^(([a-z])+.)+[A-Z]([a-z])+$/])
      expect(() => searchLines(pattern, lines, 1, 50)).toThrow(SlowPatternError);
    expect(searchLines(/a!$/, lines)).toEqual([{ index: 0, column: 59 }]);
  });
});

describe('compilePattern', () => {
  it('reads (?i), and escapes that are only legal without the u flag', () => {
    expect(compilePattern('(?i)export')).toEqual(/export/iu);
    expect(compilePattern('a\\-b')).toMatchObject({ source: 'a\\-b', flags: '' });
    expect(compilePattern('a', true)).toEqual(/a/iu);
  });

  it.each([
    ['[a', '方括号'],
    ['(a', '括号 ('],
    ['a)', '多了一个 )'],
    ['*a', '重复'],
    ['a{2,1}', '次数'],
    ['[b-a]', '范围'],
    ['a\\', '结尾多了一个'],
    ['(?z)', '(? 后面'],
    ['a(?i)b', '最前面'],
    ['(?<1>a)', '组的名字'],
    ['(?<=a)*', '断言'],
  ])('says in Chinese what is wrong with %s', (source, word) => {
    const compiled = compilePattern(source);
    if (compiled instanceof RegExp) throw new Error('compiled');
    expect(compiled.reason).toContain(word);
    expect(compiled.reason).not.toMatch(/[A-Za-z]{3}/);
  });
});
