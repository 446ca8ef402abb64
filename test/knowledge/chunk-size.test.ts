import { describe, expect, it } from 'vitest';
import { chunkDocument, KnowledgeBase, type KnowledgeDocument, loadKnowledge } from '../../src/knowledge/index.js';
import { cutDocuments } from '../../src/knowledge/load.js';
import { openZhCore } from '../../src/zhcore/index.js';
import { document, tree } from './support.js';

const FRONT = { title: '文档', keywords: '[文档]', summary: '一份文档' };
const lines = (n: number, line: (i: number) => string) => Array.from({ length: n }, (_, i) => line(i)).join('\n');

/**
 * Texts that are huge in one way each. A chunker that spreads lists, recurses, or looks through the rest of the text at every
 * sentence dies on them or takes minutes, which the time limit of a test does not allow.
 */
const HUGE: Record<string, string> = {
  '1 MB paragraph of 200,000 sentences': '段落文字。'.repeat(200_000),
  '1 MB without a sentence end': '没有句号'.repeat(260_000),
  '200,000 lines of one paragraph': '段。\n'.repeat(200_000),
  '100,000 empty sections': lines(100_000, (i) => `## 标题${i}\n`),
  '100,000 sections at all levels': lines(100_000, (i) => `${'#'.repeat((i % 6) + 1)} 节${i}\n\n第${i}节。\n`),
  '100,000 code blocks in a row': '```\na\n```\n'.repeat(100_000),
  '100,000 code blocks with a paragraph each': lines(100_000, (i) => `段落${i}。\n\n\`\`\`ts\nlet a${i};\n\`\`\`\n`),
  'a table of 50,000 rows': `| 词 | 符号 |\n| --- | --- |\n${lines(50_000, (i) => `| 行${i} | OrderService.m${i} |`)}`,
  '100,000 list items': lines(100_000, (i) => `- 条${i}`),
  '500,000 brackets that never close': '（'.repeat(500_000),
  'a heading with 200,000 blanks inside': `# 标题${' '.repeat(200_000)}字`,
  'a heading with 100,000 hashes': `# 标题${' #'.repeat(100_000)}字`,
};

describe('chunkDocument on huge texts', () => {
  const [sample] = loadKnowledge(tree({ 'a.md': document(FRONT, '一句。') }), 'project').documents;

  it.each(Object.entries(HUGE))('%s', (_, body) => {
    const chunks = chunkDocument({ ...(sample as KnowledgeDocument), body });
    const size = chunks.reduce((sum, { content }) => sum + content.replace(/\s/g, '').length, 0);
    expect(size).toBeGreaterThan(body.replace(/[\s#]/g, '').length * 0.9);
    for (const { content } of chunks) expect(content.length).toBeLessThanOrEqual(800);
  });

  it('counts the headings inside a chunk: none grows over 800 characters, however long they are', () => {
    const body = lines(
      300,
      (i) => `${'#'.repeat((i % 4) + 1)} ${'很长的标题'.repeat((i % 9) + 1)}${i}\n\n第 ${i} 条。\n`,
    );
    const chunks = chunkDocument({ ...(sample as KnowledgeDocument), body });
    for (const { content } of chunks) expect(content.length).toBeLessThanOrEqual(800);
    for (let i = 0; i < 300; i++) expect(chunks.some(({ content }) => content.includes(`第 ${i} 条。`))).toBe(true);
  });
});

describe('a document that can not be cut', () => {
  it('is a problem with its file, and the others are still cut', () => {
    const dir = tree({
      '.xihe/knowledge/a.md': document(FRONT, '甲先查单。'),
      '.xihe/knowledge/b.md': document(FRONT, '乙再关单。'),
    });
    const { documents } = loadKnowledge(`${dir}/.xihe/knowledge`, 'project');
    const broken = documents.map((doc) =>
      doc.id !== 'a.md'
        ? doc
        : {
            ...doc,
            get body(): string {
              throw new RangeError('Maximum call stack size exceeded');
            },
          },
    );
    const { chunks, problems } = cutDocuments(broken, `${dir}/.xihe/knowledge`);
    expect(chunks.map(({ content }) => content)).toEqual(['乙再关单。']);
    expect(problems).toMatchObject([{ file: '.xihe/knowledge/a.md', line: 1, level: 'error', keptLastGood: false }]);
    expect(problems[0]?.reason).toContain('切不成段落');
  });

  it('a base with a huge document answers about the others', async () => {
    const dir = tree({
      'knowledge/huge.md': document(FRONT, HUGE['1 MB paragraph of 200,000 sentences'] as string),
      'knowledge/pay.md': document(
        { ...FRONT, title: '支付', keywords: '[支付回调]' },
        '支付回调要先验签再改订单状态。',
      ),
    });
    const base = KnowledgeBase.open([{ dir: `${dir}/knowledge`, layer: 'project' }]);
    expect(base.lookup('支付回调').primary?.content).toContain('先验签');
    expect(base.search('回调 验签', 1).map(({ chunk }) => chunk.documentId)).toEqual(['pay.md']);
    expect(base.problems).toEqual([]);
  });
});

describe('files with more faults than a call takes arguments', () => {
  it.each([
    ['entries', '- a\n'.repeat(150_000), 150_000],
    ['unknown fields of one entry', `- id: x\n  keyword_ch: 词\n${lines(20_000, (i) => `  k${i}: v`)}`, 20],
  ])('%s are problems, and the other files load', (_, broken, problems) => {
    const dir = tree({
      '.xihe/knowledge/terms/a.yaml': broken,
      '.xihe/knowledge/terms/b.yaml': '- id: close\n  keyword_ch: 超时关单\n  code_symbols: [cancelExpired]\n',
    });
    const core = openZhCore({ generalDir: tree(), projectDir: `${dir}/.xihe` });
    expect(core.entry('close')?.type).toBe('term');
    expect(core.problems).toHaveLength(problems);
    expect(core.problems.at(-1)?.line).toBeGreaterThan(20);
  });
});
