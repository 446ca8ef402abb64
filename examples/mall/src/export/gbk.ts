/**
 * GBK 编码
 *
 * Node 只带解码器（TextDecoder('gbk')），没有编码器。这里把两字节码位逐个解码一遍，反过来得到编码表，
 * 不用引第三方库。表只在第一次用到时建。
 */
import { TextDecoder } from 'node:util';
import { BizError, ErrorCode } from '../shared/errors.js';

let table: Map<string, number> | undefined;

/** 字符 → 两字节码位（高字节 × 256 + 低字节）。 */
function encodingTable(): Map<string, number> {
  if (table) return table;
  const decoder = new TextDecoder('gbk', { fatal: true });
  const built = new Map<string, number>();
  for (let high = 0x81; high <= 0xfe; high += 1) {
    for (let low = 0x40; low <= 0xfe; low += 1) {
      const char = decodePair(decoder, high, low);
      if (char !== undefined && !built.has(char)) built.set(char, high * 256 + low);
    }
  }
  table = built;
  return built;
}

function decodePair(decoder: TextDecoder, high: number, low: number): string | undefined {
  try {
    const text = decoder.decode(Uint8Array.of(high, low));
    // 低字节不合法时会解成两个字符，不是双字节字
    return [...text].length === 1 ? text : undefined;
  } catch {
    return undefined;
  }
}

/**
 * 文本 → GBK 字节。
 *
 * @throws BizError ERR_ENCODING 有 GBK 里没有的字符（例如表情符号）；不用问号代替，免得数据悄悄丢了
 */
export function encodeGbk(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x80) {
      bytes.push(code);
      continue;
    }
    const pair = encodingTable().get(char);
    if (pair === undefined) throw new BizError(ErrorCode.ERR_ENCODING, `GBK 里没有这个字符：${char}`);
    bytes.push(pair >> 8, pair & 0xff);
  }
  return Uint8Array.from(bytes);
}

export function decodeGbk(bytes: Uint8Array): string {
  return new TextDecoder('gbk', { fatal: true }).decode(bytes);
}
