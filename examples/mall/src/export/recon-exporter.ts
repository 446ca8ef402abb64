/**
 * 对账导出：按银行给的模板出对账单
 *
 * 模板是银行发来的 GBK 文件（legacy/recon-template.csv），列顺序和表头一个字都不能动，所以读模板再往里填，
 * 不在代码里重写表头。银行上传系统只收 GBK。
 */
import { readFileSync } from 'node:fs';
import type { ChannelCode } from '../payment/payment-channel.js';
import type { PaymentRow } from '../payment/payment-service.js';
import { shanghaiDateTime } from '../shared/clock.js';
import { t } from '../shared/i18n.js';
import { fenToYuan, portionFen } from '../shared/money.js';
import { csvText, encodeCsv } from './csv-writer.js';
import { decodeGbk } from './gbk.js';

const TEMPLATE = new URL('../../legacy/recon-template.csv', import.meta.url);

export interface ReconInput {
  date: string;
  channel: ChannelCode;
  /** 渠道手续费，万分比。 */
  feeRate: number;
  payments: readonly PaymentRow[];
}

/** 对账单文件内容，GBK。 */
export function exportReconciliation({ date, channel, feeRate, payments }: ReconInput): Uint8Array {
  const head = decodeGbk(readFileSync(TEMPLATE))
    .replace('{date}', date)
    .replace('{channel}', t(`payment.channel.${channel}`));
  const rows = payments.map((payment) => {
    const fee = portionFen(payment.amount, feeRate);
    return [
      payment.payment_no,
      payment.transaction_id ?? '',
      payment.gmt_paid === null ? '' : shanghaiDateTime(payment.gmt_paid),
      fenToYuan(payment.amount),
      fenToYuan(fee),
      fenToYuan(payment.amount - fee),
    ];
  });
  return encodeCsv(head + csvText(rows), 'gbk');
}
