// `npm run bench:growth`: time for documents that grow, each beside one of an eighth of its size. The test counts steps of our own code;
// what regular expressions and other built-ins do inside only shows in time.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chunkDocument, KnowledgeBase, loadKnowledge } from '../src/knowledge/index.js';
import { GROWING } from '../test/knowledge/growing.js';

const TRIES = 3;
/** Of eight times the text; 64 would be quadratic. */
const SUSPICIOUS = 24;
/** What a short text costs at least is no part of its growth. */
const FLOOR_MS = 5;

/** Milliseconds for everything that is done with a document, the fastest of some tries. */
function cost(text: string): number {
  const dir = mkdtempSync(join(tmpdir(), 'xihe-growth-'));
  writeFileSync(join(dir, 'a.md'), text);
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES; i++) {
    const started = performance.now();
    const base = KnowledgeBase.open([{ dir, layer: 'project' }]);
    base.lookup('长文档 怎么办', undefined, { exactOnly: true });
    base.lookup('长文档', '第3节', { exactOnly: true });
    for (const doc of loadKnowledge(dir, 'project').documents) chunkDocument(doc);
    least = Math.min(least, performance.now() - started);
  }
  rmSync(dir, { recursive: true });
  return least;
}

for (const [name, make] of Object.entries(GROWING)) {
  cost(make(4000));
  const [small, large] = [cost(make(4000)), cost(make(32_000))];
  const ratio = large / Math.max(small, FLOOR_MS);
  console.log(
    `${ratio > SUSPICIOUS ? '✗' : ' '} ×${ratio.toFixed(1).padStart(5)}  ${large.toFixed(0).padStart(5)} ms  ${name}`,
  );
  if (ratio > SUSPICIOUS) process.exitCode = 1;
}
