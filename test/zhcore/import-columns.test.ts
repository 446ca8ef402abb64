import { describe, expect, it } from 'vitest';
import { fieldOf, headerField } from '../../src/zhcore/import/headers.js';
import { lintLayers } from '../../src/zhcore/index.js';
import { Bench, reasons, sheetXml, workbook } from './import-support.js';

describe('titles of columns', () => {
  it.each([
    [
      'keyword_ch',
      '中文词 词 词语 业务词 叫法 中文名 概念 名称 术语名 术语名称 術語 業務術語 关键词 Term 中文（必填）* 【中文】 1.中文名 业务黑话',
    ],
    ['aliases', '别名 同义词 俗称 別名 其他叫法 Synonyms 常见别名'],
    [
      'code_symbols',
      '代码符号 代码名 标识符 标识 符号 类/方法 表/字段 字段名 变量名 英文/代码 英文名 程式碼 變數名 代码（类.方法） 代码\n（类.方法） Identifier 英文/代码标识 对应的类名 class/method Code_Symbol',
    ],
    ['module', '模块 所属模块 系统 所属系统 領域 Module 归属模块'],
    ['note', '说明 含义 定义 解释 描述 備註 說明 业务定义 Definition 说明/备注 补充描述 Business\u00a0Meaning'],
    ['mixed', '中文/英文 中文、英文 术语/代码'],
    [undefined, '负责人 类型 优先级 创建时间'],
  ])('%s', (field, titles) => {
    for (const title of titles.split(' ')) expect([title, headerField(title)]).toEqual([title, field]);
  });

  it('keys of a list are names that are listed: its words may end like titles', () => {
    expect([fieldOf('中文词'), fieldOf('退款说明'), fieldOf('订单字段')]).toEqual(['keyword_ch', undefined, undefined]);
  });
});

/** Word → symbols and note, as imported. */
async function termsOf(csv: string | Buffer, name = 'a.csv') {
  const bench = new Bench({ [name]: csv });
  const plan = await bench.import(name);
  const terms = bench
    .core()
    .entries()
    .flatMap((item) => (item.type === 'term' ? [item.entry] : []));
  expect(bench.core().problems).toEqual([]);
  return {
    plan,
    terms: terms.map(({ keyword_ch, aliases, code_symbols, note }) => [keyword_ch, aliases, code_symbols, note ?? '']),
    used: plan.columns.map(({ used }) => used.map(({ column, field, by }) => `${column}=${field}:${by}`)),
  };
}

const TEXT = '超过三十分钟没有付款的订单自动关闭';
const CLOSE = ['超时关单', [], ['OrderJob.close'], TEXT];

describe('which column is what', () => {
  it.each([
    [
      'the usual one',
      `中文词,别名,代码符号,模块,说明\n超时关单,关单,OrderJob.close,order,${TEXT}\n`,
      [['超时关单', ['关单'], ['OrderJob.close'], TEXT]],
    ],
    ['two columns', '中文词,代码符号\n超时关单,OrderJob.close\n', [['超时关单', [], ['OrderJob.close'], '']]],
    [
      'title rows above, line breaks, brackets',
      `术语表 v2,,\n维护：王五,,\n"中文\n（业务词）",代码（类.方法）,说 明\n超时关单,OrderJob.close,${TEXT}\n`,
      [CLOSE],
    ],
    ['traditional', `術語,程式碼,備註\n超时关单,OrderJob.close,${TEXT}\n`, [CLOSE]],
    ['English', `Business Term,Identifier,Definition\n超时关单,OrderJob.close,${TEXT}\n`, [CLOSE]],
    ['an unknown title for the word', `咱们管它叫,说明,代码\n超时关单,${TEXT},OrderJob.close\n`, [CLOSE]],
    ['unknown titles for all', `咱们管它叫,写的是,备忘\n超时关单,OrderJob.close,${TEXT}\n`, [CLOSE]],
    [
      'no titles, long text first',
      `${TEXT},超时关单,OrderJob.close\n把钱退给买家的全部流程，含部分退款,退款,RefundService.refund\n`,
      [CLOSE, ['退款', [], ['RefundService.refund'], '把钱退给买家的全部流程，含部分退款']],
    ],
    [
      'one column for both',
      '中文/英文,说明\n超时关单/OrderJob.close,到点关\n退款（refundOrder）,退\nsettle 结算,结\n',
      [
        ['超时关单', [], ['OrderJob.close'], '到点关'],
        ['退款', [], ['refundOrder'], '退'],
        ['结算', [], ['settle'], '结'],
      ],
    ],
    ['名称 holds symbols', '名称,字段中文名,类型\norder_no,订单号,varchar\n', [['订单号', [], ['order_no'], '']]],
    ['字段 holds words beside 英文名', '字段,英文名\n订单号,order_no\n', [['订单号', [], ['order_no'], '']]],
    [
      'two names: the second is another name',
      '术语,中文名,代码\n关单,超时关单,OrderJob.close\n',
      [['关单', ['超时关单'], ['OrderJob.close'], '']],
    ],
    [
      'a list of status words without titles',
      '状态,status\n超时关单,close_order\n',
      [
        ['状态', [], ['status'], ''],
        ['超时关单', [], ['close_order'], ''],
      ],
    ],
  ])('%s', async (_, csv, expected) => {
    const { terms } = await termsOf(csv);
    expect(terms.sort()).toEqual([...expected].sort());
  });

  it('says of every column what it was taken for, and why', async () => {
    const { used, plan } = await termsOf(`咱们管它叫,代码,负责人,备忘\n超时关单,OrderJob.close,王五,${TEXT}\n`);
    expect(used).toEqual([['咱们管它叫=keyword_ch:content', '代码=code_symbols:header', '备忘=note:content']]);
    expect(plan.columns[0]?.ignored).toEqual(['负责人']);
    expect(plan.guessed[0]?.what).toBe('列名看不出来的，按内容判断：「咱们管它叫」是中文叫法，「备忘」是说明');
    const bare = await termsOf('关单,closeOrder\n退款单,refund_order\n');
    expect(bare.used).toEqual([['第 1 列=keyword_ch:content', '第 2 列=code_symbols:content']]);
  });

  it('the longest text is never the term, and a word per module is none either', async () => {
    const rows = ['订单', '订单', '订单', '支付'].map((module, i) => `${module},第${i}种退款,refund_${i},${TEXT}${i}`);
    const { terms } = await termsOf(`${rows.join('\n')}\n`);
    expect(terms.map(([word]) => word)).toEqual(['第0种退款', '第1种退款', '第2种退款', '第3种退款']);
    const text = await termsOf(`内容,代码\n${TEXT}，并且把库存还回去，再通知买家和卖家双方,OrderJob.close\n`);
    expect(text.terms).toEqual([]);
  });

  it('a workbook of an English column with a slash', async () => {
    const rows = [
      ['术语对照表', ''],
      ['英文/代码', '中文'],
      ['OrderJob.close', '超时关单'],
      ['close order', '关单'],
    ];
    const { terms } = await termsOf(workbook([{ name: '表', xml: sheetXml(rows) }]), 'a.xlsx');
    expect(terms).toEqual([
      ['超时关单', [], ['OrderJob.close'], ''],
      ['关单', ['close order'], [], ''],
    ]);
  });
});

const SCANNED = `# xihe scan --write 从代码里找到的候选术语。

- id: orderjob-close
  keyword_ch: 超时关单
  code_symbols: [OrderJob.run]
  status: candidate
  source: repo://src/a.ts#L1
`;

describe("a person's table beside what a scan proposed", () => {
  it.each(['knowledge/terms/scanned.yaml', 'knowledge/terms/renamed.yaml'])('goes before it: %s', async (file) => {
    const bench = new Bench({
      [`.xihe/${file}`]: SCANNED,
      'a.csv': 'id,中文,代码,状态\norderjob-close,超时关单,OrderJob.close,已核实\n',
    });
    const plan = await bench.import('a.csv');
    expect(plan.files.map(({ path, entries, state }) => [path, entries, state])).toEqual([
      ['.xihe/knowledge/terms/imported-a.yaml', 1, 'new'],
    ]);
    expect(plan.leftOut).toEqual([]);
    expect(plan.remarks.map(({ what }) => what).join()).toContain(
      `「超时关单」在 .xihe/${file}:3 有 xihe scan 写的候选：以导入的这条为准`,
    );
    expect(bench.core().problems).toEqual([]);
    expect(bench.core().entry('orderjob-close-2')?.entry.provenance.status).toBe('verified');
    const again = await bench.plan('a.csv');
    expect(again.files.map(({ state }) => state)).toEqual(['same']);
  });

  it('but what somebody confirmed in it stays, and the file of the scan adds nothing to itself', async () => {
    const bench = new Bench({
      '.xihe/knowledge/terms/scanned.yaml': SCANNED.replace('candidate', 'verified'),
      'a.csv': '中文,代码\n超时关单,OrderJob.close\n',
    });
    const plan = await bench.plan('a.csv');
    expect([plan.files, reasons(plan).join()]).toEqual([[], expect.stringContaining('已有「超时关单」，内容不同')]);
    bench.write({ '.xihe/knowledge/terms/scanned.yaml': SCANNED });
    const own = await bench.plan('.xihe/knowledge/terms/scanned.yaml');
    expect(own.files.map(({ state }) => state)).toEqual(['same']);
  });
});

describe('what was imported is nothing to complain about', () => {
  it('confirmed without a date: the day of the import; a module nobody knows: said, with what to do', async () => {
    const bench = new Bench({
      'a.csv':
        '中文,代码,模块,状态\n超时关单,OrderJob.close,oder,已核实\n退款单,refundOrder,订单,人工核对过\n预售单,presaleOrder,,待确认\n',
    });
    const plan = await bench.import('a.csv');
    expect(plan.remarks.map(({ what }) => what)).toEqual([
      '2 条写了已核实、没写日期，reviewed_at 记为导入的这天 2026-11-30',
      expect.stringMatching(/^模块「oder」不在 \.xihe\/modules\.yaml 里，1 条照原样写：是不是 order？/),
    ]);
    const { findings } = await lintLayers({ layers: [{ dir: bench.layerDir, layer: 'project' }], today: '2026-11-30' });
    // The module was said at the import.
    expect(findings.map(({ rule }) => rule)).toEqual(['XL202']);
  });
});
