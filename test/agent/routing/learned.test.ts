import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTraining, trainingHash } from '../../../scripts/route/training.js';
import { opinionOn } from '../../../src/agent/routing/classifier.js';
import { actsOf, route, trainedOn } from '../../../src/agent/routing/index.js';
import { routeByRules } from '../../../src/agent/routing/rules.js';

const kinds = (text: string, previous?: Parameters<typeof route>[1]) =>
  route(text, previous).intents.map((intent) => intent.kind);

describe('the shipped classifier', () => {
  it('was trained on the utterances that lie here: run npm run route:train after changing them', () => {
    expect(trainedOn()).toBe(trainingHash());
  });

  it('has learned from many different utterances, none of which is held out', () => {
    const training = readTraining();
    const texts = training.map(({ text }) => text);
    expect(training.length).toBeGreaterThan(1500);
    expect(texts.filter((text, i) => texts.indexOf(text) !== i)).toEqual([]);
    const own = new Set(texts);
    const held = ['heldout', 'awkward'].flatMap((split) =>
      readFileSync(new URL(`../../../bench/route/${split}.jsonl`, import.meta.url), 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { text: string }).text),
    );
    expect(held.length).toBeGreaterThan(600);
    expect(held.filter((text) => own.has(text))).toEqual([]);
  });

  it('gives shares that sum to 1, and names pieces of the utterance', () => {
    const text = '给订单列表加一个导出按钮';
    const { shares, kind, because } = opinionOn(text, routeByRules(text).marks);
    expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 6);
    expect(kind).toBe('edit');
    for (const [, piece] of because.matchAll(/「([^」]+)」/g)) expect(text).toContain(piece);
  });

  it('reads the kind of act', () => {
    const first = (text: string) => [...actsOf(text)].sort((a, b) => b[1] - a[1])[0]?.[0];
    expect(first('网关退回上个版本')).toBe('rollback');
    expect(first('捞一下网关昨晚的日志')).toBe('query_logs');
    expect(first('给主库做一次备份')).toBe('backup_db');
  });
});

describe('two layers agree before anything acts', () => {
  it.each([
    // reported
    '运维说先回滚再看',
    '他们要求今晚部署',
    '听说要重启数据库',
    // done
    '昨天回滚过一次',
    '我刚把服务重启了',
    '测试已经跑过了',
    // conditional
    '如果还报错就回滚',
    '要是失败了，就重启',
    '等审批通过再部署',
    // doubtful, or of the speaker
    '感觉重启一下就能好',
    '是不是该扩容了',
    '我自己回滚一下',
    // a statement about the verb
    '重启要等五分钟',
    '执行脚本没权限',
    '先上线再补单测，这样合规吗',
    // ability
    '能不能只回滚一张表',
    '这个任务可以暂停吗',
  ])('no act: %s', (text) => expect(kinds(text)).not.toContain('tool'));

  it.each([
    ['平台卡住了，帮我重启一下', 'restart_service'],
    ['要不你先把网关回退到上一版吧', 'rollback'],
    ['幫我部署到測試環境', 'deploy'],
    ['帮我 restart 一下 gateway', 'restart_service'],
    ['没问题了，帮我部署到生产', 'deploy'],
  ])('an act: %s', (text, hint) => {
    expect(route(text).intents[0]).toMatchObject({ kind: 'tool', toolHint: hint });
  });

  it('says that they disagree', () => {
    const [intent] = route('回滚那边的人都下班了').intents;
    expect(intent!.kind).toBe('qa');
    expect(intent!.evidence).toMatch(/分类：.*\d+%|拒识/);
  });

  it('tells what it saw where it decides alone', () => {
    const [intent] = route('列表页的间距再小一点').intents;
    expect(intent).toMatchObject({ kind: 'edit' });
    expect(intent!.evidence).toMatch(/^分类：「.+」 像改仓库（\d+%）$|^规则：/);
  });
});

describe('pasted lines', () => {
  const log =
    '2024-05-01 10:00:00 ERROR rollback failed\n2024-05-01 10:00:01 WARN please restart the node\n\tat a.b.C(D.java:1)';

  it('are material, whatever verbs stand in them', () => {
    expect(kinds(log)).toEqual(['qa']);
    expect(kinds(`${log}\n这是什么原因`)).toEqual(['qa']);
    expect(
      kinds(`看一下这份配置对不对：\nsteps:\n  - name: deploy\n    run: kubectl rollout restart deploy/a`),
    ).toEqual(['qa']);
  });

  it('leave the request around them', () => {
    expect(kinds(`${log}\n又挂了，帮我重启一下节点`)).toEqual(['tool']);
    expect(kinds(`根据报错修一下：\n${log}`)).toEqual(['edit']);
  });
});

describe('cuts', () => {
  it.each([
    ['把流水线改成先清理再部署', ['edit']],
    ['写个脚本，每天备份数据库', ['edit']],
    ['修一下空指针，然后部署到测试环境', ['edit', 'tool']],
    ['拉一下日志，再说说为什么超时', ['tool', 'qa']],
    ['先回滚，再修这个 bug', ['tool', 'edit']],
    ['修好之后帮我部署到测试环境', ['edit', 'tool']],
    ['起来后帮我跑测试', ['tool']],
    ['提交代码，然后部署到测试环境', ['tool', 'tool']],
    ['怎么备份数据库，然后迁到新机器', ['qa']],
  ])('%s → %j', (text, want) => expect(kinds(text)).toEqual(want));
});

describe('follow-ups', () => {
  const previous = { kind: 'tool' as const, tool: 'rollback' };

  it('go on with the act of the thread, or end it', () => {
    expect(route('那就回滚吧', { previous }).intents[0]).toMatchObject({ kind: 'tool', toolHint: 'rollback' });
    expect(kinds('那它会丢数据吗', { previous })).toEqual(['qa']);
    expect(kinds('先不用了，谢谢', { previous })).toEqual(['chat']);
    expect(kinds('那就这样改吧', { previous: { kind: 'edit' } })).toEqual(['edit']);
  });
});
