import { describe, expect, it } from 'vitest';
import { isAct, saysAct } from '../../src/zhcore/scan/acts.js';
import { phraseOf } from '../../src/zhcore/scan/phrase.js';
import { isPlumbingWord } from '../../src/zhcore/scan/plumbing.js';
import { isBareVerb } from '../../src/zhcore/scan/worth.js';
import { proposalFor, scanTexts } from './scan-support.js';

const words = ({ proposals }: Awaited<ReturnType<typeof scanTexts>>) => proposals.map(({ keyword_ch }) => keyword_ch);

describe('a front end', () => {
  const page = `<template><el-table-column label="快递单号" prop="deliverySn" /></template>
<script setup lang="ts">
/** 列表数据 */
const list = ref([]);
/** 列表查询参数 */
const listQuery = reactive({});
/** 默认优惠券，添加时使用 */
const defaultCoupon = {};
/** 获取路由 */
const route = useRoute();
/** 重置表单 */
const resetForm = () => {};
/** 当前页变化 */
const handleCurrentChange = (val: number) => {};
/** 格式化状态 */
function formatStatus(v: number) {}
/** 批量发货 */
function handleDeliveryBatch() {
  ElMessage.success('发货成功！');
}
</script>
`;

  it('gives calls of the server, types and fields, and nothing that only drives pages', async () => {
    const result = await scanTexts({
      'package.json': '{}',
      'src/views/order/index.vue': page,
      'src/router/index.ts':
        "export default [{ path: '/coupon', name: 'coupon', meta: { title: '优惠券列表' } }, { path: '/addProduct', name: 'addProduct', meta: { title: '添加商品' } }];\n",
      'src/utils/date.ts':
        '/** 转换时间戳 */\nexport function convertStamp() {}\n/** 结算周期 */\nexport const cycle = 1;\n',
      'src/store/app.ts': '/** 切换设备 */\nexport function toggleDevice() {}\n',
      'src/apis/order.ts':
        '/** 分页查询订单列表 */\nexport function getOrderListAPI() {}\n/** 批量关闭订单 */\nexport function orderUpdateCloseAPI() {}\n',
      'src/types/coupon.d.ts':
        '/** 优惠券信息 */\nexport type SmsCoupon = {\n  /** 使用门槛 */\n  minPoint: number\n}\n',
      'components.d.ts': '/** 全局组件类型 */\nexport interface GlobalThings {}\n',
    });
    const found = words(result);
    for (const word of ['快递单号', '批量关闭订单', '优惠券', '使用门槛']) expect(found).toContain(word);
    expect(proposalFor(result, '优惠券').code_symbols).toContain('SmsCoupon');
    for (const word of ['列表数据', '列表查询参数', '默认优惠券', '获取路由', '重置表单', '当前页变化', '格式化状态'])
      expect(found).not.toContain(word);
    for (const word of ['添加商品', '转换时间戳', '结算周期', '切换设备', '全局组件类型'])
      expect(found).not.toContain(word);
  });

  it.each(['分页总数', '重置搜索条件', '上传文件列表', '每页大小变化', '表单验证规则', '列表页'])(
    '%s names nothing of the business',
    (word) => expect(isPlumbingWord(word)).toBe(true),
  );

  it.each(['订单', '缓存监控', '文件管理', '审核中', '快递单号', '库存预警值', '定时任务'])('%s does', (word) =>
    expect(isPlumbingWord(word)).toBe(false),
  );
});

describe('business acts', () => {
  const controller = `package a;
@RestController
public class OrderController {
  @ApiOperation("批量发货")
  public Result delivery() { return null; }
  @ApiOperation("申请退货")
  public Result create() { return null; }
  @ApiOperation("根据购物车信息生成订单")
  public Result generateOrder() { return Result.success(x, "下单成功"); }
  @ApiOperation("获取登录用户信息")
  public Result info() { return null; }
}
`;
  const entity = `package a;
/** 会员 */
public class Member {
  @ApiModelProperty("邮箱")
  private String email;
  @ApiModelProperty("性别")
  private Integer gender;
  @ApiModelProperty("成长值")
  private Integer growth;
}
`;

  it('stand before fields, and attributes that everybody has at the end', async () => {
    const result = await scanTexts({ 'src/OrderController.java': controller, 'src/Member.java': entity });
    const found = words(result);
    for (const act of ['批量发货', '申请退货', '下单']) {
      expect(found.indexOf(act), act).toBeGreaterThanOrEqual(0);
      expect(found.indexOf(act)).toBeLessThan(found.indexOf('成长值'));
    }
    expect(found.indexOf('成长值')).toBeLessThan(found.indexOf('邮箱'));
    expect(found.indexOf('成长值')).toBeLessThan(found.indexOf('性别'));
  });

  it('are what a function says that it has done, in its own words', async () => {
    const result = await scanTexts({ 'src/OrderController.java': controller });
    expect(proposalFor(result, '下单')).toMatchObject({
      code_symbols: ['OrderController.generateOrder'],
      evidence: [{ kind: 'message', line: 9, text: '下单' }],
    });
  });

  it('are not what one log title says of many methods, what helpers do, and what only reads', async () => {
    const log = (name: string) => `  @Log(title = "岗位管理")\n  public void ${name}() {}\n`;
    const result = await scanTexts({
      'src/PostController.java': `package a;\npublic class PostController {\n${['add', 'edit', 'exportAll'].map(log).join('')}}\n`,
      'src/StringUtils.java':
        'package a;\npublic class StringUtils {\n  /** 去空格 */\n  public static String trim() {}\n}\n',
      'src/OrderService.java':
        'package a;\npublic interface OrderService {\n  /** 超时关单 */\n  void closeExpired();\n}\n',
    });
    expect(words(result)).not.toContain('岗位管理');
    expect(words(result)[0]).toBe('超时关单');
    expect(proposalFor(result, '去空格').score).toBeLessThan(0.2);
  });

  it('are told by their words and by their class', () => {
    const method = { role: 'method' as const, name: 'close', container: 'OrderService', file: 'a.java', line: 1 };
    expect(isAct('批量关闭订单', method)).toBe(true);
    expect(isAct('批量关闭订单', { ...method, container: 'OrderUtils' })).toBe(false);
    expect(isAct('超时关单', { ...method, name: 'getClosed' })).toBe(false);
    expect(saysAct('登录日志')).toBe(false);
    expect(saysAct('退货原因')).toBe(false);
  });
});

describe('what names nothing', () => {
  it.each([
    '通过name',
    '按delta递减',
    '改变private',
    '字符串转set',
    'Hash结构中属性递减',
    '根据商品推荐',
    '循环向上转型',
  ])('%s is no word', (text) => expect(phraseOf(text, 'action')).toBeUndefined());

  it.each([
    ['登出功能', 'action', '登出'],
    ['首重kg', 'member', '首重'],
    ['用户举报表', 'type', '用户举报'],
    ['登录接口 POST /api/login', 'action', '登录'],
    ['sku编码', 'member', 'sku编码'],
    ['品牌logo', 'member', '品牌logo'],
  ] as const)('%s (%s) is %s', (text, kind, word) => expect(phraseOf(text, kind)?.word).toBe(word));

  it('a bare verb without a class', async () => {
    expect(['delete', 'getById', 'updateStatus', 'list'].map(isBareVerb)).toEqual([true, true, false, true]);
    const result = await scanTexts({
      'sql/menu.sql':
        "insert into ums_resource values (1, '修改品牌', '/brand/update/**', ''), (2, '退款审核', '/refund/delete', '');\n",
    });
    expect(result.proposals).toEqual([]);
  });

  it('machinery, unless there is a table of that name', async () => {
    const config = (name: string) =>
      `package a;\npublic class ${name} {\n  /** 参数键名 */\n  private String configKey;\n}\n`;
    const plain = await scanTexts({ 'src/SysConfig.java': config('SysConfig') });
    const stored = await scanTexts({
      'src/SysConfig.java': config('SysConfig'),
      'a.sql': "create table sys_config (config_key varchar(9) comment '参数键名') comment='参数配置表';\n",
    });
    expect(proposalFor(stored, '参数键名').score).toBeGreaterThan(1.5 * proposalFor(plain, '参数键名').score);
  });
});

describe('nouns that only stand in other words', () => {
  const files = {
    'a.sql':
      "create table sms_flash (id int, title varchar(9) comment '秒杀时段标题', price int comment '秒杀价格') comment='限时购表';\ncreate table sms_coupon (id int, title varchar(9) comment '券标题', platform int comment '使用平台') comment='优惠券表';\ncreate table oms_order (pay_type int comment '支付方式', note text comment '订单留言') comment='订单表';\n",
    'src/FlashGoods.java':
      'package a;\n/** 秒杀商品 */\npublic class FlashGoods {\n  /** 秒杀限购件数 */\n  private Integer flashLimit;\n}\n',
    'b.sql': Array.from(
      { length: 12 },
      (_, i) =>
        `create table t_other${'abcdefghijkl'[i]} (pay_way int comment '支付渠道', weight int comment '商品重量', level int comment '会员级数');\n`,
    ).join(''),
    'src/OrderItem.java':
      'package a;\n/** 订单明细行 */\npublic class OrderItem {\n  /** 实付运费 */\n  private Integer freight;\n  /** 活动优惠 */\n  private Integer off;\n}\n',
  };

  it('are words of the class that they go with, beside its own word', async () => {
    const result = await scanTexts(files);
    const noun = result.proposals.find(({ keyword_ch }) => keyword_ch === '秒杀');
    expect(noun?.code_symbols).toContain('sms_flash');
    expect(noun?.id).toBe('s-sms-flash-秒杀');
    expect(proposalFor(result, '限时购').code_symbols).toContain('sms_flash');
  });
});

describe('aliases', () => {
  it('need more than one copied comment, and are said of that very symbol', async () => {
    const result = await scanTexts({
      'a.sql':
        "create table oms_return_reason (id int) comment='退货原因表';\ncreate table oms_order (id int) comment='订单表';\ncreate table ums_role (id int) comment='后台用户角色表';\n",
      'src/OmsReturnReasonController.java':
        'package a;\n@Api(tags = "退货原因管理")\npublic class OmsReturnReasonController {}\n',
      'src/OmsReturnReasonService.java':
        'package a;\n/** 订单原因管理Service */\npublic interface OmsReturnReasonService {}\n',
      'src/UmsRole.java': 'package a;\n/** 角色信息 */\npublic class UmsRole {}\n',
      'src/Brand.java': 'package a;\npublic class Brand {\n  /** 产品数量 */\n  private int productCount;\n}\n',
      'src/ReturnApply.java':
        'package a;\npublic class ReturnApply {\n  /** 退货数量 */\n  private int productCount;\n}\n',
    });
    expect(proposalFor(result, '退货原因').aliases).toEqual([]);
    expect(proposalFor(result, '后台用户角色').aliases).toEqual(['角色']);
    for (const { aliases } of result.proposals) expect(aliases).not.toContain('退货数量');
  });
});
