/**
 * 余额结算
 *
 * 订单侧说的“结算”指的是余额：下单冻结、付款后结算扣掉、关单解冻。
 * 财务侧的结算（按天和渠道对账出结算单）是另一回事，见 finance/settlement-service.ts。
 */
import type { BaseRow, Table } from '../shared/db.js';
import { BizError, ErrorCode } from '../shared/errors.js';
import type { Fen } from '../shared/money.js';
import { assertFen } from '../shared/money.js';

export interface BalanceRow extends BaseRow {
  user_id: string;
  /** 可用余额，单位分。 */
  available: Fen;
  /** 冻结中，单位分。 */
  frozen: Fen;
}

export enum FreezeState {
  /** 冻结中 */
  FROZEN = 'FROZEN',
  /** 已结算：钱扣掉了 */
  SETTLED = 'SETTLED',
  /** 已解冻：钱还给用户了 */
  UNFROZEN = 'UNFROZEN',
}

/** 一张订单一条冻结记录，主键就是订单号，因此结算和解冻天然不会做两遍。 */
export interface FreezeRow extends BaseRow {
  order_no: string;
  user_id: string;
  amount: Fen;
  state: FreezeState;
}

export class BalanceService {
  constructor(
    private readonly balances: Table<BalanceRow>,
    private readonly freezes: Table<FreezeRow>,
  ) {}

  /** 充值，或退款退回余额。 */
  async credit(userId: string, amount: Fen): Promise<void> {
    if (assertFen(amount) < 0) throw new RangeError(`入账金额不能为负：${amount}`);
    const row = await this.balances.find(userId);
    if (row) await this.balances.update(row, { available: row.available + amount });
    else await this.balances.insert({ user_id: userId, available: amount, frozen: 0 });
  }

  async available(userId: string): Promise<Fen> {
    return (await this.balances.find(userId))?.available ?? 0;
  }

  /** 下单时冻结；余额不够抛 ERR_BALANCE_SHORT。 */
  async freeze(userId: string, orderNo: string, amount: Fen): Promise<void> {
    const row = await this.balances.find(userId);
    if (!row || row.available < assertFen(amount)) throw new BizError(ErrorCode.ERR_BALANCE_SHORT, '余额不足');
    await this.balances.update(row, { available: row.available - amount, frozen: row.frozen + amount });
    await this.freezes.insert({ order_no: orderNo, user_id: userId, amount, state: FreezeState.FROZEN });
  }

  /** 付款成功后结算：把冻结的钱真正扣掉。没用余额的订单什么也不做。 */
  async settle(orderNo: string): Promise<void> {
    await this.finish(orderNo, FreezeState.SETTLED);
  }

  /** 关单后解冻：钱还给可用余额。 */
  async unfreeze(orderNo: string): Promise<void> {
    await this.finish(orderNo, FreezeState.UNFROZEN);
  }

  private async finish(orderNo: string, target: FreezeState.SETTLED | FreezeState.UNFROZEN): Promise<void> {
    const freeze = await this.freezes.find(orderNo);
    if (freeze?.state !== FreezeState.FROZEN) return;
    const row = await this.balances.get(freeze.user_id);
    const back = target === FreezeState.UNFROZEN ? freeze.amount : 0;
    await this.balances.update(row, { available: row.available + back, frozen: row.frozen - freeze.amount });
    await this.freezes.update(freeze, { state: target });
  }
}
