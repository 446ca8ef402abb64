import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cutAhead } from '../../src/knowledge/cutAhead.js';
import { loadKnowledge } from '../../src/knowledge/index.js';
import { openLexicalIndex } from '../../src/knowledge/lexicalStore.js';
import { TokenFile } from '../../src/knowledge/tokenFile.js';
import { addUserWords, indexTokens } from '../../src/text/index.js';
import { document, tree } from './support.js';

const TOKENS = 'state/index.tokens.bin';

function project(documents = 6) {
  const body = (i: number) =>
    Array.from(
      { length: 8 },
      (_, n) => `## 第 ${n} 节\n\n${`模块 ${i} 的第 ${n} 条约定要先校验状态再写流水。`.repeat(15)}`,
    ).join('\n\n');
  const files = Array.from({ length: documents }, (_, i) => [
    `k/d${i}.md`,
    document({ title: `约定 ${i}`, keywords: `[ERR_${i}]`, summary: '约定' }, body(i)),
  ]);
  const dir = tree(Object.fromEntries(files));
  const { chunks } = loadKnowledge(join(dir, 'k'), 'project');
  return { dir, chunks, cache: { file: join(dir, 'state', 'index.bin'), key: 'v1' } };
}
const never = () => {
  throw new Error('cut');
};

describe('cutAhead', () => {
  it('leaves nothing to cut for the index, which is the same', async () => {
    const { chunks, cache } = project();
    const told: number[][] = [];
    const cut = await cutAhead(chunks, cache, { turnMs: 0, onProgress: (done, total) => told.push([done, total]) });
    expect(cut).toBe(chunks.length);
    expect(told.at(-1)).toEqual([chunks.length, chunks.length]);
    expect(told.length).toBe(chunks.length);
    const { index, cut: left } = openLexicalIndex(chunks, cache, { cut: never });
    expect(left).toBe(0);
    const query = indexTokens('模块 3 的约定');
    expect(index.search(query, 20)).toEqual(openLexicalIndex(chunks).index.search(query, 20));
    expect(await cutAhead(chunks, cache, { cut: never })).toBe(0);
  });

  it('keeps what it had cut when it is stopped, and goes on there', async () => {
    const { chunks, cache, dir } = project();
    const stop = new AbortController();
    const stopped = cutAhead(chunks, cache, {
      turnMs: 0,
      signal: stop.signal,
      onProgress: (done) => done === 10 && stop.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(new TokenFile(readFileSync(join(dir, TOKENS))).size).toBe(10);
    expect(await cutAhead(chunks, cache)).toBe(chunks.length - 10);
    expect(new TokenFile(readFileSync(join(dir, TOKENS))).size).toBe(chunks.length);
  });

  it('does not lose what is known when it is stopped early', async () => {
    const { chunks, cache, dir } = project();
    await cutAhead(chunks.slice(10), cache);
    const stop = new AbortController();
    const again = cutAhead(chunks, cache, { turnMs: 0, signal: stop.signal, onProgress: () => stop.abort() });
    await expect(again).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(new TokenFile(readFileSync(join(dir, TOKENS))).size).toBe(chunks.length - 10 + 1);
  });

  it('lets other work have its turn', async () => {
    const { chunks, cache } = project();
    let turns = 0;
    const other = setInterval(() => turns++, 0);
    await cutAhead(chunks, cache, { turnMs: 0 });
    clearInterval(other);
    expect(turns).toBeGreaterThan(3);
  });

  it('begins again when a word was taught on the way', async () => {
    const { chunks, cache } = project();
    const teach = (done: number) => done === 5 && addUserWords(['校验状态再写']);
    const cut = await cutAhead(chunks, cache, { turnMs: 0, onProgress: teach });
    expect(cut).toBe(chunks.length * 2);
    const { index, cut: left } = openLexicalIndex(chunks, cache);
    expect([left, index.documentFrequency('校验状态再写')]).toEqual([0, chunks.length]);
  });

  it('with nothing to cut writes nothing', async () => {
    const { cache, dir } = project(0);
    expect(await cutAhead([], cache)).toBe(0);
    expect(existsSync(join(dir, TOKENS))).toBe(false);
  });
});
