import { describe, expect, it } from 'vitest';
import { indexTokens, queryTokens } from '../../src/text/index.js';

const weights = (query: string) => Object.fromEntries(queryTokens(query).map(({ token, weight }) => [token, weight]));

describe('tokens of a passage', () => {
  it('hold an identifier whole, in runs and in parts, each level once', () => {
    expect(indexTokens('OrderService.cancelExpired')).toEqual([
      'orderservice.cancelexpired',
      'orderservice',
      'cancelexpired',
      'order',
      'service',
      'cancel',
      'expired',
    ]);
    expect(indexTokens('order_status')).toEqual(['order_status', 'order', 'status']);
    expect(indexTokens('ERR_TIMEOUT')).toEqual(['err_timeout', 'err', 'timeout']);
  });

  it('cut Chinese file names into words, and leave out stop words', () => {
    expect(indexTokens('docs/payment/接入指南.md')).toEqual(expect.arrayContaining(['接入', '指南', 'payment']));
    expect(indexTokens('怎么重试')).toEqual(['重试']);
  });
});

describe('tokens of a query', () => {
  it('count the whole of a name most, its runs half, its parts a fifth', () => {
    expect(weights('OrderService.cancelExpired 失败')).toEqual({
      'orderservice.cancelexpired': 1,
      orderservice: 0.5,
      cancelexpired: 0.5,
      order: 0.2,
      service: 0.2,
      cancel: 0.2,
      expired: 0.2,
      失败: 1,
    });
  });

  it('count a word as often as it is said', () => {
    expect(weights('订单超时，超时订单').超时).toBe(2);
  });

  it('are mainland words, whatever is typed', () => {
    expect(weights('伺服器逾時')).toEqual(weights('服务器超时'));
  });
});
