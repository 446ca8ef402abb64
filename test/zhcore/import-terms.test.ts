import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { splitList, symbolsOf } from '../../src/zhcore/import/cells.js';
import { Bench, reasons, sheetXml, workbook, zip } from './import-support.js';

const OPENPYXL = fileURLToPath(new URL('fixtures/terms-openpyxl.xlsx', import.meta.url));

const termOf = (bench: Bench, word: string) => {
  const found = bench
    .core()
    .entries()
    .find((item) => item.type === 'term' && item.entry.keyword_ch === word);
  if (found?.type !== 'term') throw new Error(`no term ${word}`);
  return found.entry;
};

describe('a workbook written by openpyxl', () => {
  it('is read with headers, merged cells, dates, full-width letters; the rest is said', async () => {
    const bench = new Bench();
    const plan = await bench.import(OPENPYXL);
    expect(plan.files.map(({ path, entries, state }) => [path, entries, state])).toEqual([
      ['.xihe/knowledge/terms/imported-terms-openpyxl.yaml', 8, 'new'],
    ]);
    const core = bench.core();
    expect(core.problems).toEqual([]);
    expect(termOf(bench, '超时关单')).toMatchObject({
      aliases: ['关单', '下单超时', '关闭超时订单'],
      code_symbols: ['OrderService.cancelExpired', 'OrderJob'],
      module: 'order',
      note: '只处理待支付的订单；不含预售；定时任务里也有',
      risk: ['不要关两次'],
      provenance: {
        status: 'verified',
        confidence: 0.95,
        reviewedAt: '2025-06-01',
        source: 'terms-openpyxl.xlsx#订单!3',
      },
    });
    expect(termOf(bench, '仅退款')).toMatchObject({
      aliases: ['只退钱', '不退货'],
      code_symbols: ['RefundService', 'initiator_type'],
      module: 'order',
      provenance: { status: 'candidate', confidence: 0.75, reviewedAt: '2025-06-02' },
    });
    expect(termOf(bench, '创建时间').code_symbols).toEqual(['gmt_create']);
    expect(termOf(bench, '结算')).toMatchObject({ code_symbols: ['SettlementService.settle'], note: '财务的结算' });
    const said = reasons(plan).join('\n');
    for (const part of [
      '#草稿 隐藏的工作表',
      '!8 和 terms-openpyxl.xlsx#订单!3 重复，已合并',
      '!9 没有中文叫法',
      '!10 只有叫法',
      '表头以上的文字',
      '不认识的列「负责人」',
      '#说明 没认出表头',
      '!6 置信度要写',
      '!6 复核日期不是日期',
      '!11 公式没有算好的值',
    ])
      expect(said).toContain(part);
    expect(plan.guessed.map(({ where }) => where)).toEqual(['terms-openpyxl.xlsx#词表']);
  });

  it('adds nothing the second time, nor from the file that was written', async () => {
    const bench = new Bench();
    const [file] = (await bench.import(OPENPYXL)).files;
    for (const source of [OPENPYXL, '.xihe/knowledge/terms/imported-terms-openpyxl.yaml']) {
      const again = await bench.plan(source);
      expect(again.files.map(({ path, entries, state }) => [path, entries, state])).toEqual([[file?.path, 8, 'same']]);
    }
  });
});

describe('workbooks of other tools', () => {
  const rows = [
    ['中文', '代码'],
    ['关单', 'closeOrder'],
    ['退款 & <对账>', 'refund'],
  ];

  it('name-space prefixes, absolute targets, stored parts and ZIP64 sizes', async () => {
    for (const part of [{}, { stored: true }, { zip64: true }]) {
      const bench = new Bench({ 'a.xlsx': workbook([{ name: '表', xml: sheetXml(rows) }], { part }) });
      await bench.import('a.xlsx');
      expect(bench.terms()).toEqual({ 关单: ['closeOrder'], '退款 & <对账>': ['refund'] });
    }
  });

  it('shared strings without their reading aids, cached values of formulas, booleans, dates by format, cells without a place', async () => {
    const strings =
      '<sst><si><t>中文</t></si><si><r><t>关</t></r><r><t>单</t></r><rPh><t>guan</t></rPh></si><si><t>closeOrder_x000D_</t></si><si><t/></si></sst>';
    const styles =
      '<styleSheet><numFmts><numFmt numFmtId="176" formatCode="yyyy&quot;年&quot;m&quot;月&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="176"/></cellXfs></styleSheet>';
    const xml = `<worksheet><sheetData>
      <row r="1"><c t="s"><v>0</v></c><c t="str"><f>"代码"</f><v>代码</v></c><c t="inlineStr"><is><t>说明</t></is></c><c t="inlineStr"><is><t>核实日期</t></is></c></row>
      <row r="3"><c r="A3" t="s"><v>1</v></c><c r="B3" t="s"><v>2</v></c><c r="C3"><v>0.30000000000000004</v></c><c r="D3" s="1"><v>45809</v></c></row>
      <row r="4"><c r="A4" t="inlineStr"><is><t>对账</t></is></c><c r="B4" t="e"><v>#REF!</v></c><c r="C4" t="b"><v>1</v></c><c r="D4" s="2"><v>45810.5</v></c></row>
    </sheetData></worksheet>`;
    const bench = new Bench({ 'a.xlsx': workbook([{ name: '表', xml }], { strings, styles }) });
    const plan = await bench.import('a.xlsx');
    expect(termOf(bench, '关单')).toMatchObject({
      code_symbols: ['closeOrder'],
      note: '0.3',
      provenance: { reviewedAt: '2025-06-01' },
    });
    expect(termOf(bench, '对账')).toMatchObject({
      code_symbols: [],
      note: 'TRUE',
      provenance: { reviewedAt: '2025-06-02' },
    });
    expect(reasons(plan)).toContain('a.xlsx#表!4 单元格是错误值，当作空格');
  });

  it('a value merged over rows holds for each of them', async () => {
    const after = '<mergeCells><mergeCell ref="C2:C3"/><mergeCell ref="A1:B1"/></mergeCells>';
    const table = [
      ['中文', '代码', '模块'],
      ['甲单', 'orderA', '订单'],
      ['乙单', 'orderB', ''],
    ];
    const bench = new Bench({ 'a.xlsx': workbook([{ name: '表', xml: sheetXml(table, after) }]) });
    await bench.import('a.xlsx');
    expect(termOf(bench, '乙单').module).toBe('order');
  });

  it('what is no workbook, too large or a bomb is refused with a reason', async () => {
    const bomb = workbook([
      { name: '表', xml: `<worksheet><sheetData>${' '.repeat(140_000_000)}</sheetData></worksheet>` },
    ]);
    expect(bomb.length).toBeLessThan(1_000_000);
    const good = workbook([{ name: '表', xml: sheetXml(rows) }]);
    const files: Record<string, [Buffer, string]> = {
      'bomb.xlsx': [bomb, 'FILE_TOO_LARGE'],
      'old.xlsx': [Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1, 2, 3]), 'ENTRY_INVALID'],
      'text.xlsx': [Buffer.from('不是压缩包'), 'ENTRY_INVALID'],
      'empty.xlsx': [Buffer.alloc(0), 'ENTRY_INVALID'],
      'other.xlsx': [zip([{ name: 'a.txt', content: 'x' }]), 'ENTRY_INVALID'],
      'cut.xlsx': [good.subarray(0, good.length - 60), 'ENTRY_INVALID'],
      'broken.xlsx': [Buffer.concat([Buffer.alloc(90), good.subarray(90)]), 'ENTRY_INVALID'],
    };
    for (const [name, [bytes, code]] of Object.entries(files)) {
      const bench = new Bench({ [name]: bytes });
      await expect(bench.plan(name), name).rejects.toMatchObject({
        code,
        hint: expect.stringMatching(/\p{Script=Han}/u),
      });
    }
  });

  it('never fails in any other way on damaged bytes', async () => {
    const good = workbook([{ name: '表', xml: sheetXml(rows) }]);
    for (let i = 0; i < good.length; i += 7) {
      const bytes = Buffer.from(good);
      bytes[i] = (bytes[i] as number) ^ 0xff;
      const bench = new Bench({ 'a.xlsx': bytes });
      await bench
        .plan('a.xlsx')
        .catch((e: { code?: string }) => expect(e.code).toMatch(/^(?:ENTRY_INVALID|FILE_TOO_LARGE)$/));
    }
  });
});

describe('separated text', () => {
  const CSV = '代码,术语,别名\nOrderService.cancelExpired,超时关单,"关单、下单超时"\nrefund,退款,\n';
  const EXPECTED = { 超时关单: ['OrderService.cancelExpired'], 退款: ['refund'] };

  it.each([
    ['UTF-8', Buffer.from(CSV)],
    ['UTF-8 with BOM', Buffer.from(`\uFEFF${CSV}`)],
    ['GBK', iconv.encode(CSV, 'gbk')],
    ['GB18030', iconv.encode(CSV, 'gb18030')],
    ['UTF-16', Buffer.from(`\uFEFF${CSV}`, 'utf16le')],
    ['CRLF', Buffer.from(CSV.replaceAll('\n', '\r\n'))],
    ['semicolons', Buffer.from(CSV.replaceAll(',', ';'))],
    ['sep=', Buffer.from(`sep=|\r\n${CSV.replaceAll(',', '|')}`)],
  ])('%s', async (_, bytes) => {
    const bench = new Bench({ 'a.csv': bytes });
    await bench.import('a.csv');
    expect(bench.terms()).toEqual(EXPECTED);
    expect(termOf(bench, '超时关单').aliases).toEqual(['关单', '下单超时']);
  });

  it('tabs, by name', async () => {
    const bench = new Bench({ 'a.tsv': CSV.replaceAll(',', '\t') });
    await bench.import('a.tsv');
    expect(bench.terms()).toEqual(EXPECTED);
  });

  it('quotes with line breaks keep their lines; a quote that never closes is a character', async () => {
    const bench = new Bench({
      'a.csv':
        '中文,代码,说明\n甲单,orderA,"第一行\n第二行 ""引用"""\n乙单,orderB,5" 屏\n丙单,orderC,"没有结束\n丁单,="orderD",\'=x\n',
    });
    const plan = await bench.import('a.csv');
    expect(termOf(bench, '甲单').note).toBe('第一行；第二行 "引用"');
    expect(termOf(bench, '乙单').provenance.source).toBe('a.csv#L4');
    expect(termOf(bench, '丁单')).toMatchObject({ code_symbols: ['orderD'], note: '=x' });
    expect(reasons(plan)).toEqual(['a.csv#L5 引号没有配对，按普通字符读']);
  });

  it('no header: Chinese and identifiers are told apart, in either order', async () => {
    const bench = new Bench({ 'a.csv': 'closeOrder,关单\nrefund_order,退款单\n', 'b.csv': '手机,无\n电脑,-\n' });
    const plan = await bench.import('a.csv');
    expect(bench.terms()).toEqual({ 关单: ['closeOrder'], 退款单: ['refund_order'] });
    expect(plan.guessed).toHaveLength(1);
    const other = await bench.plan('b.csv');
    expect([other.files, reasons(other)[0]]).toEqual([[], expect.stringContaining('没认出表头')]);
  });

  it('a data dictionary has its words in the description', async () => {
    const bench = new Bench({
      'dict.csv':
        '字段名,类型,说明\ngmt_create,datetime,创建时间\nbuyer_id,bigint,买家\nx,int,这是一段很长很长很长很长很长的解释，不是一个词\n',
    });
    const plan = await bench.import('dict.csv');
    expect(bench.terms()).toMatchObject({ 创建时间: ['gmt_create'], 买家: ['buyer_id'] });
    expect(plan.guessed[0]?.what).toContain('「说明」');
    expect(reasons(plan).join()).toContain('不认识的列「类型」');
  });

  it('columns in any order and either language; placeholders are nothing', async () => {
    const bench = new Bench({
      'a.csv':
        'Module,Aliases,Keyword,Code Symbols,Confidence,Status,ID\n-,N/A,日切,dayCut,90%,verified,day_cut\n无,,对账,reconcile,高,,7\n',
    });
    await bench.import('a.csv');
    expect(termOf(bench, '日切')).toMatchObject({
      id: 'day_cut',
      aliases: [],
      provenance: { status: 'verified', confidence: 0.95 },
    });
    expect(termOf(bench, '日切').module).toBeUndefined();
    expect(termOf(bench, '对账').id).toBe('a-7');
  });
});

describe('lists in YAML and JSON', () => {
  it.each([
    ['our own schema', 'a.yaml', '- id: x\n  keyword_ch: 关单\n  code_symbols: [closeOrder]\n'],
    ['Chinese names', 'a.yaml', '术语:\n  - 中文: 关单\n    代码: closeOrder\n'],
    ['word: symbol', 'a.yml', '关单: closeOrder\n'],
    ['symbol: word', 'a.yaml', 'closeOrder: 关单\n'],
    ['word: entry', 'a.yaml', '关单:\n  代码: [closeOrder]\n  说明: 超时就关\n'],
    ['JSON by module', 'a.json', '{"order": {"关单": "closeOrder"}}'],
  ])('%s', async (_, name, text) => {
    const bench = new Bench({ [name]: text });
    await bench.import(name);
    expect(bench.terms()).toEqual({ 关单: ['closeOrder'] });
    expect(bench.core().problems).toEqual([]);
    if (text.includes('order"')) expect(termOf(bench, '关单').module).toBe('order');
  });

  it('says the line of a typo, and what a file of settings is not', async () => {
    const bench = new Bench({ 'a.yaml': '关单: closeOrder\n  坏: [\n', 'b.yaml': 'server:\n  port: 80\n' });
    await expect(bench.plan('a.yaml')).rejects.toMatchObject({
      code: 'ENTRY_INVALID',
      message: expect.stringContaining('a.yaml:'),
    });
    await expect(bench.plan('b.yaml')).rejects.toMatchObject({
      code: 'ENTRY_INVALID',
      message: expect.stringContaining('看不出'),
    });
  });

  it('a table in Markdown, when it is said to be one', async () => {
    const bench = new Bench({ 'a.md': '# 词表\n\n| 中文 | 代码 |\n| --- | :-: |\n| **关单** | `closeOrder` |\n' });
    await bench.import('a.md', { as: 'terms' });
    expect(bench.terms()).toEqual({ 关单: ['closeOrder'] });
  });
});

describe('what is there stays', () => {
  it("a person's entry is never touched, and a changed table only adds what is new", async () => {
    const mine = '- id: mine\n  keyword_ch: 关单\n  code_symbols: [closeOrder]\n  status: verified\n  source: 我\n';
    const bench = new Bench({
      '.xihe/knowledge/terms/order.yaml': mine,
      'a.csv': '中文,代码\n关单,closeOrder\n退款,refund\n',
    });
    const first = await bench.import('a.csv');
    expect(first.files.map((f) => [f.path, f.entries, f.state])).toEqual([
      ['.xihe/knowledge/terms/order.yaml', 1, 'same'],
      ['.xihe/knowledge/terms/imported-a.yaml', 1, 'new'],
    ]);
    bench.write({ 'a.csv': '中文,代码\n新的,fresh\n关单,otherName\n退款,refund2\n' });
    const before = readFileSync(`${bench.layerDir}/knowledge/terms/imported-a.yaml`, 'utf8');
    const second = await bench.import('a.csv');
    expect(second.files.map((f) => [f.path, f.state])).toEqual([
      ['.xihe/knowledge/terms/imported-a.yaml', 'kept'],
      ['.xihe/knowledge/terms/imported-a-2.yaml', 'new'],
    ]);
    expect(reasons(second)).toEqual([
      expect.stringContaining('已有「关单」，内容不同'),
      expect.stringContaining('已有「退款」，内容不同'),
    ]);
    expect(readFileSync(`${bench.layerDir}/knowledge/terms/imported-a.yaml`, 'utf8')).toBe(before);
    expect(readFileSync(`${bench.layerDir}/knowledge/terms/order.yaml`, 'utf8')).toBe(mine);
    expect(bench.core().problems).toEqual([]);
  });

  it('the module of the command holds where the table names none', async () => {
    const bench = new Bench({ 'a.csv': '中文,代码,模块\n甲单,orderA,\n乙单,orderB,支付\n' });
    await bench.import('a.csv', { module: 'order' });
    expect([termOf(bench, '甲单').module, termOf(bench, '乙单').module]).toEqual(['order', '支付']);
  });

  it('one broken table of several does not take the others down', async () => {
    const bench = new Bench({
      'tables/a.csv': '中文,代码\n甲单,orderA\n',
      'tables/b.xlsx': Buffer.from('x'),
      'tables/README.md': '# 说明\n\n这些是术语表。\n',
    });
    const plan = await bench.import('tables');
    expect(bench.terms()).toEqual({ 甲单: ['orderA'] });
    expect(reasons(plan).join('\n')).toMatch(/tables\/b\.xlsx 读不了/);
  });

  it('any text in any cell loads as it was meant', async () => {
    const nasty = [
      "it's",
      '"q"',
      '- x',
      '#号',
      'a: b',
      '[列]',
      '{x}',
      '*a',
      '&b',
      '!c',
      '%d',
      '@e',
      '`f`',
      'null',
      'true',
      '12',
      '\\n',
      '：冒号',
      "''",
      '是 # 不是',
      '尾：',
      '🚀',
      '|',
      '>',
    ];
    const bench = new Bench({
      'a.csv': `中文,代码,说明\n${nasty.map((text, i) => `词${i},sym${i},"${text.replaceAll('"', '""')}x"`).join('\n')}\n`,
    });
    await bench.import('a.csv');
    expect(bench.core().problems).toEqual([]);
    for (const [i, text] of nasty.entries())
      expect(termOf(bench, `词${i}`).note).toBe(
        text.startsWith("'") && !text.slice(1).includes("'") ? `${text.slice(1)}x` : `${text}x`,
      );
  });
});

describe('cells', () => {
  it.each([
    ['关单、取消；下单超时 | 超时', ['关单', '取消', '下单超时', '超时']],
    ['CI/CD', ['CI/CD']],
    ['只退钱/不退货', ['只退钱', '不退货']],
    ['cancel(orderId, reason)、refund', ['cancel(orderId, reason)', 'refund']],
    ['/api/order/close', ['/api/order/close']],
    ['orderId/order_no', ['orderId', 'order_no']],
    ['order_svc/order_dao.py', ['order_svc/order_dao.py']],
    ['甲, 甲，-', ['甲']],
  ])('%s', (cell, parts) => expect(splitList(cell)).toEqual(parts));

  it('symbols, phrases and the rest', () => {
    expect(symbolsOf('`OrderService.cancel()`、close order；ｇｍｔ_create、订单表 t_order、1001')).toEqual({
      symbols: ['OrderService.cancel', 'gmt_create', 't_order'],
      phrases: ['close order'],
      rest: ['1001'],
    });
  });
});
