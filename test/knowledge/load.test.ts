import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KnowledgeBase, loadKnowledge } from '../../src/knowledge/index.js';
import { document, random, tree } from './support.js';

const GOOD = document({ title: '好文档', keywords: '[好文档]', summary: '可以用' }, '正文一句。\n');

describe('loadKnowledge', () => {
  it('reads front matter, JSON blocks, and leaves README files to people', () => {
    const dir = tree({
      'README.md': '# 说明\n',
      'pay/wechat.md': document(
        {
          title: '微信支付',
          keywords: '微信支付',
          summary: '回调',
          version_since: '1.10',
          confidence: '0.96',
          kind: 'official',
        },
        '正文\n',
      ),
      'blocks.json': JSON.stringify([
        {
          topic: 'a',
          content: '第一块。',
          source: 'https://a.cn/x',
          version_until: null,
          confidence: 0.5,
          tags: ['t'],
        },
        { topic: 'b', content: '第二块。', source: 'https://a.cn/y' },
      ]),
    });
    const { documents, problems } = loadKnowledge(dir, 'general');
    expect(problems).toEqual([]);
    expect(documents.map((doc) => doc.id)).toEqual(['blocks.json#1', 'blocks.json#2', 'pay/wechat.md']);
    expect(documents[2]).toMatchObject({
      keywords: ['微信支付'],
      versionSince: '1.10',
      provenance: { confidence: 0.96 },
    });
    expect(documents[0]).toMatchObject({
      topic: 'a',
      tags: ['t'],
      provenance: { source: 'https://a.cn/x', confidence: 0.5 },
    });
    expect('versionUntil' in (documents[0] as object)).toBe(false);
  });

  it('reports each broken file with line and reason, and loads the rest', () => {
    const dir = tree({
      'good.md': GOOD,
      'blank.md': `\n${GOOD}`,
      'missing.md': '---\ntitle: 缺\nkeywords: [a]\n---\n',
      'range.md': GOOD.replace('summary', 'confidence: 7\nsummary'),
      'typo.md': GOOD.replace('summary', 'tag: x\nsummary').replaceAll('好文档', '错字'),
      'bom.md': `\uFEFF${GOOD.replaceAll('好文档', '有标记')}`,
      'binary.md': Uint8Array.from({ length: 400 }, (_, i) => (i * 37) % 256),
      'bad.json': '[\n  {"topic": "x",\n  oops}\n]',
      'part.json': '[\n  {"topic": "x", "content": "好。", "source": "s"},\n  {"topic": "y"}\n]',
    });
    const { documents, problems } = loadKnowledge(dir, 'project');
    expect(documents.map((doc) => doc.title).sort()).toEqual(['x', '好文档', '有标记', '错字']);
    const by = (file: string) => problems.find((problem) => problem.file.endsWith(`/${file}`));
    expect(by('blank.md')).toMatchObject({ line: 1, code: 'FRONT_MATTER', level: 'error' });
    expect(by('missing.md')).toMatchObject({ code: 'SCHEMA', reason: '缺少必填字段 summary' });
    expect(by('range.md')).toMatchObject({
      line: 4,
      reason: '字段 confidence 只能是 high、medium、low 之一，或 0 到 1 的数字',
    });
    expect(by('typo.md')).toMatchObject({
      line: 4,
      level: 'warning',
      reason: '不认识的字段 tag，已忽略；是不是 tags？',
    });
    expect(by('bom.md')).toMatchObject({ line: 1, level: 'warning' });
    expect(by('binary.md')).toMatchObject({ code: 'READ', level: 'error' });
    expect(by('bad.json')).toMatchObject({ code: 'YAML', level: 'error' });
    expect(by('part.json')).toMatchObject({ line: 3, reason: '缺少必填字段 content' });
  });

  it('keeps the last good version of a file that breaks, and says so', () => {
    const dir = tree({
      'a.md': GOOD,
      'b.json': '[{"topic":"x","content":"好。","source":"s"},{"topic":"y","content":"也好。","source":"s"}]',
    });
    const base = KnowledgeBase.open([{ dir, layer: 'project' }]);
    const version = base.version;
    writeFileSync(join(dir, 'a.md'), '---\ntitle: [\n---\n');
    writeFileSync(join(dir, 'b.json'), '[{"topic":"x"},{"topic":"y","content":"也好。","source":"s"}]');
    expect(base.reload()).toBe(false);
    expect(base.version).toBe(version);
    expect(base.problems).toHaveLength(3);
    for (const problem of base.problems) expect(problem).toMatchObject({ keptLastGood: true });
    expect(base.problems[0]?.reason).toContain('上一个可用的版本继续生效');
    expect(base.lookup('好文档').primary?.content).toBe('正文一句。');
    writeFileSync(join(dir, 'a.md'), GOOD.replace('正文一句', '新的一句'));
    expect(base.reload()).toBe(true);
    expect(base.lookup('好文档').primary?.content).toBe('新的一句。');
  });

  it('ends on links that loop, and works without a folder', () => {
    const dir = tree({ 'sub/a.md': GOOD });
    symlinkSync(dir, join(dir, 'sub', 'loop'));
    expect(loadKnowledge(dir, 'project').documents).toHaveLength(1);
    expect(loadKnowledge(join(dir, 'nowhere'), 'project')).toMatchObject({ documents: [], problems: [] });
  });

  it('never throws on broken front matter and JSON, and keeps the good file in force', () => {
    const rng = random(7);
    const noise = [
      '---',
      '\n',
      ': ',
      '[',
      ']',
      '{',
      '"',
      "'",
      '- ',
      '\t',
      '&a',
      '*a',
      '|',
      '>',
      '\u0000',
      '\uFEFF',
      '```',
      '#',
      '\r',
      '，',
      '?',
      '!!x',
      '\ud800',
    ];
    const json = '{"topic": "x", "content": "好。", "source": "s", "tags": ["a"]}';
    for (let round = 0; round < 20; round++) {
      const files: Record<string, string> = { 'good.md': GOOD };
      for (let i = 0; i < 50; i++) files[i % 5 === 0 ? `${i}.json` : `${i}.md`] = broken(i % 5 === 0 ? json : GOOD);
      const base = KnowledgeBase.open([{ dir: tree(files), layer: 'project' }]);
      expect(base.lookup('好文档').found).toBe(true);
      expect(base.documents.some((doc) => doc.id === 'good.md')).toBe(true);
      for (const problem of base.problems) expect(problem.line).toBeGreaterThan(0);
    }

    function broken(text: string): string {
      let out = text;
      for (let n = 1 + rng.below(5); n > 0; n--) {
        const at = rng.below(out.length + 1);
        out = out.slice(0, at) + rng.pick(noise) + out.slice(at + rng.below(4));
      }
      return out;
    }
  });
});
