import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formsOf, withParts } from '../../src/knowledge/forms.js';
import { Lexicon, loadLexicon, prepare } from '../../src/knowledge/index.js';
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

  it('takes a name for one word when its humps are none', () => {
    const names = lexicon(
      '- equal: [苹果端, ios]\n- equal: [操作系统, os]\n- equal: [微信, wechat]\n- equal: [聊天, chat]\n',
    );
    expect(words(names.expand('iOS 上打不开'))).toEqual(['苹果端']);
    expect(words(names.expand('WeChat 登录'))).toEqual(['微信']);
    expect(words(names.expand('openChat'))).toEqual(['聊天']);
    expect(names.relation('WeChat', '微信')).toBe('equal');
  });

  it('counts a word of one character only when it is the whole text', () => {
    const short = lexicon('- equal: [流, stream]\n- equal: [库, library]\n');
    expect(words(short.expand('流'))).toEqual(['stream']);
    expect(short.expand('按用户分流')).toEqual([]);
    expect(short.expand('知识库')).toEqual([]);
  });

  it('finds no word across the end of another and a function word', () => {
    const sales = lexicon('- equal: [售后, afterSales]\n');
    expect(sales.expand('分配给销售后没有通知')).toEqual([]);
    expect(words(sales.expand('联系售后没有回应'))).toEqual(['afterSales']);
  });

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

  it('gives what the parts of a long word mean last, and as near only', () => {
    const jobs = lexicon(`- equal: [任务超时, taskTimeout]
- equal: [任务, job]
  near: [作业流]
- equal: [超时, timeout]
- equal: [队列, queue]
- equal: [验证码, captcha]
- equal: [验证, validate]
- equal: [消费者, consumer]
- equal: [消费, consume]
`);
    expect(jobs.expand('任务超时了，队列不动')).toEqual([
      { word: 'taskTimeout', relation: 'equal', from: '任务超时' },
      { word: 'queue', relation: 'equal', from: '队列' },
      { word: 'job', relation: 'near', from: '任务' },
      { word: 'timeout', relation: 'near', from: '超时' },
    ]);
    expect(words(jobs.expand('taskTimeout'))).toEqual(['任务超时', '超时']);
    // 验证｜码 and 消费｜者 only lack a suffix: they are other words.
    expect(words(jobs.expand('消费者收不到验证码'))).toEqual(['consumer', 'captcha']);
  });

  it('shows the common spelling of words that are one when folded', () => {
    const regional = lexicon('- equal: [快取, 缓存, cache]\n- near: [緩存, 缓冲]\n');
    expect(words(regional.of('cache'))).toEqual(['缓存']);
    expect(words(regional.of('缓冲'))).toEqual(['緩存']);
    const lists = lexicon('- equal: [清單, 列表, list]\n');
    expect(words(lists.expand('列表'))).toEqual(['list', '清單']);
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
      // The key that is not known, and the words that are missed for it.
      [4, 'warning'],
      [4, 'error'],
    ]);
  });
});

describe('the lexicon that ships', () => {
  const core = openZhCore();

  it('loads, and is large', () => {
    expect(core.lexiconGroups.length).toBeGreaterThanOrEqual(1500);
    expect(core.problems).toEqual([]);
  });

  it('has the forms that its words would have one by one', () => {
    const words = core.lexiconGroups.flatMap(({ equal, near }) => [...equal, ...near]).filter((_, i) => i % 7 === 0);
    const forms = formsOf([{ equal: words, near: ['虚拟 DOM', '資料\n庫'] }]);
    for (const { word, form } of forms.values()) expect(form).toBe(prepare(withParts(word)));
  });

  it('has no group twice, and no word twice in a group', () => {
    const seen = new Map<string, string>();
    for (const { equal, near, file, line } of core.lexiconGroups) {
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
    ['訊息堆積', 'messageBacklog'],
    ['執行緒', 'thread'],
  ])('knows that %s is %s', (a, b) => expect(core.lexicon.relation(a, b)).toBeDefined());

  it.each([
    ['消息队列堆积', 'heap'],
    ['刚刚升级后登录报错', 'fromNow'],
    ['pip install 失败', '画中画'],
    ['handleClick 没有触发', '句柄'],
    ['缓存穿透', '内网穿透'],
    ['来自订单的数据', '自定义'],
    ['setUserInfo 报空指针', '集合'],
    ['重新整理一下这段代码', 'refresh'],
    ['nav 高亮不对', '净值'],
  ])('does not read %s as %s', (text, word) => expect(words(core.lexicon.expand(text, 200))).not.toContain(word));
});
