/**
 * 订单导出
 */
import type { OrderRow } from '../order/order.js';
import { orderPaid } from '../order/order.js';
import { shanghaiDateTime } from '../shared/clock.js';
import { t } from '../shared/i18n.js';
import { fenToYuan } from '../shared/money.js';
import type { CsvCell, CsvEncoding } from './csv-writer.js';
import { csvText, encodeCsv } from './csv-writer.js';

/** 一次最多导出多少单，再多 Excel 打开就很慢了，请分段导。 */
export const EXPORT_LIMIT = 10_000;

const COLUMNS = ['orderNo', 'userId', 'state', 'createdAt', 'paidAt', 'total', 'discount', 'paid'] as const;

/** 订单 → CSV 文件内容。时间是东八区，金额是元。 */
export function exportOrders(orders: readonly OrderRow[], encoding: CsvEncoding = 'utf8-bom'): Uint8Array {
  const header = COLUMNS.map((column) => t(`export.order.${column}`));
  const rows = orders.slice(0, EXPORT_LIMIT).map(orderCells);
  return encodeCsv(csvText([header, ...rows]), encoding);
}

function orderCells(order: OrderRow): CsvCell[] {
  return [
    order.order_no,
    order.user_id,
    t(`order.state.${order.state}`),
    shanghaiDateTime(order.gmt_create),
    order.gmt_paid === null ? '' : shanghaiDateTime(order.gmt_paid),
    fenToYuan(order.total_amount),
    fenToYuan(order.discount_amount),
    fenToYuan(orderPaid(order)),
  ];
}
