import { describe, expect, it } from 'vitest';
import { openZhCore } from '../../src/zhcore/index.js';
import { ANSWERED, EVERYDAY } from './questions.js';

const core = openZhCore();
const documentsFor = (userIntent: string) =>
  core.query({ userIntent, codeSymbols: [], taskType: 'general' }).knowledge.map((hit) => hit.entry.documentId);

describe('what ships answers what it is about, and keeps quiet elsewhere', () => {
  it.each(ANSWERED)('%s', (question, document) => expect(documentsFor(question)).toContain(document));

  it.each([
    ['支付宝回调验签失败', /wechat|feishu|dingtalk|unionpay/],
    ['企业微信回调解密失败', /payment\/wechat|alipay|feishu/],
    ['钉钉机器人发消息报错', /wecom|feishu/],
    ['Java 读 GBK 文件乱码', /gbk-in-(?:node|go|python)/],
  ])('%s brings nothing about another product', (question, others) => {
    expect(documentsFor(question).filter((id) => others.test(id))).toEqual([]);
  });

  it.each(['微信支付回调', '时区', '幂等', '退款', '对账', '付款码', 'GBK', 'Druid', '验签'])(
    'a look-up of 「%s」 alone finds its subject',
    (word) => expect(core.lookup(word).found).toBe(true),
  );

  it('names titles that come near when it has no answer', () => {
    const { found, nearest } = core.lookup('缓存击穿怎么防');
    expect(found).toBe(false);
    expect(nearest?.length).toBeGreaterThan(0);
  });

  it('says nothing to nearly all requests of an ordinary day', () => {
    const disturbed = EVERYDAY.filter((request) => documentsFor(request).length > 0);
    expect(disturbed.length, disturbed.join('、')).toBeLessThanOrEqual(2);
  });

  it('gives a look-up no passage about something else', () => {
    const disturbed = EVERYDAY.filter((request) => core.lookup(request).found);
    expect(disturbed.length, disturbed.join('、')).toBeLessThanOrEqual(4);
  });
});
