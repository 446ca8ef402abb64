import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { XiheError } from '../../src/errors.js';
import { decodeText, type Encoding, encodeText, type FileText, isBinary, readFileText } from '../../src/text/index.js';

const iconv = createRequire(import.meta.url)('iconv-lite') as typeof import('iconv-lite');
const bytesOf = (text: string, encoding: string) => new Uint8Array(iconv.encode(text, encoding));
const like = (encoding: Encoding, extra: Partial<FileText> = {}): FileText => ({
  text: '',
  encoding,
  bom: false,
  eol: 'none',
  finalNewline: false,
  ...extra,
});
const codeOf = (act: () => unknown) => {
  try {
    act();
  } catch (e) {
    if (XiheError.is(e)) return e.code;
    throw e;
  }
  return undefined;
};

const SIMPLIFIED = '// 超时未付款的订单，由定时任务关闭；库存要回补。\nconst retry = 3; // 重试次数\n';
const TRADITIONAL = '// 逾時未付款的訂單，由排程關閉；庫存要回補。\nconst retry = 3; // 重試次數\n';

describe('decodeText tells encodings apart', () => {
  const cases: [string, string, string, Encoding][] = [
    ['UTF-8', SIMPLIFIED, 'utf8', 'utf-8'],
    ['ASCII', 'const a = 1;\n', 'utf8', 'utf-8'],
    ['GBK, a file', SIMPLIFIED, 'gbk', 'gbk'],
    ['GBK, one short comment', 'x = 1 # 取消\n', 'gbk', 'gbk'],
    ['GBK, one word', '订单', 'gbk', 'gbk'],
    ['GBK that is valid UTF-8 by chance', '展示图片', 'gbk', 'gbk'],
    ['GBK with a drawn tree', '├── utils/  # 工具包和公共方法\n', 'gbk', 'gbk'],
    ['UTF-8 in other scripts', 'Заказ отменён, naïve café, Παραγγελία: ок\n', 'utf8', 'utf-8'],
    ['GBK with traditional text', TRADITIONAL, 'gbk', 'gbk'],
    ['GB18030 with four-byte characters', `${SIMPLIFIED}// 客户姓名：𠮷田、㐀\n`, 'gb18030', 'gb18030'],
    ['Big5, a file', TRADITIONAL, 'big5', 'big5'],
    ['Big5, one comment', '// 訂單已經取消\n', 'big5', 'big5'],
    ['UTF-16 LE without BOM', SIMPLIFIED, 'utf-16le', 'utf-16le'],
    ['UTF-16 BE without BOM', SIMPLIFIED, 'utf-16be', 'utf-16be'],
    ['UTF-16 LE, 一 holds a NUL byte', '一次重试\n', 'utf-16le', 'utf-16le'],
  ];
  for (const [name, text, encodeAs, expected] of cases) {
    it(name, () => {
      const decoded = decodeText(bytesOf(text, encodeAs));
      expect(decoded).toMatchObject({ text, encoding: expected, bom: false });
      expect(decoded.undecodable).toBeUndefined();
    });
  }

  it('takes Latin-1 for damaged UTF-8 rather than for Chinese', () => {
    const bytes = Uint8Array.from(Buffer.from('naïve café déjà\n', 'latin1'));
    expect(decodeText(bytes)).toMatchObject({ encoding: 'utf-8', undecodable: 4 });
  });

  it('takes a UTF-8 file with a damaged spot for UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from(SIMPLIFIED), Buffer.from([0xe8, 0xae]), Buffer.from('\n// 结束\n')]);
    const decoded = decodeText(bytes);
    expect(decoded).toMatchObject({ encoding: 'utf-8', undecodable: 1 });
    expect(decoded.text).toBe(`${SIMPLIFIED}\uFFFD\n// 结束\n`);
  });

  it('follows a hint that reads every byte, and only such a hint', () => {
    const ambiguous = bytesOf('取消', 'gbk');
    expect(decodeText(ambiguous, 'big5').encoding).toBe('big5');
    expect(decodeText(bytesOf('const a = 1;', 'utf8'), 'gbk').encoding).toBe('gbk');
    expect(decodeText(bytesOf(SIMPLIFIED, 'gbk'), 'utf-8').encoding).toBe('gbk');
  });

  it('lets a BOM decide, and leaves it out of the text', () => {
    for (const [bom, encoding, name] of [
      [[0xef, 0xbb, 0xbf], 'utf-8', 'utf8'],
      [[0xff, 0xfe], 'utf-16le', 'utf-16le'],
      [[0xfe, 0xff], 'utf-16be', 'utf-16be'],
    ] as const) {
      const bytes = Buffer.concat([Buffer.from(bom), bytesOf('订单\r\n', name)]);
      expect(decodeText(bytes, 'gbk')).toEqual({
        text: '订单\r\n',
        encoding,
        bom: true,
        eol: 'crlf',
        finalNewline: true,
      });
    }
  });

  it('decodes UTF-8 exactly as the WHATWG decoder does, broken bytes included', () => {
    const whatwg = new TextDecoder('utf-8', { ignoreBOM: true });
    const spots = [
      [0xe8, 0xae],
      [0xf0, 0x9f, 0x98],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf5],
      [0x80, 0x80],
      [0xe4, 0x41],
      [0xff],
      [0xf4, 0x90, 0x80, 0x80],
    ];
    for (const spot of spots) {
      const bytes = Buffer.concat([
        Buffer.from('超时未付款的订单由定时任务关闭，库存回补，优惠券退回，积分扣回'),
        Buffer.from(spot),
        Buffer.from('a单'),
      ]);
      expect(decodeText(bytes).text).toBe(whatwg.decode(bytes));
    }
  });
});

describe('line ends', () => {
  it('names their kind and the final one', () => {
    const of = (text: string) => {
      const { eol, finalNewline } = decodeText(Buffer.from(text));
      return [eol, finalNewline];
    };
    expect(of('a\nb\n')).toEqual(['lf', true]);
    expect(of('a\r\nb')).toEqual(['crlf', false]);
    expect(of('a\rb\r')).toEqual(['cr', true]);
    expect(of('a\r\nb\n')).toEqual(['mixed', true]);
    expect(of('a')).toEqual(['none', false]);
    expect(of('')).toEqual(['none', false]);
  });
});

describe('binary', () => {
  it('refuses NULs, compressed data and UTF-32 with their codes', () => {
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52);
    expect(isBinary(png)).toBe(true);
    expect(codeOf(() => decodeText(png))).toBe('FILE_BINARY');
    const noise = Uint8Array.from({ length: 4096 }, (_, i) => ((i * 2654435761) >>> 13) & 0xff);
    expect(isBinary(noise)).toBe(true);
    expect(isBinary(Buffer.from('{"a":1}\0{"b":2}'))).toBe(true);
    expect(codeOf(() => decodeText(Uint8Array.of(0xff, 0xfe, 0, 0, 0x41, 0, 0, 0)))).toBe('ENCODING_UNSUPPORTED');
    expect(codeOf(() => decodeText(Buffer.from('a'), 'shift_jis' as Encoding))).toBe('ENCODING_UNSUPPORTED');
  });

  it('lets text through: logs with colours, form feeds, empty files', () => {
    expect(isBinary(Buffer.from('\u001b[31m错误\u001b[0m\n'))).toBe(false);
    expect(isBinary(Buffer.from('a\fb\n'))).toBe(false);
    expect(isBinary(new Uint8Array())).toBe(false);
    expect(isBinary(bytesOf(SIMPLIFIED, 'utf-16le'))).toBe(false);
  });
});

describe('encodeText', () => {
  it('writes back what decodeText read, byte for byte', () => {
    for (const [text, name] of [
      [SIMPLIFIED, 'gbk'],
      [`${SIMPLIFIED}𠮷㐀`, 'gb18030'],
      [TRADITIONAL, 'big5'],
      [SIMPLIFIED, 'utf-16be'],
      ['\uFEFF订单\r\n', 'utf8'],
      ['\uFEFF订单\r\n', 'utf-16le'],
    ] as const) {
      const bytes = bytesOf(text, name);
      const decoded = decodeText(bytes);
      expect(Buffer.from(encodeText(decoded.text, decoded)).equals(Buffer.from(bytes)), name).toBe(true);
    }
  });

  it('gives new text the line ends of the file', () => {
    expect(Buffer.from(encodeText('a\nb\r\nc\r', like('utf-8', { eol: 'crlf' }))).toString()).toBe('a\r\nb\r\nc\r\n');
    expect(Buffer.from(encodeText('a\r\nb', like('utf-8', { eol: 'lf' }))).toString()).toBe('a\nb');
    expect(Buffer.from(encodeText('a\r\nb\nc', like('utf-8', { eol: 'mixed' }))).toString()).toBe('a\r\nb\nc');
  });

  it('refuses what the encoding cannot hold, and names it', () => {
    for (const [text, encoding, named] of [
      ['已付款 😀 𠮷', 'gbk', ['😀', '𠮷']],
      ['简体字', 'big5', ['简']],
      ['a\uD800b', 'utf-8', ['\uD800']],
      ['\uDC00', 'utf-16le', ['\uDC00']],
    ] as const) {
      let caught: unknown;
      try {
        encodeText(text, like(encoding));
      } catch (e) {
        caught = e;
      }
      expect(XiheError.is(caught, 'ENCODING_UNMAPPABLE')).toBe(true);
      expect((caught as XiheError).details.characters).toEqual(named);
      expect((caught as XiheError).message).toContain(encoding.toUpperCase());
    }
  });

  it('never writes a question mark for a character', () => {
    const text = Array.from({ length: 0x300 }, (_, i) => String.fromCharCode(0x4e00 + i * 27)).join('');
    for (const encoding of ['gbk', 'gb18030', 'big5'] as const) {
      for (const char of text) {
        try {
          const bytes = encodeText(char, like(encoding));
          expect(iconv.decode(Buffer.from(bytes), encoding)).toBe(char);
        } catch (e) {
          expect(XiheError.is(e, 'ENCODING_UNMAPPABLE')).toBe(true);
        }
      }
    }
  });

  it('does not rewrite a file whole when that would lose bytes it could not read', () => {
    const bytes = Buffer.concat([Buffer.from(SIMPLIFIED), Buffer.from([0xff]), Buffer.from('完\n')]);
    const decoded = decodeText(bytes);
    expect(codeOf(() => encodeText(`${decoded.text}x`, decoded))).toBe('ENCODING_UNMAPPABLE');
    expect(Buffer.from(encodeText('全新内容\n', decoded)).toString()).toBe('全新内容\n');
  });

  it('writes the euro sign as code page 936 does', () => {
    expect([...encodeText('€', like('gbk'))]).toEqual([0x80]);
    expect(decodeText(Buffer.concat([bytesOf('价格是', 'gbk'), Uint8Array.of(0x80)])).text).toBe('价格是€');
  });
});

describe('readFileText', () => {
  const dir = mkdtempSync(join(tmpdir(), 'xihe-text-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it('reads a file, and says what is wrong with others', () => {
    const file = join(dir, '旧代码.c');
    writeFileSync(file, bytesOf(SIMPLIFIED, 'gbk'));
    expect(readFileText(file)).toMatchObject({ text: SIMPLIFIED, encoding: 'gbk' });
    expect(codeOf(() => readFileText(join(dir, 'nope')))).toBe('PATH_NOT_FOUND');
    expect(codeOf(() => readFileText(join(file, 'below')))).toBe('PATH_NOT_FOUND');
    expect(codeOf(() => readFileText(dir))).toBe('PATH_INVALID');
    const large = join(dir, 'large.sql');
    writeFileSync(large, Buffer.alloc(16 * 1024 * 1024 + 1, 0x20));
    expect(codeOf(() => readFileText(large))).toBe('FILE_TOO_LARGE');
  });
});
