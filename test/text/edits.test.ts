import { describe, expect, it } from 'vitest';
import { XiheError } from '../../src/errors.js';
import {
  applyTextEdits,
  decodeText,
  type Encoding,
  encodeText,
  type FileText,
  type TextEdit,
} from '../../src/text/index.js';
import { type Prng, prng } from './prng.js';

const like = (encoding: Encoding, bom = false): FileText => ({
  text: '',
  encoding,
  bom,
  eol: 'none',
  finalNewline: false,
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

/** Bytes that no encoding of the group reads as a character, set so that they can't join their neighbours. */
const BROKEN: Record<Encoding, number[][]> = {
  'utf-8': [[0xff], [0xc0], [0xe8, 0xae], [0x80]],
  gbk: [[0xff], [0xff, 0xff]],
  gb18030: [[0xff], [0xff, 0xff]],
  big5: [[0xff], [0x80]],
  'utf-16le': [[0x00, 0xd8]],
  'utf-16be': [[0xdc, 0x00]],
};

/** Characters that each encoding holds. */
const ALPHABET: Record<Encoding, string[]> = {
  'utf-8': [...'订单取消退款abc 12{}();，。😀𠮷é한'],
  gbk: [...'订单取消退款abc 12{}();，。逾時'],
  gb18030: [...'订单取消退款abc 12{}();，。𠮷㐀€'],
  big5: [...'訂單取消退款abc 12{}();，。逾時'],
  'utf-16le': [...'订单取消退款abc 12{}();，。😀𠮷一'],
  'utf-16be': [...'订单取消退款abc 12{}();，。😀𠮷一'],
};

interface Made {
  bytes: Uint8Array;
  /** What each character of the decoded text is in bytes; a surrogate pair has its bytes at the first half and null at the second. */
  units: { char: string; bytes: Uint8Array | null }[];
  bom: Uint8Array;
}

/** Builds a file unit by unit, so that the truth about every byte is known without the code under test. */
function makeFile(random: Prng, encoding: Encoding, bom: boolean, eol: string[], broken: boolean): Made {
  const units: Made['units'] = [];
  const add = (text: string, bytes: Uint8Array) => {
    for (let i = 0; i < text.length; i++) units.push({ char: text[i]!, bytes: i === 0 ? bytes : null });
  };
  // A head that leaves no doubt about the encoding.
  for (const char of encoding === 'big5' ? '訂單已經取消，請確認退款金額' : '订单已经取消，请确认退款金额')
    add(char, encodeText(char, like(encoding)));
  if (encoding === 'gb18030') add('㐀', encodeText('㐀', like(encoding)));
  const length = 20 + random.below(120);
  for (let i = 0; i < length; i++) {
    const dice = random.below(12);
    if (dice === 0) for (const char of random.pick(eol)) add(char, encodeText(char, like(encoding)));
    else if (dice === 1 && broken && i % 9 === 0)
      add(
        '\uFFFD'.repeat(1),
        Uint8Array.from(random.pick(BROKEN[encoding]).slice(0, encoding.startsWith('utf-16') ? 2 : undefined)),
      );
    else {
      const char = random.pick(ALPHABET[encoding]);
      add(char, encodeText(char, like(encoding)));
    }
  }
  // Two bad bytes in a row are two spots in the double-byte encodings.
  const flat = units.flatMap((unit) => {
    const spots =
      unit.char === '\uFFFD' && unit.bytes!.length > 1 && encoding !== 'utf-8' && !encoding.startsWith('utf-16')
        ? unit.bytes!.length
        : 1;
    return spots === 1
      ? [unit]
      : Array.from({ length: spots }, (_, i) => ({ char: '\uFFFD', bytes: unit.bytes!.slice(i, i + 1) }));
  });
  const mark = bom ? encodeText('', like(encoding, true)) : new Uint8Array();
  return {
    bytes: Buffer.concat([mark, ...flat.map((unit) => unit.bytes ?? new Uint8Array())]),
    units: flat,
    bom: mark,
  };
}

/** Random edits that do not overlap and cut no character in two. */
function makeEdits(random: Prng, made: Made, encoding: Encoding): TextEdit[] {
  const whole = (i: number) => (i < made.units.length && made.units[i]!.bytes === null ? i + 1 : i);
  const cuts = Array.from({ length: 2 * (1 + random.below(4)) }, () => whole(random.below(made.units.length + 1))).sort(
    (a, b) => a - b,
  );
  const edits: TextEdit[] = [];
  for (let i = 0; i < cuts.length; i += 2) {
    const text = Array.from({ length: random.below(6) }, () => random.pick([...ALPHABET[encoding], '\n', '\r\n'])).join(
      '',
    );
    edits.push({ start: cuts[i]!, end: cuts[i + 1]!, text });
  }
  // The order in which edits are given must not matter.
  return edits.some((edit, i) => i > 0 && edit.start === edits[i - 1]!.start)
    ? edits
    : edits.sort(() => random.below(3) - 1);
}

/** The bytes that must come out, put together from the units that no edit touches. */
function expectedBytes(made: Made, edits: TextEdit[], encoding: Encoding, eol: string | undefined): Uint8Array {
  const parts: Uint8Array[] = [made.bom];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    for (; at < edit.start; at++) parts.push(made.units[at]!.bytes ?? new Uint8Array());
    parts.push(encodeText(eol === undefined ? edit.text : edit.text.replace(/\r\n|\n|\r/g, eol), like(encoding)));
    at = edit.end;
  }
  for (; at < made.units.length; at++) parts.push(made.units[at]!.bytes ?? new Uint8Array());
  return Buffer.concat(parts);
}

describe('applyTextEdits keeps every byte outside its edits', () => {
  const EOLS: [string, string[], boolean][] = [
    ['LF', ['\n'], true],
    ['CRLF', ['\r\n'], true],
    ['CR', ['\r'], true],
    ['mixed', ['\n', '\r\n', '\r'], false],
  ];
  for (const encoding of Object.keys(BROKEN) as Encoding[]) {
    for (const [name, ends, single] of EOLS) {
      for (const broken of [false, true]) {
        it(`${encoding}, ${name}${broken ? ', with undecodable bytes' : ''}`, () => {
          const random = prng(encoding.length * 1000 + name.length * 10 + (broken ? 1 : 0));
          let applied = 0;
          for (let round = 0; round < 80; round++) {
            const bom = (encoding.startsWith('utf') && round % 3 === 0) || encoding.startsWith('utf-16');
            const made = makeFile(random, encoding, bom, ends, broken);
            const before = decodeText(made.bytes);
            expect(before.encoding).toBe(encoding);
            expect(before.text).toBe(made.units.map((unit) => unit.char).join(''));
            const edits = makeEdits(random, made, encoding);
            const kinds = before.text.match(/\r\n|\n|\r/g) ?? [];
            const eol =
              single && kinds.length > 0 && new Set(kinds).size === 1
                ? kinds[0]
                : single
                  ? undefined
                  : new Set(kinds).size === 1
                    ? kinds[0]
                    : undefined;
            let after: Uint8Array;
            try {
              after = applyTextEdits(made.bytes, edits);
            } catch (e) {
              // Bringing broken halves together is refused; that may happen only where there are broken bytes.
              expect(XiheError.is(e, 'EDIT_INVALID') && broken).toBe(true);
              continue;
            }
            applied += 1;
            expect(Buffer.from(after).equals(Buffer.from(expectedBytes(made, edits, encoding, eol)))).toBe(true);
          }
          expect(applied).toBeGreaterThan(60);
        });
      }
    }
  }
});

describe('applyTextEdits', () => {
  const gbk = encodeText('// 超时关单的订单\r\nint retry = 3;\r\n', like('gbk'));

  it('changes an ASCII line of a GBK file and nothing else', () => {
    const text = decodeText(gbk).text;
    const start = text.indexOf('3');
    const after = applyTextEdits(gbk, [{ start, end: start + 1, text: '5' }]);
    expect(Buffer.from(after).toString('latin1')).toBe(Buffer.from(gbk).toString('latin1').replace('3', '5'));
  });

  it('gives inserted lines the ends of the file', () => {
    const after = applyTextEdits(gbk, [{ start: 0, end: 0, text: '// 新的一行\n' }]);
    expect(decodeText(after)).toMatchObject({
      text: `// 新的一行\r\n${decodeText(gbk).text}`,
      encoding: 'gbk',
      eol: 'crlf',
    });
  });

  it('applies insertions at one place in the order given', () => {
    const after = applyTextEdits(Buffer.from('ab'), [
      { start: 1, end: 1, text: '1' },
      { start: 1, end: 1, text: '2' },
    ]);
    expect(Buffer.from(after).toString()).toBe('a12b');
  });

  it('returns a copy when there is nothing to do', () => {
    const after = applyTextEdits(gbk, []);
    expect(after).not.toBe(gbk);
    expect(Buffer.from(after).equals(Buffer.from(gbk))).toBe(true);
  });

  it('refuses ranges outside the file, overlaps, and half characters', () => {
    const bytes = Buffer.from('a😀b');
    for (const edits of [
      [{ start: -1, end: 0, text: '' }],
      [{ start: 0, end: 5, text: '' }],
      [{ start: 2, end: 1, text: '' }],
      [{ start: 0.5, end: 1, text: '' }],
      [{ start: 2, end: 3, text: 'x' }],
      [
        { start: 0, end: 3, text: 'x' },
        { start: 1, end: 4, text: 'y' },
      ],
    ]) {
      expect(
        codeOf(() => applyTextEdits(bytes, edits)),
        JSON.stringify(edits),
      ).toBe('EDIT_INVALID');
    }
  });

  it('refuses characters that the encoding lacks, and leaves the input as it was', () => {
    const copy = gbk.slice();
    expect(codeOf(() => applyTextEdits(gbk, [{ start: 0, end: 0, text: '😀' }]))).toBe('ENCODING_UNMAPPABLE');
    expect(Buffer.from(gbk).equals(Buffer.from(copy))).toBe(true);
  });

  it('refuses an edit that would make untouched bytes read as something else', () => {
    // A lone lead byte before the end of a line: a letter put behind it would be swallowed.
    const bytes = Buffer.concat([gbk, Uint8Array.of(0xd6), Buffer.from('\r\n')]);
    const at = decodeText(bytes).text.indexOf('\uFFFD') + 1;
    expect(codeOf(() => applyTextEdits(bytes, [{ start: at, end: at, text: 'A' }]))).toBe('EDIT_INVALID');
    expect(codeOf(() => applyTextEdits(bytes, [{ start: at, end: at, text: ' ' }]))).toBeUndefined();
  });

  it('edits next to broken bytes of UTF-8 and keeps them', () => {
    const bytes = Buffer.concat([Buffer.from('超时关单的订单和退款'), Uint8Array.of(0xe8, 0xae), Buffer.from('尾')]);
    const at = decodeText(bytes).text.indexOf('\uFFFD');
    const after = applyTextEdits(bytes, [{ start: at, end: at, text: '中' }]);
    expect(Buffer.from(after).toString('hex')).toContain('e4b8ade8aee5b0be');
  });

  it('keeps another spelling of a character: two codes of Big5 stand for 兀', () => {
    const head = Buffer.from(encodeText('訂單已經取消，請確認退款金額', like('big5')));
    for (const code of [
      [0xa4, 0x61],
      [0xc9, 0x4a],
    ]) {
      const bytes = Buffer.concat([head, Uint8Array.from(code), Buffer.from(' x')]);
      const { text, encoding } = decodeText(bytes);
      expect(encoding).toBe('big5');
      const after = applyTextEdits(bytes, [{ start: text.length - 1, end: text.length, text: 'y' }]);
      expect([...after.slice(-4)]).toEqual([...code, 0x20, 0x79]);
    }
  });

  it('uses the hint that decodeText got', () => {
    const bytes = encodeText('取消', like('gbk'));
    const after = applyTextEdits(bytes, [{ start: 0, end: 0, text: '訂單' }], 'big5');
    expect(Buffer.from(after.slice(4)).equals(Buffer.from(bytes))).toBe(true);
    expect(Buffer.from(after.slice(0, 4)).equals(Buffer.from(encodeText('訂單', like('big5'))))).toBe(true);
  });

  it('tells the encoding of a file of one word, edited many times, always alike', () => {
    let bytes: Uint8Array = encodeText('订单状态：已取消\n', like('gbk'));
    const random = prng(5);
    for (let i = 0; i < 100; i++) {
      const { text, encoding } = decodeText(bytes, 'gbk');
      expect(encoding).toBe('gbk');
      const start = random.below(text.length);
      bytes = applyTextEdits(bytes, [{ start, end: start, text: random.pick(['退', '款', 'x', '\n']) }], 'gbk');
    }
    expect(decodeText(bytes, 'gbk').text.length).toBe(109);
  });
});
