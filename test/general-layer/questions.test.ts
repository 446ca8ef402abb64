import { describe, expect, it } from 'vitest';
import { openZhCore } from '../../src/zhcore/index.js';

const core = openZhCore();
const documentsFor = (userIntent: string) =>
  core.query({ userIntent, codeSymbols: [], taskType: 'general' }).knowledge.map((hit) => hit.entry.documentId);

/** Questions as teams ask them, and the document that answers. */
const ANSWERED: [question: string, document: string][] = [
  ['微信回调的签名老是验不过', 'payment/wechat-v3-notify.md'],
  ['微信支付平台证书过期了怎么换成公钥', 'payment/wechat-v3-platform-cert.md'],
  ['微信退款一直处理中要不要重新发起', 'payment/wechat-v3-refund-result.md'],
  ['支付宝异步通知收到好几次', 'payment/alipay-notify.md'],
  ['支付宝沙箱的网关地址是什么', 'payment/alipay-sandbox.md'],
  ['银联回调怎么验签', 'payment/unionpay-gateway.md'],
  ['阿里云短信报错 isv.BUSINESS_LIMIT_CONTROL', 'message/aliyun-sms-limit.md'],
  ['小程序登录拿不到 unionid', 'wechat/mini-unionid.md'],
  ['企业微信群机器人一分钟能发几条', 'message/wecom-robot.md'],
  ['钉钉机器人加签怎么算', 'message/dingtalk-webhook-result.md'],
  ['飞书机器人消息太长发不出去', 'message/feishu-robot.md'],
  ['导出的 CSV 用 Excel 打开是乱码', 'export/csv-for-excel.md'],
  ['高德坐标在百度地图上偏移了', 'map/amap-convert.md'],
  ['表情存到 MySQL 报错 Incorrect string value', 'database/mysql-utf8mb4.md'],
  ['唯一索引和逻辑删除冲突了', 'java/mybatis-plus-logic-delete.md'],
  ['MyBatis-Plus 更新不了 null', 'java/mybatis-plus-update-null.md'],
  ['Druid 监控页面被扫描出未授权访问', 'java/druid-monitor.md'],
  ['Nacos 配置改了不生效', 'middleware/nacos-config.md'],
  ['RocketMQ 消息重复消费怎么办', 'middleware/rocketmq-idempotent.md'],
  ['XXL-JOB 任务重复执行', 'scheduling/xxl-job-strategy.md'],
  ['定时任务一个卡住了其他都不跑', 'java/spring-scheduled.md'],
  ['@Transactional 不生效', 'java/spring-transactional.md'],
  ['身份证号最后一位怎么校验', 'identity/id-card-number.md'],
  ['手机号正则要怎么写', 'identity/phone-number.md'],
  ['fastjson 漏洞要升级到哪个版本', 'java/fastjson-autotype.md'],
  ['log4j2 漏洞修复版本', 'java/log4j2-versions.md'],
  ['SM2 加密结果和前端对不上', 'security/sm2-ciphertext.md'],
  ['SM4 的密钥怎么存', 'security/sm4.md'],
  ['证书链不完整，手机上报错浏览器正常', 'security/tls-certificate-chain.md'],
  ['iOS 上日期显示 Invalid Date', 'frontend/date-string-parse.md'],
  ['输入法没选完字按回车就提交了', 'frontend/ime-composition.md'],
  ['雪花 id 传到前端精度丢了', 'http/long-id-in-json.md'],
  ['npm 内网镜像怎么配', 'java/npm-private-registry.md'],
  ['pip 装包很慢，配置镜像源', 'mirror/pip-index.md'],
  ['BigDecimal 比较金额不相等', 'payment/amount-java.md'],
  ['MySQL 时间差 8 小时', 'database/go-mysql-dsn.md'],
  ['setData 数据太大卡顿', 'wechat/mini-setdata.md'],
  ['登录被顶下线，Sa-Token 怎么设置允许同时登录', 'auth/sa-token-config.md'],
  ['深分页越翻越慢', 'database/mysql-deep-paging.md'],
  ['RocketMQ 顺序消息怎么保证', 'middleware/rocketmq-send.md'],
  ['中文排序按拼音排', 'database/mysql-collation.md'],
];

/** Requests of an ordinary day that nothing of what ships has to do with. */
const EVERYDAY = [
  '帮我写一个登录页面',
  '把按钮颜色改成蓝色',
  '这个函数是干什么的',
  '怎么排查这个报错',
  '看一下后端日志',
  '帮我提交代码',
  '给列表页加一个搜索框',
  '用户反馈首页打开很慢',
  '把这段代码抽成一个公共方法',
  '单元测试跑不过，帮我看看',
  '这个默认配置文件在哪里',
  '项目怎么启动',
  '新增一个用户管理的接口',
  '查询接口返回的字段太多了，精简一下',
  '需要加一个 Redis 缓存',
  '把弹窗改成抽屉',
  '表格加一列状态',
  '删除没有用到的代码',
  '数据库连接配置在哪里改',
  '帮我把这个类拆成两个',
  '订单列表按时间倒序',
  '上传图片失败了',
  '导航栏在手机上显示不全',
  '接口文档更新一下',
  '给这个方法补上注释',
  '把 var 都改成 const',
  '升级一下依赖',
  '这里为什么要加锁',
  '帮我生成一个 README',
  '代码里有没有重复的逻辑',
  '页面刷新以后数据没了',
  '用户名长度限制改成 20',
  '增加一个导出按钮',
  '登录失败时提示更清楚一点',
  '服务启动报端口被占用',
  '把日志级别调成 debug',
  '搜索结果没有高亮',
  '添加暗色模式',
  '这个接口谁在调用',
  '支持批量删除',
];

describe('what ships answers what it is about, and keeps quiet elsewhere', () => {
  it.each(ANSWERED)('%s', (question, document) => expect(documentsFor(question)).toContain(document));

  it.each([
    ['支付宝回调验签失败', /wechat|feishu|dingtalk|unionpay/],
    ['企业微信回调解密失败', /payment\/wechat|alipay|feishu/],
    ['钉钉机器人发消息报错', /wecom|feishu/],
    ['Java 读 GBK 文件乱码', /gbk-in-(?:node|go|python)/],
  ])('%s brings nothing about another product', (question, others) => {
    expect(documentsFor(question).filter((id) => others.test(id))).toEqual([]);
  });

  it.each(['微信支付回调', '时区', '幂等', '退款', '对账', '付款码', 'GBK', 'Druid', '验签'])(
    'a look-up of 「%s」 alone finds its subject',
    (word) => expect(core.lookup(word).found).toBe(true),
  );

  it('names titles that come near when it has no answer', () => {
    const { found, nearest } = core.lookup('缓存击穿怎么防');
    expect(found).toBe(false);
    expect(nearest?.length).toBeGreaterThan(0);
  });

  it('says nothing to nearly all requests of an ordinary day', () => {
    const disturbed = EVERYDAY.filter((request) => documentsFor(request).length > 0);
    expect(disturbed.length, disturbed.join('、')).toBeLessThanOrEqual(2);
  });

  it('gives a look-up no passage about something else', () => {
    const disturbed = EVERYDAY.filter((request) => core.lookup(request).found);
    expect(disturbed.length, disturbed.join('、')).toBeLessThanOrEqual(4);
  });
});
