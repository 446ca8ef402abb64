import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadKnowledge } from '../../src/knowledge/index.js';
import { document, tree } from './support.js';

const page = (n: number, more = '') =>
  document(
    { title: `规则 ${n}`, keywords: `[RULE_${n}]`, summary: `第 ${n} 条规则。`, module: 'order' },
    `## 内容\n\n第 ${n} 条规则说的是订单。${more}\n\n\`\`\`ts\nrule(${n});\n\`\`\`\n`,
  );

const folder = (count: number) =>
  tree(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k/p${n}.md`, page(n)])));

/** As a new process loads it. */
const chunksOf = (dir: string) =>
  loadKnowledge(join(dir, 'k'), 'project', undefined, undefined, join(dir, 'cut.json')).chunks;
const kept = (dir: string) => JSON.parse(readFileSync(join(dir, 'cut.json'), 'utf8'));
const write = (dir: string, content: unknown) => writeFileSync(join(dir, 'cut.json'), JSON.stringify(content));

describe('the chunks of many documents', () => {
  it('are kept, and are the same when they are read', () => {
    const dir = folder(220);
    const cut = chunksOf(dir);
    expect(cut).toHaveLength(440);
    const content = kept(dir);
    expect(chunksOf(dir)).toEqual(cut);
    // That they come from the file shows only where the file says something else.
    const [key] = Object.keys(content.documents).filter((one) => one.endsWith(' p7.md'));
    content.documents[key!][0].content = '改过的';
    write(dir, content);
    expect(
      chunksOf(dir)
        .filter((chunk) => chunk.content === '改过的')
        .map(({ documentId }) => documentId),
    ).toEqual(['p7.md']);
  });

  it('are cut anew of a document that changed, and forgotten of one that is gone', () => {
    const dir = folder(220);
    chunksOf(dir);
    writeFileSync(join(dir, 'k', 'p3.md'), page(3, '后来又改了一句。'));
    rmSync(join(dir, 'k', 'p4.md'));
    const chunks = chunksOf(dir);
    expect(chunks.find(({ id }) => id === 'p3.md#1')?.content).toContain('后来又改了一句');
    expect(chunks.some(({ documentId }) => documentId === 'p4.md')).toBe(false);
    expect(Object.keys(kept(dir).documents)).toHaveLength(219);
  });

  it.each([
    ['no JSON', () => '{"xihe":'],
    ['another version', (text: string) => text.replace(/"xihe":"[^"]*"/, '"xihe":"0.0.0"')],
    ['a list', () => '[]'],
    ['null', () => 'null'],
    ['chunks without text', (text: string) => text.replaceAll('"content":"', '"text":"')],
    ['lines that are none', (text: string) => text.replaceAll(/"line":\d+/g, '"line":"x"')],
    ['documents that are no lists', (text: string) => text.replaceAll(/"([^"]* p\d+\.md)":\[/g, '"$1":7,"x$1":[')],
  ])('are cut anew where the file holds %s', (_, change) => {
    const dir = folder(200);
    const cut = chunksOf(dir);
    const text = readFileSync(join(dir, 'cut.json'), 'utf8');
    writeFileSync(join(dir, 'cut.json'), change(text));
    expect(chunksOf(dir)).toEqual(cut);
    expect(chunksOf(dir)).toEqual(cut);
  });

  it('of a few are not worth a file', () => {
    const dir = folder(20);
    expect(chunksOf(dir)).toHaveLength(40);
    expect(existsSync(join(dir, 'cut.json'))).toBe(false);
  });
});
