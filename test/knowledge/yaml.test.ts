import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { readYaml } from '../../src/knowledge/index.js';
import { readPlainYaml } from '../../src/knowledge/plainYaml.js';
import { random } from './support.js';

const TERMS = `# 订单
- id: close_timeout
  keyword_ch: 超时关单
  aliases: [支付超时, "下单, 超时", '没''付款']
  code_symbols:
    - OrderService.cancelExpired # 定时任务
  note: |
    只处理待支付的订单

    其他不动
  risk:
  - 不要关两次
- id: gmt
  keyword_ch: 创建时间
  when:
    added: ['\\bDate\\b', "a\\"b"]
    paths:
      - src/**
  source:
`;

const PIECES = `a|b: 1|- x|- |-|  |\n|\n  |\n- |\n    |key:|: |:| #|#| # c|'q'|"d"|[a, b]|[|]|||-|>|超时|关单：|''|---|...|{|}|?|&a|*a|!|%|@|,|\r\n|id: x\n|"a\\n"|it's`;

describe('readYaml', () => {
  it('reads the plain files that teams write, fast and with lines', () => {
    const plain = readPlainYaml(TERMS);
    expect(plain?.value).toEqual(parseDocument(TERMS, { schema: 'failsafe' }).toJS());
    const file = readYaml(TERMS);
    if (!file.ok) throw new Error(file.reason);
    expect(file.lineOf([0])).toBe(2);
    expect(file.lineOf([1])).toBe(13);
    expect(file.lineOf([1, 'when', 'paths'])).toBe(17);
    expect(file.lineOf([1, 'nothing', 'there'])).toBe(13);
  });

  it('reads what is not plain through the yaml package', () => {
    expect(readYaml('- &a {id: x, tags: [[1]]}\n- *a\n')).toMatchObject({
      ok: true,
      value: [
        { id: 'x', tags: [['1']] },
        { id: 'x', tags: [['1']] },
      ],
    });
    expect(readYaml('note: >-\n  折叠\n  两行\n')).toMatchObject({ ok: true, value: { note: '折叠 两行' } });
  });

  // Out of stack the process would be gone (`RegExpCompiler Allocation failed`), not only this test.
  it.each([
    ['['.repeat(2000)],
    ['{'.repeat(3000)],
    [`a: ${'[{'.repeat(100_000)}`],
    [`${'['.repeat(3000)}${']'.repeat(3000)}`],
    ['- '.repeat(5000)],
    [`${'a: '.repeat(3000)}b`],
    [Array.from({ length: 1500 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    [Array.from({ length: 1500 }, (_, i) => `${' '.repeat(i)}- b:`).join('\n')],
  ])('gives up on bottomless nesting, with the line: %#', (text) => {
    const file = readYaml(`\n${text}`);
    if (file.ok) throw new Error('read');
    expect(file.reason).toContain('嵌套太深');
    expect(file.line).toBeGreaterThan(text.includes('\n') ? 50 : 1);
  });

  it('tells a repeated key in any map, and reads maps of many keys', () => {
    expect(readYaml('a: &x {b: 1}\nc:\n  - d: "1"\n    d: 2\n')).toMatchObject({ ok: false, line: 4 });
    expect(readYaml('a: 1\nb: [{c: 1, c: 2}]\n')).toMatchObject({ ok: false, line: 2 });
    const keys = Array.from({ length: 100_000 }, (_, i) => `k${i}: "v" # x`).join('\n');
    expect(readYaml(`${keys}\nlast: >\n  end\n`)).toMatchObject({ ok: true, value: { k99999: 'v', last: 'end\n' } });
  });

  it('reads what is nested as deep as anybody writes', () => {
    const text = `${'['.repeat(60)}x${']'.repeat(60)}`;
    expect(readYaml(text)).toMatchObject({ ok: true, value: parseDocument(text, { schema: 'failsafe' }).toJS() });
    const maps = Array.from({ length: 60 }, (_, i) => `${'  '.repeat(i)}k${i}:`).join('\n');
    expect(readYaml(`${maps} v`)).toMatchObject({ ok: true, value: parseDocument(`${maps} v`).toJS() });
  });

  it.each([
    [
      `a: &a [x, x]\n${[...'bcdefghij'].map((c, i) => `${c}: &${c} [${'*a, '.repeat(9)}*${'abcdefghi'[i]}]`).join('\n')}`,
      '引用',
    ],
    ['a: *nope\n', '&nope'],
    ['a: &x &y b\n', '&'],
    ['a: !!a !!b c\n', '!'],
    ['%FOO\n%YAML\n---\na: b', '%'],
    [`- [a]\n- {${'k'.repeat(1100)}: b}\n- [${'k'.repeat(1100)}: b]`, '1024'],
    ['a: &x *y\n', '引号'],
    ['a: "\\q"\n', '单引号'],
    ['a: [b\n', '括号'],
    ['a: b: c\n', '引号'],
    ['\ta: b\n', '制表符'],
  ])('says in Chinese what is wrong: %#', (text, word) => {
    const file = readYaml(text);
    if (file.ok) throw new Error('read');
    expect(file.reason).toContain(word);
    expect(file.reason.replace(/YAML|nope/g, '')).not.toMatch(/[A-Za-z]{2}/);
  });

  it.each([
    ['- id: a\n  x: [1\n- id: b\n', 3],
    ['- id: a\n- id: "b\n', 3],
    ['a: *nope\n', 1],
  ])('reports the line of what is wrong: %j', (text, line) => {
    expect(readYaml(text)).toMatchObject({ ok: false, line });
  });

  it('gives the same as the yaml package wherever the fast reader answers', () => {
    const rng = random(20);
    const pieces = PIECES.split('|');
    let answered = 0;
    for (let i = 0; i < 6000; i++) {
      const text =
        i % 2 === 0 ? mutate(TERMS, pieces) : Array.from({ length: 1 + rng.below(9) }, () => rng.pick(pieces)).join('');
      const plain = readPlainYaml(text);
      if (plain === undefined) continue;
      answered += 1;
      const doc = parseDocument(text, { schema: 'failsafe', logLevel: 'silent' });
      expect({ text, value: plain.value, errors: doc.errors }).toEqual({ text, value: doc.toJS(), errors: [] });
    }
    expect(answered).toBeGreaterThan(600);

    function mutate(base: string, with_: readonly string[]): string {
      let text = base;
      for (let n = 1 + rng.below(3); n > 0; n--) {
        const at = rng.below(text.length);
        text =
          rng.next() < 0.5
            ? text.slice(0, at) + rng.pick(with_) + text.slice(at)
            : text.slice(0, at) + text.slice(at + rng.below(6));
      }
      return text.slice(0, rng.next() < 0.6 ? rng.below(text.length + 1) : undefined);
    }
  });
});
