import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { route } from '../../../src/agent/routing/index.js';

const kinds = (text: string, previous?: Parameters<typeof route>[1]) =>
  route(text, previous).intents.map((intent) => intent.kind);
const hint = (text: string) => route(text).intents[0]?.toolHint;

const utterances = readFileSync(new URL('utterances.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t') as [want: string, text: string]);

describe('our own utterances', () => {
  const routed = utterances.map(([want, text]) => ({ want, text, got: kinds(text).join('+') }));

  it('never takes an utterance without a request to act for a tool', () => {
    const dangerous = routed.filter(({ want, got }) => !want.includes('tool') && got.includes('tool'));
    expect(dangerous).toEqual([]);
  });

  it('gets at least 98 % of all of them right, in every kind', () => {
    expect(routed.length).toBeGreaterThan(600);
    const share = (list: typeof routed) => list.filter(({ want, got }) => want === got).length / list.length;
    expect(share(routed)).toBeGreaterThanOrEqual(0.98);
    for (const kind of ['qa', 'edit', 'tool', 'chat']) {
      expect(share(routed.filter(({ want }) => want === kind))).toBeGreaterThanOrEqual(0.95);
    }
  });
});

describe('questions', () => {
  it.each([
    '重启之后队列里的消息还在不在',
    'worker 进程老是自己退出',
    '能回滚吗',
    '我能不能把测试环境重启一下',
    '怎么备份数据库，然后迁到新机器上呢',
  ])('stay questions: %s', (text) => expect(kinds(text)).toEqual(['qa']));

  it('in the polite form are requests', () => {
    expect(kinds('能不能把 v2 部署到测试环境')).toEqual(['tool']);
    expect(kinds('要不你先把重复代码抽出来吧')).toEqual(['edit']);
    expect(kinds('帮我重启一下网关，可以吗？')).toEqual(['tool']);
  });

  it('about an explanation are questions also with 帮我', () => {
    expect(kinds('帮我看看回滚会不会丢数据')).toEqual(['qa']);
    expect(kinds('能不能告诉我日志放在哪个目录')).toEqual(['qa']);
  });
});

describe('the evidence', () => {
  it.each([
    ['支付回调验签失败时加一次重试', '动词带「一次」，动词「加一次」'],
    ['登录增加图形验证码', '先说对象、后说改动，动词「增加」'],
    ['订单列表的分页改一下', '动词带「一下」'],
    ['帮我修复登录失败', '请求语，动词「修复」'],
  ])('says which rule was met: %s', (text, words) => {
    const evidence = route(text).intents[0]!.evidence;
    expect(evidence).toContain(words);
    if (!text.includes('一下')) expect(evidence).not.toContain('一下');
  });
});

describe('negation', () => {
  it('forbids the act and leaves the question', () => {
    expect(kinds('先不要回滚这个版本，帮我看看是哪里抛的异常')).toEqual(['qa']);
    expect(kinds('修一下这个报错，不过先别改代码，说说思路')).toEqual(['qa']);
    expect(kinds('先别重启')).toEqual(['chat']);
  });

  it('that limits an edit leaves the edit', () => {
    expect(kinds('别改接口，只改内部实现')).toEqual(['edit']);
    expect(kinds('不要动其他文件，把这个方法改成私有的')).toEqual(['edit']);
  });
});

describe('verbs inside nouns and quotations', () => {
  it.each([
    ['部署文档', 'qa'],
    ['提交按钮点了没反应', 'qa'],
    ['给部署脚本加上回滚步骤', 'edit'],
    ['把「重启」按钮的文案改成「重新启动」', 'edit'],
    ['日志里一直打印「重启中」是什么情况', 'qa'],
    ['执行 `npm run lint`', 'tool'],
    ['`docker compose up -d`', 'tool'],
    ['`rm -rf dist` 这个命令安全吗', 'qa'],
  ])('%s → %s', (text, kind) => expect(kinds(text)).toEqual([kind]));
});

describe('two intents', () => {
  it('give two routes in order, each with its own words', () => {
    const { intents } = route('修一下登录的 bug，再跑一遍测试');
    expect(intents.map(({ kind, text }) => ({ kind, text }))).toEqual([
      { kind: 'edit', text: '修一下登录的 bug，' },
      { kind: 'tool', text: '再跑一遍测试' },
    ]);
  });

  it('cover the utterance without a gap, whatever it is', () => {
    for (const [, text] of utterances) {
      const joined = route(text)
        .intents.map((intent) => intent.text)
        .join('');
      expect(joined.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
    }
  });

  it('a report on an act is no intent of its own', () => {
    expect(kinds('把所有用例跑一遍，告诉我哪些挂了')).toEqual(['tool']);
  });
});

describe('hints and task types', () => {
  it.each([
    ['跑一下 lint', 'run_command'],
    ['测试跑一下', 'run_tests'],
    ['每天凌晨三点备份一次数据库', 'create_schedule'],
    ['发一条告警到企业微信', 'send_alert'],
    ['帮我找下 application.yml', 'lookup_file'],
    ['搜一下谁调用了 createOrder', 'search_code'],
    ['查下支付服务最近一小时的错误日志', 'query_logs'],
    ['把代码推上去', 'git_op'],
  ])('%s → %s', (text, want) => expect(hint(text)).toBe(want));

  it('names the kind of change', () => {
    const task = (text: string) => route(text).intents[0]?.taskType;
    expect(task('修复分页越界')).toBe('bugfix');
    expect(task('把重复的校验逻辑抽到一个工具类')).toBe('refactor');
    expect(task('新增一个支付渠道：云闪付')).toBe('feature');
  });
});

describe('follow-ups', () => {
  it('go on with what was there before', () => {
    expect(route('那就这么做吧', { previous: { kind: 'tool', tool: 'rollback' } }).intents[0]).toMatchObject({
      kind: 'tool',
      toolHint: 'rollback',
      layer: 'rule',
    });
    expect(kinds('再来一次', { previous: { kind: 'edit' } })).toEqual(['edit']);
  });

  it('mean nothing without it', () => {
    expect(kinds('那就这么做吧')).not.toContain('tool');
    expect(kinds('那就这么做吧', { previous: { kind: 'chat' } })).not.toContain('tool');
  });
});

describe('pasted material', () => {
  const log = Array.from(
    { length: 30 },
    (_, i) => `第 ${i} 步：请重启订单服务。然后回滚到上个版本。删除临时目录。`,
  ).join('\n');

  it('asks for nothing: the words around it do', () => {
    expect(
      kinds(`下面是运维手册，帮我看看有没有遗漏。\n另外不要动服务。\n${log}\n以上就是全部内容。\n这份手册写得对吗？`),
    ).toEqual(['qa']);
    expect(kinds('帮我看看这段脚本在做什么\n```sh\n重启服务\nkubectl rollout restart deploy/order\n```')).toEqual([
      'qa',
    ]);
  });

  it('does not hide a request at its end', () => {
    expect(kinds(`这是报错的全文：\n${log}\n这些都看过了。\n帮我修复这个问题`)).toContain('edit');
  });
});

describe('robustness', () => {
  it('takes anything', () => {
    for (const text of [
      '',
      '   ',
      '？？？',
      '\u0000\u0001',
      '😀',
      '「',
      '把',
      '帮我',
      '请',
      'a'.repeat(20_000),
      '，'.repeat(500),
    ]) {
      const { intents } = route(text);
      expect(intents.length).toBeGreaterThan(0);
      expect(intents.map((intent) => intent.kind)).not.toContain('tool');
    }
  });

  it('reads full-width and traditional script as their plain forms', () => {
    expect(kinds('幫我重啟伺服器上的 ｎｇｉｎｘ')).toEqual(['tool']);
    expect(kinds('為什麼部署後畫面空白？')).toEqual(['qa']);
  });

  it('gives evidence in Chinese for every intent', () => {
    for (const [, text] of utterances) {
      for (const intent of route(text).intents) expect(intent.evidence).toMatch(/^(?:规则|相似|分类|拒识)：/);
    }
  });
});
