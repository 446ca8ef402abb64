import { describe, expect, it } from 'vitest';
import { type Language, languageOf, MAX_PARSED_LENGTH, outline, syntaxProblems } from '../../src/code/index.js';
import { estimateTokens } from '../../src/text/index.js';
import { lines, names, symbol } from './support.js';

describe('broken code', () => {
  it('is read by patterns where the parser gives up', async () => {
    const o = await outline(
      'a.ts',
      "export class A { foo( { \n const x = ;\n}\n/** 乙 */\nexport function b(a: string) { return 1 }\nimport { z } from './z'\n",
    );
    expect(names(o)).toEqual(expect.arrayContaining(['class A']));
    expect(symbol(o, 'b')).toMatchObject({ line: 5, doc: '乙' });
    expect(o.imports).toEqual([{ source: './z', names: ['z'], line: 6 }]);
  });

  it('keeps what the parser saw and adds what it missed', async () => {
    const o = await outline(
      'A.java',
      lines(
        '/** 订单 */',
        'public class A {',
        '  /** 好的 */',
        '  public int ok() { return 1; }',
        '  public int bad( { @@@ }',
        '  public int later(int a) { return 2; }',
        '}',
      ),
    );
    expect(symbol(o, 'ok')).toMatchObject({ doc: '好的' });
    expect(symbol(o, 'later').line).toBe(6);
  });

  it('reads merge conflicts', async () => {
    const o = await outline(
      'a.ts',
      lines(
        'export function a() {}',
        '<<<<<<< HEAD',
        'export function b() {}',
        '=======',
        'export function c() {}',
        '>>>>>>> 分支',
        'export function d() {}',
      ),
    );
    expect(o.symbols.map((s) => s.name)).toEqual(expect.arrayContaining(['a', 'b', 'c', 'd']));
  });
});

describe('syntaxProblems', () => {
  it('is empty for sound files and for languages without a parser', async () => {
    expect(await syntaxProblems('a.ts', 'export const a: number = 1;\nconst s = ``, e = "";\nclass B {}\n')).toEqual(
      [],
    );
    expect(await syntaxProblems('a.tsx', 'const a = <><A b="" /></>;\n')).toEqual([]);
    expect(await syntaxProblems('a.go', 'package a\nvar s = ``\n')).toEqual([]);
    expect(await syntaxProblems('a.py', 'def f():\n    """"""\n    pass\n')).toEqual([]);
    expect(await syntaxProblems('a.java', '')).toEqual([]);
    expect(await syntaxProblems('a.rs', 'fn {{{')).toEqual([]);
  });

  it('says where something is wrong or missing', async () => {
    expect(await syntaxProblems('a.ts', 'const a = 1;\nconst x = ;\n')).toMatchObject([{ line: 2 }]);
    expect(await syntaxProblems('a.ts', 'function f() {\n  return 1\n')).toMatchObject([{ text: '缺少 }' }]);
    expect(await syntaxProblems('A.java', 'class A {\n  void m() { int x = 1 }\n}\n')).toMatchObject([
      { line: 2, text: '缺少 ;' },
    ]);
    expect(await syntaxProblems('a.py', 'def f(:\n    pass\n')).toMatchObject([{ line: 1 }]);
    expect((await syntaxProblems('a.go', 'package a\nfunc f() { x := 1\n')).length).toBeGreaterThan(0);
  });

  it('gives the lines of the file for the script of a Vue file', async () => {
    expect(
      await syntaxProblems(
        'a.vue',
        '<template><p>{{ </p></template>\n<script setup lang="ts">\nconst a = ;\n</script>\n',
      ),
    ).toMatchObject([{ line: 3 }]);
    expect(await syntaxProblems('b.vue', '<template><p>{{ </p></template>\n')).toEqual([]);
  });

  it('names at most 20 places', async () => {
    const found = await syntaxProblems('a.ts', 'const = ;\n'.repeat(200));
    expect(found.length).toBe(20);
  });
});

describe('large and minified files', () => {
  it('get their head only', async () => {
    const huge = `// 生成的订单枚举\nexport const list = [\n${'  "x",\n'.repeat(100_000)}];\nexport class Late {}\n`;
    expect(huge.length).toBeGreaterThan(MAX_PARSED_LENGTH);
    expect(await outline('huge.ts', huge)).toMatchObject({
      by: 'none',
      symbols: [],
      headComment: '生成的订单枚举',
      summary: '生成的订单枚举',
    });
    expect(await syntaxProblems('huge.ts', `${huge}(((`)).toEqual([]);
    const minified = await outline('a.min.js', `/* 订单组件 */${'function a(){return 1}'.repeat(2000)}`);
    expect(minified).toMatchObject({ by: 'none', symbols: [], headComment: '订单组件' });
  });

  it('a long line in an ordinary file is no reason to skip it', async () => {
    const o = await outline(
      'a.ts',
      `${'export const a = 1;\n'.repeat(60)}export const text = '${'长'.repeat(3000)}';\nexport function last() {}\n`,
    );
    expect(symbol(o, 'last').line).toBe(62);
    expect(o.strings[0]!.text.length).toBeLessThan(300);
  });
});

const PATHS: Partial<Record<Language, string>> = {
  ...{
    typescript: 'a.ts',
    tsx: 'a.tsx',
    javascript: 'a.js',
    vue: 'a.vue',
    java: 'A.java',
    kotlin: 'a.kt',
    python: 'a.py',
    go: 'a.go',
    c: 'a.c',
    cpp: 'a.cpp',
  },
  ...{
    csharp: 'a.cs',
    rust: 'a.rs',
    php: 'a.php',
    ruby: 'a.rb',
    sql: 'a.sql',
    xml: 'a.xml',
    html: 'a.html',
    css: 'a.css',
    json: 'i18n/zh.json',
    yaml: 'i18n/zh.yml',
  },
  ...{ markdown: 'a.md', shell: 'a.sh' },
};

describe('no input makes an outline throw or hang', () => {
  // Units that begin something and never end it. Each is tried by itself, and broken into lines.
  const UNITS = [
    '(',
    '{',
    '[',
    '<',
    '"',
    "'",
    '`',
    '/*',
    '<!--',
    '"""',
    '#',
    '@',
    '\\',
    "\\'",
    ' ',
    '\t',
    'a ',
    'a.',
    'a(',
    '=',
  ];
  const WORDS = [
    '<script',
    '<style>',
    '{{',
    'class a(',
    'create table a (',
    'alter table a ',
    '<select id="a">',
    '=begin\n',
    'r#"',
    'x="订',
    '- a: ',
    'if (',
  ];
  for (const [language, path] of Object.entries(PATHS)) {
    it(language, async () => {
      expect(languageOf(path)).toBe(language);
      for (const unit of [...UNITS, ...WORDS]) {
        const line = unit.repeat(Math.ceil(60 / unit.length));
        for (const text of [
          unit.repeat(Math.ceil(20_000 / unit.length)),
          `${line}\n`.repeat(400),
          `${`${unit}\n`.repeat(3000)}`,
        ]) {
          const o = await outline(path, text);
          expect(o.language).toBe(language);
          expect(estimateTokens(o.summary)).toBeLessThanOrEqual(20);
        }
      }
    }, 60_000);
  }

  it('reads empty files, lone surrogates and NULs', async () => {
    for (const path of Object.values(PATHS)) {
      for (const text of ['', '\n', '\uD800', 'a\0b', '\uFEFF// 订单\n'])
        expect((await outline(path, text)).comments.length).toBeLessThan(2);
    }
  });
});

describe('languageOf', () => {
  it('goes by name, whatever the slashes', () => {
    expect(languageOf('src/order/Service.TS')).toBe('typescript');
    expect(languageOf('C:\\mall\\A.java')).toBe('java');
    expect(languageOf('Rakefile')).toBe('ruby');
    expect(languageOf('a/.gitignore')).toBe('other');
    expect(languageOf('a/b.d/README')).toBe('other');
    expect(languageOf('src/a.vue')).toBe('vue');
  });
});
