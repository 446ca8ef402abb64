import { describe, expect, it } from 'vitest';
import { type Chunk, chunkDocument, loadKnowledge } from '../../src/knowledge/index.js';
import { splitSentences } from '../../src/knowledge/sentences.js';
import { document, random, tree } from './support.js';

const FRONT = { title: '文档', keywords: '[文档]', summary: '一份文档' };

function chunksOf(body: string): Chunk[] {
  const { documents, problems } = loadKnowledge(tree({ 'a.md': document(FRONT, body) }), 'project');
  expect(problems).toEqual([]);
  return documents.flatMap(chunkDocument);
}

const filler = (n: number) => `${'这一句只是用来凑够长度的说明文字。'.repeat(Math.ceil(n / 17)).slice(0, n - 1)}。`;

describe('splitSentences', () => {
  it.each([
    ['状态码：1 表示成功。状态码：2 表示失败。', ['状态码：1 表示成功。', '状态码：2 表示失败。']],
    ['版本 1.2.3 起支持。Node.js 20.19 也行。', ['版本 1.2.3 起支持。', 'Node.js 20.19 也行。']],
    ['等等……再说。', ['等等……再说。']],
    ['他说“不行。换一个。”然后走了。', ['他说“不行。换一个。”然后走了。']],
    ['（先查单。再重试。）才能关单。', ['（先查单。再重试。）才能关单。']],
    ['真的吗？！对。', ['真的吗？！', '对。']],
    ['见 https://a.cn/b?c=1。好', ['见 https://a.cn/b?c=1。', '好']],
    ['Use e.g. this one. Then stop.', ['Use e.g. this one. ', 'Then stop.']],
    ['用 `a. b` 调用。', ['用 `a. b` 调用。']],
    ['升级到 1.2.3。然后重启。', ['升级到 1.2.3。', '然后重启。']],
    ['等等。。。再说。好。', ['等等。。。再说。', '好。']],
    ['等等...再说', ['等等...再说']],
    ['他说「不行。」然后走了。', ['他说「不行。」然后走了。']],
    ['他说：「不行。」\n然后走了。', ['他说：「不行。」\n', '然后走了。']],
    ['报错 "x. y" 时重试。完。', ['报错 "x. y" 时重试。', '完。']],
    ['放在 a.b 里。改 conf/app.yaml 就行', ['放在 a.b 里。', '改 conf/app.yaml 就行']],
    ['连 192.168.1.1:8080 试试。再连 10.0.0.1. 完', ['连 192.168.1.1:8080 试试。', '再连 10.0.0.1. 完']],
    ['U.S. servers are slow. OK', ['U.S. servers are slow. ', 'OK']],
    ['选 A. 重试 B. 放弃', ['选 A. 重试 B. 放弃']],
    ['Spring Boot 2.x. 之后不同', ['Spring Boot 2.x. 之后不同']],
    ["It's done. Don't. Stop", ["It's done. ", "Don't. ", 'Stop']],
    ['i.e. 只读；etc. 等等。vs. 读写', ['i.e. 只读；etc. 等等。', 'vs. 读写']],
    ['a!=b 时报错！重试', ['a!=b 时报错！', '重试']],
    ['超时了吗?是的', ['超时了吗?', '是的']],
    ['先停。1. 查单。2. 重试。', ['先停。', '1. 查单。', '2. 重试。']],
  ])('%s', (text, sentences) => {
    expect(splitSentences(text)).toEqual(sentences);
  });

  it('loses nothing', () => {
    const rng = random(3);
    const parts = [
      '句子',
      '。',
      '！',
      '“',
      '”',
      '（',
      '）',
      '`',
      '.',
      ' ',
      'a1',
      '\n',
      '……',
      '：',
      '?',
      '"',
      '。。',
      "'",
      '」',
      '「',
    ];
    for (let i = 0; i < 2000; i++) {
      const text = Array.from({ length: rng.below(30) }, () => rng.pick(parts)).join('');
      expect(splitSentences(text).join('')).toBe(text);
    }
  });
});

describe('chunkDocument', () => {
  it('keeps a short document whole, headings inside', () => {
    const chunks = chunksOf('# 甲\n\n一句。\n\n## 乙\n\n两句。\n');
    expect(chunks).toHaveLength(1);
    expect(chunks[0]).toMatchObject({
      id: 'a.md#1',
      heading: '甲',
      content: '一句。\n\n## 乙\n\n两句。',
      line: 8,
      endLine: 12,
    });
  });

  it('cuts at headings and keeps their path', () => {
    const chunks = chunksOf(`# 总\n\n${filler(400)}\n\n## 甲\n\n${filler(500)}\n\n## 乙\n\n${filler(600)}\n`);
    expect(chunks.map((chunk) => chunk.heading)).toEqual(['总', '总 › 甲', '总 › 乙']);
    expect(chunks.map((chunk) => chunk.content.length)).toEqual([400, 500, 600]);
  });

  it('merges short neighbours', () => {
    const sections = Array.from({ length: 6 }, (_, i) => `## 节${i}\n\n${filler(120)}`).join('\n\n');
    const chunks = chunksOf(sections);
    expect(chunks.length).toBe(2);
    for (const chunk of chunks) expect(chunk.content.length).toBeGreaterThanOrEqual(300);
    expect(chunks[0]?.content).toContain('## 节1');
  });

  it('keeps code apart from prose, and both linked', () => {
    const chunks = chunksOf(`## 验签\n\n${filler(320)}调用方式如下：\n\n\`\`\`ts\nverify(body); // 注释。\n\`\`\`\n`);
    const [prose, code] = chunks;
    expect(chunks.map((chunk) => chunk.kind)).toEqual(['prose', 'code']);
    expect(prose?.content).not.toContain('verify');
    expect(code).toMatchObject({
      content: '```ts\nverify(body); // 注释。\n```',
      heading: '验签',
      linked: [prose?.id],
    });
    expect(prose?.linked).toEqual([code?.id]);
  });

  it('does not tear a lead-in from its list, nor two sentences about one identifier apart', () => {
    const chunks = chunksOf(`${filler(500)}步骤如下：\n\n- ${filler(150)}\n- ${filler(300)}\n`);
    expect(chunks.find((chunk) => chunk.content.includes('步骤如下：'))?.content).toContain('\n\n- 这一句');
    const about = `${filler(380)}先调用 verifySign 验签。verifySign 失败就返回 401。${filler(400)}`;
    const holder = chunksOf(about).find((chunk) => chunk.content.includes('先调用'));
    expect(holder?.content).toContain('返回 401。');
  });

  it('merges the neighbours that code words bind, whichever side they stand on', () => {
    const paragraph = (n: number, word = '') => `${word}${filler(n - word.length)}`;
    const bound = 'verifySign 之后';
    const holders = (...paragraphs: string[]) =>
      chunksOf(paragraphs.join('\n\n')).map(({ content }) => content.split(bound).length - 1);
    // Three paragraphs of 320 characters: two fit into a chunk, and which two is decided by what they speak of.
    expect(holders(paragraph(320, bound), paragraph(320, bound), paragraph(320))).toEqual([2, 0]);
    expect(holders(paragraph(320), paragraph(320, bound), paragraph(320, bound))).toEqual([0, 2]);
  });

  it('keeps the heading path of text and code, headings of the same words apart', () => {
    const body = `# 支付\n\n## 回调\n\n${filler(500)}\n\n### 验签\n\n${filler(500)}\n\n\`\`\`ts\nverify();\n\`\`\`\n\n## 退款\n\n### 验签\n\n${filler(500)}\n`;
    expect(chunksOf(body).map(({ kind, heading }) => [kind, heading])).toEqual([
      ['prose', '支付 › 回调'],
      ['prose', '支付 › 回调 › 验签'],
      ['code', '支付 › 回调 › 验签'],
      ['prose', '支付 › 退款 › 验签'],
    ]);
  });

  it('takes no code inside a line for the beginning of a block', () => {
    const chunks = chunksOf('先运行 npm test。\n\n```npm test``` 会跑全部测试。\n\n## 之后\n\n再提交。\n');
    expect(chunks.map(({ kind }) => kind)).toEqual(['prose']);
    expect(chunks[0]?.content).toContain('## 之后');
  });

  it('loses nothing, stays within 800 characters, and is stable, on any text', () => {
    const rng = random(11);
    const pieces = [
      () => `${'#'.repeat(1 + rng.below(4))} 标题${rng.below(9)}\n\n`,
      () => `${filler(20 + rng.below(300))}\n\n`,
      () => `- ${filler(20 + rng.below(80))}\n`,
      () => `\n| 列 | 值 |\n| --- | --- |\n${'| 甲 | 乙 |\n'.repeat(1 + rng.below(60))}\n`,
      () => `\n\`\`\`sql\n${'select * from orders where id = 1;\n'.repeat(1 + rng.below(40))}\`\`\`\n\n`,
      () => `${'没有句号的长文字，'.repeat(rng.below(150))}\n\n`,
    ];
    for (let i = 0; i < 60; i++) {
      const body = Array.from({ length: 1 + rng.below(14) }, () => rng.pick(pieces)()).join('');
      const chunks = chunksOf(body);
      for (const chunk of chunks) {
        expect(chunk.content.length).toBeLessThanOrEqual(800);
        expect(chunk.line).toBeLessThanOrEqual(chunk.endLine);
      }
      expect(chunksOf(body).map((chunk) => chunk.content)).toEqual(chunks.map((chunk) => chunk.content));
      const squeeze = (text: string) => text.replace(/\s+|^#+.*$/gm, '');
      const letters = (text: string) => [...squeeze(text)].sort().join('');
      expect(letters(chunks.map((chunk) => chunk.content).join('\n'))).toBe(letters(body));
    }
  });
});
