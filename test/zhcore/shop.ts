import { join } from 'node:path';
import { openZhCore, type ZhCore, type ZhCoreOptions } from '../../src/zhcore/index.js';
import { document, tree } from '../knowledge/support.js';

/** A small project layer: two modules, a word with two meanings, a warning with a pattern, a playbook of five steps. */
export const PROJECT: Record<string, string> = {
  '.xihe/modules.yaml': `order:
  title: 订单
  paths: [src/order/**]
finance:
  - src/finance/**
  - test/finance*.ts
`,
  '.xihe/knowledge/terms/order.yaml': `- id: close_timeout
  keyword_ch: 超时关单
  aliases: [关单, 下单超时, 超时未付款的订单]
  code_symbols: [OrderService.cancelExpired]
  module: order
  note: 只处理待支付的订单
  risk: [不要关两次]
  confidence: high
  status: verified
  source: repo://src/order/order-service.ts
  reviewed_at: 2025-06-01
- id: refund_only
  keyword_ch: 仅退款
  aliases: [只退钱]
  code_symbols: [initiator_type]
  module: order
  confidence: high
  status: verified
  source: repo://src/order/refund.ts
- id: balance
  keyword_ch: 结算
  code_symbols: [BalanceService.settle]
  module: order
  confidence: high
  status: verified
  source: repo://src/order/balance.ts
- id: hold
  keyword_ch: 挂单
  code_symbols: [holdOrder]
  module: order
  source: repo://src/order/hold.ts
`,
  '.xihe/knowledge/terms/finance.yaml': `- id: settlement
  keyword_ch: 结算
  code_symbols: [SettlementService.settle]
  module: finance
  confidence: high
  status: verified
  source: repo://src/finance/settlement.ts
`,
  '.xihe/knowledge/warnings/order.yaml': `- id: no_refund_state
  danger: 仅退款不是新状态，用 initiator_type 区分
  when:
    paths: ['src/**/*.ts']
    added: ['\\bREFUND_ONLY\\b', "refund_only'\\\\s*:"]
    keywords: [仅退款]
  module: order
  source: 代码审查 2024-05
  confidence: high
- id: close_once
  danger: 一张单不能关两次
  when:
    symbols: [OrderService.cancelExpired]
    keywords: [关单]
  module: order
  source: repo://src/order/order-service.ts
- id: legacy_encoding
  danger: legacy 下的文件是 GBK
  when:
    paths: [legacy/**]
  source: repo://legacy
`,
  '.xihe/playbooks/add-channel.md': document(
    {
      trigger_keywords: '[新增支付, 支付渠道]',
      required_checks:
        '\n  - type: file_exists\n    path: docs/接入指南.md\n    on_missing: ask_user_first\n  - type: read_file\n    path: config/payment.yml\n    purpose: 看现有渠道的配置',
      steps: '\n  - 读接入指南\n  - 确认回调地址\n  - 复制现有渠道的结构\n  - 补前端渠道列表\n  - 记到 CHANGELOG',
      post_checks:
        "\n  - type: file_changed\n    path: CHANGELOG.md\n  - type: no_match\n    pattern: 'console\\.log'\n    path: src/**",
    },
    '# 新增支付渠道\n\n给人看的说明。\n',
  ),
  '.xihe/knowledge/errors.md': document(
    {
      title: '网关错误码',
      keywords: '[ERR_TIMEOUT]',
      summary: '错误码的含义',
      source: 'https://example.com/errors',
      confidence: '0.96',
    },
    '## 超时\n\nERR_TIMEOUT 表示渠道没有在三秒内应答。先查单，查不到再重试，重试最多三次。\n',
  ),
};

/** What ships, in small: a candidate for a word that the project settled, and one that it does not have. */
export const GENERAL: Record<string, string> = {
  'knowledge/terms/order.yaml': `- id: g_refund_only
  keyword_ch: 仅退款
  code_symbols: [REFUND_ONLY]
  source: 业内通用叫法
- id: g_coupon
  keyword_ch: 优惠券
  aliases: [折价券]
  code_symbols: [coupon]
  source: 业内通用叫法
- id: close_timeout
  keyword_ch: 超时关单
  code_symbols: [closeTimeoutOrder]
  source: 业内通用叫法
`,
};

/** The layers in a folder of their own. */
export function shop(change: Record<string, string> = {}, options: ZhCoreOptions = {}): { root: string; core: ZhCore } {
  const root = tree({ ...PROJECT, ...change });
  const generalDir = tree(GENERAL);
  return { root, core: openZhCore({ generalDir, projectDir: join(root, '.xihe'), ...options }) };
}
