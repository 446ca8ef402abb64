/**
 * 手工执行一次超时关单
 *
 *   node --import tsx scripts/close-expired.ts --dry-run            用演示数据，只看会关哪些
 *   node --import tsx scripts/close-expired.ts                      用演示数据，真的关
 *   node --import tsx scripts/close-expired.ts --url http://主机:端口   对运行中的商城执行
 *
 * 连商城时要有管理员账号：环境变量 MALL_OPS_PHONE、MALL_OPS_PASSWORD。
 * 结果是标准输出上的一个 JSON；有库存没释放成功的订单时退出码为 1，参数不对为 2。
 */
import { parseArgs } from 'node:util';
import { buildApp } from '../src/app.js';
import type { CancelExpiredResult } from '../src/order/order-service.js';
import { PAY_TIMEOUT_MS } from '../src/order/order-service.js';
import { ChannelRegistry } from '../src/payment/channel-registry.js';
import { ManualClock } from '../src/shared/clock.js';
import { Logger } from '../src/shared/logger.js';
import { loadDemoData } from './demo-data.js';

type Outcome = CancelExpiredResult | { expired: string[] };

/** 进程内的演示：两张单已经超时，一张刚下。 */
async function runDemo(dryRun: boolean): Promise<Outcome> {
  const clock = new ManualClock(Date.parse('2024-05-01T10:00:00+08:00'));
  const app = buildApp({ clock, logger: new Logger(clock), registry: new ChannelRegistry() });
  const { buyer } = await loadDemoData(app);
  await app.orders.create({ userId: buyer.user_id, items: [{ sku: 'TEA-001', quantity: 2 }] });
  await app.orders.create({ userId: buyer.user_id, items: [{ sku: 'CUP-002', quantity: 1 }] });
  clock.advance(PAY_TIMEOUT_MS);
  await app.orders.create({ userId: buyer.user_id, items: [{ sku: 'CUP-002', quantity: 3 }] });
  if (!dryRun) return app.orders.cancelExpired(clock.now());
  return { expired: (await app.orders.listExpired(clock.now())).map((order) => order.order_no) };
}

async function runRemote(url: string, dryRun: boolean): Promise<Outcome> {
  const login = await post(new URL('/login', url), {
    phone: process.env.MALL_OPS_PHONE ?? '',
    password: process.env.MALL_OPS_PASSWORD ?? '',
  });
  const { token } = login as { token: string };
  const target = new URL(`/ops/orders/close-expired${dryRun ? '?dryRun=1' : ''}`, url);
  return (await post(target, {}, { authorization: `Bearer ${token}` })) as Outcome;
}

async function post(url: URL, body: object, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url.pathname} 返回 ${response.status}：${await response.text()}`);
  return response.json();
}

function readArgs(): { url?: string | undefined; 'dry-run': boolean } | undefined {
  try {
    const options = { url: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`参数不对：${error instanceof Error ? error.message : String(error)}\n`);
    return undefined;
  }
}

const args = readArgs();
if (!args) {
  process.exitCode = 2;
} else {
  const outcome = args.url ? await runRemote(args.url, args['dry-run']) : await runDemo(args['dry-run']);
  process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
  if ('releaseFailed' in outcome && outcome.releaseFailed.length > 0) process.exitCode = 1;
}
