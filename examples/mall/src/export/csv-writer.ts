/**
 * CSV 输出
 *
 * 导出的文件多半用 Excel 打开。Excel 打开不带 BOM 的 UTF-8 会按本机编码（GBK）读，中文全是乱码，
 * 所以只提供两种编码：UTF-8 带 BOM（默认）和 GBK（银行、税务等只收 GBK 的系统）。
 */
import { encodeGbk } from './gbk.js';

export type CsvEncoding = 'utf8-bom' | 'gbk';
export type CsvCell = string | number;

const BOM = '\uFEFF';
/** Excel 和多数对账系统要求 CRLF。 */
const EOL = '\r\n';

/** 以这些字符开头的文本会被 Excel 当公式执行，前面加一个单引号。 */
const FORMULA_START = /^[=+\-@\t\r]/;

export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map((row) => row.map(formatCell).join(',') + EOL).join('');
}

export function encodeCsv(text: string, encoding: CsvEncoding): Uint8Array {
  return encoding === 'gbk' ? encodeGbk(text) : new TextEncoder().encode(BOM + text);
}

/** 下载时的 Content-Type。 */
export function csvContentType(encoding: CsvEncoding): string {
  return `text/csv; charset=${encoding === 'gbk' ? 'gbk' : 'utf-8'}`;
}

function formatCell(cell: CsvCell): string {
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA_START.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
