import { expect, it } from 'vitest';
import { countWork } from '../support/work.js';
import { GROWING } from './growing.js';
import { tree } from './support.js';

const work = countWork((url) => url.includes('/src/') || url.includes('/node_modules/'));
const { chunkDocument, KnowledgeBase, loadKnowledge } = await import('../../src/knowledge/index.js');

/** Everything that is done with a document. */
function use(text: string): void {
  const dir = tree({ 'a.md': text });
  const base = KnowledgeBase.open([{ dir, layer: 'project' }]);
  base.lookup('长文档 怎么办', undefined, { exactOnly: true });
  base.lookup('长文档', '第3节', { exactOnly: true });
  for (const doc of loadKnowledge(dir, 'project').documents) chunkDocument(doc);
}

it('work is counted, and more of it is more', () => {
  const sum = (n: number) => work(() => use(GROWING['straight quotes']!(n)));
  expect(sum(1000)).toBeGreaterThan(sum(10) * 2);
});

it.each(Object.entries(GROWING))('a document that grows by %s costs in proportion', (_name, make) => {
  const [small, large] = [1000, 8000].map((n) => work(() => use(make(n))));
  expect(small).toBeGreaterThan(100);
  // Eight times the text: 64 times the work would be quadratic, and sorting adds a little to eight.
  expect(large!).toBeLessThan(small! * 12);
});
