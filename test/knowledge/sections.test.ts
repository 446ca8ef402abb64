import { describe, expect, it } from 'vitest';
import { KnowledgeBase } from '../../src/knowledge/index.js';
import { document, tree } from './support.js';

const FRONT = { title: '支付手册', keywords: '[支付手册]', summary: '支付怎么接、怎么查。' };

function manual(body: string, front: Record<string, string> = {}): KnowledgeBase {
  return KnowledgeBase.open([{ dir: tree({ 'a.md': document({ ...FRONT, ...front }, body) }), layer: 'project' }]);
}

/** The named section of a document as `lookup` shows it. */
function section(base: KnowledgeBase, name: string): string | undefined {
  return base.lookup('支付手册', name, { exactOnly: true }).primary?.content;
}

const names = (base: KnowledgeBase) => base.lookup('支付手册', undefined, { exactOnly: true }).primary?.sections;
const opening = (base: KnowledgeBase) => base.lookup('支付手册', undefined, { exactOnly: true }).primary?.content ?? '';

const BODY = `# 支付手册

开头。

## 1. 超时类錯誤

甲。

### 1.1 先查单

乙。

\`\`\`md
## 代码里的标题
\`\`\`

## 二、限流

行内的 \`\`\`x\`\`\` 不是代码块。

\`\`\`一行\`\`\` 也不是。

回调 Callback
-------------

丙。

## 404 处理

丁。

## 500 处理

戊。

### 配置

己。

## 配置

庚。
`;

describe('a section', () => {
  const base = manual(BODY, {
    sections: '\n  超时: "## 1. 超时类錯誤"\n  回调: "## 回调 Callback"\n  细节: "### 配置"',
  });

  it.each([
    ['超时', '## 1. 超时类錯誤', '## 代码里的标题\n```'],
    ['超時', '## 1. 超时类錯誤', '```'],
    ['超时类错误', '## 1. 超时类錯誤', '```'],
    ['1. 超时类错误', '## 1. 超时类錯誤', '```'],
    ['## 1. 超时类错误', '## 1. 超时类錯誤', '```'],
    ['＃＃ １．超時類錯誤', '## 1. 超时类錯誤', '```'],
    ['先查单', '### 1.1 先查单', '```'],
    ['限流', '## 二、限流', '也不是。'],
    ['二、限流', '## 二、限流', '也不是。'],
    ['回调', '回调 Callback', '丙。'],
    ['CALLBACK', '回调 Callback', '丙。'],
    ['404 处理', '## 404 处理', '丁。'],
    ['500 处理', '## 500 处理', '己。'],
    ['细节', '### 配置', '己。'],
    ['### 配置', '### 配置', '己。'],
    ['## 配置', '## 配置', '庚。'],
  ])('%s is from its heading to the next one of its level', (name, first, last) => {
    const content = section(base, name) ?? '';
    expect(content.split('\n')[0]).toBe(first);
    expect(content.endsWith(last)).toBe(true);
  });

  it.each(['代码里的标题', '403 处理', '2. 超时类错误', '处理', '退款'])(
    '%s is none, and those that exist are told',
    (name) => {
      const part = base.lookup('支付手册', name, { exactOnly: true }).primary;
      expect(part).toMatchObject({
        content: '',
        missing_section: name,
        sections: expect.arrayContaining(['超时', '回调', '细节']),
      });
    },
  );

  it('is listed by its name in the front matter, else by its heading, and only when the body has it', () => {
    expect(names(base)).toEqual([
      '超时',
      '回调',
      '细节',
      '支付手册',
      '1.1 先查单',
      '二、限流',
      '404 处理',
      '500 处理',
      '配置',
    ]);
    const wrong = manual('## 有\n\n正文。\n', { sections: '\n  甲: "## 有"\n  乙: "## 没有"' });
    expect(names(wrong)).toEqual(['甲']);
    expect(section(wrong, '乙')).toBe('');
  });

  it('is listed among few: of thousands the deep ones are left out', () => {
    const many = manual(
      Array.from({ length: 3000 }, (_, i) => `${i % 300 === 0 ? '##' : '###'} 第${i}节\n\n正文。\n`).join('\n'),
    );
    expect(names(many)).toEqual(Array.from({ length: 10 }, (_, i) => `第${i * 300}节`));
    expect(section(many, '第1234节')).toBe('### 第1234节\n\n正文。');
  });
});

describe('the opening', () => {
  const sentence = (n: number) => `第${n}句说明要写完整。`;
  const long = Array.from({ length: 400 }, (_, i) => sentence(i)).join('');

  it('is cut inside a block that is longer than it, at a sentence, and not left as a bare title', () => {
    const content = opening(manual(`# 支付手册\n\n${long}\n`));
    expect(content.startsWith(`# 支付手册\n\n${sentence(0)}`)).toBe(true);
    expect(content.endsWith('完整。')).toBe(true);
    expect(content.length).toBeGreaterThan(1900);
    expect(content.length).toBeLessThanOrEqual(2000);
  });

  it('is cut between paragraphs where that leaves half of it', () => {
    const content = opening(manual(`# 支付手册\n\n${'一句。'.repeat(400)}\n\n${long}\n\n## 后面\n`));
    expect(content).toBe(`# 支付手册\n\n${'一句。'.repeat(400)}`);
  });

  it('closes code that is cut, and cuts tables between rows', () => {
    const code = opening(manual(`说明。\n\n\`\`\`sql\n${'select * from orders;\n'.repeat(300)}\`\`\`\n`));
    expect(code.endsWith('select * from orders;\n```')).toBe(true);
    expect(code.length).toBeLessThanOrEqual(2000);
    const table = opening(manual(`| 码 | 意思 |\n| --- | --- |\n${'| ERR_A | 甲。乙 |\n'.repeat(300)}`));
    expect(table.endsWith('| ERR_A | 甲。乙 |')).toBe(true);
  });

  it('does not end with a heading whose text was cut off', () => {
    const content = opening(manual(`${'一句。'.repeat(600)}\n\n## 后面\n\n${long}\n`));
    expect(content).toBe('一句。'.repeat(600));
  });

  it('of a document without a body is its summary', () => {
    expect(opening(manual('\n\n'))).toBe('支付怎么接、怎么查。');
  });

  it('never cuts a character in two', () => {
    for (const lead of ['', 'a']) {
      const content = opening(manual(`${lead}${'😀'.repeat(1500)}\n`));
      expect(Buffer.from(content).toString()).toBe(content);
    }
  });
});
