import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ManualClock, shanghaiDate, shanghaiDateTime, shanghaiDays, startOfShanghaiDay } from '../src/shared/clock.js';
import { ErrorCode } from '../src/shared/errors.js';
import type { Locale } from '../src/shared/i18n.js';
import { localeOf, t } from '../src/shared/i18n.js';
import { Logger, maskPhone } from '../src/shared/logger.js';
import { assertFen, fenToYuan, portionFen, yuanToFen } from '../src/shared/money.js';
import { Scheduler } from '../src/shared/scheduler.js';

const LOCALES: Locale[] = ['zh-CN', 'en'];

test('元分互换不经过浮点数', () => {
  assert.equal(yuanToFen('19.99'), 1_999);
  assert.equal(yuanToFen('0.1'), 10);
  assert.equal(yuanToFen('-3.05'), -305);
  assert.equal(fenToYuan(1_999), '19.99');
  assert.equal(fenToYuan(-5), '-0.05');
  for (const bad of ['1.234', '', '1e3', '￥1', '.5']) assert.throws(() => yuanToFen(bad), RangeError, bad);
  assert.throws(() => assertFen(0.1), RangeError);
  assert.equal(portionFen(9_999, 60), 59);
});

test('北京时间零点前后归到不同的日期，和机器时区无关', () => {
  const midnight = Date.parse('2024-05-01T16:00:00Z');
  assert.equal(shanghaiDate(midnight - 1), '2024-05-01');
  assert.equal(shanghaiDate(midnight), '2024-05-02');
  assert.equal(shanghaiDateTime(midnight), '2024-05-02 00:00:00');
  assert.equal(startOfShanghaiDay('2024-05-02'), midnight);
  assert.deepEqual(shanghaiDays('2024-02-28', '2024-03-01'), ['2024-02-28', '2024-02-29', '2024-03-01']);
  for (const bad of ['2024-02-30', '2024-5-1', '昨天']) assert.throws(() => startOfShanghaiDay(bad), RangeError, bad);
});

test('文案：嵌套的键、参数、缺键报错', () => {
  assert.equal(t('order.cancel.expired', { minutes: 30 }), '超过 30 分钟未付款，订单已自动关闭');
  assert.equal(t('refund.initiator.BUYER_NO_RETURN', {}, 'en'), 'Refund without return');
  assert.throws(() => t('order.cancel.none'), /缺少文案/);
  assert.throws(() => t('order.cancel'), /缺少文案/);
  assert.equal(localeOf('en-US,en;q=0.9'), 'en');
  assert.equal(localeOf(undefined), 'zh-CN');
});

test('两种语言的键一一对应，每个错误码都有文案', () => {
  const [zh = [], en = []] = LOCALES.map((locale) => keysOf(readMessages(locale)).sort());
  assert.deepEqual(zh, en);
  for (const code of Object.values(ErrorCode)) assert.ok(zh.includes(`error.${code}`), code);
});

test('代码里写死的文案键都存在', () => {
  const keys = new Set(keysOf(readMessages('zh-CN')));
  const root = new URL('../src/', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const used = files.flatMap((name) => {
    const code = readFileSync(new URL(name.replaceAll('\\', '/'), root), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    return [...code.matchAll(/\bt\('([^']+)'/g)].map((match) => match[1] ?? '');
  });
  assert.ok(used.length >= 5);
  for (const key of used) assert.ok(keys.has(key), key);
});

test('日志是一行 JSON，时间为北京时间，手机号脱敏', () => {
  const lines: string[] = [];
  const logger = new Logger(new ManualClock(Date.parse('2024-05-01T16:00:00Z')), (line) => lines.push(line));
  logger.child('order').error('失败', new Error('原因'), { order_no: 'SO1' });
  assert.deepEqual(JSON.parse(lines[0] ?? ''), {
    time: '2024-05-02 00:00:00',
    level: 'error',
    scope: 'order',
    message: '失败',
    order_no: 'SO1',
    error: '原因',
  });
  assert.equal(maskPhone('13812345678'), '138****5678');
});

test('定时任务：上一轮没跑完就跳过，抛错不影响下一轮', async () => {
  const scheduler = new Scheduler(new Logger(new ManualClock(0), () => {}));
  let release = () => {};
  let runs = 0;
  scheduler.every('slow', 1_000, async () => {
    runs += 1;
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    throw new Error('失败');
  });
  const first = scheduler.runNow('slow');
  assert.equal(await scheduler.runNow('slow'), false);
  release();
  assert.equal(await first, true);
  const second = scheduler.runNow('slow');
  release();
  await second;
  assert.equal(runs, 2);
  assert.throws(() => scheduler.every('slow', 1_000, async () => {}), /重名/);
});

interface Tree {
  [key: string]: string | Tree;
}

function readMessages(locale: Locale): Tree {
  return JSON.parse(readFileSync(new URL(`../i18n/${locale}.json`, import.meta.url), 'utf8')) as Tree;
}

function keysOf(tree: Tree, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [`${prefix}${key}`] : keysOf(value, `${prefix}${key}.`),
  );
}
