import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/assets.js';
import { openZhCore } from '../../src/zhcore/index.js';

const core = openZhCore({ generalDir: packageRoot() });
const termsFor = (userIntent: string) =>
  core.query({ userIntent, codeSymbols: [], taskType: 'general' }).terms.map((hit) => hit.entry.id);

describe('terms of the general layer are found as people say them', () => {
  it.each([
    ['用户付了钱但系统没到账，掉单怎么处理', 'g-lost-pay'],
    ['对账发现有一笔长款', 'g-long-short'],
    ['这笔冲正没成功', 'g-reversal'],
    ['账不平，查一下差在哪', 'g-recon-diff'],
    ['提现失败要把钱退回余额', 'g-withdraw'],
    ['拼团到期没成团的要退款', 'g-group-buy'],
    ['多规格商品改了规格之后老订单打不开', 'g-multi-spec'],
    ['客户拒收的包裹怎么退', 'g-reject-receive'],
    ['电子面单打印不出来', 'g-face-sheet'],
    ['红冲之后原发票状态没变', 'g-red-invoice'],
    ['价税分离舍入差一分', 'g-tax-split'],
    ['改密码后把别的端踢下线', 'g-kick-out'],
    ['租户隔离漏了定时任务', 'g-tenant-isolation'],
    ['同比算出来是 NaN', 'g-yoy'],
    ['短信退订没生效', 'g-opt-out'],
    ['补数的时候数据翻倍', 'g-backfill'],
    ['断点续跑的位置存错了', 'g-job-checkpoint'],
    ['会签有一个人没批怎么走', 'g-countersign'],
    ['加签的人审批完没回来', 'g-add-sign'],
    ['驳回之后重新提交从头开始走', 'g-reject-task'],
    ['弹窗关掉再打开还有上次的数据', 'g-modal'],
    ['搜索框加防抖', 'g-debounce'],
    ['字典数据改了页面没变', 'g-dict-data'],
    ['数据订正脚本先备份', 'g-data-fix'],
    ['分库分表之后查不到老数据', 'g-sharding'],
    ['雪花 id 前端丢精度', 'g-snowflake'],
    ['發票折讓單', 'g-red-invoice'],
    ['超商取貨的訂單', 'g-self-pickup'],
    ['热点商品缓存击穿了怎么办', 'g-cache-breakdown'],
    ['运营给老用户发券', 'g-coupon-grant'],
    ['翻到很后面改成游标分页', 'g-cursor-page'],
    ['三方对接的接口老超时', 'g-third-api'],
    ['用户付了两次，多收的退掉', 'g-repeat-pay'],
    ['簽核流程卡住', 'g-approval-flow'],
    ['儀表板數字不對', 'g-dashboard'],
  ])('%s → %s', (text, id) => expect(termsFor(text)).toContain(id));
});

describe('a word leads to what it says, not to its neighbour or its opposite', () => {
  it.each([
    ['取消续费', 'g-cancel-renew', 'g-auto-renew'],
    ['服务商模式', 'g-service-provider', 'g-sub-merchant'],
    ['三方对接', 'g-third-api', 'g-open-platform'],
    ['业绩目标', 'g-kpi-target', 'g-achievement'],
    ['近效期', 'g-shelf-life', 'g-batch-no'],
    ['退券', 'g-coupon-return', 'g-coupon-lock'],
    ['白名单', 'g-white-list', 'g-black-list'],
    ['余额解冻', 'g-unfreeze', 'g-frozen'],
    ['全量同步', 'g-full-sync', 'g-data-sync'],
    ['免押', 'g-deposit-free', 'g-pledge'],
    ['抢单', 'g-grab-order', 'g-dispatch-order'],
    ['实付金额', 'g-amount-paid', 'g-amount-payable'],
    ['以旧换新', 'g-trade-in', 'g-exchange-goods'],
    ['免登录接口', 'g-login-ignore', 'g-login-intercept'],
  ])('%s → %s, not %s', (word, id, other) => {
    expect(termsFor(word)).toContain(id);
    expect(termsFor(word)).not.toContain(other);
  });
});

describe('and silent where only the characters are there', () => {
  it.each([
    // A word made of the ends of two others.
    '相同比例缩放图片',
    '增加签字栏',
    '通知会员到期',
    '空白标签删掉',
    '单价保留两位小数',
    '仓库位置迁移',
    '音频控件样式',
    '各自提交自己的分支',
    // An everyday sense of a word that teams also use in a special one.
    '把重复代码抽成公共方法',
    '继续跑测试',
    '帮我补单元测试',
    '重复导入同一个模块',
    '组件卸载时取消订阅',
    '拉新代码下来跑一下',
    '把改动退回上一个版本',
    '把存储值改成字符串',
    '按字典值排序',
    '数组角标越界',
    '冻结表头',
    '属性私有化',
    '修数据库连接的报错',
    '重跑数据库迁移',
    '自定义列表组件',
    '查询订单列表太慢',
    '生成订单号的规则',
    '把订单模块拆分成两个包',
    '退回到登录页',
    '每 5 秒传一次数据',
    '15 日报错的请求列一下',
    '把端口改成动态读取配置',
    '登录时校验验证码',
    '给页面加购买按钮',
    '这次卡住的原因',
    '加宽表格的第一列',
    '导入数据库脚本',
  ])('%s', (text) => expect([text, termsFor(text)]).toEqual([text, []]));
});
