import { describe, expect, it } from 'vitest';
import { loadGrammar, loadLexicon } from '../../../src/agent/routing/data.js';
import { route } from '../../../src/agent/routing/index.js';

/** A small seeded generator (mulberry32), so that a failure can be repeated. */
function random(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const lexicon = loadLexicon();
const actWords = [...lexicon.verbs.values()]
  .filter((verb) => verb.senses.some((sense) => sense.kind === 'tool'))
  .map((verb) => verb.word);
const pieces = [
  ...lexicon.verbs.keys(),
  ...lexicon.plain,
  ...lexicon.heads,
  '帮我',
  '请',
  '能不能',
  '可以',
  '不要',
  '先别',
  '我想',
  '把',
  '给',
  '的',
  '了',
  '吗',
  '吧',
  '？',
  '，',
  '。',
  '然后',
  '顺便',
  '再',
  '为什么',
  '怎么',
  '哪里',
  '一下',
  '□',
  '「',
  '」',
  '`',
  ' ',
  'nginx',
  'a.ts',
  '订单',
  '服务',
  '昨天',
  '每天',
  '\n',
  '😀',
  '３',
];

describe('any string of words', () => {
  const next = random(20261130);
  const pick = () => pieces[Math.floor(next() * pieces.length)] as string;
  const utterances = Array.from({ length: 3000 }, () =>
    Array.from({ length: 1 + Math.floor(next() * 9) }, pick).join(''),
  );

  it('gives intents that cover it, each explained', () => {
    for (const text of utterances) {
      const { intents } = route(text);
      expect(intents.length).toBeGreaterThan(0);
      expect(
        intents
          .map((intent) => intent.text)
          .join('')
          .replace(/\s/g, ''),
      ).toBe(text.replace(/\s/g, ''));
      for (const intent of intents) expect(intent.evidence).toMatch(/^(?:规则|相似|分类|拒识)：/);
    }
  });

  it('gives an act only where a word of action stands in it', () => {
    const folded = (text: string) => text.normalize('NFKC').toLowerCase();
    for (const text of utterances) {
      const acts = route(text).intents.filter((intent) => intent.kind === 'tool');
      if (acts.length > 0) expect([text, actWords.some((word) => folded(text).includes(word))]).toEqual([text, true]);
    }
  });

  it('gives no act when a final question follows a bare verb', () => {
    for (const verb of ['重启', '部署', '回滚', '扩容', '发版', '停掉服务']) {
      for (const end of ['吗', '吗？', '么', '了吗', '了没', '有用吗', '会怎样', '要多久', '是什么意思']) {
        expect([verb + end, route(verb + end).intents.map((intent) => intent.kind)]).toEqual([verb + end, ['qa']]);
      }
    }
  });

  it('gives the same answer twice', () => {
    for (const text of utterances.slice(0, 200)) expect(route(text)).toEqual(route(text));
  });
});

describe('the tables', () => {
  it('hold only patterns that compile, and words in folded form', () => {
    expect(loadGrammar().chat.length).toBeGreaterThan(5);
    for (const word of lexicon.verbs.keys()) expect(word).toBe(word.normalize('NFKC').toLowerCase());
  });
});
