import { describe, expect, it } from 'vitest';
import { chunkDocument, loadKnowledge } from '../../src/knowledge/index.js';
import { parseBlocks } from '../../src/knowledge/markdown.js';
import { fold } from '../../src/text/index.js';
import { cleanMarkdown } from '../../src/zhcore/import/clean.js';
import { document, random, tree } from '../knowledge/support.js';

type Rng = ReturnType<typeof random>;

const WORDS = [
  '订单',
  '超时',
  '关单',
  'OrderService.cancelExpired',
  '必须',
  '先查单',
  '再重试',
  'gmt_create',
  '，',
  'v1.2.3',
  '“不行。”',
  '（见下）',
  '退款',
  '🚀',
  'e.g. this',
  '`a. b`',
  '　',
];
const ENDS = ['。', '！', '？', '；', '：', '.', '……', ''];

const sentence = (rng: Rng) =>
  Array.from({ length: 1 + rng.below(12) }, () => rng.pick(WORDS)).join('') + rng.pick(ENDS);
const prose = (rng: Rng) => Array.from({ length: 1 + rng.below(8) }, () => sentence(rng)).join('');

/** Pieces of documents as people write them: Chinese, English, lists, tables, code, quotes, headings of any level. */
const MARKDOWN: ((rng: Rng) => string)[] = [
  (rng) => `${'#'.repeat(1 + rng.below(6))} ${sentence(rng)}\n\n`,
  (rng) => `${'#'.repeat(2 + rng.below(3))}标题${rng.below(9)} ##\n`,
  (rng) => `标题${rng.below(9)}\n${rng.pick(['===', '---', '----'])}\n`,
  (rng) => `${prose(rng)}\n\n`,
  (rng) => `${prose(rng)}\n${prose(rng)}\n`,
  (rng) =>
    Array.from(
      { length: 1 + rng.below(5) },
      (_, i) => `${rng.pick(['- ', '* ', `${i + 1}. `, `${i + 1}、`, '  - '])}${sentence(rng)}\n`,
    ).join(''),
  (rng) => `- ${sentence(rng)}\n  接着说${sentence(rng)}\n`,
  (rng) =>
    `| 列 | 值 |\n| --- | --- |\n${`| ${sentence(rng).replaceAll('|', '')} | x |\n`.repeat(1 + rng.below(40))}\n`,
  (rng) =>
    `\`\`\`${rng.pick(['', 'ts', 'sql'])}\n${`select * from t where id = ${rng.below(99)}; -- # 注释。\n`.repeat(1 + rng.below(40))}\`\`\`\n`,
  (rng) => `~~~\n${'x'.repeat(rng.below(2000))}\n\n# 不是标题\n~~~\n`,
  (rng) => `> ${sentence(rng)}\n> ${sentence(rng)}\n\n`,
  (rng) => `    缩进的代码 ${rng.below(9)}\n\n`,
  (rng) => `${'没有句号的长文字，'.repeat(rng.below(200))}\n\n`,
  () => '---\n\n',
  () => '\n\n\n',
];

/** What web pages and office programs leave behind. */
const DIRT: ((rng: Rng) => string)[] = [
  () => '<div class="a">\n\n**内**容\u200b有零宽字符\n\n</div>\n',
  (rng) => `上一篇：${sentence(rng)}\n下一篇：无\n\n`,
  () => '- [甲](#a)\n- [乙](#b)\n- [丙](./c.md)\n\n',
  (rng) =>
    `![${rng.pick(['图片', '时序图', '', 'a.png'])}](${rng.pick(['./a.png', 'data:x', 'https://a.cn/b.png', ''])}) 图后\n\n`,
  () => 'A&nbsp;&amp;&nbsp;B &lt;T&gt; &amp;lt; &#20013; &lt;&nbsp;x &unknown;\n\n',
  () => '<table><tr><th>甲</th><td>a|b</td></tr><tr><td>1<td>2</table>\n',
  () => '<p>段<br>落<p>没有结束的 <b>标签\n\n',
  () => 'Map<K, List<String>> 和 <orderId> 与 a < b > c\n\n',
  () => '<script>alert("<p>")</script><!-- 注释\n跨行 -->后文\n\n',
  () => '<pre><code class="language-js">a &lt; b\n```\n</code></pre>\n',
  () => '<ul><li>一<ul><li>二</li></ul><li>三</ul>\n\n',
  (rng) => `重复的一段话，长到足够被认出来是重复的。\n\n${rng.below(2) ? '## 空的\n\n' : ''}`,
  () => '### 目录\n\n返回顶部\n\n© 2024 某某公司 版权所有\n\n',
  () => '[](#x) [ ](y) [![](https://img.shields.io/a)](b)\n\n',
  () => '未配对的 ` 反引号和 <b 还有 &#xD800; \uE000\n\n',
  () => '```\n没有结束的代码 <b>不动</b> &nbsp;\n',
];

const some = (rng: Rng, pieces: ((rng: Rng) => string)[], most: number) =>
  Array.from({ length: 1 + rng.below(most) }, () => rng.pick(pieces)(rng)).join('');

const squeeze = (text: string) => text.replace(/\s+/g, '');

describe('cutting a document', () => {
  it('loses no character of prose, code or headings, whatever the document', () => {
    for (let seed = 1; seed <= 150; seed++) {
      const body = some(random(seed), MARKDOWN, 20);
      const { documents } = loadKnowledge(
        tree({ 'a.md': document({ title: '甲', keywords: '[甲]', summary: '甲' }, body) }),
        'project',
      );
      const chunks = documents.flatMap(chunkDocument);
      const blocks = parseBlocks(body, 1);
      const of = (kind: 'prose' | 'code') =>
        chunks
          .filter((chunk) => chunk.kind === kind)
          .map((chunk) => chunk.content)
          .join('\n');
      for (const chunk of chunks) expect(chunk.content.length, `seed ${seed}`).toBeLessThanOrEqual(800);
      expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(chunks.length);
      const isCode = (kind: string) => kind === 'code';
      expect(squeeze(of('code')), `seed ${seed}`).toBe(
        squeeze(
          blocks
            .filter((b) => isCode(b.kind))
            .map((b) => b.text)
            .join(''),
        ),
      );
      const withoutHeadings = (text: string) => text.replace(/^#{1,6} .*$/gm, '');
      const prose = chunks
        .filter((chunk) => chunk.kind === 'prose')
        .map((chunk) => withoutHeadings(chunk.content))
        .join('');
      const meant = blocks
        .filter((b) => b.kind !== 'heading' && b.kind !== 'code')
        .map((b) => b.text)
        .join('');
      expect(squeeze(prose), `seed ${seed}`).toBe(squeeze(meant));
      const shown = squeeze(chunks.map((chunk) => `${chunk.heading}\n${chunk.content}`).join('\n'));
      for (const heading of blocks.filter((b) => b.kind === 'heading'))
        expect(shown, `seed ${seed}`).toContain(squeeze(heading.text));
    }
  });
});

describe('cleaning', () => {
  it('changes nothing the second time', () => {
    for (let seed = 1; seed <= 600; seed++) {
      const source = some(random(seed), [...MARKDOWN, ...DIRT, ...DIRT], 14);
      const once = cleanMarkdown(source).text;
      expect(cleanMarkdown(once).text, `seed ${seed}:\n${source}`).toBe(once);
    }
  });

  it('takes nothing out without saying so', () => {
    const letters = (text: string) =>
      [
        ...squeeze(
          text.replace(/^ {0,3}(?:-{3,}|={3,})[ \t]*$|^ {0,3}#{1,6}(?=\s|\p{Script=Han})|[ \t]#+[ \t]*$/gmu, ''),
        ),
      ]
        .sort()
        .join('');
    for (let seed = 1; seed <= 300; seed++) {
      const source = some(random(seed), MARKDOWN, 14);
      const { text, dropped } = cleanMarkdown(source);
      expect(letters([text, ...dropped.map((d) => d.text)].join('\n')), `seed ${seed}:\n${source}`).toBe(
        letters(source),
      );
    }
  });

  it('folding changes nothing the second time', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const once = fold(some(random(seed), [...MARKDOWN, ...DIRT], 5));
      expect(fold(once)).toBe(once);
    }
  });
});
