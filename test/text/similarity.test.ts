import { describe, expect, it } from 'vitest';
import { closest, similarity, stableHash } from '../../src/text/index.js';

describe('similarity', () => {
  it('is 1 for equal, 0 for nothing in common, and counts characters, not UTF-16 units', () => {
    expect(similarity('超时关单', '超时关单')).toBe(1);
    expect(similarity('', '')).toBe(1);
    expect(similarity('abc', '订单退')).toBe(0);
    expect(similarity('𠮷a', '𠮷b')).toBe(0.5);
  });

  it('takes a swap of neighbours for one slip', () => {
    expect(similarity('cancel', 'cnacel')).toBeCloseTo(5 / 6);
    expect(similarity('cancel', 'cancle')).toBeCloseTo(5 / 6);
  });

  it('is the same from both sides', () => {
    for (const [a, b] of [
      ['order.ts', 'orders.ts'],
      ['退款', '退款单'],
      ['', 'x'],
    ] as const)
      expect(similarity(a, b)).toBe(similarity(b, a));
  });
});

describe('closest', () => {
  const files = [
    'src/order/service.ts',
    'src/order/state.ts',
    'src/payment/notify.ts',
    'src/支付网关/notify.ts',
    'README.md',
  ];

  it('finds the file in another folder, and the mistyped one', () => {
    expect(closest('src/order/servcie.ts', files, 1)).toEqual(['src/order/service.ts']);
    expect(closest('src/orders/state.ts', files, 1)).toEqual(['src/order/state.ts']);
    expect(closest('lib/readme.md', files, 1)).toEqual(['README.md']);
    expect(closest('src/支付 网关/notify.ts', files, 1)).toEqual(['src/支付网关/notify.ts']);
  });

  it('names nothing when nothing is near', () => {
    expect(closest('qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq', files, 3)).toEqual([]);
    expect(closest('x', [], 3)).toEqual([]);
  });
});

describe('stableHash', () => {
  it('is the same for text and its UTF-8 bytes, and 12 hex digits long', () => {
    expect(stableHash('订单')).toBe(stableHash(Buffer.from('订单')));
    expect(stableHash('')).toBe('e3b0c44298fc');
  });
});
