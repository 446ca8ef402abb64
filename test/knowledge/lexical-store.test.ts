import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { assetPath } from '../../src/assets.js';
import { loadKnowledge } from '../../src/knowledge/index.js';
import { type LexicalCache, openLexicalIndex } from '../../src/knowledge/lexicalStore.js';
import { TokenFile, TokenWriter } from '../../src/knowledge/tokenFile.js';
import type { Chunk } from '../../src/knowledge/types.js';
import { writeAtomic } from '../../src/stateFile.js';
import { addUserWords, type Bm25Index, indexTokens } from '../../src/text/index.js';
import { document, tree } from './support.js';

const TOPICS = ['退款', '发票', '库存', '物流', '会员', '优惠券', '对账', '短信', '报表', '权限'];

/** A project of ten documents, each long enough for several chunks. */
function project(changed: Record<string, string> = {}): Chunk[] {
  const body = (topic: string) =>
    Array.from(
      { length: 12 },
      (_, i) => `## 第 ${i} 节\n\n${topic}的第 ${i} 条约定：${`${topic}要先校验状态，再写流水。`.repeat(15)}`,
    );
  const files = TOPICS.map((topic, i) => [
    `k/d${i}.md`,
    document({ title: topic, keywords: `[ERR_${i}]`, summary: topic }, changed[topic] ?? body(topic).join('\n\n')),
  ]);
  return loadKnowledge(join(tree(Object.fromEntries(files)), 'k'), 'project').chunks;
}

function cacheIn(dir = tree()): LexicalCache {
  return { file: join(dir, 'state', 'index.bin'), key: 'v1' };
}
const tokensOf = (cache: LexicalCache) => cache.file.replace('.bin', '.tokens.bin');

const sourceOf = (file: string) => pathToFileURL(assetPath('src', 'knowledge', file)).href;

/** What the index finds, with scores. */
const answers = (index: Bm25Index<number>) =>
  TOPICS.map((topic) => index.search(indexTokens(`${topic}怎么校验`), 4).map(({ id, score }) => [id, score]));

/** Changes the arrays of an index's file and makes its checksum right again. */
function damage(file: string, change: (bytes: Buffer, arraysFrom: number) => void): void {
  const bytes = readFileSync(file);
  const from = 16 + bytes.readUInt32LE(12);
  change(bytes, from + ((8 - (from % 8)) % 8));
  bytes.writeUInt32LE(crc32(bytes.subarray(12)), 8);
  writeFileSync(file, bytes);
}

/** Where the arrays of an index's file begin and how long they are, in bytes. */
function sections(bytes: Buffer, from: number): { at: number; length: number }[] {
  const { lengths } = JSON.parse(bytes.toString('utf8', 16, 16 + bytes.readUInt32LE(12))) as { lengths: number[] };
  let at = from;
  return lengths.map((count, i) => {
    const length = count * (i === 0 ? 2 : 4);
    const section = { at, length };
    at += length + ((8 - (length % 8)) % 8);
    return section;
  });
}

describe('the tokens of chunks', () => {
  it('are cut again only for what changed', () => {
    const cache = cacheIn();
    const chunks = project();
    const first = openLexicalIndex(chunks, cache);
    expect(first.cut).toBe(chunks.length);
    expect(chunks.length).toBeGreaterThan(40);
    const changed = project({ 库存: `${'库存扣减要幂等，失败要能重来。'.repeat(20)}` });
    const second = openLexicalIndex(changed, { ...cache, key: 'v2' });
    const own = changed.filter((chunk) => chunk.title === '库存').length;
    expect(second.cut).toBe(own);
    const fresh = openLexicalIndex(changed);
    expect(answers(second.index)).toEqual(answers(fresh.index));
    expect(openLexicalIndex(changed, { ...cache, key: 'v3' }).cut).toBe(0);
    // What no chunk needs any more is not kept.
    expect(new TokenFile(readFileSync(tokensOf(cache))).size).toBe(changed.length);
  });

  it('are cut again where a word stands that was taught since, and nowhere else', () => {
    const cache = cacheIn();
    const chunks = project({
      会员: '黑金卡权益按自然月发放。'.repeat(15),
      短信: '黑 金 卡三个字分开写不算。'.repeat(15),
    });
    openLexicalIndex(chunks, cache);
    addUserWords(['黑金卡权益', '没有一篇提到的词']);
    const after = openLexicalIndex(chunks, { ...cache, key: 'v2' });
    expect(after.cut).toBe(chunks.filter((chunk) => chunk.content.includes('黑金卡权益')).length);
    expect(after.index.documentFrequency('黑金卡权益')).toBe(after.cut);
    expect(answers(after.index)).toEqual(answers(openLexicalIndex(chunks).index));
    expect(openLexicalIndex(chunks, { ...cache, key: 'v3' }).cut).toBe(0);
  });

  it('come back with their numbers', () => {
    const writer = new TokenWriter();
    const body = [...Array.from({ length: 300 }, () => '退款'), 'a\nb', '\ud800', ''];
    writer.add('k'.repeat(12), [body, [], ['退款']]);
    for (let i = 0; i < 200; i++) writer.add(`${i}`.padStart(12), [[`w${i}`]]);
    const file = new TokenFile(Buffer.concat(writer.toPieces({ cutter: 'c', taught: ['b', 'a'] })));
    expect(file.get('k'.repeat(12))).toEqual([body, [], ['退款']]);
    expect(file.get('199'.padStart(12))).toEqual([['w199']]);
    expect(file.get('nobody'.padStart(12))).toBeUndefined();
    expect([file.cutter, [...file.taught], file.size]).toEqual(['c', ['a', 'b'], 201]);
  });
});

describe('the words of a file of tokens', () => {
  const fileOf = (writer: TokenWriter) => new TokenFile(Buffer.concat(writer.toPieces({ cutter: 'c', taught: [] })));
  const key = (n: number) => `${n}`.padStart(12);

  it('grow from file to file, and are made anew once half as many are of texts that are gone', () => {
    const first = new TokenWriter();
    for (let i = 0; i < 10; i++) first.add(key(i), [[`w${i}`, `w${i}`]]);
    let file = fileOf(first);
    const sizes: number[] = [];
    for (let i = 10; i < 30; i++) {
      const writer = new TokenWriter(file);
      for (let kept = i - 9; kept < i; kept++) writer.keep(key(kept), file.get(key(kept)) ?? []);
      writer.add(key(i), [[`w${i}`, `w${i}`]]);
      file = fileOf(writer);
      sizes.push(file.vocabulary.length);
      for (let kept = i - 9; kept <= i; kept++) expect(file.get(key(kept))).toEqual([[`w${kept}`, `w${kept}`]]);
      expect([file.size, file.get(key(i - 10))]).toEqual([10, undefined]);
    }
    expect(Math.max(...sizes)).toBe(16);
    expect(Math.min(...sizes)).toBe(10);
  });
});

describe('a file of the index or of tokens', () => {
  const breakers: [string, (bytes: Buffer) => Buffer | string][] = [
    ['cut', (bytes) => bytes.subarray(0, bytes.length >> 1)],
    ['empty', () => ''],
    ['foreign', () => '{"key": "an index of an older version"}'],
    ['changed in one bit', (bytes) => Buffer.from(bytes.map((byte, i) => (i === bytes.length - 9 ? byte ^ 1 : byte)))],
    ['of a later version', (bytes) => Buffer.from(bytes.map((byte, i) => (i === 4 ? 99 : byte)))],
  ];
  it.each(breakers)('that is %s is made anew', (_, breaker) => {
    const cache = cacheIn();
    const chunks = project();
    const fresh = answers(openLexicalIndex(chunks, cache).index);
    const [index, tokens] = [readFileSync(cache.file), readFileSync(tokensOf(cache))];
    writeFileSync(cache.file, breaker(index));
    writeFileSync(tokensOf(cache), breaker(tokens));
    const again = openLexicalIndex(chunks, cache);
    expect([again.cut, again.problem]).toEqual([chunks.length, undefined]);
    expect(answers(again.index)).toEqual(fresh);
    expect(readFileSync(cache.file).equals(index)).toBe(true);
    expect(readFileSync(tokensOf(cache)).equals(tokens)).toBe(true);
  });

  it('of the index is read without cutting, and without the tokens', () => {
    const cache = cacheIn();
    const chunks = project();
    const fresh = answers(openLexicalIndex(chunks, cache).index);
    const cut = () => {
      throw new Error('cut');
    };
    expect(answers(openLexicalIndex(chunks, cache, { cut }).index)).toEqual(fresh);
    expect(() => openLexicalIndex(chunks, cacheIn(), { cut })).toThrow('cut');
  });

  it('may be made by several processes at once', async () => {
    const dir = tree({
      'k/a.md': document(
        { title: '退款', keywords: '[退款]', summary: '退款' },
        '退款原路退回，三天内到账。'.repeat(60),
      ),
    });
    const cache = { ...cacheIn(dir), key: 'v1' };
    const script = `
      import { loadKnowledge } from ${JSON.stringify(sourceOf('index.ts'))};
      import { openLexicalIndex } from ${JSON.stringify(sourceOf('lexicalStore.ts'))};
      const { chunks } = loadKnowledge(${JSON.stringify(join(dir, 'k'))}, 'project');
      for (let i = 0; i < 40; i++) openLexicalIndex(chunks, { file: ${JSON.stringify(cache.file)}, key: String(process.pid + i) });
      const { problem, index } = openLexicalIndex(chunks, ${JSON.stringify(cache)});
      console.log(problem ?? index.search(['退款'], 1).length);`;
    const run = () => promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
    const told = await Promise.all([run(), run(), run()]);
    expect(told.map(({ stdout }) => stdout.trim())).toEqual(['1', '1', '1']);
    const { chunks } = loadKnowledge(join(dir, 'k'), 'project');
    expect(openLexicalIndex(chunks, cache).index.search(['退款'], 9).length).toBe(chunks.length);
    expect(readdirSync(join(dir, 'state')).sort()).toEqual(['index.bin', 'index.tokens.bin']);
  }, 60_000);

  it('left over by a process that died is removed after an hour', () => {
    const dir = tree({ 'index.bin.123.tmp': 'old', 'index.bin.124.tmp': 'just now', 'other.tmp': 'of another' });
    utimesSync(join(dir, 'index.bin.123.tmp'), 1, 1);
    expect(writeAtomic(join(dir, 'index.bin'), [Buffer.from('a'), Buffer.from('b')])).toBe(true);
    expect(readFileSync(join(dir, 'index.bin'), 'utf8')).toBe('ab');
    expect(existsSync(join(dir, 'index.bin.123.tmp'))).toBe(false);
    expect(existsSync(join(dir, 'index.bin.124.tmp'))).toBe(true);
    expect(existsSync(join(dir, 'other.tmp'))).toBe(true);
  });
});

describe('the self-test of the index', () => {
  const damages: [string, (bytes: Buffer, from: number) => void][] = [
    ['all impacts 0', (bytes, from) => fill(bytes, sections(bytes, from)[5], 0)],
    ['impacts that are no numbers', (bytes, from) => fill(bytes, sections(bytes, from)[5], 0xff)],
    ['all postings of the first chunk', (bytes, from) => fill(bytes, sections(bytes, from)[4], 0)],
    ['another vocabulary', (bytes, from) => fill(bytes, sections(bytes, from)[0], 0x41)],
    ['chunks that are not there', (bytes, from) => fill(bytes, sections(bytes, from)[4], 0x7f)],
    ['an empty hash table', (bytes, from) => fill(bytes, sections(bytes, from)[2], 0)],
    ['a hash table without end', (bytes, from) => fill(bytes, sections(bytes, from)[2], 1)],
  ];
  it.each(damages)('has it made anew when its checksum is right and its content is %s', (_, change) => {
    const cache = cacheIn();
    const chunks = project();
    const fresh = answers(openLexicalIndex(chunks, cache).index);
    const good = readFileSync(cache.file);
    damage(cache.file, change);
    expect(readFileSync(cache.file).equals(good)).toBe(false);
    const again = openLexicalIndex(chunks, cache);
    expect(answers(again.index)).toEqual(fresh);
    expect([again.cut, again.problem]).toEqual([0, undefined]);
    expect(readFileSync(cache.file).equals(good)).toBe(true);
  });

  it('tells a problem when it fails after that as well, and keeps nothing of it', () => {
    const cache = cacheIn();
    const dead = openLexicalIndex(project(), cache, { cut: () => [] });
    expect(dead.problem).toMatch(/自检.*请/);
    expect(existsSync(cache.file)).toBe(false);
    expect(existsSync(tokensOf(cache))).toBe(false);
    expect(openLexicalIndex(project(), cache).problem).toBeUndefined();
  });

  it('is content with nothing, and with a few chunks of stop words', () => {
    expect(openLexicalIndex([]).problem).toBeUndefined();
    const [chunk] = project({ 退款: '的了吗' });
    const silent = { ...(chunk as Chunk), title: '的', heading: '', content: '的了吗', keywords: [] };
    expect(openLexicalIndex([silent]).problem).toBeUndefined();
  });

  it('does not make the file anew when all is well', () => {
    const cache = cacheIn();
    const chunks = project();
    openLexicalIndex(chunks, cache);
    const { ino } = statSync(cache.file);
    openLexicalIndex(chunks, cache);
    expect(statSync(cache.file).ino).toBe(ino);
  });
});

function fill(bytes: Buffer, section: { at: number; length: number } | undefined, value: number): void {
  if (section === undefined) throw new Error('no such section');
  bytes.fill(value, section.at, section.at + section.length);
}
