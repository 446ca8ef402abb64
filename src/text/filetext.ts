import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { errnoOf, XiheError } from '../errors.js';
import { encodeString, forEachUnit, REPLACEMENT } from './codecs.js';
import { type Detected, detectBom, guessEncoding } from './detect.js';
import type { Encoding, Eol, FileText, TextEdit } from './types.js';

/** Source files are small; 16 MB keeps one read below a second and 200 MB of memory, generated SQL dumps included. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024;

const ENCODINGS: readonly Encoding[] = ['utf-8', 'gbk', 'gb18030', 'big5', 'utf-16le', 'utf-16be'];

/** Marks, in a map from characters to bytes, a character that is not the first of its unit. */
const INSIDE_UNIT = 0xffffffff;

/**
 * Tells whether bytes are no text: NULs that UTF-16 does not explain, or many control characters.
 */
export function isBinary(bytes: Uint8Array): boolean {
  return detectBom(bytes) === undefined && guessEncoding(bytes) === undefined;
}

/** BOM, else a hint that reads every byte, else a guess. */
function encodingOf(bytes: Uint8Array, hint: Encoding | undefined): Detected {
  if (hint !== undefined && !ENCODINGS.includes(hint)) {
    throw new XiheError('ENCODING_UNSUPPORTED', `不支持的编码：${hint}`, {
      hint: `可用的编码：${ENCODINGS.join('、')}`,
    });
  }
  const bom = detectBom(bytes);
  if (bom === 'utf-32') {
    throw new XiheError('ENCODING_UNSUPPORTED', '文件是 UTF-32 编码，目前不支持', { hint: '先把文件转成 UTF-8' });
  }
  if (bom !== undefined) return bom;
  if (hint !== undefined && readsWhole(bytes, hint)) return { encoding: hint, bomLength: 0 };
  const encoding = guessEncoding(bytes);
  if (encoding === undefined) {
    throw new XiheError('FILE_BINARY', '这是二进制文件，不能当文本读', { hint: '换一个文本文件' });
  }
  return { encoding, bomLength: 0 };
}

function readsWhole(bytes: Uint8Array, encoding: Encoding): boolean {
  if (encoding === 'utf-8') return isUtf8(bytes) && !bytes.includes(0);
  let whole = true;
  forEachUnit(bytes, 0, encoding, (_start, _end, text) => {
    if (text === undefined || text.includes('\0')) whole = false;
  });
  return whole;
}

function decodeFrom(bytes: Uint8Array, { encoding, bomLength }: Detected): { text: string; undecodable: number } {
  if (encoding === 'utf-8' && isUtf8(bytes)) {
    return {
      text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8', bomLength),
      undecodable: 0,
    };
  }
  const parts: string[] = [];
  let undecodable = 0;
  forEachUnit(bytes, bomLength, encoding, (_start, _end, text) => {
    if (text === undefined) undecodable += 1;
    parts.push(text ?? REPLACEMENT);
  });
  return { text: parts.join(''), undecodable };
}

/** Which line ends a text has. */
export function eolOf(text: string): Eol {
  const kinds = new Set<Eol>();
  for (const [end] of text.matchAll(/\r\n|\r|\n/g)) {
    kinds.add(end === '\r\n' ? 'crlf' : end === '\n' ? 'lf' : 'cr');
    if (kinds.size > 1) return 'mixed';
  }
  return [...kinds][0] ?? 'none';
}

const EOL_TEXT = { lf: '\n', crlf: '\r\n', cr: '\r' } as const;

/** `text` with its line ends turned into the file's, when the file has a single kind. */
export function withEol(text: string, eol: Eol): string {
  return eol === 'mixed' || eol === 'none' ? text : text.replace(/\r\n|\r|\n/g, EOL_TEXT[eol]);
}

/**
 * Decodes a file's bytes.
 *
 * Bytes that the encoding can't read become one U+FFFD each spot, and `undecodable` counts them; {@link applyTextEdits} keeps them.
 *
 * @param hint the encoding to try first (a project's setting, or what the file had before an edit); a BOM is stronger
 * @throws XiheError FILE_BINARY, or ENCODING_UNSUPPORTED for UTF-32 and unknown hints
 */
export function decodeText(bytes: Uint8Array, hint?: Encoding): FileText {
  const detected = encodingOf(bytes, hint);
  const { text, undecodable } = decodeFrom(bytes, detected);
  return {
    text,
    encoding: detected.encoding,
    bom: detected.bomLength > 0,
    eol: eolOf(text),
    finalNewline: /[\r\n]$/.test(text),
    ...(undecodable > 0 ? { undecodable } : {}),
  };
}

/**
 * Encodes a whole new text the way a file was: its encoding, its BOM, and its line ends when it has a single kind.
 *
 * Use {@link applyTextEdits} to change a part of a file: only that keeps undecodable bytes.
 *
 * @throws XiheError ENCODING_UNMAPPABLE for characters that the encoding lacks, and for the U+FFFD of undecodable bytes
 */
export function encodeText(text: string, like: FileText): Uint8Array {
  if ((like.undecodable ?? 0) > 0 && text.includes(REPLACEMENT)) {
    throw new XiheError('ENCODING_UNMAPPABLE', '原文件里有读不出的字节（显示为 �），整体重写会弄丢它们', {
      hint: '只改需要改的片段，不要整体重写这个文件',
      details: { encoding: like.encoding },
    });
  }
  const body = encodeString(withEol(text, like.eol), like.encoding);
  return like.bom ? Buffer.concat([encodeString('\uFEFF', like.encoding), body]) : body;
}

/**
 * Changes parts of a file and keeps every other byte as it was: BOM, line ends, undecodable bytes, other spellings of a character.
 *
 * Inserted text takes the file's line ends when the file has a single kind.
 *
 * @param edits in any order, offsets into the text that {@link decodeText} gives; insertions at one place keep their order
 * @param hint the one that was given to decodeText
 * @throws XiheError EDIT_INVALID (out of range, overlapping, half a character, or so near broken bytes that the rest would read
 *   differently), ENCODING_UNMAPPABLE, and what decodeText throws
 */
export function applyTextEdits(bytes: Uint8Array, edits: readonly TextEdit[], hint?: Encoding): Uint8Array {
  if (edits.length === 0) return bytes.slice();
  const detected = encodingOf(bytes, hint);
  const { text } = decodeFrom(bytes, detected);
  const byteAt = mapCharacters(bytes, detected, text.length);
  const eol = eolOf(text);
  const out: Uint8Array[] = [];
  let expected = '';
  let charDone = 0;
  let byteDone = 0;
  for (const edit of inOrder(edits)) {
    checkEdit(edit, charDone, byteAt);
    const inserted = withEol(edit.text, eol);
    out.push(bytes.subarray(byteDone, byteAt[edit.start]), encodeString(inserted, detected.encoding));
    expected += text.slice(charDone, edit.start) + inserted;
    charDone = edit.end;
    byteDone = byteAt[edit.end]!;
  }
  out.push(bytes.subarray(byteDone));
  const result = Buffer.concat(out);
  proveReading(result, detected, expected + text.slice(charDone));
  return result;
}

function inOrder(edits: readonly TextEdit[]): TextEdit[] {
  return edits
    .map((edit, order) => ({ edit, order }))
    .sort((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end || a.order - b.order)
    .map(({ edit }) => edit);
}

/** Byte offset of each character, and of the end. */
function mapCharacters(bytes: Uint8Array, { encoding, bomLength }: Detected, length: number): Uint32Array {
  const map = new Uint32Array(length + 1).fill(INSIDE_UNIT);
  let char = 0;
  forEachUnit(bytes, bomLength, encoding, (start, end, text) => {
    const length = text?.length ?? 1;
    map[char] = start;
    // A run of ASCII; units of two characters (Big5, surrogate pairs) keep their second one closed.
    if (length === end - start) for (let i = 1; i < length; i++) map[char + i] = start + i;
    char += length;
  });
  map[length] = bytes.length;
  return map;
}

function checkEdit({ start, end }: TextEdit, charDone: number, byteAt: Uint32Array): void {
  const invalid = (message: string) =>
    new XiheError('EDIT_INVALID', message, { hint: '重新读取文件，按最新内容给出修改', details: { start, end } });
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 0 || end < start || end >= byteAt.length) {
    throw invalid(`修改范围 ${start}–${end} 超出文件（共 ${byteAt.length - 1} 个字符）`);
  }
  if (start < charDone) throw invalid(`修改范围 ${start}–${end} 与前一处修改重叠`);
  if (byteAt[start] === INSIDE_UNIT || byteAt[end] === INSIDE_UNIT)
    throw invalid(`修改范围 ${start}–${end} 把一个字符切成了两半`);
}

/**
 * A lone lead byte in GBK swallows the ASCII letter put behind it, and halves of a UTF-8 character join when what stood between
 * them goes: the untouched bytes would then read as something else.
 */
function proveReading(result: Uint8Array, detected: Detected, expected: string): void {
  if (decodeFrom(result, detected).text === expected) return;
  throw new XiheError('EDIT_INVALID', '修改处紧挨着读不出的字节，改完后别处的文字会变样', {
    hint: '把修改范围扩大到坏字节（显示为 �）之外，或先修好这些字节',
  });
}

/**
 * Reads and decodes a file.
 *
 * @throws XiheError PATH_NOT_FOUND, PATH_INVALID (no regular file), FILE_TOO_LARGE (over {@link MAX_TEXT_BYTES}), and what
 *   {@link decodeText} throws
 */
export function readFileText(absPath: string, hint?: Encoding): FileText {
  let bytes: Buffer;
  try {
    const stat = statSync(absPath);
    if (!stat.isFile()) throw new XiheError('PATH_INVALID', `不是文件：${absPath}`, { hint: '给出一个文件的路径' });
    if (stat.size > MAX_TEXT_BYTES) throw tooLarge(absPath, stat.size);
    bytes = readFileSync(absPath);
  } catch (e) {
    const code = errnoOf(e);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new XiheError('PATH_NOT_FOUND', `找不到文件：${absPath}`, {
        hint: '检查路径，或用 xihe find 按意思找文件',
        cause: e,
      });
    }
    throw e;
  }
  return decodeText(bytes, hint);
}

function tooLarge(absPath: string, size: number): XiheError {
  const limit = MAX_TEXT_BYTES / 1024 / 1024;
  return new XiheError(
    'FILE_TOO_LARGE',
    `文件太大（${Math.ceil(size / 1024 / 1024)} MB，上限 ${limit} MB）：${absPath}`,
    {
      hint: '这类文件通常是生成物，换一个源文件',
      details: { size, limit: MAX_TEXT_BYTES },
    },
  );
}
