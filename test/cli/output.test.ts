import { describe, expect, it } from 'vitest';
import { colourDiff, visible } from '../../src/cli/output.js';

describe('text of others in a terminal', () => {
  it('shows what a terminal would obey, and leaves the rest', () => {
    expect(visible('隐藏\u001b[8m的\u202e行\u0007')).toBe('隐藏\\u{1b}[8m的\\u{202e}行\\u{7}');
    expect(visible('普通\t文字\n第二行')).toBe('普通\t文字\n第二行');
    expect(visible('a\r\nb\rc')).toBe('a\nb\\u{d}c');
  });

  it('a diff keeps no escape of its own', () => {
    expect(colourDiff('+x\u001b[2Jy')).toContain('\\u{1b}[2Jy');
  });
});
