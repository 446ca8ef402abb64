import { describe, expect, it } from 'vitest';
import { findPresence } from '../../src/zhcore/scan/index.js';
import { commits, ownTerm, scanTexts } from './scan-support.js';

/** Which of the symbols are gone in these files. */
async function goneIn(files: Record<string, string>, symbols: string[]): Promise<string[]> {
  const presence = await findPresence(symbols, Object.keys(files), (path) => files[path]);
  return symbols.filter((symbol) => presence.placesOf(symbol).length === 0);
}

const controller = `package a;
public class MemberAttentionController extends BaseController {
  /** 关注 */
  public void add() {}
  public void delete() { log.info("old createAttention is called now"); }
  // renamedLater is what it was called
}
`;

describe('whether a symbol still stands', () => {
  it('data, documents, tests, comments and sentences keep no class and no method', async () => {
    const symbols = [
      'OrderController.cancelUserOrder',
      'cancelUserOrder',
      'RefundDesk',
      'createAttention',
      'renamedLater',
    ];
    const files = {
      'src/MemberAttentionController.java': controller,
      'src/OrderController.java': 'package a;\npublic class OrderController {\n  public void cancel() {}\n}\n',
      'postman/shop.json':
        '{ "item": [{ "name": "cancelUserOrder", "url": "/order/cancelUserOrder", "c": "RefundDesk" }] }',
      'docs/a.md': 'OrderController.cancelUserOrder, RefundDesk',
      'src/test/java/a/OrderTest.java':
        'package a;\nclass OrderTest { void cancelUserOrder() { new RefundDesk(); } }\n',
      'sql/a.sql': "-- cancelUserOrder\ncreate table t (id int comment 'RefundDesk createAttention');\n",
      'config/a.yml': 'hook: cancelUserOrder\n',
      'test/fixtures/Old.java': 'package a;\npublic class RefundDesk {}\n',
    };
    expect(await goneIn(files, symbols)).toEqual(symbols);
  });

  it('a method of a bare name stands in its class, however many classes have one', async () => {
    const others = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [
        `src/C${i}.java`,
        `package a;\npublic class C${i} {\n  public void delete() {}\n}\n`,
      ]),
    );
    const files: Record<string, string> = { ...others, 'zz/MemberAttentionController.java': controller };
    const presence = await findPresence(
      ['MemberAttentionController.delete'],
      Object.keys(files),
      (path) => files[path],
    );
    expect(presence.placesOf('MemberAttentionController.delete')).toEqual([
      { path: 'zz/MemberAttentionController.java', line: 5 },
    ]);
    expect(await goneIn(files, ['MemberAttentionController.remove', 'C1.add'])).toEqual([
      'MemberAttentionController.remove',
      'C1.add',
    ]);
  });

  it('columns, tables, keys and literals may stand in SQL, settings and XML; a table’s missing column does not', async () => {
    const files = {
      'sql/a.sql': 'create table oms_order (pay_type int, note text);\n',
      'res/mapper.xml': '<select>select receiver_phone from crm_lead where crm_lead.receiver_phone = 1</select>',
      'conf/application.yml': 'spring:\n  datasource:\n    url: jdbc\nmall-center:\n  pay-timeout: 1\n',
    };
    const symbols = [
      'oms_order',
      'oms_order.pay_type',
      'crm_lead.receiver_phone',
      'datasource.url',
      'mall-center',
      'mall.pay-timeout',
    ];
    expect(await goneIn(files, symbols)).toEqual([]);
    expect(await goneIn(files, ['oms_order.pay_kind', 'crm_lead.sender', 'old-center', 'receiver_mail'])).toHaveLength(
      4,
    );
  });

  it('what a class inherits, a library has, an object or a page holds', async () => {
    const files = {
      'src/a.ts':
        'export class OrderService extends BaseService {}\nexport class BaseService extends Root {}\nexport class Root {\n  reload() {}\n}\n',
      'src/b.ts':
        "import { RedisTemplate } from 'x';\nRedisTemplate.opsForValue();\nexport const CHANNEL_TEXT = {\n  alipay: '支付宝',\n};\n",
      'src/RoleService.java': 'package a;\npublic class RoleService extends ServiceImpl<RoleMapper, Role> {}\n',
      'src/page.vue': '<template><el-table-column prop="deliverySn" label="快递单号" /></template>\n',
      'src/api/pay.ts': 'export function refundAll() {}\n',
    };
    const symbols = [
      'OrderService.reload',
      'RedisTemplate.opsForValue',
      'CHANNEL_TEXT.alipay',
      'deliverySn',
      'pay.refundAll',
    ];
    expect(await goneIn(files, symbols)).toEqual([]);
    expect(await goneIn(files, ['OrderService.opsForValue', 'CHANNEL_TEXT.wechat', 'Root.alipay'])).toHaveLength(3);
  });

  it('generated and vendored files are asked last, and count', async () => {
    const files = {
      'api/order.pb.go': 'package api\n\ntype OrderReply struct {\n\tTotal int\n}\n',
      'src/a.go': 'package a\n',
    };
    expect(await goneIn(files, ['OrderReply', 'OrderReply.Total'])).toEqual([]);
  });

  it('comment marks inside of strings open no comment', async () => {
    const files = {
      'src/Sec.java':
        'package a;\nclass Sec {\n  String a = "/admin/**";\n  void guard() { Jwts.parser(); String u = "https://x"; Jwts.builder(); }\n  String b = "/**/x";\n}\n',
    };
    expect(await goneIn(files, ['Sec.guard', 'Jwts.parser', 'Jwts.builder'])).toEqual([]);
  });
});

describe('where a gone symbol went', () => {
  const service = (name: string) =>
    `package a;\n/** 用户优惠券管理Service */\npublic interface ${name} {\n  /** 会员添加优惠券 */\n  void add();\n  void listCart();\n}\n`;
  const term = (symbols: string[], id = 'x', word = '用户优惠券') =>
    ownTerm({ id, keyword_ch: word, code_symbols: symbols }, 'repo://src/UmsMemberCouponService.java#L3');
  const files = {
    'src/MemberCouponAppService.java': service('MemberCouponAppService'),
    'src/UmsMemberCouponController.java':
      'package a;\n/** 用户优惠券管理Controller */\npublic class UmsMemberCouponController {\n  public void add() {}\n  public void listCart() {}\n}\n',
    'src/Other.java': 'package a;\npublic class OtherService {\n  public void add() {}\n}\n',
    'src/PmsSkuStock.java':
      'package a;\npublic class PmsSkuStock {\n  private int stock;\n  private int lockStock;\n}\n',
    'sql/a.sql': 'create table pms_sku_stock (stock int, lock_stock int);\n',
  };

  it('a renamed class comes first, and its members in it; never a bare verb of another class', async () => {
    const known = [
      term(['UmsMemberCouponService']),
      term(['UmsMemberCouponService.add', 'UmsMemberCouponService.listCart'], 'y', '领券'),
    ];
    const { gone } = await scanTexts(files, { known });
    expect(gone.map(({ symbol, movedTo }) => [symbol, movedTo?.[0]?.symbol])).toEqual([
      ['UmsMemberCouponService', 'MemberCouponAppService'],
      ['UmsMemberCouponService.add', 'MemberCouponAppService.add'],
      ['UmsMemberCouponService.listCart', 'MemberCouponAppService.listCart'],
    ]);
    for (const { movedTo } of gone) for (const { symbol } of movedTo ?? []) expect(symbol).not.toBe('OtherService.add');
  });

  it('a rename that git knows is certain', async () => {
    const history = {
      ...commits(),
      nowCalled: (path: string) => path.replace('UmsMemberCouponService', 'MemberCouponAppService'),
    };
    const { gone } = await scanTexts(files, { known: [term(['UmsMemberCouponService.add'])], history });
    expect(gone[0]?.movedTo?.[0]).toMatchObject({ symbol: 'MemberCouponAppService.add', certain: true });
    expect(gone[0]?.movedTo?.[0]?.why).toContain('文件改名');
  });

  it('a typo leads to the nearest member of the same class, spelled as the entry spells it', async () => {
    const { gone } = await scanTexts(files, { known: [term(['PmsSkuStock.stok', 'OtherService.ad'])] });
    expect(gone.map(({ movedTo }) => movedTo?.[0]?.symbol)).toEqual(['PmsSkuStock.stock', 'OtherService.add']);
  });
});
