/**
 * 金额
 *
 * 全站金额单位是分，类型为整数。元只出现在两处：给人看的页面与导出，以及支付宝接口（它的金额以元为单位、两位小数的字符串）。
 * 元和分之间只用本文件的函数换算，不要自己乘除 100：0.1 + 0.2 这类浮点误差会让对账差一分钱。
 */

/** 金额，单位：分，必须是整数。 */
export type Fen = number;

/** 校验并返回金额；不是安全整数就抛错，避免浮点数混进账里。 */
export function assertFen(value: number): Fen {
  if (!Number.isSafeInteger(value)) throw new RangeError(`金额必须是整数分：${value}`);
  return value;
}

/** 元（字符串，最多两位小数）转分。只接受字符串，因为浮点数在传进来之前就可能已经不准了。 */
export function yuanToFen(yuan: string): Fen {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(yuan.trim());
  if (!match) throw new RangeError(`金额格式不正确：${yuan}`);
  const [, sign, integer = '0', fraction = ''] = match;
  const fen = Number(integer) * 100 + Number(fraction.padEnd(2, '0'));
  return assertFen(sign === '-' ? 0 - fen : fen);
}

/** 分转元，固定两位小数，形如 12.30。 */
export function fenToYuan(fen: Fen): string {
  const abs = Math.abs(assertFen(fen));
  const text = `${Math.floor(abs / 100)}.${String(abs % 100).padStart(2, '0')}`;
  return fen < 0 ? `-${text}` : text;
}

/** 求和，空数组为 0。 */
export function sumFen(values: Iterable<Fen>): Fen {
  let total = 0;
  for (const value of values) total += assertFen(value);
  return total;
}

/**
 * 按万分比取一部分，向下取整到分。
 *
 * @param basisPoints 万分比，600 表示 6%
 */
export function portionFen(amount: Fen, basisPoints: number): Fen {
  return Math.floor((assertFen(amount) * basisPoints) / 10_000);
}
