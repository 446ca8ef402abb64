import { describe, expect, it } from 'vitest';
import { estimateTokens, truncateToTokens } from '../../src/text/index.js';
import { prng } from './prng.js';

describe('estimateTokens', () => {
  // [text, tokens of DeepSeek V3, Qwen 3, o200k_base], measured with their own tokenizers.
  const MEASURED: [string, number, number, number][] = [
    ['下单超时没付款的单子，关单时加一次重试', 15, 16, 17],
    ['退款金额不能大于实付金额；导出报表时时区显示不对', 14, 15, 18],
    ['給訂單加上僅退款，匯出報表時時區顯示不對', 16, 17, 22],
    ['export async function cancelExpired(now: Date): Promise<number> {', 16, 13, 13],
    ['{"orderId": 20240501123456, "status": "CANCELLED", "amount": 19.90}', 28, 36, 27],
    ['Please retry the order when the payment callback times out.', 12, 11, 11],
  ];
  for (const [text, ...counts] of MEASURED) {
    it(`neither overflows nor wastes: ${text.slice(0, 20)}`, () => {
      const estimate = estimateTokens(text);
      expect(estimate).toBeGreaterThanOrEqual(Math.max(...counts) * 0.85);
      expect(estimate).toBeLessThanOrEqual(Math.max(...counts) * 1.7);
    });
  }

  it('never takes Chinese for a quarter of a token a character', () => {
    expect(estimateTokens('订'.repeat(1000))).toBeGreaterThanOrEqual(800);
  });

  it('counts nothing only for nothing, and more for more', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('a')).toBe(1);
    expect(estimateTokens(' ')).toBe(1);
    const random = prng(7);
    for (let i = 0; i < 200; i++) {
      const text = Array.from({ length: random.below(40) }, () =>
        random.pick(['订', 'a', '1', ' ', '\n', '😀', '{', '，']),
      ).join('');
      expect(estimateTokens(`${text}单`)).toBeGreaterThanOrEqual(estimateTokens(text));
    }
  });
});

describe('truncateToTokens', () => {
  it('keeps the limit, loses as little as possible, and never halves a character', () => {
    const random = prng(11);
    for (let i = 0; i < 500; i++) {
      const text = Array.from({ length: random.below(60) }, () =>
        random.pick(['订单', '😀', '𠮷', 'cancel', '1', ' ', '\r\n', '(', '。']),
      ).join('');
      const max = random.below(30);
      const cut = truncateToTokens(text, max);
      expect(estimateTokens(cut.text)).toBeLessThanOrEqual(max);
      expect(text.startsWith(cut.text)).toBe(true);
      expect(cut.text).not.toMatch(/[\uD800-\uDBFF]$/);
      expect(cut.truncated).toBe(cut.text !== text);
      if (cut.truncated) {
        const next = [...text.slice(cut.text.length)][0]!;
        expect(estimateTokens(cut.text + next)).toBeGreaterThan(max);
      }
    }
  });
});
