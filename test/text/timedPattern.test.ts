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
    expect(compilePattern('(')).toMatchObject({ reason: expect.stringContaining('Unterminated group') });
  });
});
