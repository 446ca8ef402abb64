/**
 * 库存服务
 *
 * 库存行并发高，用乐观锁更新。锁冲突时抛 ERR_STOCK_BUSY（可重试），本服务自己不重试：
 * 下单时由用户决定要不要再点一次，后台任务由调用方决定。
 */
import type { Table } from '../shared/db.js';
import { BizError, ErrorCode } from '../shared/errors.js';
import type { ReservationRow, StockItem, StockKeeper, StockRow } from './stock.js';
import { ReservationState } from './stock.js';

export class InventoryService implements StockKeeper {
  constructor(
    private readonly stocks: Table<StockRow>,
    private readonly reservations: Table<ReservationRow>,
  ) {}

  /** 入库；SKU 第一次出现时建行。 */
  async stockIn(sku: string, quantity: number): Promise<void> {
    const row = await this.stocks.find(sku);
    if (row) await this.updateStock(row, { on_hand: row.on_hand + quantity });
    else await this.stocks.insert({ sku, on_hand: quantity, reserved: 0 });
  }

  /** 可售件数。 */
  async available(sku: string): Promise<number> {
    const row = await this.stocks.find(sku);
    return row ? row.on_hand - row.reserved : 0;
  }

  async reserve(orderNo: string, items: readonly StockItem[]): Promise<void> {
    const done: StockItem[] = [];
    try {
      for (const item of items) {
        await this.reserveOne(item);
        done.push(item);
      }
      await this.reservations.insert({
        order_no: orderNo,
        items: items.map((item) => ({ ...item })),
        settled_skus: [],
        state: ReservationState.RESERVED,
      });
    } catch (error) {
      for (const item of done) await this.shiftReserved(item.sku, -item.quantity);
      throw error;
    }
  }

  async release(orderNo: string): Promise<void> {
    await this.settle(orderNo, ReservationState.RELEASED, (row, quantity) => ({ reserved: row.reserved - quantity }));
  }

  async deduct(orderNo: string): Promise<void> {
    await this.settle(orderNo, ReservationState.DEDUCTED, (row, quantity) => ({
      on_hand: row.on_hand - quantity,
      reserved: row.reserved - quantity,
    }));
  }

  /** 逐个 SKU 处理并记下进度，中途失败后再调一次会从剩下的接着做，不会对同一个 SKU 做两遍。 */
  private async settle(
    orderNo: string,
    target: ReservationState,
    change: (row: StockRow, quantity: number) => Partial<Pick<StockRow, 'on_hand' | 'reserved'>>,
  ): Promise<void> {
    let reservation = await this.reservations.get(orderNo);
    if (reservation.state !== ReservationState.RESERVED) return;
    for (const item of reservation.items) {
      if (reservation.settled_skus.includes(item.sku)) continue;
      const stock = await this.stocks.get(item.sku);
      await this.updateStock(stock, change(stock, item.quantity));
      reservation = await this.reservations.update(reservation, {
        settled_skus: [...reservation.settled_skus, item.sku],
      });
    }
    await this.reservations.update(reservation, { state: target });
  }

  private async reserveOne(item: StockItem): Promise<void> {
    const row = await this.stocks.find(item.sku);
    if (!row || row.on_hand - row.reserved < item.quantity) {
      throw new BizError(ErrorCode.ERR_STOCK_SHORT, `库存不足：${item.sku}`);
    }
    await this.updateStock(row, { reserved: row.reserved + item.quantity });
  }

  private async shiftReserved(sku: string, delta: number): Promise<void> {
    const row = await this.stocks.get(sku);
    await this.updateStock(row, { reserved: row.reserved + delta });
  }

  private async updateStock(row: StockRow, patch: Partial<Pick<StockRow, 'on_hand' | 'reserved'>>): Promise<void> {
    try {
      await this.stocks.update(row, patch);
    } catch (cause) {
      if (!BizError.is(cause, ErrorCode.ERR_VERSION_CONFLICT)) throw cause;
      throw new BizError(ErrorCode.ERR_STOCK_BUSY, `库存正被修改：${row.sku}`, { cause });
    }
  }
}
