import { closeSync, fstatSync, mkdirSync, readdirSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, messageOf } from '../errors.js';
import { openStateAppend, openStateFile } from '../stateFile.js';
import { type Found, scanRecords } from './cacheRecord.js';

/** Bytes that are read and checked at once. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** The cap is spread over this many files, because what is pruned is whole files. */
const SEGMENTS = 16;
const MIN_SEGMENT_BYTES = 64 * 1024;
const NAME = /^(\d{6})\.vec$/;

interface Segment {
  number: number;
  fd: number;
  /** Bytes that are done with; a later reading goes on here. */
  read: number;
}

/**
 * A folder of append-only files that several processes write to and read from without locks.
 *
 * Each append is one write at the end of the newest file (O_APPEND), so records of different processes stand one behind the
 * other. A process that dies in a write leaves a torn record, which reading passes over. What is pruned are the oldest files.
 */
export class Segments {
  private readonly segments = new Map<number, Segment>();
  private writer: { number: number; fd: number } | undefined;
  private readonly segmentBytes: number;
  /** Why nothing can be written, in plain words; undefined as long as all is well. */
  problem: string | undefined;

  constructor(
    private readonly dir: string,
    private readonly maxBytes: number,
    private readonly recordSize: number,
  ) {
    this.segmentBytes = Math.max(MIN_SEGMENT_BYTES, Math.floor(maxBytes / SEGMENTS));
    try {
      mkdirSync(dir, { recursive: true });
    } catch (e) {
      this.problem = messageOf(e);
    }
  }

  /** Reads what is new since the last call, of this and other processes. */
  refresh(each: (segment: number, found: Found) => void): void {
    for (const number of this.numbers()) {
      const segment = this.segments.get(number) ?? this.openSegment(number);
      if (segment !== undefined) this.readOn(segment, each);
    }
  }

  /** The bytes of one record, or undefined when they are gone. */
  read(number: number, offset: number): Buffer | undefined {
    const segment = this.segments.get(number);
    if (segment === undefined) return undefined;
    const out = Buffer.allocUnsafe(this.recordSize);
    try {
      return readSync(segment.fd, out, 0, out.length, offset) === out.length ? out : undefined;
    } catch {
      return undefined;
    }
  }

  /** Appends whole records. A disk that is full or read-only costs the cache, never the vectors. */
  append(records: Buffer): void {
    if (this.problem !== undefined || records.length === 0) return;
    try {
      const fd = this.writable();
      // A write that was cut short (full disk) leaves a torn record; going on behind it would split one.
      if (writeSync(fd, records) !== records.length) this.problem = 'ENOSPC';
    } catch (e) {
      this.problem = errnoOf(e) ?? messageOf(e);
    }
  }

  /** The files of the older half, once the folder is half full: what is still used there is worth copying to the front. */
  aging(): ReadonlySet<number> {
    const numbers = this.numbers();
    const full = numbers.length * this.segmentBytes > this.maxBytes / 2;
    return new Set(full ? numbers.slice(0, Math.floor(numbers.length / 2)) : []);
  }

  close(): void {
    for (const { fd } of this.segments.values()) closeSync(fd);
    this.segments.clear();
    if (this.writer !== undefined) closeSync(this.writer.fd);
    this.writer = undefined;
    this.problem ??= 'closed';
  }

  private numbers(): number[] {
    try {
      return readdirSync(this.dir)
        .map((name) => Number(NAME.exec(name)?.[1] ?? -1))
        .filter((n) => n >= 0)
        .sort((a, b) => a - b);
    } catch {
      return [];
    }
  }

  private pathOf(number: number): string {
    return join(this.dir, `${String(number).padStart(6, '0')}.vec`);
  }

  private openSegment(number: number): Segment | undefined {
    // Pruned by another process in between, or no file.
    const fd = openStateFile(this.pathOf(number));
    if (fd === undefined) return undefined;
    const segment = { number, fd, read: 0 };
    this.segments.set(number, segment);
    return segment;
  }

  private readOn(segment: Segment, each: (segment: number, found: Found) => void): void {
    const size = fstatSync(segment.fd).size;
    while (segment.read < size) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - segment.read));
      const got = readSync(segment.fd, piece, 0, piece.length, segment.read);
      const { found, done } = scanRecords(piece.subarray(0, got), this.recordSize);
      for (const f of found) each(segment.number, { key: f.key, offset: segment.read + f.offset });
      segment.read += done;
      if (done === 0) return;
    }
  }

  /** The newest file, or a new one when that is full. Two processes may start the same one: both append to it. */
  private writable(): number {
    if (this.writer !== undefined && fstatSync(this.writer.fd).size < this.segmentBytes) return this.writer.fd;
    let number = this.numbers().at(-1) ?? 1;
    let fd: number;
    try {
      fd = openStateAppend(this.pathOf(number));
    } catch (e) {
      // A folder that is not empty has the name: on beside it.
      if (errnoOf(e) !== 'ENOTEMPTY') throw e;
      fd = openStateAppend(this.pathOf(++number));
    }
    if (fstatSync(fd).size >= this.segmentBytes) {
      closeSync(fd);
      fd = openStateAppend(this.pathOf(++number));
      this.prune();
    }
    if (this.writer !== undefined) closeSync(this.writer.fd);
    this.writer = { number, fd };
    return fd;
  }

  private prune(): void {
    const numbers = this.numbers();
    while (numbers.length * this.segmentBytes > this.maxBytes && numbers.length > 1) {
      const oldest = numbers.shift()!;
      const segment = this.segments.get(oldest);
      if (segment !== undefined) closeSync(segment.fd);
      this.segments.delete(oldest);
      try {
        unlinkSync(this.pathOf(oldest));
      } catch {
        // Another process was faster.
      }
    }
  }
}
