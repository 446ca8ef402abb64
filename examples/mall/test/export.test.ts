import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { csvText, encodeCsv } from '../src/export/csv-writer.js';
import { decodeGbk, encodeGbk } from '../src/export/gbk.js';
import { exportOrders } from '../src/export/order-exporter.js';
import { exportReconciliation } from '../src/export/recon-exporter.js';
import { BizError, ErrorCode } from '../src/shared/errors.js';
import { openShop, paidOrder } from './support/shop.js';

const decodeUtf8 = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

test('GBK 编码能解回原文，字节与约定的一致', () => {
  assert.deepEqual([...encodeGbk('对账A1')], [0xb6, 0xd4, 0xd5, 0xcb, 0x41, 0x31]);
  const text = '订单导出：明前龙井 50g，￥128.00，镕喆翀';
  assert.equal(decodeGbk(encodeGbk(text)), text);
});

test('GBK 里没有的字符报 ERR_ENCODING', () => {
  assert.throws(
    () => encodeGbk('好评🍵'),
    (error) => BizError.is(error, ErrorCode.ERR_ENCODING),
  );
});

test('CSV：逗号引号换行要转义，公式开头加单引号，每行 CRLF', () => {
  const text = csvText([
    ['名称', '备注'],
    ['青瓷,茶杯', '他说"好"'],
    ['=1+1', -5],
    ['两\n行', ''],
  ]);
  assert.equal(text, '名称,备注\r\n"青瓷,茶杯","他说""好"""\r\n\'=1+1,-5\r\n"两\n行",\r\n');
});

test('默认编码带 BOM，GBK 不带', () => {
  assert.deepEqual([...encodeCsv('中', 'utf8-bom')], [0xef, 0xbb, 0xbf, 0xe4, 0xb8, 0xad]);
  assert.deepEqual([...encodeCsv('中', 'gbk')], [0xd6, 0xd0]);
});

test('订单导出：北京时间、金额为元、状态为中文', async () => {
  const shop = await openShop();
  const { orderNo } = await paidOrder(shop);
  const orders = await shop.orders.list();
  const lines = decodeUtf8(exportOrders(orders)).split('\r\n');
  assert.equal(lines[0], '\uFEFF订单号,买家,状态,下单时间,付款时间,商品总额（元）,优惠（元）,实付（元）');
  assert.equal(lines[1], `${orderNo},U1,待发货,2024-05-01 12:00:00,2024-05-01 12:00:00,200.00,0.00,200.00`);
  assert.ok(decodeGbk(exportOrders(orders, 'gbk')).startsWith('订单号,'));
});

test('对账导出沿用银行模板的表头，按渠道费率算手续费', async () => {
  const shop = await openShop();
  await paidOrder(shop);
  const payments = await shop.settlement.paymentsOf('2024-05-01', 'wechat');
  const text = decodeGbk(exportReconciliation({ date: '2024-05-01', channel: 'wechat', feeRate: 60, payments }));
  const lines = text.split('\r\n');
  assert.equal(lines[1], '账期：2024-05-01,,,渠道：微信支付,,');
  assert.equal(lines[2], '支付单号,渠道流水号,支付时间,支付金额(元),手续费(元),净额(元)');
  assert.ok(lines[3]?.endsWith(',2024-05-01 12:00:00,200.00,1.20,198.80'));
});

test('legacy 下的文件仍是 GBK，没有被转成 UTF-8', () => {
  for (const name of ['recon-template.csv', '对账导出说明.txt', 'init-schema.sql']) {
    const bytes = readFileSync(new URL(`../legacy/${name}`, import.meta.url));
    assert.ok(/\p{Script=Han}/u.test(decodeGbk(bytes)), name);
    assert.throws(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes), name);
  }
});
