/**
 * 库存与预占
 *
 * 可售 = 现货 − 预占。下单时预占，付款后扣减，关单或取消时释放。
 */
import type { BaseRow } from '../shared/db.js';

export interface StockRow extends BaseRow {
  sku: string;
  /** 仓里实际有的件数。 */
  on_hand: number;
  /** 已下单未付款、先占住的件数。 */
  reserved: number;
}

export enum ReservationState {
  /** 预占中 */
  RESERVED = 'RESERVED',
  /** 已释放：件数还给可售 */
  RELEASED = 'RELEASED',
  /** 已扣减：件数从现货里减掉 */
  DEDUCTED = 'DEDUCTED',
}

export interface StockItem {
  sku: string;
  quantity: number;
}

/** 一张订单一条预占记录，主键就是订单号。 */
export interface ReservationRow extends BaseRow {
  order_no: string;
  items: StockItem[];
  /** 已经处理过释放或扣减的 SKU；做到一半失败时，下次从剩下的接着做。 */
  settled_skus: string[];
  state: ReservationState;
}

/** 订单模块只认这个接口，库存以后拆成独立服务时换实现即可。 */
export interface StockKeeper {
  /** 预占；任何一个 SKU 不够就整单失败，已占的退回去。 */
  reserve(orderNo: string, items: readonly StockItem[]): Promise<void>;
  /** 释放预占；重复调用没有副作用。 */
  release(orderNo: string): Promise<void>;
  /** 付款后扣减；重复调用没有副作用。 */
  deduct(orderNo: string): Promise<void>;
}
