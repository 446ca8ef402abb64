import { describe, expect, it } from 'vitest';
import {
  aliasOf,
  collectionName,
  decodeText,
  encodeText,
  encodeToken,
  encodeTokens,
  versionOf,
} from '../../../src/knowledge/milvus/names.js';
import { random } from '../../embed/support.js';

describe('tokens on a server', () => {
  it('are letters and digits, short, and different for different tokens', () => {
    const next = random(3);
    const signs = ['a', 'A', '_', '.', '-', '订', '0', 'w', 'x', 'h', ' ', '"', '𠮷', '\u0000', 'é'];
    const tokens = new Set([
      '',
      'wa',
      'a',
      'xe8',
      'h'.repeat(38),
      'h'.repeat(39),
      'h'.repeat(5_000),
      '订'.repeat(6),
      '订'.repeat(7),
    ]);
    while (tokens.size < 3_000)
      tokens.add(Array.from({ length: next() * 6 }, () => signs[Math.floor(next() * signs.length)]).join(''));
    const encoded = [...tokens].map(encodeToken);
    expect(new Set(encoded).size).toBe(tokens.size);
    for (const word of encoded) expect(word).toMatch(/^[a-z][a-z0-9]{0,38}$/);
  });

  it('keep their repeats where there is room, and every word as long as one of each fits', () => {
    expect(encodeTokens(['b', 'a', 'b'], 100)).toBe('wb wa wb');
    expect(encodeTokens(['b', 'b', 'b', 'a'], 8)).toBe('wb wa wb');
    expect(encodeTokens(['b', 'b', 'b', 'a'], 5)).toBe('wb wa');
    expect(encodeTokens(['b', 'a'], 1)).toBe('');
    expect(encodeTokens([], 10)).toBe('');
  });
});

describe('ids on a server', () => {
  it.each(['docs/退款 (1).md#3', 'a"b', 'a\\b', "it's", 'a%22b', '%', 'line\nbreak\t\u0001', ''])('%j', (id) => {
    expect(decodeText(encodeText(id))).toBe(id);
    expect(encodeText(id)).not.toMatch(/["\\\u0000-\u001f]/);
  });
});

describe('names of collections', () => {
  it('are names that Milvus takes, whatever the project is called, and differ by project and model', () => {
    const names = ['商城', 'mall', 'Mall', 'm a-l.l', '', 'p'.repeat(500), '../x'].flatMap((project) =>
      ['e5@1', 'bge-m3'].map((model) => aliasOf(project, model)),
    );
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(collectionName(name, 123_456)).toMatch(/^[a-z_][a-z0-9_]{1,200}$/);
  });

  it('tell their version, and other names have none', () => {
    const alias = aliasOf('mall', 'e5');
    expect(versionOf(alias, collectionName(alias, 12))).toBe(12);
    for (const other of [alias, `${alias}_v`, `${alias}_v0`, `${alias}_v1x`, `x${alias}_v1`, `${alias}_v-1`])
      expect(versionOf(alias, other)).toBeUndefined();
  });
});
