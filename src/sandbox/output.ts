/**
 * Bytes that a command prints → text that people and models read.
 *
 * Two problems live here. Output arrives cut anywhere, also inside a character; and Chinese Windows tools, old build
 * scripts and legacy files print GBK, sometimes line by line beside UTF-8. So a line is the unit: the newline byte
 * occurs inside no character of either encoding, and each line is read as UTF-8 where it is valid, else as GB18030
 * (which contains GBK).
 */

/** A line longer than this is decoded before its end comes, so that memory stays bounded. Bytes. */
const MAX_PENDING_LINE = 64 * 1024;
/** How far from the cut a line end is looked for, so that the kept head and tail consist of whole lines. Bytes. */
const LINE_SEARCH = 4 * 1024;
/** The tail gets more than the head: compilers and test runners say what went wrong at the end. */
const HEAD_SHARE = 1 / 3;

const NEWLINE = 0x0a;

/** Decodes a stream of chunks; every piece of text comes out once and no character is ever cut. */
export class StreamText {
  private pending: Uint8Array = new Uint8Array(0);
  private readonly lines = new LineDecoder();

  /**
   * @param chunk the next bytes, cut anywhere
   * @returns the text that is certain by now: whole lines, and the ASCII part of a line that goes on
   */
  push(chunk: Uint8Array): string {
    const all = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    const end = all.lastIndexOf(NEWLINE) + 1;
    let text = end > 0 ? this.lines.decode(all.subarray(0, end)) : '';
    let rest = all.subarray(end);
    // A prompt or a progress bar without a line end must show at once; ASCII is the same in both encodings.
    if (isAscii(rest)) {
      text += ascii(rest);
      rest = rest.subarray(rest.length);
    } else if (rest.length > MAX_PENDING_LINE) {
      const cut = completeLength(rest);
      text += this.lines.decode(rest.subarray(0, cut));
      rest = rest.subarray(cut);
    }
    // Copied: the chunk's memory belongs to the stream.
    this.pending = Uint8Array.from(rest);
    return text;
  }

  /** The rest; a character that never got its last byte is dropped. */
  end(): string {
    const text = this.lines.decode(this.pending);
    this.pending = new Uint8Array(0);
    return text;
  }
}

/** What {@link HeadTail.finish} returns. */
export interface KeptOutput {
  text: string;
  truncated: boolean;
  totalBytes: number;
}

/** Keeps the head and the tail of a stream within a limit, whatever its length. */
export class HeadTail {
  private readonly head: Buffer[] = [];
  private readonly tail: Buffer[] = [];
  private headBytes = 0;
  private tailBytes = 0;
  private readonly headLimit: number;
  private readonly tailLimit: number;
  /** Bytes seen. */
  totalBytes = 0;

  /** @param limit bytes kept at most (the note about the gap comes on top) */
  constructor(limit: number) {
    this.headLimit = Math.floor(limit * HEAD_SHARE);
    this.tailLimit = limit - this.headLimit;
  }

  push(chunk: Uint8Array): void {
    this.totalBytes += chunk.length;
    let rest = Buffer.from(chunk);
    const room = this.headLimit - this.headBytes;
    if (room > 0) {
      this.head.push(rest.subarray(0, room));
      this.headBytes += Math.min(room, rest.length);
      rest = rest.subarray(room);
    }
    if (rest.length === 0) return;
    this.tail.push(rest);
    this.tailBytes += rest.length;
    while (this.tail.length > 1 && this.tailBytes - this.tail[0]!.length >= this.tailLimit) {
      this.tailBytes -= this.tail.shift()!.length;
    }
  }

  finish(): KeptOutput {
    const head = Buffer.concat(this.head);
    const tail = Buffer.concat(this.tail);
    const lines = new LineDecoder();
    if (this.totalBytes <= this.headLimit + this.tailLimit) {
      return { text: lines.decode(Buffer.concat([head, tail])), truncated: false, totalBytes: this.totalBytes };
    }
    const first = endOnLine(head);
    const last = startOnLine(tail.subarray(Math.max(0, tail.length - this.tailLimit)));
    const dropped = this.totalBytes - first.length - last.length;
    const top = lines.decode(first);
    const note = `……（输出太长：共 ${this.totalBytes} 字节，中间省略了 ${dropped} 字节。要看全部，把输出写进文件再分段读。）……`;
    const glue = top === '' || top.endsWith('\n') ? '' : '\n';
    return { text: `${top}${glue}${note}\n${lines.decode(last)}`, truncated: true, totalBytes: this.totalBytes };
  }
}

/** Decodes whole lines and remembers whether the stream has shown GBK before. */
class LineDecoder {
  private sawGbk = false;

  decode(bytes: Uint8Array): string {
    if (bytes.length === 0) return '';
    const whole = tryDecode('utf-8', bytes);
    if (whole !== null && !this.sawGbk) return whole;
    let text = '';
    for (let at = 0; at < bytes.length; ) {
      const next = bytes.indexOf(NEWLINE, at);
      const end = next < 0 ? bytes.length : next + 1;
      text += this.line(bytes.subarray(at, end));
      at = end;
    }
    return text;
  }

  private line(bytes: Uint8Array): string {
    const utf8 = tryDecode('utf-8', bytes);
    // A few GBK words (联通) are valid UTF-8 of two-byte letters. After GBK has been seen, such a line is GBK too:
    // Chinese in UTF-8 always takes three bytes.
    if (utf8 !== null && !(this.sawGbk && onlyTwoByteLetters(utf8))) return utf8;
    const cut = bytes.length - incompleteUtf8Tail(bytes);
    if (cut < bytes.length) {
      const trimmed = tryDecode('utf-8', bytes.subarray(0, cut));
      if (trimmed !== null && (cut === 0 || !isAscii(bytes.subarray(0, cut)))) return trimmed;
    }
    const gbk = tryDecode('gb18030', bytes) ?? tryDecode('gb18030', bytes.subarray(0, gbkCompleteLength(bytes)));
    if (gbk === null) return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    this.sawGbk = true;
    return gbk;
  }
}

function tryDecode(encoding: 'utf-8' | 'gb18030', bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function isAscii(bytes: Uint8Array): boolean {
  return bytes.every((b) => b < 0x80);
}

function ascii(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

function onlyTwoByteLetters(text: string): boolean {
  let high = false;
  for (const ch of text) {
    const code = ch.codePointAt(0)!;
    if (code >= 0x800) return false;
    if (code >= 0x80) high = true;
  }
  return high;
}

/** Bytes at the end that begin a UTF-8 character without completing it: 0 to 3. */
function incompleteUtf8Tail(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const b = bytes[bytes.length - back]!;
    if ((b & 0xc0) === 0x80) continue;
    const needs = b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : b >= 0xc0 ? 2 : 1;
    return needs > back ? back : 0;
  }
  return 0;
}

/** The length of the longest prefix that ends between two GB18030 characters. */
function gbkCompleteLength(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at]!;
    const second = bytes[at + 1];
    const size = lead < 0x81 ? 1 : second !== undefined && second >= 0x30 && second <= 0x39 ? 4 : 2;
    if (at + size > bytes.length) return at;
    at += size;
  }
  return at;
}

/** Where a long unfinished line may be cut: after the last whole character, in whichever encoding it is. */
function completeLength(bytes: Uint8Array): number {
  const utf8 = bytes.length - incompleteUtf8Tail(bytes);
  if (tryDecode('utf-8', bytes.subarray(0, utf8)) !== null) return utf8;
  return gbkCompleteLength(bytes) || bytes.length;
}

function endOnLine(head: Buffer): Buffer {
  const newline = head.lastIndexOf(NEWLINE);
  if (newline >= 0 && head.length - newline <= LINE_SEARCH) return head.subarray(0, newline + 1);
  return head.subarray(0, completeLength(head));
}

function startOnLine(tail: Buffer): Buffer {
  const newline = tail.indexOf(NEWLINE);
  if (newline >= 0 && newline < LINE_SEARCH && newline + 1 < tail.length) return tail.subarray(newline + 1);
  // Bytes below 0x30 are inside no character of UTF-8 or GB18030, so a character surely begins there.
  const sure = tail.subarray(0, LINE_SEARCH).findIndex((b) => b < 0x30);
  if (sure >= 0) return tail.subarray(sure);
  let at = 0;
  while (at < 3 && at < tail.length && (tail[at]! & 0xc0) === 0x80) at++;
  return tail.subarray(at);
}
