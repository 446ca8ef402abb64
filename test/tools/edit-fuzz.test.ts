import { describe, expect, it } from 'vitest';
import { applyTextEdits, decodeText, type Encoding, encodeText, type FileText } from '../../src/text/index.js';
import { findEdits } from '../../src/tools/builtin/search-replace.js';
import { type Prng, prng } from '../text/prng.js';

/** Edits that are tried in all. */
const EDITS = 10_000;
const ENCODINGS: Encoding[] = ['utf-8', 'gbk', 'gb18030', 'big5', 'utf-16le', 'utf-16be'];
const ENDS = [['\n'], ['\r\n'], ['\r'], ['\n', '\r\n', '\r']];
const SIMPLIFIED = [
  '订单已取消，请确认退款金额。',
  '库存不足（稍后再试）；',
  'return amount;',
  '"状态"：已关闭',
  '  if (paid) {',
];
const TRADITIONAL = [
  '訂單已取消，請確認退款金額。',
  '庫存不足（稍後再試）；',
  'return amount;',
  '「狀態」：已關閉',
  '  if (paid) {',
];
const BLANKS = ['', '', '', ' ', '  ', '\t'];

interface Line {
  text: string;
  end: string;
}

const like = (encoding: Encoding, bom: boolean): FileText => ({
  text: '',
  encoding,
  bom,
  eol: 'mixed',
  finalNewline: false,
});
const joined = (lines: readonly Line[]) => lines.map(({ text, end }) => text + end).join('');

/** Lines that each stand once: their number is in them. */
function makeLines(random: Prng, encoding: Encoding, ends: string[]): Line[] {
  const words = encoding === 'big5' ? TRADITIONAL : SIMPLIFIED;
  const lines = Array.from({ length: 5 + random.below(20) }, (_, i) => ({
    text: `${random.pick(words)} #${i}#${random.pick(BLANKS)}`,
    end: random.pick(ends),
  }));
  if (random.below(3) === 0) lines.at(-1)!.end = '';
  return lines;
}

/** What models do to a text that they copy: other line ends, trailing blanks gone, punctuation in the other width. */
function copied(random: Prng, lines: readonly Line[]): string {
  const [keepEnds, keepBlanks, keepWidth] = [random.below(2), random.below(2), random.below(2)].map((n) => n === 0);
  const narrow = (s: string) =>
    keepWidth ? s : s.replaceAll('，', ',').replaceAll('（', '(').replaceAll('）', ')').replaceAll('；', ';');
  return lines
    .map(({ text, end }, i) => {
      const last = i === lines.length - 1;
      return narrow(keepBlanks ? text : text.trimEnd()) + (last ? '' : keepEnds ? end : '\n');
    })
    .join('');
}

const bytesOf = (text: string, encoding: Encoding) => Buffer.from(encodeText(text, like(encoding, false)));

describe(`${EDITS.toLocaleString('en')} edits as models write them`, () => {
  const rounds = Math.ceil(EDITS / ENCODINGS.length);

  it.each(ENCODINGS)('change no byte outside of the lines that they name: %s', (encoding) => {
    const random = prng(20_261_201 + ENCODINGS.indexOf(encoding));
    for (let round = 0; round < rounds; round++) {
      const lines = makeLines(random, encoding, random.pick(ENDS));
      const bom = encoding.startsWith('utf-16') || (encoding === 'utf-8' && round % 3 === 0);
      // A head that leaves no doubt about the encoding; GB18030 shows by a character of four bytes.
      const head = [
        {
          text: `${encoding === 'gb18030' ? '㐀' : ''}${(encoding === 'big5' ? TRADITIONAL : SIMPLIFIED)[0]}`,
          end: lines[0]!.end || '\n',
        },
      ];
      const whole = [...head, ...lines];
      const bytes = Buffer.from(encodeText(joined(whole), like(encoding, bom)));
      const before = decodeText(bytes);
      expect(before.encoding).toBe(encoding);

      const from = head.length + random.below(lines.length);
      const to = Math.min(whole.length, from + 1 + random.below(4));
      const search = copied(random, whole.slice(from, to));
      const asked = search.split(/\r\n|\r|\n/);
      const at = random.below(asked.length);
      const replacement = [...asked];
      const kind = random.below(4);
      if (kind === 0) replacement[at] = `改 ${asked[at]!.trim()} 好了`;
      else if (kind === 1) replacement.splice(at, 0, '新的一行');
      else if (kind === 2 && asked.length > 1) replacement.splice(at, 1);
      else replacement[at] = asked[at]!.replace('#', '@');
      const replace = replacement.join('\n');

      const { edits } = findEdits('a.txt', before.text, [{ search, replace }]);
      const after = Buffer.from(applyTextEdits(bytes, edits, encoding));

      const bomBytes = bom ? bytes.subarray(0, encoding === 'utf-8' ? 3 : 2) : Buffer.alloc(0);
      const headBytes = Buffer.concat([bomBytes, bytesOf(joined(whole.slice(0, from)), encoding)]);
      const tailBytes = bytesOf(whole[to - 1]!.end + joined(whole.slice(to)), encoding);
      const seen = `round ${round}: ${JSON.stringify({ search, replace, before: before.text })}`;
      expect(after.subarray(0, headBytes.length).equals(headBytes), seen).toBe(true);
      expect(after.subarray(after.length - tailBytes.length).equals(tailBytes), seen).toBe(true);
      // In between stands what was asked for, in the width and with the blanks of the file where a line did not change.
      const middle = decodeText(after, encoding).text.slice(
        joined(whole.slice(0, from)).length,
        decodeText(after, encoding).text.length - (whole[to - 1]!.end + joined(whole.slice(to))).length,
      );
      const got = middle.split(/\r\n|\r|\n/);
      expect(got.map(plain), seen).toEqual(replacement.map(plain));
      for (const [i, line] of got.entries()) {
        const own = whole.slice(from, to).find(({ text }) => plain(text) === plain(line));
        if (own && asked.includes(replacement[i]!) && to - from > 1)
          expect(line.trimEnd(), seen).toBe(own.text.trimEnd());
      }
      // An edit of single-kind line ends leaves no other kind behind.
      if (before.eol !== 'mixed' && before.eol !== 'none')
        expect(decodeText(after, encoding).eol, seen).toBe(before.eol);
    }
  });
});

/** A line without what may differ: blanks at its end, width of punctuation. */
function plain(line: string): string {
  return line.replace(/[，（）；]/g, (c) => ({ '，': ',', '（': '(', '）': ')', '；': ';' })[c]!).trimEnd();
}
