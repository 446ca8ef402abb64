import { describe, expect, it } from 'vitest';
import { identifiersOf, splitIdentifier } from '../../src/text/index.js';

describe('identifiersOf', () => {
  const cases: [string, string[]][] = [
    ['把 OrderService.cancelExpired 改成异步', ['OrderService.cancelExpired']],
    ['字段gmt_create和userId不对', ['gmt_create', 'userId']],
    ['报 ERR_TIMEOUT、E1001 和 ORA-00942，还有TS2322', ['ERR_TIMEOUT', 'E1001', 'ORA-00942', 'TS2322']],
    ['升级到 v1.2.3，之前是2.0.0-rc.1', ['v1.2.3', '2.0.0-rc.1']],
    ['看 src/order/service.ts:12 里的 order-service', ['src/order/service.ts', 'order-service']],
    ['打开docs/payment/接入指南.md看看', ['docs/payment/接入指南.md']],
    ['改 src/支付网关/notify.ts', ['src/支付网关/notify.ts']],
    ['「接入指南.md」缺失', ['接入指南.md']],
    ['D:\\项目\\mall\\order.ts 和 ./scripts/run', ['D:\\项目\\mall\\order.ts', './scripts/run']],
    ['依赖 @scope/pkg，注解 @GetMapping', ['@scope/pkg', '@GetMapping']],
    ['Order 状态机用 sha256', ['Order', 'sha256']],
    ['Order::cancel、Foo#bar、ptr->next', ['Order::cancel', 'Foo#bar', 'ptr->next']],
    ['接口是 https://api.mall.com/v1/orders?id=1，返回 JSON', ['https://api.mall.com/v1/orders?id=1', 'JSON']],
    ['ＯｒｄｅｒＳｅｒｖｉｃｅ 里', ['OrderService']],
  ];
  for (const [text, expected] of cases) it(text, () => expect(identifiersOf(text)).toEqual(expected));

  it('leaves words, numbers, dates and Chinese slashes alone', () => {
    expect(identifiersOf('把 order 的 cancel 改一下，涨 1.5 倍，2024/05/01 上线，订单/退款/结算都要改')).toEqual([]);
    expect(identifiersOf('Please retry the order')).toEqual([]);
  });

  it('names each once, in order', () => {
    expect(identifiersOf('userId orderId userId')).toEqual(['userId', 'orderId']);
  });

  it('reads hostile input in linear time', () => {
    // Each took minutes with nested repetitions; the test's own time limit is the guard.
    for (const unit of ['a', '.', '_', 'a1', 'a-', 'a/', '1.', '/']) {
      const found = identifiersOf(unit.repeat(100_000 / unit.length));
      expect(found.length).toBeLessThan(100_000);
    }
    expect(identifiersOf(`C:\\${'a '.repeat(50_000)}`).length).toBeGreaterThan(0);
  });
});

describe('splitIdentifier', () => {
  const cases: [string, string[]][] = [
    ['XMLHttpRequest2', ['xml', 'http', 'request', '2']],
    ['OrderService.cancelExpired', ['order', 'service', 'cancel', 'expired']],
    ['MAX_RETRY_TIMES', ['max', 'retry', 'times']],
    ['order-service_v2', ['order', 'service', 'v', '2']],
    ['src/支付网关/notifyURL.ts', ['src', '支付网关', 'notify', 'url', 'ts']],
    ['', []],
  ];
  for (const [id, parts] of cases) it(id || '(empty)', () => expect(splitIdentifier(id)).toEqual(parts));
});
