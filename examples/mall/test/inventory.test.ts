import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InventoryService } from '../src/inventory/inventory-service.js';
import type { ReservationRow, StockRow } from '../src/inventory/stock.js';
import { ManualClock } from '../src/shared/clock.js';
import { Table } from '../src/shared/db.js';
import { BizError, ErrorCode } from '../src/shared/errors.js';

const hasCode = (code: ErrorCode) => (error: unknown) => BizError.is(error, code);

async function warehouse() {
  const clock = new ManualClock(0);
  const stocks = new Table<StockRow>('stocks', clock, (row) => row.sku);
  const reservations = new Table<ReservationRow>('reservations', clock, (row) => row.order_no);
  const inventory = new InventoryService(stocks, reservations);
  await inventory.stockIn('A', 5);
  await inventory.stockIn('B', 5);
  return { stocks, inventory };
}

const both = [
  { sku: 'A', quantity: 2 },
  { sku: 'B', quantity: 3 },
];

test('预占减可售不减现货，扣减之后才减现货', async () => {
  const { stocks, inventory } = await warehouse();
  await inventory.reserve('SO1', both);
  assert.equal(await inventory.available('A'), 3);
  assert.equal((await stocks.get('A')).on_hand, 5);
  await inventory.deduct('SO1');
  assert.equal((await stocks.get('A')).on_hand, 3);
  assert.equal((await stocks.get('A')).reserved, 0);
});

test('有一个 SKU 不够，整单失败，已占的退回', async () => {
  const { inventory } = await warehouse();
  const items = [
    { sku: 'A', quantity: 2 },
    { sku: 'B', quantity: 6 },
  ];
  await assert.rejects(inventory.reserve('SO1', items), hasCode(ErrorCode.ERR_STOCK_SHORT));
  assert.equal(await inventory.available('A'), 5);
  await assert.rejects(inventory.reserve('SO1', [{ sku: 'NONE', quantity: 1 }]), hasCode(ErrorCode.ERR_STOCK_SHORT));
});

test('释放和扣减重复调用没有副作用，释放过的不能再扣', async () => {
  const { stocks, inventory } = await warehouse();
  await inventory.reserve('SO1', both);
  await inventory.release('SO1');
  await inventory.release('SO1');
  await inventory.deduct('SO1');
  assert.equal(await inventory.available('A'), 5);
  assert.equal((await stocks.get('A')).on_hand, 5);
});

test('两个人同时改一行库存，后写的报 ERR_STOCK_BUSY', async () => {
  const { inventory } = await warehouse();
  const results = await Promise.allSettled([
    inventory.reserve('SO1', [{ sku: 'A', quantity: 1 }]),
    inventory.reserve('SO2', [{ sku: 'A', quantity: 1 }]),
  ]);
  const failed = results.filter((result) => result.status === 'rejected');
  assert.equal(failed.length, 1);
  assert.ok(BizError.is(failed[0]?.reason, ErrorCode.ERR_STOCK_BUSY));
  assert.equal(failed[0].reason.retryable, true);
  assert.equal(await inventory.available('A'), 4);
});

test('释放做到一半锁冲突，再释放一次从剩下的接着做', async () => {
  const { stocks, inventory } = await warehouse();
  await inventory.reserve('SO1', both);
  const update = stocks.update.bind(stocks);
  let conflicts = 0;
  stocks.update = async (seen, patch) => {
    if (seen.sku === 'B' && conflicts === 0) {
      conflicts += 1;
      await update(seen, {}); // 别人先改了一下
    }
    return update(seen, patch);
  };
  await assert.rejects(inventory.release('SO1'), hasCode(ErrorCode.ERR_STOCK_BUSY));
  assert.equal(await inventory.available('A'), 5);
  assert.equal(await inventory.available('B'), 2);
  await inventory.release('SO1');
  assert.equal(await inventory.available('A'), 5);
  assert.equal(await inventory.available('B'), 5);
});
