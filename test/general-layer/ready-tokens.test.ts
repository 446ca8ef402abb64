import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { assetPath } from '../../src/assets.js';
import { EMBEDDED_ID, VectorIndex } from '../../src/embed/index.js';
import { loadKnowledge, readyVectorsFile, textsOf } from '../../src/knowledge/index.js';
import { openLexicalIndex } from '../../src/knowledge/lexicalStore.js';
import { READY_FILE, readyTokens } from '../../src/knowledge/tokenCache.js';
import { TokenFile } from '../../src/knowledge/tokenFile.js';
import { addUserWords, indexTokens, stableHash } from '../../src/text/index.js';
import { openZhCore } from '../../src/zhcore/index.js';

const { chunks } = loadKnowledge(assetPath('knowledge'), 'general');
/** Cuts everything, whatever ships. */
const ANEW = { readyFile: assetPath('knowledge', 'no such file') };
const noJieba = () => {
  throw new Error('cut');
};

describe('the vectors of the general layer that ship', () => {
  it('are there for each of its passages', () => {
    const index = VectorIndex.fromBytes(readFileSync(readyVectorsFile(assetPath())), EMBEDDED_ID);
    const texts = chunks.map(textsOf).flatMap(({ whole, lead, topics }) => [whole, lead, ...topics]);
    const wanted = new Set(texts.map(stableHash));
    const missing = [...wanted].filter((hash) => !index.has(hash));
    const hint = '通用层的文字变了：运行 npm run general:index，把 knowledge/ready/ 一起提交';
    expect([missing.length, index.size - wanted.size], hint).toEqual([0, 0]);
  });
});

describe('the tokens of the general layer that ship', () => {
  beforeAll(() => {
    openZhCore().lookup('术语');
  });

  it('are those of its text as it is now', () => {
    const same = readFileSync(READY_FILE()).equals(readyTokens(chunks, indexTokens));
    expect(same, '通用层的文字或分词规则变了：运行 npm run general:index，把 knowledge/ready/tokens.bin 一起提交').toBe(
      true,
    );
  });

  it('make the index without cutting anything', () => {
    expect(openLexicalIndex(chunks, undefined, { cut: noJieba }).cut).toBe(0);
    const text = openLexicalIndex(chunks).index;
    const anew = openLexicalIndex(chunks, undefined, ANEW);
    expect(anew.cut).toBe(chunks.length);
    for (const query of ['支付回调重复通知怎么办', 'OrderService 超时', '时区 夏令时 cron'])
      expect(text.search(indexTokens(query), 20)).toEqual(anew.index.search(indexTokens(query), 20));
  });

  it('are cut again where a word of the project stands, so that the answers are those of a cut with all words', () => {
    // Words that no dictionary has: some stand in the text, others do not.
    const holds = (word: string) => chunks.filter((chunk) => chunk.content.includes(word)).length;
    const words = ['超时关单', '夏令时切', '幂等键怎', '原路退回单据'];
    const inText = chunks.flatMap((chunk) => chunk.content.match(/\p{Script=Han}{4}/gu) ?? []).slice(500, 503);
    for (const word of inText) expect(holds(word)).toBeGreaterThan(0);
    addUserWords([...words, ...inText]);
    const mixed = openLexicalIndex(chunks);
    const anew = openLexicalIndex(chunks, undefined, ANEW);
    expect(mixed.cut).toBeGreaterThan(0);
    expect(mixed.cut).toBeLessThan(chunks.length / 4);
    const asked = [...words, ...inText, ...chunks.slice(0, 50).map((chunk) => chunk.content.slice(0, 40))];
    for (const query of asked) {
      const tokens = indexTokens(query);
      expect(mixed.index.search(tokens, 20)).toEqual(anew.index.search(tokens, 20));
    }
  });

  it('are found by the parts of a term that only the project knows', () => {
    addUserWords(['支付回调验签器']);
    expect(indexTokens('支付回调验签器')).toContain('支付回调验签器');
    const { index } = openLexicalIndex(chunks);
    const [best] = index.search(indexTokens('支付回调验签器'), 1);
    expect(best?.matched).toEqual(expect.arrayContaining(['回调', '验签']));
    expect(chunks[best?.id ?? -1]?.content).toMatch(/验签/);
  });

  it('spare a cold process jieba', async () => {
    const script = `
      import { createRequire } from 'node:module';
      import { openZhCore } from ${JSON.stringify(pathToFileURL(assetPath('src', 'zhcore', 'index.ts')).href)};
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('jieba'));
      const core = openZhCore();
      core.lookup('zoneinfo tzdata');
      const before = loaded();
      core.lookup('时区怎么处理才对');
      console.log(JSON.stringify([before, loaded()]));`;
    const args = ['--import', 'tsx', '--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: assetPath() });
    expect(JSON.parse(stdout)).toEqual([false, true]);
  }, 60_000);

  it('hold every chunk of it', () => {
    expect(new TokenFile(readFileSync(READY_FILE())).size).toBe(chunks.length);
  });
});
