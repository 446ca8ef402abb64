import { isUtf8 } from 'node:buffer';
import { forEachUnit } from './codecs.js';
import { FREQUENT_SIMPLIFIED, FREQUENT_TRADITIONAL } from './frequent.js';
import { once } from './lazy.js';
import type { Encoding } from './types.js';

/** Statistics look at this much of a file: enough for any code page to show, and 10 ms at worst. */
const SAMPLE_BYTES = 64 * 1024;

/** Text has next to no control characters; compressed data has about 11 % (29 of 256 values). */
const MAX_CONTROL_SHARE = 0.03;

/** Below this mean score (see {@link plausibility}) text in a legacy code page is taken for something else. */
const MIN_PLAUSIBILITY = 0.3;

/** A file with this many good UTF-8 sequences for each broken one is UTF-8 with damage, not another encoding. */
const UTF8_GOOD_PER_BROKEN = 4;

export interface Detected {
  encoding: Encoding;
  bomLength: 0 | 2 | 3;
}

/** What the bytes at the start say: a BOM decides. */
export function detectBom(bytes: Uint8Array): Detected | 'utf-32' | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', bomLength: 3 };
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return 'utf-32';
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'utf-32';
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', bomLength: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', bomLength: 2 };
  return undefined;
}

/**
 * Guesses the encoding of text without a BOM. Valid UTF-8 wins (other encodings hardly ever form it by chance); UTF-16 shows by
 * its NULs; GBK against Big5 is a matter of which reading has the more frequent characters. A short legacy text can be
 * misread, so callers that know better pass a hint to decodeText.
 *
 * @returns undefined for binary content
 */
export function guessEncoding(bytes: Uint8Array): Encoding | undefined {
  if (bytes.includes(0)) return guessUtf16(bytes);
  if (controlShare(bytes) > MAX_CONTROL_SHARE) return undefined;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (isUtf8(bytes) ? !mixesScripts(bytes) : isDamagedUtf8(sample)) return 'utf-8';
  const gbk = plausibility(sample, 'gb18030');
  const big5 = plausibility(sample, 'big5');
  if (Math.max(gbk, big5) < MIN_PLAUSIBILITY) return 'utf-8';
  if (big5 > gbk) return 'big5';
  return hasFourByteUnits(bytes) ? 'gb18030' : 'gbk';
}

/** Line ends, tab, form feed and escape (ANSI colours in logs) are text. */
function controlShare(bytes: Uint8Array): number {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let controls = 0;
  for (const byte of sample) {
    if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09 && byte !== 0x0c && byte !== 0x1b) controls += 1;
  }
  return sample.length === 0 ? 0 : controls / sample.length;
}

const PLAUSIBLE = /^[\t\n\r\x20-\x7e\u00a0-\u024f\u2010-\u2fdf\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]+$/;

/**
 * UTF-16 without BOM: the byte order in which nearly all units are plausible characters. NULs stand in the high half of ASCII, but also
 * in the low half of some Chinese (一 is 4E 00), so their place alone decides nothing.
 */
function guessUtf16(bytes: Uint8Array): Encoding | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  const little = oddUnits(bytes, 'utf-16le');
  const big = oddUnits(bytes, 'utf-16be');
  if (Math.min(little, big) > MAX_CONTROL_SHARE) return undefined;
  return little <= big ? 'utf-16le' : 'utf-16be';
}

/** Share of units that are no plausible character of Chinese or Latin text. */
function oddUnits(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): number {
  let units = 0;
  let odd = 0;
  forEachUnit(bytes.subarray(0, SAMPLE_BYTES), 0, encoding, (_start, _end, text) => {
    units += 1;
    if (text === undefined || !PLAUSIBLE.test(text)) odd += 1;
  });
  return odd / units;
}

const SCRIPTS = [
  /[\u0180-\u036f]/,
  /[\u0370-\u03ff]/,
  /[\u0400-\u052f]/,
  /[\u0530-\u058f]/,
  /[\u0590-\u05ff]/,
  /[\u0600-\u07ff]/,
];

/**
 * Some GBK words are valid UTF-8 by chance (展示图片, the well-known 联通): they read as a jumble of Greek, Armenian and Arabic
 * letters, all in two bytes. Nobody writes such text, but it takes a file whose only Chinese is a word or two to show it.
 */
function mixesScripts(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SAMPLE_BYTES)).toString('utf8');
  if (!/[\u0180-\u07ff]/.test(text) || /[\u0800-\uffff]/.test(text)) return false;
  return SCRIPTS.filter((script) => script.test(text)).length > 1;
}

function isDamagedUtf8(sample: Uint8Array): boolean {
  let good = 0;
  let broken = 0;
  forEachUnit(sample, 0, 'utf-8', (_start, _end, text) => {
    if (text === undefined) broken += 1;
    else if (text.charCodeAt(0) >= 0x80) good += 1;
  });
  return good >= broken * UTF8_GOOD_PER_BROKEN;
}

const frequentCharacters = once(() => new Set(FREQUENT_SIMPLIFIED + FREQUENT_TRADITIONAL));

/**
 * Mean score of the non-ASCII units of a text read in `encoding`: 1 for a frequent character or Chinese punctuation, 0.3 for a character
 * of the encoding's first level (the few thousand that writers use), −0.5 for rarer ones, −1 for bytes it cannot read.
 */
function plausibility(sample: Uint8Array, encoding: 'gb18030' | 'big5'): number {
  const frequent = frequentCharacters();
  let units = 0;
  let score = 0;
  forEachUnit(sample, 0, encoding, (start, end, text) => {
    // A character cut by the sample's end tells nothing.
    if (sample[start]! < 0x80 || (text === undefined && end === sample.length)) return;
    units += 1;
    if (text === undefined) score -= 1;
    else if (frequent.has(text) || /[，。、；：？！（）《》“”‘’—…·「」『』【】]/.test(text)) score += 1;
    else score += isFirstLevel(sample[start]!, sample[start + 1]!, encoding) ? 0.3 : -0.5;
  });
  return units === 0 ? 0 : score / units;
}

/** GB 2312 level 1 is rows B0–D7 with a trail from A1, Big5 level 1 is rows A4–C6; box drawing is GB 2312's row A9 and Big5's F9. */
function isFirstLevel(lead: number, trail: number, encoding: 'gb18030' | 'big5'): boolean {
  if (encoding === 'big5') return (lead >= 0xa4 && lead <= 0xc6) || lead === 0xf9;
  return ((lead >= 0xb0 && lead <= 0xd7) || lead === 0xa9) && trail >= 0xa1;
}

function hasFourByteUnits(bytes: Uint8Array): boolean {
  let found = false;
  forEachUnit(bytes, 0, 'gb18030', (start, end, text) => {
    found ||= end - start === 4 && text !== undefined && text.charCodeAt(0) >= 0x80;
  });
  return found;
}
