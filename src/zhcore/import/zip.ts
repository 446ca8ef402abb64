import { inflateRawSync } from 'node:zlib';
import { errnoOf, XiheError } from '../../errors.js';

/** A workbook beyond this size is a database dump; 32 MB of XLSX hold about a million rows. */
export const MAX_ARCHIVE_BYTES = 32 * 1024 * 1024;
/** What all entries that are read may hold together: stops zip bombs, which unpack to a thousand times their size. */
export const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;
/** A workbook has a few dozen parts; a directory of millions would only cost memory. */
const MAX_ENTRIES = 10_000;

const END_SIGNATURE = 0x06054b50;
const END64_SIGNATURE = 0x06064b50;
const END64_LOCATOR = 0x07064b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
/** The end record is 22 bytes, followed by a comment of at most 65,535. */
const END_BYTES = 22;
const END_SEARCH = END_BYTES + 65_535;
const FULL_32 = 0xffffffff;

interface Entry {
  method: number;
  encrypted: boolean;
  packed: number;
  localOffset: number;
}

/**
 * Reads single files out of a ZIP archive by its central directory (APPNOTE 6.3: stored and deflated entries, ZIP64 sizes).
 * Node's own zlib inflates, and stops at the limit before memory is taken.
 */
export class ZipArchive {
  private readonly entries = new Map<string, Entry>();
  private unpacked = 0;

  /** @throws XiheError ENTRY_INVALID when the bytes are no whole ZIP archive, FILE_TOO_LARGE over {@link MAX_ARCHIVE_BYTES} */
  constructor(private readonly bytes: Buffer) {
    if (bytes.length > MAX_ARCHIVE_BYTES) throw tooLarge(bytes.length);
    try {
      this.readDirectory();
    } catch (e) {
      throw e instanceof RangeError ? damaged('目录读不出') : e;
    }
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  /**
   * One entry, inflated; undefined when there is none of that name.
   *
   * @throws XiheError ENTRY_INVALID (damaged, encrypted), FILE_TOO_LARGE past {@link MAX_UNPACKED_BYTES} in all
   */
  read(name: string): Buffer | undefined {
    const entry = this.entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.encrypted) throw damaged('文件加了密码', '去掉密码另存一份再导入。');
    const { bytes } = this;
    const at = entry.localOffset;
    if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== LOCAL_SIGNATURE) throw damaged(`${name} 找不到`);
    const from = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    const data = bytes.subarray(from, from + entry.packed);
    if (data.length < entry.packed) throw damaged(`${name} 不完整`);
    const content = this.inflate(name, entry.method, data);
    this.unpacked += content.length;
    if (this.unpacked > MAX_UNPACKED_BYTES) throw bomb();
    return content;
  }

  private inflate(name: string, method: number, data: Buffer): Buffer {
    if (method === 0) return data;
    if (method !== 8) throw damaged(`${name} 用了不支持的压缩方式`);
    try {
      return inflateRawSync(data, { maxOutputLength: Math.max(1, MAX_UNPACKED_BYTES - this.unpacked) });
    } catch (e) {
      if (errnoOf(e) === 'ERR_BUFFER_TOO_LARGE') throw bomb();
      throw damaged(`${name} 解压失败`);
    }
  }

  private readDirectory(): void {
    const { bytes } = this;
    const end = this.endOffset();
    let count = bytes.readUInt16LE(end + 10);
    let at = bytes.readUInt32LE(end + 16);
    if ((at === FULL_32 || count === 0xffff) && end >= 20 && bytes.readUInt32LE(end - 20) === END64_LOCATOR) {
      const end64 = Number(bytes.readBigUInt64LE(end - 20 + 8));
      if (bytes.readUInt32LE(end64) !== END64_SIGNATURE) throw damaged('目录读不出');
      count = Number(bytes.readBigUInt64LE(end64 + 32));
      at = Number(bytes.readBigUInt64LE(end64 + 48));
    }
    if (count > MAX_ENTRIES) throw damaged('里面的文件太多');
    for (let i = 0; i < count; i++) {
      if (bytes.readUInt32LE(at) !== ENTRY_SIGNATURE) throw damaged('目录读不出');
      const nameLength = bytes.readUInt16LE(at + 28);
      const extraLength = bytes.readUInt16LE(at + 30);
      const name = bytes.toString('utf8', at + 46, at + 46 + nameLength).replaceAll('\\', '/');
      const extra = bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
      this.entries.set(name.replace(/^\/+/, ''), readEntry(bytes, at, extra));
      at += 46 + nameLength + extraLength + bytes.readUInt16LE(at + 32);
    }
  }

  private endOffset(): number {
    const { bytes } = this;
    const stop = Math.max(0, bytes.length - END_SEARCH);
    for (let i = bytes.length - END_BYTES; i >= stop; i--) if (bytes.readUInt32LE(i) === END_SIGNATURE) return i;
    throw damaged('不是完整的压缩包');
  }
}

function readEntry(bytes: Buffer, at: number, extra: Buffer): Entry {
  const wide = wideSizes(extra);
  const unpacked = bytes.readUInt32LE(at + 24);
  let packed = bytes.readUInt32LE(at + 20);
  let localOffset = bytes.readUInt32LE(at + 42);
  // The ZIP64 field holds only those of the values that did not fit, in this order.
  if (unpacked === FULL_32) wide.shift();
  if (packed === FULL_32) packed = wide.shift() ?? packed;
  if (localOffset === FULL_32) localOffset = wide.shift() ?? localOffset;
  const encrypted = (bytes.readUInt16LE(at + 8) & 1) === 1;
  return { method: bytes.readUInt16LE(at + 10), encrypted, packed, localOffset };
}

/** The numbers of the ZIP64 extra field (id 1). */
function wideSizes(extra: Buffer): number[] {
  for (let i = 0; i + 4 <= extra.length; i += 4 + extra.readUInt16LE(i + 2)) {
    if (extra.readUInt16LE(i) !== 1) continue;
    const field = extra.subarray(i + 4, i + 4 + extra.readUInt16LE(i + 2));
    return Array.from({ length: Math.floor(field.length / 8) }, (_, n) => Number(field.readBigUInt64LE(n * 8)));
  }
  return [];
}

function damaged(what: string, hint = '用 Excel 或 WPS 打开，另存为 .xlsx 或 UTF-8 的 .csv 再导入。'): XiheError {
  return new XiheError('ENTRY_INVALID', `读不了这个 xlsx 文件：${what}`, { hint });
}

function tooLarge(size: number): XiheError {
  const megabytes = Math.ceil(size / 1024 / 1024);
  return new XiheError('FILE_TOO_LARGE', `文件有 ${megabytes} MB，上限 ${MAX_ARCHIVE_BYTES / 1024 / 1024} MB`, {
    hint: '只留下术语那几张表，另存一份再导入。',
  });
}

function bomb(): XiheError {
  return new XiheError('FILE_TOO_LARGE', `解开后超过 ${MAX_UNPACKED_BYTES / 1024 / 1024} MB，没有继续读`, {
    hint: '只留下术语那几张表，另存一份再导入；来路不明的文件不要导入。',
  });
}
