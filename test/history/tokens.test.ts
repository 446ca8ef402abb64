import { describe, expect, it } from 'vitest';
import { evidenceTokens, requestTokens } from '../../src/history/index.js';

describe('evidence tokens', () => {
  it.each([
    ['超时关单', ['超时', '时关', '关单']],
    ['OrderItems', ['order', 'item', 'orderitems']],
    ['gmt_create', ['gmt', 'create', 'gmt_create']],
    ['改 status 字段', ['改', 'status', '字段']],
    ['訂單取消', ['订单', '单取', '取消']],
    ['ＡＰＩ接口', ['api', '接口']],
    ['class', ['class']],
    ['', []],
    ['！？123', []],
  ])('%s', (text, tokens) => {
    expect(evidenceTokens(text)).toEqual(tokens);
  });

  it('cuts a request without the words that only ask for a change', () => {
    expect(requestTokens('修复订单导出失败的问题')).toEqual(['订单', '单导', '导出']);
    expect(requestTokens('fix: order export')).toEqual(['order', 'export']);
  });

  it('keeps everything when a request has nothing else', () => {
    expect(requestTokens('修复问题')).toEqual(['修复', '复问', '问题']);
  });

  it('says each token once', () => {
    expect(requestTokens('order Order 订单，订单')).toEqual(['order', '订单']);
  });
});
