import { describe, expect, it } from 'vitest';
import { chunkDocument, loadKnowledge } from '../../src/knowledge/index.js';
import { topicsOf } from '../../src/knowledge/topics.js';
import { document, tree } from './support.js';

const chunksOf = (body: string, layer: 'project' | 'general' = 'project') => {
  const dir = tree({ 'k/page.md': document({ title: '页', keywords: '[页]', summary: '一页。' }, body) });
  return loadKnowledge(`${dir}/k`, layer).chunks;
};

describe('the topics of a passage', () => {
  it('are what stands below each heading, with the heading', () => {
    expect(topicsOf('## 连不上测试库\n\n先连 VPN。\n\n## 日志是问号\n\n加 -Dfile.encoding=UTF-8。', false)).toEqual([
      '连不上测试库\n先连 VPN。',
      '日志是问号\n加 -Dfile.encoding=UTF-8。',
    ]);
  });

  it.each([
    ['**问：什么时候能发版？**\n答：周二、周四。\n\n**问：谁跑脚本？**\n答：DBA。'],
    ['问：什么时候能发版？\n\n答：周二、周四。\n\n问：谁跑脚本？\n\n答：DBA。'],
    ['Q: 什么时候能发版？\nA: 周二、周四。\n\nQ: 谁跑脚本？\nA: DBA。'],
  ])('are questions with their answers: %j', (content) => {
    const topics = topicsOf(content, false);
    expect(topics).toHaveLength(2);
    expect(topics[0]).toContain('周二、周四');
    expect(topics[1]).toContain('DBA');
  });

  it('of a whole page are its items, rows and paragraphs, without the signs of Markdown', () => {
    expect(topicsOf('- **主键**：用 bigint 雪花号\n- **删除**：一律逻辑删除', true)).toEqual([
      '主键：用 bigint 雪花号',
      '删除：一律逻辑删除',
    ]);
    const table = '| 要什么 | 找谁 |\n| --- | --- |\n| 跳板机账号 | 安全组 |\n| 生产日志 | 运维值班 |';
    expect(topicsOf(table, true).map((row) => row.replace(/\s+/g, ' '))).toEqual([
      '跳板机账号 安全组',
      '生产日志 运维值班',
    ]);
    expect(topicsOf('金额一律用整数分传。\n\n时间传毫秒时间戳。', true)).toHaveLength(2);
  });

  it('are none where it is about one thing', () => {
    expect(topicsOf('- 先停任务\n- 再清缓存\n- 最后重启', false)).toEqual([]);
    expect(topicsOf('只有这一段，说的是一件事。', true)).toEqual([]);
    expect(topicsOf('', true)).toEqual([]);
  });

  it('are sixteen at most', () => {
    const list = Array.from({ length: 40 }, (_, i) => `- 错误码 ${i} 表示第 ${i} 种情况`).join('\n');
    expect(topicsOf(list, true)).toHaveLength(16);
  });

  it('belong to a page that is one chunk, not to a section of a longer one, nor to code or what ships', () => {
    const list = '- 下单后三十分钟没付钱就关单\n- 拆单后运费记在金额最大的子单上\n';
    expect(chunksOf(list)[0]?.topics).toHaveLength(2);
    expect(chunksOf(list, 'general')[0]?.topics).toBeUndefined();
    const long = `## 关单\n\n${list}\n${'关单以后库存要还回去，券也要退。'.repeat(40)}\n\n## 改价\n\n${'改价要店长同意，改完发一条消息。'.repeat(40)}\n`;
    const cut = chunksOf(long);
    expect(cut.length).toBeGreaterThan(1);
    expect(cut.flatMap(({ topics }) => topics ?? [])).toEqual([]);
    const withCode = chunksOf(`${list}\n\`\`\`sql\nselect 1;\n\nselect 2;\n\`\`\`\n`);
    expect(withCode.find(({ kind }) => kind === 'code')?.topics).toBeUndefined();
  });
});

it('chunkDocument gives the topics of a page', () => {
  const dir = tree({
    'k/a.md': document(
      { title: '账号', keywords: '[账号]', summary: '找谁开。' },
      '## 跳板机\n\n找安全组。\n\n## 日志\n\n找运维。\n',
    ),
  });
  const [doc] = loadKnowledge(`${dir}/k`, 'project').documents;
  expect(chunkDocument(doc!).map(({ topics }) => topics)).toEqual([['跳板机\n找安全组。', '日志\n找运维。']]);
});
