import { XiheError } from '../errors.js';
import { iconv, once } from './lazy.js';
import type { Encoding } from './types.js';

/** What stands in decoded text for bytes that the encoding can't read. */
export const REPLACEMENT = '\uFFFD';

/** How many unmappable characters a message names. */
const NAMED_CHARACTERS = 10;

/**
 * Called for every unit of a file: the smallest run of bytes that decodes on its own, or a run of ASCII, where each byte is a character.
 *
 * @param text the decoded character (Big5 has a few units of two), the ASCII run, or undefined for undecodable bytes
 */
export type UnitSink = (byteStart: number, byteEnd: number, text: string | undefined) => void;

/**
 * Cuts bytes into units. Our own walk rather than a library's decoder, since edits need the bytes of each character, and
 * undecodable bytes must stay countable: one unit for each, however the library would resynchronise.
 *
 * @param from where to start (after the BOM)
 */
export function forEachUnit(bytes: Uint8Array, from: number, encoding: Encoding, sink: UnitSink): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (encoding === 'utf-8') walkUtf8(buffer, from, sink);
  else if (encoding === 'utf-16le' || encoding === 'utf-16be') walkUtf16(buffer, from, encoding === 'utf-16be', sink);
  else walkDoubleByte(buffer, from, encoding, sink);
}

/** Hands a run of ASCII to the sink; returns its end, which is `i` where there is none. */
function walkAscii(bytes: Buffer, i: number, sink: UnitSink): number {
  let end = i;
  while (end < bytes.length && bytes[end]! < 0x80) end += 1;
  if (end > i) sink(i, end, bytes.toString('latin1', i, end));
  return end;
}

/** The longest valid beginning of a broken sequence is one unit, as the WHATWG decoder does it. */
function walkUtf8(bytes: Buffer, from: number, sink: UnitSink): void {
  for (let i = walkAscii(bytes, from, sink); i < bytes.length; i = walkAscii(bytes, i, sink)) {
    const lead = bytes[i]!;
    const length =
      lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 1;
    let code = lead & (0xff >> (length + 1));
    let end = i + 1;
    while (end < i + length && end < bytes.length && isUtf8Trail(lead, end - i, bytes[end]!)) {
      code = (code << 6) | (bytes[end]! & 0x3f);
      end += 1;
    }
    const whole = length > 1 && end === i + length;
    sink(i, end, whole ? String.fromCodePoint(code) : undefined);
    i = end;
  }
}

/** RFC 3629: the second byte's range depends on the first (no overlong forms, no surrogates, nothing above U+10FFFF). */
function isUtf8Trail(lead: number, position: number, byte: number): boolean {
  if (position > 1) return byte >= 0x80 && byte <= 0xbf;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  return byte >= low && byte <= high;
}

function walkUtf16(bytes: Buffer, from: number, bigEndian: boolean, sink: UnitSink): void {
  const unitAt = (i: number) => (bigEndian ? (bytes[i]! << 8) | bytes[i + 1]! : bytes[i]! | (bytes[i + 1]! << 8));
  let i = from;
  while (i + 1 < bytes.length) {
    const unit = unitAt(i);
    const high = unit >= 0xd800 && unit <= 0xdbff;
    const next = high && i + 3 < bytes.length ? unitAt(i + 2) : 0;
    if (high && next >= 0xdc00 && next <= 0xdfff) {
      sink(i, i + 4, String.fromCharCode(unit, next));
      i += 4;
    } else {
      sink(i, i + 2, unit >= 0xd800 && unit <= 0xdfff ? undefined : String.fromCharCode(unit));
      i += 2;
    }
  }
  if (i < bytes.length) sink(i, bytes.length, undefined);
}

type DoubleByte = 'gbk' | 'gb18030' | 'big5';

function walkDoubleByte(bytes: Buffer, from: number, encoding: DoubleByte, sink: UnitSink): void {
  for (let i = walkAscii(bytes, from, sink); i < bytes.length; i = walkAscii(bytes, i, sink)) {
    const lead = bytes[i]!;
    const fourByte = encoding === 'gb18030' ? fourByteAt(bytes, i) : undefined;
    if (fourByte !== undefined) {
      sink(i, i + 4, fourByte);
      i += 4;
      continue;
    }
    const length = pairLength(bytes, i, encoding);
    sink(i, i + length, lookUp(encoding, length === 1 ? lead : (lead << 8) | bytes[i + 1]!));
    i += length;
  }
}

/** 2 where two bytes form a pair (whether or not a character is assigned to it), else 1. */
function pairLength(bytes: Uint8Array, i: number, encoding: DoubleByte): 1 | 2 {
  const lead = bytes[i]!;
  const trail = bytes[i + 1] ?? 0;
  if (lead === 0x80 || lead === 0xff) return 1;
  const inRange = encoding === 'big5' ? isBig5Trail(trail) : trail >= 0x40 && trail <= 0xfe && trail !== 0x7f;
  // An unassigned pair with an ASCII trail gives the ASCII byte back, so that a broken byte never swallows a quote or a line end.
  if (inRange && trail < 0x80 && lookUp(encoding, (lead << 8) | trail) === undefined) return 1;
  return inRange ? 2 : 1;
}

function isBig5Trail(trail: number): boolean {
  return (trail >= 0x40 && trail <= 0x7e) || (trail >= 0xa1 && trail <= 0xfe);
}

function fourByteAt(bytes: Uint8Array, i: number): string | undefined {
  const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39;
  const isLead = (byte: number | undefined) => byte !== undefined && byte >= 0x81 && byte <= 0xfe;
  if (!isLead(bytes[i]) || !isDigit(bytes[i + 1]) || !isLead(bytes[i + 2]) || !isDigit(bytes[i + 3])) return undefined;
  const text = iconv().decode(Buffer.from(bytes.subarray(i, i + 4)), 'gb18030');
  return [...text].length === 1 && text !== REPLACEMENT ? text : undefined;
}

/** Per encoding: byte or pair → character; null marks a pair known to be unassigned. Filled as files need it. */
const decodeCaches = once(() => ({
  gbk: new Array<string | null | undefined>(0x10000),
  gb18030: new Array<string | null | undefined>(0x10000),
  big5: new Array<string | null | undefined>(0x10000),
}));

function lookUp(encoding: DoubleByte, key: number): string | undefined {
  const cache = decodeCaches()[encoding];
  let found = cache[key];
  if (found === undefined) {
    found = decodeKey(encoding, key);
    cache[key] = found;
  }
  return found ?? undefined;
}

function decodeKey(encoding: DoubleByte, key: number): string | null {
  // Windows writes the euro sign as the single byte 80 in code page 936; the WHATWG standard reads and writes it so.
  if (key === 0x80) return encoding === 'gbk' ? '€' : null;
  if (key < 0x100) return null;
  const text = iconv().decode(Buffer.from([key >> 8, key & 0xff]), encoding);
  return text === '' || text.includes(REPLACEMENT) ? null : text;
}

/**
 * Encodes text.
 *
 * @throws XiheError ENCODING_UNMAPPABLE naming the characters that the encoding cannot hold; nothing is ever replaced
 */
export function encodeString(text: string, encoding: Encoding): Uint8Array {
  if (encoding === 'utf-8' || encoding === 'utf-16le' || encoding === 'utf-16be') return encodeUnicode(text, encoding);
  const out: Uint8Array[] = [];
  const unmappable = new Set<string>();
  for (const char of text) {
    const bytes = encodeChar(char, encoding);
    if (bytes === null) unmappable.add(char);
    else out.push(bytes);
  }
  if (unmappable.size > 0) throw unmappableError([...unmappable], encoding);
  return Buffer.concat(out);
}

/** With the `u` flag a surrogate matches only where it is half of no pair. */
const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

function encodeUnicode(text: string, encoding: 'utf-8' | 'utf-16le' | 'utf-16be'): Uint8Array {
  if (LONE_SURROGATE.test(text)) {
    const lone = [...text].filter((char) => LONE_SURROGATE.test(char));
    throw unmappableError(lone, encoding);
  }
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

const encodeCaches = once(() => ({
  gbk: new Map<string, Uint8Array | null>(),
  gb18030: new Map<string, Uint8Array | null>(),
  big5: new Map<string, Uint8Array | null>(),
}));

function encodeChar(char: string, encoding: DoubleByte): Uint8Array | null {
  const cache = encodeCaches()[encoding];
  let bytes = cache.get(char);
  if (bytes === undefined) {
    bytes = encodeAndProve(char, encoding);
    cache.set(char, bytes);
  }
  return bytes;
}

/** Only bytes that our own decoder reads back as the same character count, whatever the library substitutes. */
function encodeAndProve(char: string, encoding: DoubleByte): Uint8Array | null {
  if (encoding === 'gbk' && char === '€') return Uint8Array.of(0x80);
  const bytes = new Uint8Array(iconv().encode(char, encoding));
  let back = '';
  forEachUnit(bytes, 0, encoding, (_start, _end, text) => {
    back += text ?? REPLACEMENT;
  });
  return back === char ? bytes : null;
}

function unmappableError(characters: string[], encoding: Encoding): XiheError {
  const unique = [...new Set(characters)];
  const named = unique
    .slice(0, NAMED_CHARACTERS)
    .map(
      (char) =>
        `${LONE_SURROGATE.test(char) ? '' : `「${char}」`}(U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')})`,
    );
  const more = unique.length > NAMED_CHARACTERS ? ` 等 ${unique.length} 个字符` : '';
  return new XiheError(
    'ENCODING_UNMAPPABLE',
    `${encoding.toUpperCase()} 编码存不下这些字符：${named.join('、')}${more}`,
    {
      hint: '换成该编码里有的字符，或先把整个文件转成 UTF-8 再改',
      details: { encoding, characters: unique },
    },
  );
}
