/**
 * 优惠分摊：把整单优惠按金额占比摊到每一行
 *
 * 部分退款按行退，行的实付 = 行金额 − 行分摊，所以下单时就要把分摊结果落到订单行上，
 * 之后无论券规则怎么改，已下的单都按当时的分摊退。
 */
import type { Fen } from '../shared/money.js';
import { assertFen, sumFen } from '../shared/money.js';

/**
 * @param amounts 各行金额，单位分
 * @param discount 整单优惠，单位分
 * @returns 与 amounts 一一对应的分摊额，单位分
 */
export function splitDiscount(amounts: readonly Fen[], discount: Fen): Fen[] {
  const total = sumFen(amounts);
  if (assertFen(discount) < 0 || discount > total) throw new RangeError(`优惠额超出订单金额：${discount} / ${total}`);
  if (total === 0) return amounts.map(() => 0);
  return amounts.map((amount) => Math.floor((discount * amount) / total));
}
