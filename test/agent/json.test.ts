import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { extractJson, parseArguments, parseJsonReply } from '../../src/agent/json.js';

const jsonIn = (text: string): unknown => {
  const found = extractJson(text);
  return found.ok ? found.value : found;
};
const repairsOf = (text: string): string[] => {
  const found = extractJson(text);
  return found.ok ? found.repairs : ['none'];
};

describe('extractJson', () => {
  const plan = { steps: ['改 close.ts', '跑测试'], done: false };

  it.each([
    ['alone', '{"steps": ["改 close.ts", "跑测试"], "done": false}'],
    ['in a fence', '好的：\n```json\n{"steps": ["改 close.ts", "跑测试"], "done": false}\n```\n以上。'],
    ['in prose', '计划 {如下}：{"steps": ["改 close.ts", "跑测试"], "done": false}。请看'],
    ['after thinking', '<think>也许 {"steps": []}</think>{"steps": ["改 close.ts", "跑测试"], "done": false}'],
    ['trailing commas', '{"steps": ["改 close.ts", "跑测试",], "done": false,}'],
    ['single quotes', "{'steps': ['改 close.ts', '跑测试'], 'done': False}"],
    ['Chinese quotes', '{“steps”: [“改 close.ts”, “跑测试”], “done”: false}'],
    ['full-width punctuation', '｛"steps"：［"改 close.ts"，"跑测试"］，"done"：false｝'],
    ['comments', '{ // 步骤\n "steps": ["改 close.ts", /* 然后 */ "跑测试"], "done": false }'],
    ['unquoted keys', '{steps: ["改 close.ts", "跑测试"], done: false}'],
    ['missing commas', '{"steps": ["改 close.ts"\n "跑测试"]\n "done": false}'],
    ['JSON in a string', JSON.stringify(JSON.stringify(plan))],
  ])('%s', (_name, text) => {
    expect(jsonIn(text)).toEqual(plan);
  });

  it('keeps what is inside of strings as it is', () => {
    const tricky = { 文: '他说：“好，{改}” // 不是注释', code: 'if (a) { return [1,]; }', nl: 'a\nb\\', u: '\u0001𠮷' };
    expect(jsonIn(`结果 ${JSON.stringify(tricky)} 完`)).toEqual(tricky);
  });

  it('notes each liberty that it took', () => {
    expect(repairsOf('{"a": 1}')).toEqual([]);
    expect(repairsOf('x {"a": 1,}')).toEqual(['prose', 'trailing-comma']);
    expect(repairsOf('{"a": "把 "超时" 改掉"}')).toEqual(['inner-quote']);
    expect(jsonIn('{"a": "把 "超时" 改掉"}')).toEqual({ a: '把 "超时" 改掉' });
  });

  it('closes what was cut off, and says so', () => {
    const text = '{"findings": [{"text": "甲", "line": 3}, {"text": "乙的后';
    expect(jsonIn(text)).toEqual({ findings: [{ text: '甲', line: 3 }, { text: '乙的后' }] });
    expect(repairsOf(text)).toEqual(['cut-off']);
    expect(jsonIn('{"a": 1, "b":')).toEqual({ a: 1 });
    // A bracket in prose is no cut-off JSON.
    expect(jsonIn('[注意 结果如下 {"a": 1}')).toEqual({ a: 1 });
    expect(jsonIn('[1] 见 [重要]，结果：{"a": 1}')).toEqual({ a: 1 });
  });

  it('finds none where there is none', () => {
    for (const text of ['', '没有', '{', 'a } b', '{如下}', '<b>x</b>'.repeat(100)]) {
      const found = extractJson(text);
      expect(found.ok && JSON.stringify(found.value) !== '{}').toBe(false);
    }
  });

  it('does not pollute prototypes, and survives hostile depth and length', () => {
    const value = jsonIn("x {'__proto__': {'polluted': 1}}") as object;
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
    expect(extractJson('['.repeat(100_000)).ok).toBe(false);
    expect(extractJson('{"a":'.repeat(20_000)).ok).toBe(false);
  });

  it('reads whatever JSON.stringify writes, in prose and cut anywhere (seeded fuzz)', () => {
    const random = seeded(7);
    for (let round = 0; round < 400; round++) {
      const value = { root: randomValue(random, 0) };
      const text = JSON.stringify(value, null, random() < 0.5 ? 2 : 0);
      expect(jsonIn(`说明：\n${text}\n完`)).toEqual(JSON.parse(text));
      const cut = text.slice(0, 1 + Math.floor(random() * (text.length - 1)));
      expect(extractJson(cut).ok).toBe(true);
    }
  });
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function randomValue(random: () => number, depth: number): unknown {
  const kind = Math.floor(random() * (depth < 4 ? 6 : 4));
  const texts = ['', '中文，标点：“引号”', 'a "b" \\ \n c', '{[', '// x', "it's", '｛｝', '𠮷\u0000'];
  if (kind === 0) return texts[Math.floor(random() * texts.length)];
  if (kind === 1) return Math.round((random() - 0.5) * 1e6) / 100;
  if (kind === 2) return random() < 0.5;
  if (kind === 3) return null;
  const size = Math.floor(random() * 4);
  if (kind === 4) return Array.from({ length: size }, () => randomValue(random, depth + 1));
  return Object.fromEntries(Array.from({ length: size }, (_, i) => [`键${i}"`, randomValue(random, depth + 1)]));
}

describe('parseJsonReply', () => {
  const schema = z.object({ findings: z.array(z.object({ text: z.string().min(1), line: z.number().optional() })) });

  it('takes the piece of JSON that has the shape', () => {
    const text = '格式如 {"example": 1}，结果：{"findings": [{"text": "少了幂等"}]}';
    expect(parseJsonReply(text, schema)).toEqual({
      ok: true,
      value: { findings: [{ text: '少了幂等' }] },
      repairs: ['prose'],
    });
  });

  it('says in Chinese what to mend, so that it can be sent back', () => {
    const wrong = parseJsonReply('{"findings": [{"text": ""}, {"line": "三"}]}', schema);
    expect(wrong.ok ? '' : wrong.error).toMatch(
      /findings\[0\]\.text：.*\n.*findings\[1\]\.text：.*string[\s\S]*只输出完整的 JSON/,
    );
    const cut = parseJsonReply('{"findings": [{"line": 1', schema);
    expect(cut.ok ? '' : cut.error).toMatch(/^JSON 没有写完/);
    const none = parseJsonReply('我觉得没问题', schema);
    expect(none.ok ? '' : none.error).toContain('没有找到 JSON');
  });
});

describe('parseArguments', () => {
  it('reads objects, with repairs that change no meaning', () => {
    expect(parseArguments('{"path": "a.ts"}')).toEqual({ ok: true, args: { path: 'a.ts' } });
    expect(parseArguments(' ')).toEqual({ ok: true, args: {} });
    expect(parseArguments("```json\n{'path': 'a.ts',}\n```")).toEqual({ ok: true, args: { path: 'a.ts' } });
    // Sent twice, as some endpoints do.
    expect(parseArguments('{"path": "a.ts"}{"path": "a.ts"}')).toEqual({ ok: true, args: { path: 'a.ts' } });
  });

  it('guesses nothing: what is cut off, unescaped or no object is an error', () => {
    for (const raw of ['{"text": "写到一', '{"text": "a "b" c"}', '{"mode": fast}', '["a"]', 'null', '好的']) {
      expect(parseArguments(raw).ok).toBe(false);
    }
  });
});
