import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CoreQuery, openZhCore } from '../../src/zhcore/index.js';
import { openTeamWords } from '../../src/zhcore/teamWords.js';
import { tree } from '../knowledge/support.js';
import { shop } from './shop.js';

const ask = (userIntent: string, more: Partial<CoreQuery> = {}): CoreQuery => ({
  userIntent,
  codeSymbols: [],
  taskType: 'general',
  ...more,
});

describe('query', () => {
  it('opens the gate only for Chinese, or when told to', () => {
    const { core } = shop();
    const closed = core.query(ask('fix OrderService.cancelExpired'));
    expect(closed).toMatchObject({ gate: { asked: false }, terms: [], knowledge: [], playbooks: [], warnings: [] });
    expect(closed.gate.why).toContain('没有中文');
    expect(core.query(ask('fix OrderService.cancelExpired', { focusHasChinese: true })).gate.why).toContain(
      '注释里有中文',
    );
    const forced = core.query(ask('fix OrderService.cancelExpired', { force: true }));
    expect(forced.terms.map((hit) => hit.entry.id)).toEqual(['close_timeout']);
    expect(core.query(ask('修一下')).gate).toEqual({ asked: true, why: '请求里有中文' });
  });

  it('keeps the four lists apart, each hit with its source and reason', () => {
    const { core } = shop();
    const result = core.query(ask('新增支付渠道：云闪付，超时关单也要支持，遇到 ERR_TIMEOUT 重试'));
    expect(result.dataVersion).toBe(core.dataVersion);
    expect(result.terms.map((hit) => hit.entry.id)).toEqual(['close_timeout']);
    expect(result.playbooks.map((hit) => hit.entry.id)).toEqual(['add-channel']);
    expect(result.warnings.map((hit) => hit.entry.id)).toEqual(['close_once']);
    expect(result.knowledge.map((hit) => hit.entry.documentId)).toEqual(['errors.md']);
    for (const hit of [...result.terms, ...result.playbooks, ...result.warnings, ...result.knowledge]) {
      expect(hit.why).toMatch(/\p{Script=Han}/u);
      expect(hit.provenance.source).not.toBe('');
      expect(hit.provenance.version).toMatch(/^[0-9a-f]{12}$/);
      expect(hit.tokens).toBeGreaterThan(10);
    }
    expect(result.terms[0]?.provenance).toMatchObject({
      source: 'repo://src/order/order-service.ts',
      layer: 'project',
      status: 'verified',
      reviewedAt: '2025-06-01',
      file: 'knowledge/terms/order.yaml',
      line: 1,
    });
  });

  it('lets the longest word win, and finds each place of a shorter one', () => {
    const { core } = shop({
      '.xihe/knowledge/terms/more.yaml':
        '- {id: close, keyword_ch: 关单, code_symbols: [close], source: s, status: verified}\n',
    });
    expect(core.query(ask('超时关单要重试')).terms.map((hit) => hit.entry.id)).toEqual(['close_timeout']);
    const both = core.query(ask('超时关单要重试，手工关单不要')).terms.map((hit) => hit.entry.id);
    expect(both).toEqual(expect.arrayContaining(['close_timeout', 'close']));
  });

  it('finds a phrase that is said a little differently, but not its opposite', () => {
    const { core } = shop();
    const [hit] = core.query(ask('把超时没付款的订单处理一下')).terms;
    expect(hit?.entry.id).toBe('close_timeout');
    expect(hit?.why).toContain('超时没付款的订单');
    expect(core.query(ask('超时付款的订单怎么算')).terms).toEqual([]);
    expect(core.query(ask('超时。没付款。订单')).terms).toEqual([]);
    const direct = core.query(ask('下单超时')).terms[0];
    expect(direct?.score).toBeGreaterThan(hit?.score as number);
  });

  it('takes no word out of the ends of two others', () => {
    expect(shop().core.query(ask('登记机关单位的名称')).terms).toEqual([]);
  });

  it('gives both meanings of a word, the focused module first', () => {
    const { core } = shop();
    const idsFor = (more: Partial<CoreQuery>, intent = '结算金额不对') =>
      core.query(ask(intent, more)).terms.map((hit) => hit.entry.id);
    expect(idsFor({}).sort()).toEqual(['balance', 'settlement']);
    expect(idsFor({ module: 'finance' })).toEqual(['settlement', 'balance']);
    expect(idsFor({ module: 'order' })).toEqual(['balance', 'settlement']);
    expect(idsFor({ files: ['src/finance/settlement.ts'] })).toEqual(['settlement', 'balance']);
    expect(idsFor({}, '订单的结算不对')).toEqual(['balance', 'settlement']);
    const [first] = core.query(ask('结算', { module: 'finance' })).terms;
    expect(first?.why).toBe('请求里有「结算」；属于当前模块 finance');
  });

  it('puts the project before the general layer, by id and by word', () => {
    const { core } = shop();
    expect(core.query(ask('超时关单')).terms.map((hit) => hit.entry.code_symbols)).toEqual([
      ['OrderService.cancelExpired'],
    ]);
    // The team settled what the word means: the general guess would mislead.
    expect(core.query(ask('仅退款')).terms.map((hit) => hit.entry.id)).toEqual(['refund_only']);
    expect(core.query(ask('优惠券过期了')).terms.map((hit) => hit.entry.id)).toEqual(['g_coupon']);
  });

  it('understands traditional script and regional words', () => {
    const { core } = shop();
    expect(core.query(ask('逾時關單要重試')).terms.map((hit) => hit.entry.id)).toEqual(['close_timeout']);
    expect(core.query(ask('給訂單加上僅退款')).warnings.map((hit) => hit.entry.id)).toEqual(['no_refund_state']);
  });

  it('leads from symbols back to Chinese', () => {
    const { core } = shop();
    const ids = (symbols: string[]) => core.symbolsToTerms(symbols).map((term) => term.id);
    expect(ids(['cancelExpired'])).toEqual(['close_timeout']);
    expect(ids(['OrderService.cancelExpired'])).toEqual(['close_timeout']);
    expect(ids(['UserService.cancelExpired'])).toEqual([]);
    expect(ids(['initiatorType'])).toEqual(['refund_only']);
    expect(ids(['settle']).sort()).toEqual(['balance', 'settlement']);
    expect(ids(['SettlementService.settle'])).toEqual(['settlement']);
    const [hit] = core.query(ask('这里怎么改', { codeSymbols: ['cancelExpired'] })).terms;
    expect(hit?.why).toContain('cancelExpired 对应「超时关单」');
  });

  it('finds playbooks by near triggers and by kind of task, and warnings by way of an alias', () => {
    const { core } = shop();
    const [hit] = core.query(ask('新增一个云闪付支付方式')).playbooks;
    expect(hit).toBeUndefined();
    expect(core.query(ask('新增一个支付方式')).playbooks[0]?.why).toContain('接近触发词「新增支付」');
    expect(core.playbookFor('加一个支付渠道')?.steps).toHaveLength(5);
    const [warning] = core.query(ask('只退钱的流程')).warnings;
    expect(warning).toMatchObject({ entry: { id: 'no_refund_state' }, why: '「只退钱」即「仅退款」' });
    const onlyFeatures = shop({
      '.xihe/playbooks/add-channel.md': '---\ntrigger_keywords: 支付渠道\nsteps: 一步\ntask_types: [feature]\n---\n',
    }).core;
    expect(onlyFeatures.query(ask('支付渠道', { taskType: 'bugfix' })).playbooks).toEqual([]);
    expect(onlyFeatures.query(ask('支付渠道', { taskType: 'feature' })).playbooks).toHaveLength(1);
  });

  it('brings the warnings of the files in focus', () => {
    const { core } = shop();
    const files = ['legacy/export.csv'];
    expect(core.query(ask('改一下表头', { files })).warnings.map((hit) => hit.why)).toEqual([
      '涉及文件 legacy/export.csv',
    ]);
    expect(core.query(ask('改一下表头')).warnings).toEqual([]);
  });

  it('brings no knowledge for one common word', () => {
    const { core } = shop();
    expect(core.query(ask('渠道列表加一列')).knowledge).toEqual([]);
    expect(core.query(ask('err_timeout 是什么')).knowledge[0]).toMatchObject({ why: '关键词「ERR_TIMEOUT」' });
  });

  it('holds the lists to the number asked for', () => {
    const many = Array.from({ length: 9 }, (_, i) => `- {id: m${i}, keyword_ch: 发货, module: m${i}, source: s}`).join(
      '\n',
    );
    const { core } = shop({ '.xihe/knowledge/terms/many.yaml': many });
    expect(core.query(ask('发货')).terms).toHaveLength(5);
    expect(core.query(ask('发货', { maxResults: 3 })).terms).toHaveLength(3);
  });

  it('confirms terms where it is told how', () => {
    const { core } = shop(
      {},
      { symbolCheck: { places: (symbol) => (symbol === 'holdOrder' ? [{ path: 'src/order/hold.ts', line: 7 }] : []) } },
    );
    const [hit] = core.query(ask('挂单')).terms;
    expect(hit?.places).toEqual([{ symbol: 'holdOrder', path: 'src/order/hold.ts', line: 7 }]);
  });
});

describe('termLookup', () => {
  it('tells the path room what words stand for', () => {
    const lookup = shop().core.termLookup();
    expect(lookup.symbolsFor('关单时加一次重试')).toEqual([{ word: '关单', symbols: ['OrderService.cancelExpired'] }]);
    expect(lookup.moduleOf('src/order/a.ts')).toBe('订单');
    expect(lookup.moduleOf('src/order')).toBe('订单');
    expect(lookup.moduleOf('src/finance/a.ts')).toBeUndefined();
  });

  it('gives no symbols for what only ships, nor hides a word of the team below it', () => {
    const general = tree({
      'knowledge/terms/a.yaml': '- id: g\n  keyword_ch: 关单失败\n  code_symbols: [closeFailed]\n',
    });
    const lookup = shop({}, { generalDir: general }).core.termLookup();
    expect(lookup.symbolsFor('关单失败')).toEqual([{ word: '关单', symbols: ['OrderService.cancelExpired'] }]);
  });

  it('is the same without the rest of the core', () => {
    const projectDir = join(shop().root, '.xihe');
    const [whole, alone] = [openZhCore({ projectDir }).termLookup(), openTeamWords(projectDir).lookup];
    for (const text of ['关单时加一次重试', '登录验证码过期', '只退钱不退货']) {
      expect(alone.symbolsFor(text)).toEqual(whole.symbolsFor(text));
      expect(alone.related(text)).toEqual(whole.related(text));
    }
    expect(alone.moduleOf('src/order/a.ts')).toBe('订单');
  });

  it('says what is wrong with a term, and takes the other words', () => {
    const { root } = shop({ '.xihe/knowledge/terms/bad.yaml': '- id: bad\n' });
    const { lookup, problems } = openTeamWords(join(root, '.xihe'));
    expect(problems.map(({ file }) => file)).toContain('.xihe/knowledge/terms/bad.yaml');
    expect(lookup.symbolsFor('关单')).toHaveLength(1);
  });
});

describe('modules and entries', () => {
  it('finds modules and entries by path and id', () => {
    const { core } = shop();
    expect(core.moduleOfPath('src/finance/report/a.ts')).toBe('finance');
    expect(core.moduleOfPath('src/other/a.ts')).toBeUndefined();
    expect(core.modules).toEqual({ order: ['src/order/**'], finance: ['src/finance/**', 'test/finance*.ts'] });
    expect(core.entry('hold')?.type).toBe('term');
    expect(core.entry('errors.md#1')).toMatchObject({ type: 'knowledge', entry: { title: '网关错误码' } });
    expect(core.entry('nothing')).toBeUndefined();
    expect(core.counts()).toEqual({ terms: 7, warnings: 3, playbooks: 1, documents: 1, chunks: 1 });
    expect(core.lookup('ERR_TIMEOUT').primary?.origin).toBe('https://example.com/errors');
  });
});

describe('words of Taiwan and Hong Kong', () => {
  const { core } = shop({
    '.xihe/knowledge/terms/config.yaml':
      '- id: config_file\n  keyword_ch: 配置文件\n  code_symbols: [AppConfig]\n- id: proc\n  keyword_ch: 存储过程\n  code_symbols: [sp_settle]\n- id: array\n  keyword_ch: 数组越界\n  code_symbols: [IndexOutOfBounds]\n',
  });
  it.each([
    ['組態檔案在哪裡改', 'config_file'],
    ['這支預存程序太慢', 'proc'],
    ['陣列越界的例外', 'array'],
    ['逾時未付款的訂單要關單', 'close_timeout'],
  ])('%s', (userIntent, id) => {
    expect(core.query(ask(userIntent)).terms.map((hit) => hit.entry.id)).toContain(id);
  });
});

describe('what a person settled', () => {
  it('hides what a machine or the trade guessed for the same word', () => {
    const scanned =
      '- id: s-close\n  keyword_ch: 超时关单\n  code_symbols: [CloseJob]\n  module: order\n- id: s-coupon\n  keyword_ch: 优惠券\n  code_symbols: [SmsCoupon]\n- id: s-settle\n  keyword_ch: 结算\n  code_symbols: [Checkout]\n  module: cart\n';
    const { core } = shop({ '.xihe/knowledge/terms/scanned.yaml': scanned });
    const ids = (text: string) => core.query(ask(text)).terms.map((hit) => hit.entry.id);
    expect(ids('超时关单')).toEqual(['close_timeout']);
    // The project's own candidate says more than what the trade calls it.
    expect(ids('优惠券过期了')).toEqual(['s-coupon']);
    // Another module's meaning stays.
    expect(ids('结算').sort()).toEqual(['balance', 's-settle', 'settlement']);
  });

  it('leads from a word of a term to the document about it', () => {
    const { core } = shop({
      '.xihe/knowledge/points.md':
        '---\ntitle: 关单与积分\nkeywords: [超时关单]\nsummary: 关单要退积分\nsource: 代码审查\n---\n关单以后把抵扣的积分退回去，只退一次。\n',
    });
    const { knowledge } = core.query(ask('下单超时的订单取消后没有把积分退回去'));
    expect(knowledge.map((hit) => hit.entry.documentId)).toContain('points.md');
    expect(knowledge.find((hit) => hit.entry.documentId === 'points.md')?.why).toBe('「下单超时」即「超时关单」');
  });

  it('says about files what only their place says', () => {
    const { core } = shop();
    expect(core.warningsForFiles(['src/a.ts', 'legacy/b.c']).map((hit) => [hit.entry.id, hit.why])).toEqual([
      ['legacy_encoding', '涉及文件 legacy/b.c'],
    ]);
    expect(core.warningsForFiles(['src/a.ts'])).toEqual([]);
  });
});
