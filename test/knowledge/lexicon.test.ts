import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Lexicon, loadLexicon } from '../../src/knowledge/index.js';
import { openZhCore } from '../../src/zhcore/index.js';
import { tree } from './support.js';

function lexicon(yaml: string): Lexicon {
  const { groups, problems } = load(yaml);
  expect(problems).toEqual([]);
  return new Lexicon(groups);
}

function load(yaml: string) {
  return loadLexicon(join(tree({ 'knowledge/lexicon/a.yaml': yaml }), 'knowledge'));
}

const words = (list: readonly { word: string }[]) => list.map((one) => one.word);

describe('lexicon', () => {
  const small = lexicon(`# 小词库
- equal: [验证码, 驗證碼, captcha, verifyCode, smsCode]
- equal: [重新加载, 热加载, 热更新, hot reload]
- equal: [快照, snapshot]
  near: [备份, backup]
- near: [节流, throttle, 防抖]
- equal: [对象存储, 物件儲存, OSS]
  near: [S3]
`);

  it('gives the other words of a group, Chinese and English, equal before near', () => {
    expect(words(small.expand('登录时的验证码收不到'))).toEqual(['captcha', 'verifyCode', 'smsCode']);
    expect(small.expand('做一份快照')).toEqual([
      { word: 'snapshot', relation: 'equal', from: '快照' },
      { word: '备份', relation: 'near', from: '快照' },
      { word: 'backup', relation: 'near', from: '快照' },
    ]);
    expect(words(small.of('防抖'))).toEqual(['节流', 'throttle']);
  });

  it.each(['verifyCode', 'verify_code', 'VerifyCode', 'verify code', 'checkVerifyCode'])(
    'reads %s as its parts',
    (id) => {
      expect(words(small.expand(`看一下 ${id} 的逻辑`))).toContain('验证码');
    },
  );

  it('reads traditional characters and other regional words', () => {
    expect(words(small.expand('驗證碼輸入錯誤'))).toContain('captcha');
    expect(words(small.expand('檔案放在物件儲存'))).toEqual(expect.arrayContaining(['OSS', 'S3']));
  });

  it('finds no word inside another', () => {
    expect(small.expand('across the boss')).toEqual([]);
    expect(small.expand('snapshots')).toEqual([]);
  });

  it('leaves out what the text says already', () => {
    expect(words(small.expand('热加载和热更新'))).toEqual(['重新加载', 'hot reload']);
    expect(words(small.expand('captcha 验证码'))).toEqual(['verifyCode', 'smsCode']);
  });

  it('says how two words stand to each other', () => {
    expect(small.relation('验证码', 'verify_code')).toBe('equal');
    expect(small.relation('S3', '對象存儲')).toBe('near');
    expect(small.relation('验证码', '快照')).toBeUndefined();
  });

  it('takes a bad group out and leaves the others in', () => {
    const { groups, problems } = load('- equal: [一个]\n- 文字\n- equal: [导出, export]\n- equals: [a, b]\n');
    expect(words(new Lexicon(groups).of('导出'))).toEqual(['export']);
    expect(problems.map(({ line, level }) => [line, level])).toEqual([
      [1, 'error'],
      [2, 'error'],
      [4, 'error'],
    ]);
  });
});

describe('the lexicon that ships', () => {
  const core = openZhCore();

  it('loads, and is large', () => {
    expect(core.lexicon.groups.length).toBeGreaterThanOrEqual(1500);
    expect(core.problems).toEqual([]);
  });

  it('has no group twice, and no word twice in a group', () => {
    const seen = new Map<string, string>();
    for (const { equal, near, file, line } of core.lexicon.groups) {
      const all = [...equal, ...near];
      expect([`${file}:${line}`, new Set(all).size]).toEqual([`${file}:${line}`, all.length]);
      const key = [...all].sort().join('|');
      expect([`${file}:${line}`, seen.get(key)]).toEqual([`${file}:${line}`, undefined]);
      seen.set(key, `${file}:${line}`);
    }
  });

  it.each([
    ['验证码', 'captcha'],
    ['重新加载', '热加载'],
    ['脱敏', 'desensitize'],
    ['数据权限', 'dataScope'],
    ['抽屉', 'drawer'],
    ['對象儲存', 'OSS'],
    ['組態檔案', 'config file'],
    ['快取', 'cache'],
    ['骨架屏', 'skeleton'],
    ['防抖', 'debounce'],
    ['优惠券', 'coupon'],
    ['日活', 'DAU'],
    ['回滚', 'rollback'],
    ['乱码', 'mojibake'],
  ])('knows that %s is %s', (a, b) => expect(core.lexicon.relation(a, b)).toBeDefined());
});
