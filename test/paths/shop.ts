import type { TermLookup } from '../../src/paths/index.js';
import { gbk } from './support.js';

/** A small shop whose files a Chinese request must find by different kinds of evidence. */
export const SHOP: Record<string, string | Uint8Array> = {
  'package.json': '{"name": "shop", "description": "小商城"}\n',
  'README.md': '# 小商城\n\n下单、支付、退款、优惠券。超时未付款的订单会自动关单。\n',
  'src/order/order-service.ts': `/** 订单服务：下单、取消、到期处理。 */
import { reserve } from '../inventory/stock.js';
import { OrderState } from './order-state.js';

export class OrderService {
  /** 创建订单并占用库存 */
  create(userId: string): string {
    reserve(userId);
    return OrderState.Pending;
  }

  /** 扫描过期的待支付单并关闭 */
  cancelExpired(now: Date): number {
    return now.getTime();
  }
}
`,
  'src/order/order-state.ts': `// 订单状态
export enum OrderState {
  Pending = 'PENDING',
  Paid = 'PAID',
  Cancelled = 'CANCELLED',
}
`,
  'src/order/order-controller.ts': `// 订单接口
import { OrderService } from './order-service.js';
export const orderController = { post: () => new OrderService().create('u') };
`,
  'test/order/order-service.test.ts': `import { OrderService } from '../../src/order/order-service.js';
// 下单超时没付款的单子应当关单
it('cancels', () => new OrderService().cancelExpired(new Date()));
`,
  'src/inventory/stock.ts': '/** 库存：占用与释放 */\nexport function reserve(id: string): void {\n  void id;\n}\n',
  'src/payment/notify.ts':
    "// 支付回调：验签后更新支付状态\nexport function verifyNotify(body: string): boolean {\n  return body !== '';\n}\n",
  'src/pages/coupon/list.vue': `<template>
  <div>{{ $t('coupon.list.expired') }}</div>
</template>
<script setup lang="ts">
const title = 'x';
</script>
<style scoped>
.a { color: red; }
</style>
`,
  'src/pages/coupon/list.less': '.coupon { color: red; }\n',
  'i18n/zh-CN.json': '{\n  "coupon": { "list": { "expired": "已失效的抵扣券" } },\n  "common": { "ok": "确定" }\n}\n',
  'i18n/en-US.json': '{\n  "coupon": { "list": { "expired": "Expired" } }\n}\n',
  'legacy/对账.java': gbk(
    '// 银行流水对账\npublic class Reconcile {\n  // 逐笔核对手续费\n  public void checkFee() {}\n}\n',
  ),
  'docs/payment/接入指南.md': '# 支付渠道接入指南\n\n回调要验签。\n',
  'sql/schema.sql': '-- 订单表\nCREATE TABLE t_order (\n  id BIGINT,\n  gmt_create DATETIME\n);\n',
};

/** What the team calls things. */
export const TERMS: TermLookup = {
  symbolsFor(text) {
    const known = [
      {
        words: ['超时关单', '关单'],
        entry: { word: '超时关单', symbols: ['OrderService.cancelExpired'], module: '订单' },
      },
      { words: ['订单', '单子'], entry: { word: '订单', symbols: ['OrderState', 'OrderService'], module: '订单' } },
      { words: ['核销'], entry: { word: '核销', symbols: ['NowhereService.redeem'] } },
    ];
    return known.filter(({ words }) => words.some((word) => text.includes(word))).map(({ entry }) => entry);
  },
  moduleOf: (path) =>
    /(?:^|\/)order(?:\/|$)/.test(path) ? '订单' : path.startsWith('src/payment') ? '支付' : undefined,
};
