import { describe, expect, it } from 'vitest';
import { XiheError } from '../../src/errors.js';
import { applyTextEdits, decodeText } from '../../src/text/index.js';
import { findEdits } from '../../src/tools/builtin/search-replace.js';

/** The text after the pairs, and what was said about tolerance. */
function edited(text: string, ...pairs: [search: string, replace: string][]): { text: string; notes: string[] } {
  const bytes = Buffer.from(text);
  const { edits, notes } = findEdits(
    'a.ts',
    text,
    pairs.map(([search, replace]) => ({ search, replace })),
  );
  return { text: decodeText(applyTextEdits(bytes, edits)).text, notes };
}

function failure(text: string, search: string): XiheError {
  try {
    findEdits('a.ts', text, [{ search, replace: 'x' }]);
  } catch (e) {
    if (XiheError.is(e)) return e;
    throw e;
  }
  throw new Error('found, although it should not be');
}

describe('a search text is found', () => {
  it('as it stands, without a word about it', () => {
    expect(edited('a = 1;\nb = 2;\n', ['b = 2', 'b = 3'])).toEqual({ text: 'a = 1;\nb = 3;\n', notes: [] });
  });

  it('with other line ends, which stay', () => {
    const done = edited('if (a) {\r\n  b();\r\n}\r\n', ['if (a) {\n  b();', 'if (a) {\n  c();\n  d();']);
    expect(done.text).toBe('if (a) {\r\n  c();\r\n  d();\r\n}\r\n');
    expect(done.notes).toEqual([expect.stringMatching(/^第 1 行：.*换行符/)]);
  });

  it('without the trailing blanks of the file, which stay on lines that do not change', () => {
    const done = edited('const a = 1;  \nconst b = 2;\t\nconst c = 3;\n', [
      'const a = 1;\nconst b = 2;\nconst c = 3;',
      'const a = 1;\nconst b = 20;\nconst c = 3;',
    ]);
    expect(done.text).toBe('const a = 1;  \nconst b = 20;\nconst c = 3;\n');
    expect(done.notes[0]).toContain('行尾空白');
  });

  it('with trailing blanks that only the search has', () => {
    expect(edited('a\nb\nc\n', ['b  \nc', 'b\nd']).text).toBe('a\nb\nd\n');
  });

  it('with punctuation of the other width; what does not change keeps its own', () => {
    const done = edited("throw new Error('库存不足，请稍后再试（订单 1）。');\n", [
      "throw new Error('库存不足,请稍后再试(订单 1).');",
      "throw new BizError('库存不足,请稍后再试(订单 1).');",
    ]);
    expect(done.text).toBe("throw new BizError('库存不足，请稍后再试（订单 1）。');\n");
    expect(done.notes[0]).toContain('全角半角标点');
  });

  it('but never with other letters, digits, case, indentation or full-width letters', () => {
    for (const search of ['Const a', 'const  a', '\tconst a', 'const a = 2', 'ｃonst a'])
      expect(failure('  const a = 1;\n', search).code).toBe('EDIT_NOT_FOUND');
  });

  it('exactly first: a text that also stands elsewhere in another width is no second place', () => {
    expect(edited('a（1）\na(1)\n', ['a(1)', 'b']).text).toBe('a（1）\nb\n');
  });

  it('with mixed line ends, and each line keeps its own', () => {
    const text = 'a\r\nb\nc\r\nd\n';
    expect(edited(text, ['a\nb\nc\nd', 'a\nB\nc\nx\nd']).text).toBe('a\r\nB\nc\r\nx\r\nd\n');
  });
});

describe('an edit is refused', () => {
  it('where the text stands twice, overlapping places too, with the lines', () => {
    const error = failure('x();\nfoo();\ny();\nfoo();\n', 'foo();');
    expect(error.code).toBe('EDIT_AMBIGUOUS');
    expect(error.details.lines).toEqual([2, 4]);
    expect(error.hint).toContain('1\tx();\n2\tfoo();');
    expect(error.hint).toContain('3\ty();\n4\tfoo();');
    expect(failure('aaa\n', 'aa').code).toBe('EDIT_AMBIGUOUS');
  });

  it('where nothing would change', () => {
    expect(() => edited('a\n', ['a', 'a'])).toThrow(/一样/);
  });

  it('as a whole where one of several is not found, and says which', () => {
    expect(() => edited('a = 1\nb = 2\n', ['a = 1', 'a = 2'], ['zzz', 'y'])).toThrow(/第 2 处：a\.ts 里找不到/);
  });

  it('where the search carries line numbers', () => {
    expect(failure('const a = 1;\nconst b = 2;\n', '1\tconst a = 1;\n2\tconst b = 2;').hint).toContain('行号');
  });
});

describe('the nearest lines', () => {
  const file = Array.from({ length: 400 }, (_, i) =>
    [`  async step${i}(orderNo: string): Promise<void> {`, `    await this.run(${i}, orderNo);`, '  }', ''].join('\n'),
  ).join('\n');

  it('of several lines are the window that was meant, with the first line that differs', () => {
    const error = failure(
      file,
      '  async step217(order: string): Promise<void> {\n    await this.run(217, order);\n  }',
    );
    expect(error.details.nearest).toEqual([869]);
    expect(error.hint).toContain('869\t  async step217(orderNo: string)');
    expect(error.hint).toContain('870\t    await this.run(217, orderNo);');
    expect(error.hint).toContain('从第 869 行起不同');
    expect(error.hint).not.toContain('step218');
  });

  it('are found where a line of the search is missing in the file', () => {
    const error = failure(
      file,
      '  async step33(orderNo: string): Promise<void> {\n    // 先记日志\n    await this.run(33, orderNo);\n  }',
    );
    expect(error.details.nearest).toEqual([133]);
  });

  it('say that only the indentation differs', () => {
    expect(failure('class A {\n    run() {\n        go();\n    }\n}\n', '  run() {\n    go();\n  }').hint).toContain(
      '缩进不同',
    );
  });

  it('are none where nothing is like it', () => {
    const error = failure(file, '这一段完全不在这里\n也没有相近的');
    expect(error.details.nearest).toEqual([]);
    expect(error.hint).toContain('read_file');
  });

  it('are masked in files of secrets', () => {
    try {
      findEdits(
        '.env',
        'API_KEY=abcdef123456\n',
        [{ search: 'API_KEY=abcdef999999', replace: '' }],
        () => 'API_KEY=***',
      );
      expect.unreachable();
    } catch (e) {
      expect((e as XiheError).hint).toContain('API_KEY=***');
      expect((e as XiheError).hint).not.toContain('123456');
    }
  });

  it('come from a file of 40,000 lines in a time that grows with its length, not with its square', () => {
    const lines = Array.from({ length: 40_000 }, (_, i) => `  const value${i} = compute(${i * 7}, 'order-${i}');`);
    const error = failure(lines.join('\n'), "  const value31234 = compute(218638, 'order31234');");
    expect(error.details.nearest).toContain(31_235);
  });
});
