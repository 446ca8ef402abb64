import { describe, expect, it } from 'vitest';
import { skipRule } from '../../src/zhcore/scan/files.js';
import { proposalFor, scanTexts } from './scan-support.js';

/** What lies around the paths that are asked about. */
const AROUND = [
  'pom.xml',
  'web/package.json',
  'web/src/lang/zh.ts',
  'web/src/pages/order/zh-CN.json',
  'go.mod',
  'vendor/modules.txt',
  'svc/vendor/github.com/a/b/c.go',
  'mall-vendor/pom.xml',
  'supply/vendor/pom.xml',
  'res/messages.properties',
  'res/text/zh_CN/order.json',
];

describe('which files are read', () => {
  it.each([
    'src/main/java/com/example/shop/order/Order.java',
    'src/main/java/com/acme/vendor/VendorService.java',
    'src/main/java/com/acme/sample/Sample.java',
    'src/main/java/com/acme/demo/LabTest.java',
    'src/main/kotlin/com/example/test/Exam.kt',
    'src/com/example/shop/Order.java',
    'app/code/org/example/testing/Order.java',
    'src/main/java/com/acme/target/SalesTarget.java',
    'internal/vendor/service.go',
    'supply/vendor/src/main/java/com/acme/Vendor.java',
    'apps/vendor/models.py',
    'web/src/views/vendor/index.vue',
    'web/src/views/goods/spec/index.vue',
    'web/src/api/goods-spec.ts',
    'web/src/views/sample/list.vue',
    'src/utils/id.ts',
    'src/es/query.ts',
    'src/it/asset.ts',
    'src/main/resources/application-es.yml',
    'web/src/lang/zh.ts',
    'i18n/zh-TW.json',
    'i18n/zh_Hant.yml',
    'res/messages_zh_TW.properties',
    'web/src/pages/tr/row.ts',
  ])('%s', (path) => {
    expect(skipRule([...AROUND, path])(path)).toBeUndefined();
  });

  it.each([
    ['src/test/java/com/example/shop/Order.java', 'tests'],
    ['app/src/androidTest/java/com/a/Order.java', 'tests'],
    ['examples/shop/src/main/java/com/a/Order.java', 'tests'],
    ['core/example/Order.java', 'tests'],
    ['samples/order.ts', 'tests'],
    ['web/spec/order.rb', 'tests'],
    ['web/src/order.spec.ts', 'tests'],
    ['web/src/__tests__/order.ts', 'tests'],
    ['src/com/acme/shop/OrderTest.java', 'tests'],
    ['vendor/github.com/x/y.go', 'vendored'],
    ['svc/vendor/github.com/a/b/c.go', 'vendored'],
    ['web/vendor/tinymce/plugin.js', 'vendored'],
    ['web/public/static/vendor/pdf.ts', 'vendored'],
    ['src/main/resources/static/ajax/libs/layui.js', 'vendored'],
    ['web/node_modules/a/b.ts', 'vendored'],
    ['dist/app.ts', 'vendored'],
    ['src/main/java/com/acme/generated/Order.java', 'generated'],
    ['web/src/lang/en.ts', 'other-language'],
    ['web/src/lang/id.ts', 'other-language'],
    ['web/src/locales/en-US/order.json', 'other-language'],
    ['web/src/pages/order/ja.json', 'other-language'],
    ['res/messages_en_US.properties', 'other-language'],
    ['res/text/ja/order.json', 'other-language'],
  ])('%s is left out: %s', (path, reason) => {
    expect(skipRule([...AROUND, path])(path)).toBe(reason);
  });

  it.each([
    ['examples/shop/Order.java', 'examples', undefined],
    ['examples/shop/Order.java', 'examples/shop/Order.java', undefined],
    ['examples/shop/tests/Order.java', 'examples', 'tests'],
    ['vendor/acme/Order.go', 'vendor', undefined],
    ['vendor/acme/Order.go', 'vendor/acme', undefined],
    ['web/src/lang/ja.json', 'web/src/lang/ja.json', undefined],
    ['web/src/views/goods/spec/a.vue', 'web/src/views/goods', undefined],
    ['conf/server.pem', 'conf', 'data'],
    ['docs/order.md', 'docs', 'docs'],
  ] as const)('%s where %s is asked for by name: %s', (path, named, reason) => {
    expect(skipRule([...AROUND, path])(path, named)).toBe(reason);
  });
});

describe('a scan', () => {
  it('reads the packages of Spring Boot, suppliers, and what is called like a language', async () => {
    const result = await scanTexts({
      'pom.xml': '<project/>',
      'src/main/java/com/example/shop/Order.java': 'package com.example.shop;\n/** 订单 */\npublic class Order {}\n',
      'src/main/java/com/example/vendor/Vendor.java': 'package a;\n/** 供应商 */\npublic class Vendor {}\n',
      'src/utils/id.ts': '/** 会员卡号 */\nexport class MemberCardNo {}\n',
      'src/es/goods.ts': '/** 商品索引 */\nexport class GoodsIndex {}\n',
      'src/messages/es.ts': '/** 站内信 */\nexport class SiteLetter {}\n',
    });
    for (const word of ['订单', '供应商', '商品索引', '站内信']) proposalFor(result, word);
    expect(result.stats).toMatchObject({ files: 6, skipped: [] });
  });

  it('takes the interface in traditional characters for Chinese: simplified words, quoted as they are', async () => {
    const result = await scanTexts({
      'web/src/locales/zh-TW.json': '{ "order": { "couponCode": "優惠券碼", "shipDate": "出貨日期" } }',
      'web/src/locales/ja.json': '{ "order": { "couponCode": "注文番号" } }',
    });
    const coupon = proposalFor(result, '优惠券码');
    expect(coupon.code_symbols).toEqual(['order.couponCode']);
    expect(coupon.evidence[0]).toMatchObject({ file: 'web/src/locales/zh-TW.json', text: '優惠券碼' });
    proposalFor(result, '发货日期');
    expect(result.proposals).toHaveLength(2);
  });

  it('says the same of a key once, whichever characters it is written in', async () => {
    const result = await scanTexts({
      'locales/zh-CN.json': '{ "order": { "refundSn": "退款编号码" } }',
      'locales/zh-TW.json': '{ "order": { "refundSn": "退款編號碼" } }',
      'locales/all.json': '{ "zh-TW": { "order": { "freightTemplate": "運費模板" } } }',
    });
    expect(result.proposals.map(({ keyword_ch, code_symbols }) => [keyword_ch, code_symbols]).sort()).toEqual([
      ['运费模板', ['order.freightTemplate']],
      ['退款编号码', ['order.refundSn']],
    ]);
  });

  it('reads what is asked for by name, whatever it is called', async () => {
    const files = { 'examples/shop/Order.java': 'package a;\n/** 订单 */\npublic class Order {}\n' };
    const all = await scanTexts(files);
    expect(all.proposals).toEqual([]);
    expect(all.stats.skipped).toEqual([{ reason: 'tests', files: 1, example: 'examples/shop/Order.java' }]);
    proposalFor(await scanTexts(files, { only: ['examples'] }), '订单');
  });
});
