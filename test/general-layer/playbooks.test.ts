import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assetPath, packageRoot } from '../../src/assets.js';
import { parseFrontMatter } from '../../src/knowledge/index.js';
import { dangerOf } from '../../src/sandbox/index.js';
import { openZhCore, tryPatterns } from '../../src/zhcore/index.js';

interface Front {
  id: string;
  title: string;
  trigger_keywords: string[];
  task_types?: string[];
  steps: string[];
  required_checks: { type: string; on_missing: string; command?: string }[];
  post_checks: { type: string; path?: string; pattern?: string }[];
}

const core = openZhCore({ generalDir: packageRoot() });
const dir = assetPath('playbooks');
const playbooks = readdirSync(dir)
  .filter((name) => name.endsWith('.md') && !/readme/i.test(name))
  .map((name) => parseFrontMatter(readFileSync(join(dir, name), 'utf8')).data as unknown as Front);

/** What people say, and the playbook that it calls for. */
const SAID: [string, string][] = [
  ['修复登录失败的 bug', 'g-fix-bug'],
  ['修复订单查询报错的问题', 'g-fix-bug'],
  ['新增一个物流接口', 'g-add-api'],
  ['给用户表加一个数据库字段', 'g-change-db-field'],
  ['重构库存扣减那一块', 'g-refactor-safely'],
  ['升级依赖到最新的小版本', 'g-upgrade-dependency'],
  ['加一个定时任务，每小时对一次账', 'g-add-scheduled-job'],
  ['调用物流下单的地方加一次重试', 'g-add-retry'],
  ['新增一个支付渠道：云闪付', 'g-add-payment-channel'],
  ['接入微信支付', 'g-add-payment-channel'],
  ['支付回调偶尔重复入账，处理一下', 'g-handle-payment-callback'],
  ['实现部分退款', 'g-add-refund-flow'],
  ['订单列表加一个导出按钮', 'g-add-export'],
  ['会员批量导入，支持 Excel', 'g-add-import'],
  ['会员详情里的手机号脱敏', 'g-add-data-masking'],
  ['客服只能看自己的订单，加上数据权限', 'g-add-permission'],
  ['后台新增菜单：优惠券管理', 'g-add-menu-role'],
  ['登录支持短信验证码', 'g-add-sms-code'],
  ['退款失败时发企业微信通知', 'g-add-im-notice'],
  ['新增一个报表：每日成交额', 'g-add-report-api'],
  ['商品详情加缓存', 'g-add-cache'],
  ['用分布式锁保证同一张券只领一次', 'g-add-distributed-lock'],
  ['支付结果的消息会重复消费', 'g-mq-idempotent-consumer'],
  ['操作日志翻到后面很慢，改成游标分页', 'g-paging'],
  ['优化订单列表的慢查询', 'g-optimize-slow-sql'],
  ['写个脚本做数据订正，把上个月的手续费算对', 'g-data-fix-script'],
  ['订单新增状态：部分发货', 'g-change-state-machine'],
  ['对接第三方物流轨迹', 'g-third-party-api'],
  ['旧的下单接口下线', 'g-change-api-compat'],
  ['系统要支持多租户', 'g-multi-tenant'],
  ['后台要加英文版', 'g-add-i18n'],
  ['列表里的时间差八小时', 'g-fix-timezone'],
  ['对账文件读出来中文乱码', 'g-fix-encoding'],
  ['视频要支持断点续传', 'g-large-file-upload'],
  ['小程序新增页面：我的优惠券', 'g-miniapp-page'],
  ['小程序登录后拿不到手机号', 'g-miniapp-login'],
  ['后台新增列表页：退款单', 'g-frontend-list-page'],
  ['地址管理做一个编辑弹窗', 'g-frontend-form-dialog'],
  ['下单页加埋点', 'g-add-tracking'],
  ['采购单要接审批流', 'g-approval-flow'],
  ['部署两台之后定时任务重复执行', 'g-rework-scheduled-job'],
  ['支付失败率接入告警', 'g-logging-alerting'],
  ['扫描报了三个高危漏洞，处理一下', 'g-fix-vulnerable-dependency'],
  ['刚上的版本有问题，回滚上线', 'g-rollback-release'],
  ['新收银台先做灰度发布', 'g-feature-toggle'],
  ['给优惠计算补单元测试', 'g-add-unit-tests'],
  ['生产 CPU 飙高，帮忙看看', 'g-incident-troubleshooting'],
  ['下单接口防重复提交', 'g-idempotent-submit'],
  ['给合作方开放接口查订单', 'g-open-api'],
  ['后台接企业微信登录', 'g-third-party-login'],
  ['首页接口太慢，要三秒', 'g-optimize-slow-api'],
  ['会员中心加账号注销', 'g-account-deletion'],
];

/** Lines that some playbook forbids. */
const FORBIDDEN = [
  '<<<<<<< HEAD',
  "it.only('refunds', () => {",
  "it.skip('refunds', () => {",
  'debugger;',
  'private double payAmount;',
  'String appSecret = "k8s7d6f5g4h3j2k1m0";',
  'requests.get(url, verify=False)',
  'select * from orders',
  'drop table orders;',
  'delete from orders;',
  'while (true) {',
  'skipVerify = true;',
  'verifySign(JSON.stringify(req.body))',
  'Workbook wb = new XSSFWorkbook();',
  'PageHelper.startPage(1, 100000);',
  "open(path, errors='ignore')",
  'file.transferTo(new File(dir, file.getOriginalFilename()));',
  'log.info("bind {}", phone);',
  '.anyRequest().permitAll()',
  'if (userId == 1L) {',
  'if (roleId == 1) {',
  'delete from sys_menu;',
  "if (code === '123456') {",
  'const smsCode = Math.random() * 10000;',
  'return Result.success(smsCode);',
  'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=00000000-1111-2222-3333-444444444444',
  'isAtAll: true',
  'const day = now.toISOString().slice(0, 10);',
  'redisTemplate.keys("order:*");',
  'private static final Map<String, User> userCache = new HashMap<>();',
  'redisTemplate.opsForValue().setIfAbsent(key, value);',
  'redisTemplate.delete(lockKey);',
  'channel.basicConsume(QUEUE, true, consumer);',
  '} catch (Exception e) {}',
  'limit 100000, 20',
  "and name like concat('%', #{name}, '%')",
  'order.setStatus(3);',
  'r = requests.get(url)',
  'RestTemplate http = new RestTemplate();',
  'tenantId = 1;',
  'request.getHeader("tenantId")',
  "  title: '待翻译',",
  "$t('add') + $t('order')",
  'time.plusHours(8)',
  'name.getBytes("GB2312")',
  '  max-file-size: -1',
  "wx.request({ url: 'http://api.shop.com' })",
  'wx.getUserProfile({',
  'res.json({ session_key });',
  'https://api.weixin.qq.com/sns/jscode2session',
  'find(req.body.openid)',
  '<div v-html="row.detail" />',
  'Number(row.orderId)',
  "track('pay', { phone: user.phone })",
  "assignee: 'zhangsan',",
  '@Scheduled(cron = "* * * * * ?")',
  'e.printStackTrace();',
  'log.error(e.getMessage());',
  '"vue": "latest"',
  '<version>LATEST</version>',
  'ignore: CVE-2026-0001',
  'git push --force origin main',
  'if (Math.random() < 0.1) {',
  'if (true) {',
  'assertTrue(true);',
  'System.out.println(result);',
  'synchronized (this) {',
  'response.sendRedirect(request.getParameter("url"));',
  'ids.forEach(id -> orderMapper.selectById(id));',
  'Executors.newCachedThreadPool()',
];

describe('playbooks that ship', () => {
  it.each(SAID)('%s → %s', (text, id) => expect(core.playbookFor(text)?.id).toBe(id));

  it('are each asked for by a sentence', () => {
    const asked = new Set(SAID.map(([, id]) => id));
    expect(playbooks.map(({ id }) => id).filter((id) => !asked.has(id))).toEqual([]);
  });

  it.each([
    '订单列表按下单时间倒序',
    '把按钮改成蓝色',
    '给订单加上仅退款',
    '修复一下文案',
    '导出函数改个名字',
    '这个缓存是什么时候失效的',
    '把日志里的单词拼写改对',
    '登录页的标题换成新的',
    '看看这个消息是谁发的',
    '菜单栏的颜色浅一点',
    '超时时间从三秒改成五秒',
  ])('stay away from: %s', (text) => expect(core.playbookFor(text)).toBeUndefined());

  it('share no trigger, and each trigger alone brings its own playbook first', () => {
    const seen = new Map<string, string>();
    for (const { id, trigger_keywords } of playbooks) {
      for (const word of trigger_keywords) {
        expect([word, seen.get(word)]).toEqual([word, undefined]);
        seen.set(word, id);
        expect([word, core.playbookFor(word)?.id]).toEqual([word, id]);
      }
    }
  });

  it('have steps to follow, five to nine', () => {
    for (const { id, steps } of playbooks) expect([id, steps.length >= 5 && steps.length <= 9]).toEqual([id, true]);
  });

  it('check nothing that another repository cannot pass', () => {
    for (const { id, required_checks, post_checks } of playbooks) {
      for (const check of required_checks) {
        expect([id, check.on_missing]).toEqual([id, 'warn']);
        if (check.command) expect([id, dangerOf(check.command).danger]).toEqual([id, 'low']);
      }
      // A `file_changed` only warns; of places that are not the same everywhere only tests are.
      for (const { type, path } of post_checks)
        expect([id, type === 'no_match' || (type === 'file_changed' && /test/.test(path ?? ''))]).toEqual([id, true]);
    }
  });

  it('forbid what they mean to: a line that each pattern is for', () => {
    const idle = playbooks.flatMap(({ id, post_checks }) =>
      post_checks
        .filter(({ pattern }) => pattern !== undefined && tryPatterns(FORBIDDEN, [pattern]).matches.size === 0)
        .map(({ pattern }) => [id, pattern]),
    );
    expect(idle).toEqual([]);
  });

  it('forbid nothing in ordinary lines', () => {
    const lines = [
      'export function shanghaiDate(ms: number): string {',
      'const total = rows.reduce((sum, row) => sum + row.amountFen, 0);',
      'public Result<Page<OrderVO>> list(@RequestParam int pageNum, @RequestParam int pageSize) {',
      'logger.info("order {} closed", orderNo);',
      'SELECT id, state FROM orders WHERE id = ?',
      'update orders set state = ? where id = ? and state = ?;',
      'order.setStatus(OrderStatus.PAID);',
      'Boolean ok = redisTemplate.opsForValue().setIfAbsent(key, id, 30, TimeUnit.SECONDS);',
      'if (code === expected) {',
      '  app-secret: ${APP_SECRET}',
      "const secret = process.env.APP_SECRET ?? '';",
      'requests.get(url, timeout=3)',
      'catch (e) { throw new PayError(e); }',
      'git push origin main',
      "it('refunds once', async () => {",
    ];
    for (const { id, post_checks } of playbooks) {
      for (const { pattern } of post_checks) {
        if (pattern === undefined) continue;
        const { matches, slow } = tryPatterns(lines, [pattern]);
        expect([id, pattern, [...matches.keys()].map((i) => lines[i]), slow]).toEqual([id, pattern, [], []]);
      }
    }
  });
});
