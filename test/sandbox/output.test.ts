import { describe, expect, it } from 'vitest';
import { HeadTail, StreamText } from '../../src/sandbox/output.js';
import { seeded } from './support.js';

// 「中文输出」 and 「联通」 in GBK; the second is valid UTF-8 by accident.
const GBK_OUTPUT = Buffer.from([0xd6, 0xd0, 0xce, 0xc4, 0xca, 0xe4, 0xb3, 0xf6]);
const GBK_LIANTONG = Buffer.from([0xc1, 0xaa, 0xcd, 0xa8]);

function inPieces(bytes: Buffer, random: (n: number) => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random(5);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

function streamed(pieces: readonly Buffer[]): string {
  const stream = new StreamText();
  return pieces.map((p) => stream.push(p)).join('') + stream.end();
}

describe('StreamText', () => {
  it('reads UTF-8 and GBK lines of one stream, cut anywhere', () => {
    const bytes = Buffer.concat([
      Buffer.from('构建开始 🚀\r\n'),
      GBK_OUTPUT,
      Buffer.from('\nplain ascii\n'),
      GBK_LIANTONG,
      Buffer.from('\n支付网关：超时关单'),
    ]);
    const random = seeded(3);
    for (let i = 0; i < 200; i++) {
      expect(streamed(inPieces(bytes, random))).toBe('构建开始 🚀\r\n中文输出\nplain ascii\n联通\n支付网关：超时关单');
    }
  });

  it('shows ASCII of an unfinished line at once, and holds back what may be half a character', () => {
    const stream = new StreamText();
    expect(stream.push(Buffer.from('Continue? [y/n] '))).toBe('Continue? [y/n] ');
    expect(stream.push(Buffer.from('中').subarray(0, 2))).toBe('');
    expect(stream.push(Buffer.concat([Buffer.from('中').subarray(2), Buffer.from('\n')]))).toBe('中\n');
  });

  it('drops a character that was cut by the end, and does not take it for GBK', () => {
    const text = Buffer.from('已处理 100 条订单');
    expect(streamed([text.subarray(0, text.length - 1)])).toBe('已处理 100 条订');
    expect(streamed([GBK_OUTPUT.subarray(0, 7)])).toBe('中文输');
  });

  it('decodes a line without end in bounded memory', () => {
    const text = '中文'.repeat(100_000);
    const bytes = Buffer.from(text);
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 7_001) pieces.push(bytes.subarray(at, at + 7_001));
    expect(streamed(pieces)).toBe(text);
  });
});

describe('HeadTail', () => {
  const keep = (limit: number, pieces: readonly Buffer[]) => {
    const kept = new HeadTail(limit);
    for (const p of pieces) kept.push(p);
    return kept.finish();
  };

  it('keeps short output whole', () => {
    expect(keep(100, [Buffer.from('一行\n'), Buffer.from('二行')])).toEqual({
      text: '一行\n二行',
      truncated: false,
      totalBytes: 13,
    });
  });

  it('keeps whole lines of head and tail, in any cut, and says how much is missing', () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => `第 ${i} 行：超时关单\n`);
    const bytes = Buffer.from(lines.join(''));
    const random = seeded(11);
    const { text, truncated, totalBytes } = keep(2_000, inPieces(bytes, random));
    expect(truncated).toBe(true);
    expect(totalBytes).toBe(bytes.length);
    const shown = text.split('\n').filter((l) => l !== '');
    const note = shown.find((l) => l.startsWith('……'))!;
    expect(shown[0]).toBe('第 0 行：超时关单');
    expect(shown.at(-1)).toBe('第 4999 行：超时关单');
    for (const line of shown) if (line !== note) expect(lines).toContain(`${line}\n`);
    const keptBytes = Buffer.byteLength(text.replace(`${note}\n`, ''));
    expect(keptBytes).toBeLessThanOrEqual(2_000);
    expect(note).toContain(`共 ${totalBytes} 字节`);
    expect(note).toContain(`省略了 ${totalBytes - keptBytes} 字节`);
  });

  it('cuts one endless line between characters, UTF-8 and GBK', () => {
    const utf8 = keep(1_000, [Buffer.from('超时关单'.repeat(10_000))]).text;
    expect(utf8).not.toContain('\uFFFD');
    expect(utf8.replace(/\n……[^\n]*\n/, '')).toMatch(/^[超时关单]+$/u);
    const gbk = keep(1_000, [
      Buffer.concat(Array.from({ length: 5_000 }, () => Buffer.concat([GBK_OUTPUT, Buffer.from(' ')]))),
    ]).text;
    expect(gbk.replace(/\n……[^\n]*\n/, ' ')).toMatch(/^(中文输出| |中文?输?)+$/u);
  });
});
