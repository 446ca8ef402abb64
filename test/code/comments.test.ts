import { describe, expect, it } from 'vitest';
import { firstSentence, outline, stripDocMarkers } from '../../src/code/index.js';
import { estimateTokens } from '../../src/text/index.js';

describe('stripDocMarkers', () => {
  const cases: [string, string][] = [
    ['/** 取消订单 */', '取消订单'],
    ['/**\n * 取消订单。\n *\n * @param id 单号\n */', '取消订单。\n\n@param id 单号'],
    ['// 第一行\n// 第二行', '第一行\n第二行'],
    ['/// <summary>取消</summary>', '取消'],
    ['# 注释', '注释'],
    ['-- 表', '表'],
    ['<!-- 分页 -->', '分页'],
    ['"""文档。\n\n  第二段\n"""', '文档。\n\n第二段'],
    ['/* 行内 */', '行内'],
    ['/*!\n * 保留\n */', '保留'],
    ['#!ruby', 'ruby'],
    ['/**/', ''],
  ];
  for (const [comment, text] of cases) it(JSON.stringify(comment), () => expect(stripDocMarkers(comment)).toBe(text));
});

describe('firstSentence', () => {
  const cases: [string, string][] = [
    ['取消订单。之后退款。', '取消订单'],
    ['订单服务\n负责下单', '订单服务'],
    ['@author 张三\n@date 2024-05-01\n库存回补', '库存回补'],
    ['Copyright 2024 某公司\n支付回调', '支付回调'],
    ['CancelOrder\n@Tags 订单\n@Summary 取消订单', '取消订单'],
    ['功能：导出报表', '导出报表'],
    ['=====\n* * *', ''],
    ['import x from "y"', ''],
    ['https://example.com/a', ''],
    ['{@link Order} 的状态', 'Order 的状态'],
    ['<p>退款</p>', '退款'],
    ['v1.2 之后可用', 'v1.2 之后可用'],
    ['支付宝异步通知：验签与解析\n\n通知是表单。去掉 sign 参数', '支付宝异步通知：验签与解析'],
    ['CSV 输出\n导出的文件多半用 Excel 打开。', 'CSV 输出'],
    ['下单、付款、\n发货和完成。之后退款。', '下单、付款、发货和完成'],
    ['Reads orders of one\nbuyer. Then more.', 'Reads orders of one buyer'],
    [
      '这一行写满了六十列，所以换到下一行继续把话说完整，直到后面真正\n出现句号为止。再说别的。',
      '这一行写满了六十列，所以换到下一行继续把话说完整，直到后面真正出现句号为止',
    ],
  ];
  for (const [comment, sentence] of cases)
    it(JSON.stringify(comment), () => expect(firstSentence(comment)).toBe(sentence));
});

describe('summary', () => {
  const summaryOf = async (path: string, text: string) => (await outline(path, text)).summary;

  it('is cut at 20 tokens', async () => {
    const summary = await summaryOf(
      'a.ts',
      `// ${'超时未付款的订单由定时任务关闭并且回补库存退回优惠券'.repeat(3)}\n\nexport const a = 1;\n`,
    );
    expect(estimateTokens(summary)).toBeLessThanOrEqual(20);
    expect(summary).toMatch(/…$/);
  });

  it.each([
    ['订单服务：下单、付款成功、发货、完成、确认收货、超时关单', '订单服务：下单、付款成功、发货、完成…'],
    ['商城库表（一期建库脚本，只作对照，字段以线上为准）', '商城库表（一期建库脚本，只作对照…）'],
    ['定时任务在每天凌晨重新计算全部商家的应收账款余额', /^定时任务在每天凌晨重新计算(全部)?(商家)?(的)?…$/],
  ])('is cut at a punctuation mark, else between words: %s', async (comment, want) => {
    const summary = await summaryOf('a.ts', `// ${comment}\n\nexport const a = 1;\n`);
    if (typeof want === 'string') expect(summary).toBe(want);
    else expect(summary).toMatch(want);
    expect(estimateTokens(summary)).toBeLessThanOrEqual(20);
  });

  it('names the main things of a file without comments, accessors last', async () => {
    expect(await summaryOf('a.ts', 'export class Order { getId() {} cancel() {} }\n')).toBe('Order、cancel');
    expect(await summaryOf('a.ts', 'const x = 1;\n')).toBe('');
  });

  it('says what the members are about when the main thing has no comment', async () => {
    expect(
      await summaryOf(
        'a.ts',
        'export class Order {\n  /** 取消订单 */\n  cancel() {}\n  /** 退款 */\n  refund() {}\n}\n',
      ),
    ).toBe('Order：取消订单、退款');
  });

  it('does not speak of a helper for the file', async () => {
    expect(await summaryOf('a.ts', 'export class Order {}\n/** 补零 */\nfunction pad() {}\n')).toBe('Order：补零');
  });
});
