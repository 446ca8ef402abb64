import { describe, expect, it } from 'vitest';
import { XiheError } from '../../src/errors.js';
import { bilingualOf } from '../../src/zhcore/scan/index.js';
import { commits, ownTerm, proposalFor, scanTexts } from './scan-support.js';

describe('what a scan finds', () => {
  it('Javadoc, Swagger of both ages, Excel and log annotations', async () => {
    const result = await scanTexts({
      'src/OrderController.java': `package com.shop;
import io.swagger.annotations.*;
@Api(tags = "订单管理")
@RestController
public class OrderController {
    @ApiOperation("批量发货")
    @Log(title = "订单发货", businessType = BusinessType.UPDATE)
    public Result delivery() { return null; }
}
`,
      'src/RefundApply.java': `package com.shop;
/** 退款申请单 */
@Schema(description = "退款申请")
public class RefundApply {
    @ApiModelProperty(value = "退款原因", required = true)
    private String refundReason;
    @Excel(name = "手续费率", width = 20)
    private String feeRate;
    @ExcelProperty(value = {"结算周期"})
    private String settleCycle;
}
`,
    });
    expect(proposalFor(result, '批量发货').code_symbols).toContain('OrderController.delivery');
    expect(proposalFor(result, '订单').code_symbols).toContain('OrderController');
    expect(proposalFor(result, '退款原因').code_symbols).toEqual(['RefundApply.refundReason']);
    expect(proposalFor(result, '手续费率').code_symbols).toEqual(['RefundApply.feeRate']);
    expect(proposalFor(result, '结算周期').evidence[0]).toMatchObject({
      file: 'src/RefundApply.java',
      line: 9,
      kind: 'annotation',
    });
    expect(proposalFor(result, '退款申请').code_symbols).toEqual(['RefundApply']);
  });

  it('SQL comments, and joins a table with its class', async () => {
    const result = await scanTexts({
      'db/schema.sql': `CREATE TABLE sms_coupon (
  id bigint NOT NULL COMMENT '主键',
  coupon_code varchar(32) COMMENT '券码',
  PRIMARY KEY (id)
) COMMENT='优惠券表';
COMMENT ON TABLE oms_cart IS '购物车表';
`,
      'src/SmsCoupon.java': 'package a;\npublic class SmsCoupon {\n  private String couponCode;\n}\n',
      'src/SmsCouponService.java': 'package a;\n/** 优惠券服务 */\npublic class SmsCouponService {}\n',
    });
    const coupon = proposalFor(result, '优惠券');
    expect(coupon.code_symbols).toEqual(expect.arrayContaining(['sms_coupon', 'SmsCoupon', 'SmsCouponService']));
    expect(new Set(coupon.evidence.map(({ kind }) => kind))).toEqual(new Set(['sql', 'doc']));
    expect(proposalFor(result, '券码').code_symbols).toContain('sms_coupon.coupon_code');
    expect(result.proposals.some(({ keyword_ch }) => keyword_ch === '主键')).toBe(false);
  });

  it('interface texts in JSON, YAML, properties and TypeScript, and no hints or errors among them', async () => {
    const result = await scanTexts({
      'src/i18n/zh-CN.json': '{ "order": { "couponCode": "券码", "couponHelper": "每个券码只能使用一次" } }',
      'src/locales/zh-CN.yml': 'order:\n  deliverySn: 快递单号\n',
      'src/i18n/messages_zh_CN.properties': 'refund.reasonType=\\u9000\\u6b3e\\u539f\\u56e0\n',
      'src/lang/zh.ts': "export default { container: { memoryLimit: '内存限制' } };\n",
      'src/lang/en.ts': "export default { container: { memoryLimit: '不该读这里' } };\n",
    });
    expect(proposalFor(result, '券码').code_symbols).toEqual(['order.couponCode']);
    expect(proposalFor(result, '快递单号').code_symbols).toEqual(['order.deliverySn']);
    expect(proposalFor(result, '退款原因').code_symbols).toEqual(['refund.reasonType']);
    expect(proposalFor(result, '内存限制').code_symbols).toEqual(['container.memoryLimit']);
    expect(result.proposals).toHaveLength(4);
    expect(result.stats.skipped).toContainEqual({ reason: 'other-language', files: 1, example: 'src/lang/en.ts' });
  });

  it('enums with labels in Java, TypeScript and Go, and maps from a value to its text', async () => {
    const result = await scanTexts({
      'src/OrderStatus.java':
        'package a;\npublic enum OrderStatus {\n  WAIT_PAY(0, "待付款"), PAID(1, "已付款");\n  OrderStatus(int c, String t) {}\n}\n',
      'src/state.ts':
        "export enum RefundState {\n  AUDITING = 'auditing', // 审核中\n}\nexport const CHANNEL_TEXT: Record<string, string> = {\n  alipay: '支付宝',\n  [Channel.WECHAT]: '微信支付',\n};\n",
      'pkg/status.go': 'package pkg\n\nconst (\n\tStatusFrozen = 3 // 已冻结\n)\n',
    });
    expect(proposalFor(result, '待付款').code_symbols).toEqual(['OrderStatus.WAIT_PAY']);
    expect(proposalFor(result, '已付款').code_symbols).toEqual(['OrderStatus.PAID']);
    expect(proposalFor(result, '审核中').code_symbols).toEqual(['RefundState.AUDITING']);
    expect(proposalFor(result, '支付宝').code_symbols).toEqual(['CHANNEL_TEXT.alipay']);
    expect(proposalFor(result, '微信支付').code_symbols).toEqual(['Channel.WECHAT']);
    expect(proposalFor(result, '已冻结').code_symbols).toEqual(['StatusFrozen']);
  });

  it('titles of routes, by text and by key, and names of menus in SQL', async () => {
    const result = await scanTexts({
      'web/src/router/index.ts':
        "export default [{ path: '/coupon', name: 'CouponList', meta: { title: '优惠券列表', icon: 'x' } }, { path: '/cron', name: 'Cronjob', meta: { title: 'menu.cron' } }];\n",
      'web/src/lang/zh.ts': "export default { menu: { cron: '计划任务' } };\n",
      'server/cronjob.go': 'package server\n\ntype Cronjob struct {\n\tSpec string\n}\n',
      'sql/init.sql':
        "create table sys_post (id int) comment '岗位信息表';\ninsert into sys_menu values('104', '岗位管理', '1', '5', 'post', 'system/post/index', 'C', 'system:post:list', sysdate());\ninsert into sys_menu values('1020', '岗位查询', '104', '1', '', '', 'F', 'system:post:query', sysdate());\n",
    });
    expect(proposalFor(result, '计划任务')).toMatchObject({ code_symbols: ['Cronjob'] });
    expect(proposalFor(result, '计划任务').evidence.map(({ kind }) => kind)).toContain('route');
    const post = proposalFor(result, '岗位');
    expect(post.code_symbols).toContain('sys_post');
    expect(post.evidence.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['sql', 'menu']));
    expect(result.proposals.some(({ keyword_ch }) => keyword_ch === '岗位查询')).toBe(false);
  });

  it('labels of forms and tables, Go tags, Django and NestJS fields', async () => {
    const result = await scanTexts({
      'web/src/views/order/index.vue':
        '<template>\n  <el-table-column label="快递单号" prop="deliverySn" />\n  <el-form-item :label="$t(\'order.code\')" prop="couponCode" />\n</template>\n<script setup lang="ts">\nconst columns = [{ title: \'实付金额\', dataIndex: \'payAmount\' }];\n</script>\n',
      'web/src/lang/zh.ts': "export default { order: { code: '券码' } };\n",
      'model/user.go':
        'package model\n\ntype Member struct {\n\tGrowth int `json:"growth" gorm:"column:growth;comment:成长值"`\n}\n',
      'shop/models.py': "class Sku(models.Model):\n    low_stock = models.IntegerField(verbose_name='库存预警值')\n",
      'src/invoice.dto.ts':
        "export class InvoiceDto {\n  @ApiProperty({ description: '发票抬头' })\n  invoiceTitle: string;\n}\n",
    });
    expect(proposalFor(result, '快递单号').code_symbols).toEqual(['deliverySn']);
    expect(proposalFor(result, '券码').code_symbols).toEqual(['couponCode']);
    expect(proposalFor(result, '实付金额').code_symbols).toEqual(['payAmount']);
    expect(proposalFor(result, '成长值').code_symbols).toEqual(['Member.Growth']);
    expect(proposalFor(result, '库存预警值').code_symbols).toEqual(['Sku.low_stock']);
    expect(proposalFor(result, '发票抬头').code_symbols).toEqual(['InvoiceDto.invoiceTitle']);
  });

  it('words of commit messages: as evidence, and on their own where they go with one file', async () => {
    const files = {
      'src/closer.ts': '/** 超时关单 */\nexport class OrderCloser {}\n',
      'src/online.ts': 'export class OnlineUser {}\n',
      ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`src/other${i}.ts`, `export class Other${i} {}\n`])),
    };
    const plain = proposalFor(await scanTexts(files), '超时关单');
    const others = Array.from({ length: 40 }, (_, i) => ({ subject: `整理第${i}处布局`, files: [`src/other${i}.ts`] }));
    const history = commits(
      { subject: '超时关单加重试', files: ['src/closer.ts'] },
      ...['踢出在线用户', '在线用户支持搜索', '修复在线用户统计'].map((subject) => ({
        subject,
        files: ['src/online.ts'],
      })),
      ...others,
    );
    const result = await scanTexts(files, { history });
    const closer = proposalFor(result, '超时关单');
    expect(closer.score).toBeGreaterThan(plain.score);
    expect(closer.evidence.some(({ kind, text }) => kind === 'commit' && text.includes('超时关单加重试'))).toBe(true);
    const online = proposalFor(result, '在线用户');
    expect(online.code_symbols).toEqual(['OnlineUser']);
    expect(online.score).toBeLessThan(closer.score);
  });
});

describe('how proposals are ranked', () => {
  const both = {
    'src/OrderRefund.java':
      'package a;\n/** 退款单 */\npublic class OrderRefund {\n  /** 退款渠道 */\n  private String refundChannel;\n}\n',
    'db/a.sql': "create table order_refund (refund_channel int comment '渠道说明文字') comment '退款单表';\n",
  };

  it('agreement of independent places counts, and a class stands before a field', async () => {
    const result = await scanTexts(both);
    const [first] = result.proposals;
    expect(first).toMatchObject({ keyword_ch: '退款单', code_symbols: ['OrderRefund', 'order_refund'] });
    expect(first!.score).toBeGreaterThan(
      proposalFor(await scanTexts({ 'src/OrderRefund.java': both['src/OrderRefund.java'] }), '退款单').score,
    );
    for (const { score } of result.proposals) expect(score).toBeGreaterThan(0);
    expect(result.proposals.map(({ score }) => score)).toEqual(
      result.proposals.map(({ score }) => score).sort((a, b) => b - a),
    );
  });

  it('a dictionary raises what it knows', async () => {
    const files = { 'src/coupon.ts': '/** 优惠券 */\nexport class Coupon {}\n/** 对账单 */\nexport class Qwerty {}\n' };
    const bilingual = bilingualOf([{ equal: ['优惠券', 'coupon'] }], []);
    const [without, with_] = [await scanTexts(files), await scanTexts(files, { bilingual })];
    expect(proposalFor(with_, '优惠券').score).toBeGreaterThan(proposalFor(without, '优惠券').score);
    expect(proposalFor(with_, '对账单').score).toBe(proposalFor(without, '对账单').score);
  });

  it('gives one word several records where it means different things in different modules', async () => {
    const files = {
      'src/order/settle.ts': '/** 结算 */\nexport class BalanceSettle {}\n',
      'src/finance/bill.ts': '/** 结算 */\nexport class ChannelClearing {}\n',
    };
    const modules = { order: ['src/order/**'], finance: ['src/finance/**'] };
    const { proposals } = await scanTexts(files, { modules });
    expect(
      proposals.map(({ keyword_ch, module, code_symbols }) => [keyword_ch, module, code_symbols[0]]).sort(),
    ).toEqual([
      ['结算', 'finance', 'ChannelClearing'],
      ['结算', 'order', 'BalanceSettle'],
    ]);
    const byFolder = await scanTexts(files);
    expect(byFolder.proposals.map(({ module }) => module).sort()).toEqual(['finance', 'order']);
    const ids = proposals.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^s-\S+$/);
  });

  it('leaves out what the project has as a term already, by alias and by the other spelling too', async () => {
    const known = [ownTerm({ id: 'mine', keyword_ch: '退单', aliases: ['退款单'], code_symbols: ['order_refund'] })];
    const result = await scanTexts(both, { known });
    expect(result.proposals.map(({ keyword_ch }) => keyword_ch)).not.toContain('退款单');
    expect(result.stats.known).toBe(1);
    const general = known.map((term) => ({ ...term, provenance: { ...term.provenance, layer: 'general' as const } }));
    expect(proposalFor(await scanTexts(both, { known: general }), '退款单')).toBeDefined();
  });

  it('asks no more about a word that somebody settled for the same module', async () => {
    const settled = ownTerm({
      id: 'mine',
      keyword_ch: '售后',
      aliases: ['退款单'],
      code_symbols: ['AfterSale'],
      module: 'order',
    });
    const modules = { order: ['src/**'] };
    const words = async (known: ReturnType<typeof ownTerm>[]) =>
      (await scanTexts(both, { known, modules })).proposals.map(({ keyword_ch }) => keyword_ch);
    expect(await words([settled])).not.toContain('退款单');
    expect(await words([{ ...settled, module: 'finance' }])).toContain('退款单');
    const asked = { ...settled, provenance: { ...settled.provenance, status: 'candidate' as const } };
    expect(await words([asked])).toContain('退款单');
  });

  it('is the same for the same files in another order', async () => {
    const forwards = await scanTexts(both);
    const files = Object.keys(both).reverse();
    const backwards = await scanTexts(both, { files });
    expect(backwards.proposals).toEqual(forwards.proposals);
  });
});

describe('what a scan does not read', () => {
  const word = '/** 优惠券 */\nexport class Coupon {}\n';

  it('tests, vendored, generated and demo files, the team layer, documents', async () => {
    const paths = [
      'test/a.ts',
      'src/a.test.ts',
      'vendor/a.ts',
      'src/a.min.js',
      'dist/a.js',
      'examples/a.ts',
      '.xihe/a.ts',
      'README.md',
      'api/a.pb.go',
    ];
    const result = await scanTexts(Object.fromEntries(paths.map((path) => [path, word])));
    expect(result.proposals).toEqual([]);
    expect(result.stats.files).toBe(0);
    expect(result.stats.skipped.reduce((sum, { files }) => sum + files, 0)).toBe(paths.length);
  });

  it('what is too large, binary or gone: it is counted, and the rest goes on', async () => {
    const result = await scanTexts(
      {
        'src/a.ts': word,
        'src/gone.ts': undefined,
        'src/big.ts': `${word}${'// x\n'.repeat(300_000)}`,
        'src/huge.ts': word,
        'src/bin.ts': word,
      },
      {
        sizeOf: (path) => (path === 'src/huge.ts' ? 2_000_000 : 100),
        read: (path) => {
          if (path === 'src/bin.ts') throw new XiheError('FILE_BINARY', '二进制', { hint: '' });
          return path === 'src/gone.ts' ? undefined : path === 'src/big.ts' ? 'x'.repeat(1_200_000) : word;
        },
      },
    );
    expect(proposalFor(result, '优惠券').code_symbols).toEqual(['Coupon']);
    expect(result.stats).toMatchObject({
      files: 1,
      skipped: expect.arrayContaining([
        { reason: 'large', files: 2, example: 'src/big.ts' },
        { reason: 'unreadable', files: 2, example: 'src/bin.ts' },
      ]),
    });
  });

  it('broken code and nonsense, without falling over', async () => {
    const seed = [
      'class {',
      '/** 优惠券',
      "insert into sys_menu values('1', '优惠",
      '@Api(tags = "订单',
      '{ "a": { "b": "券',
      'meta: { title: "',
      'enum X { A(1, "已',
      "const a = { b: '券', ",
      '\u0000\uFFFD',
    ];
    const files: Record<string, string> = {};
    let state = 7;
    const next = (n: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state % n;
    };
    for (const ext of ['java', 'ts', 'vue', 'sql', 'go', 'py', 'json', 'yml', 'properties', 'xml', 'kt', 'cs']) {
      for (let i = 0; i < 6; i++)
        files[`src/lang/zh${i}.${ext}`] = Array.from({ length: 30 }, () => seed[next(seed.length)]).join(
          next(2) ? '\n' : ' ',
        );
    }
    const result = await scanTexts(files);
    expect(result.stats.files).toBe(Object.keys(files).length);
  });

  it('anything after Ctrl-C', async () => {
    const stop = new AbortController();
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`src/a${i}.ts`, word]));
    let read = 0;
    const scanning = scanTexts(files, {
      signal: stop.signal,
      read: () => {
        if (++read === 30) stop.abort();
        return word;
      },
    });
    await expect(scanning).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(read).toBeLessThan(100);
  });

  it('proposals for files beside the folders that were asked for', async () => {
    const files = {
      'src/a/coupon.ts': word,
      'src/b/refund.ts': '/** 退款单 */\nexport class Refund {}\n',
      'src/ab/x.ts': '/** 对账单 */\nexport class Recon {}\n',
    };
    const result = await scanTexts(files, { only: ['src/a'] });
    expect(result.proposals.map(({ keyword_ch }) => keyword_ch)).toEqual(['优惠券']);
  });
});
