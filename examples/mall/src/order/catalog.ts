/**
 * 价目表：下单时按 SKU 取标题和单价
 *
 * 价格只认这里的，不认前端传上来的。线上由商品中心推送，示例里直接登记。
 */
import { BizError, ErrorCode } from '../shared/errors.js';
import type { Fen } from '../shared/money.js';
import { assertFen } from '../shared/money.js';

export interface CatalogItem {
  sku: string;
  title: string;
  /** 单位分。 */
  unit_price: Fen;
}

export class Catalog {
  private readonly items = new Map<string, CatalogItem>();

  put(item: CatalogItem): void {
    assertFen(item.unit_price);
    this.items.set(item.sku, { ...item });
  }

  /** 没有上架的 SKU 抛 ERR_PARAM。 */
  get(sku: string): CatalogItem {
    const item = this.items.get(sku);
    if (!item) throw new BizError(ErrorCode.ERR_PARAM, `商品未上架：${sku}`);
    return item;
  }
}
