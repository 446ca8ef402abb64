/**
 * 退款金额计算
 */
import type { OrderLine, OrderRow } from '../order/order.js';
import { linePaid } from '../order/order.js';
import { BizError, ErrorCode } from '../shared/errors.js';
import type { Fen } from '../shared/money.js';
import { sumFen } from '../shared/money.js';
import type { RefundItem, RefundRow } from './refund.js';
import { RefundInitiatorType, RefundState } from './refund.js';

/**
 * 占着额度的退款单：除了被拒绝的都算，包括还在审核的，否则同一件货能申请两次。
 * 系统退款退的是多收的钱，不占订单实付的额度。
 */
export function occupying(refunds: readonly RefundRow[]): RefundRow[] {
  return refunds.filter(
    (refund) => refund.state !== RefundState.REJECTED && refund.initiator_type !== RefundInitiatorType.SYSTEM,
  );
}

/**
 * 这次按行退多少钱，单位分。
 *
 * 一行分几次退时，用“退到第几件为止的累计额”相减，几次加起来正好等于整行实付，不会因为取整少退。
 *
 * @throws BizError ERR_REFUND_EXCEEDS 退的件数超过买的件数
 */
export function amountOfItems(order: OrderRow, items: readonly RefundItem[], earlier: readonly RefundRow[]): Fen {
  return sumFen(
    items.map((item) => {
      const line = order.lines.find((candidate) => candidate.sku === item.sku);
      const before = refundedQuantity(item.sku, earlier);
      if (!line || before + item.quantity > line.quantity) {
        throw new BizError(ErrorCode.ERR_REFUND_EXCEEDS, `订单 ${order.order_no} 的 ${item.sku} 没有这么多件可退`);
      }
      return paidUpTo(line, before + item.quantity) - paidUpTo(line, before);
    }),
  );
}

/** 先退渠道，渠道付的退完了再退余额。 */
export function splitByMeans(
  order: OrderRow,
  amount: Fen,
  earlier: readonly RefundRow[],
): { channel: Fen; balance: Fen } {
  const channelLeft = order.payable_amount - sumFen(earlier.map((refund) => refund.channel_amount));
  const channel = Math.min(amount, Math.max(0, channelLeft));
  return { channel, balance: amount - channel };
}

function refundedQuantity(sku: string, refunds: readonly RefundRow[]): number {
  const items = refunds.flatMap((refund) => refund.items).filter((item) => item.sku === sku);
  return items.reduce((total, item) => total + item.quantity, 0);
}

/** 退到第 quantity 件为止的累计实付，单位分。 */
function paidUpTo(line: OrderLine, quantity: number): Fen {
  return Math.floor((linePaid(line) * quantity) / line.quantity);
}
