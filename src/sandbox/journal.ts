import { closeSync, fsyncSync, ftruncateSync, statSync, writeSync } from 'node:fs';
import { XiheError } from '../errors.js';
import { openStateAppend, stateBytes } from '../stateFile.js';
import type { Encoding } from '../text/types.js';
import { faultPoint } from './durable.js';

/** One staged edit, as the journal keeps it. File contents lie beside it as blobs, by hash. */
export interface JournalEntry {
  /** The caller's key (a tool call's id); a second entry with it is never written. */
  key: string | null;
  path: string;
  kind: 'edit' | 'write' | 'delete';
  /** Hash of the file's bytes after the edit; null when it is deleted. */
  after: string | null;
  /** The file in the tree; only in the first entry of a path. */
  base?: { hash: string | null; mode: number | null; encoding: Encoding | null };
  /** ISO time. */
  at: string;
}

/** What {@link readJournal} found. */
export interface JournalState {
  entries: JournalEntry[];
  /** Bytes up to the end of the last whole line; what follows is a torn write and gets cut off before the next one. */
  goodBytes: number;
}

/**
 * Reads the whole lines. A line that a kill tore apart can only be the last; it counts as never written.
 *
 * @throws XiheError CHANGESET_NOT_FOUND when a line before the last can't be read (a damaged disk, an editor)
 */
export function readJournal(file: string): JournalState {
  const bytes = readIfThere(file);
  const entries: JournalEntry[] = [];
  let goodBytes = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, goodBytes)) {
    const line = bytes.subarray(goodBytes, end).toString('utf8');
    const entry = parseLine(line);
    if (entry === null) {
      if (bytes.indexOf(0x0a, end + 1) < 0) break;
      throw new XiheError('CHANGESET_NOT_FOUND', `变更集的记录坏了：${file}`, {
        hint: '丢弃这个变更集，重新运行任务；工作区里的文件没有变过。',
        details: { file, byte: goodBytes },
      });
    }
    entries.push(entry);
    goodBytes = end + 1;
  }
  return { entries, goodBytes };
}

/** Appends one line and syncs it; returns only when a power cut could not undo it. */
export function appendJournal(file: string, entry: JournalEntry, goodBytes: number): number {
  const line = Buffer.from(`${JSON.stringify(entry)}\n`);
  const fd = openStateAppend(file);
  try {
    if (journalBytes(file) > goodBytes) ftruncateSync(fd, goodBytes);
    // Two writes, so that a kill between them leaves the torn line that tests look at.
    const half = Math.floor(line.length / 2);
    writeAll(fd, line.subarray(0, half));
    faultPoint('stage:torn-line');
    writeAll(fd, line.subarray(half));
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return goodBytes + line.length;
}

/** Size of the journal, 0 when there is none yet. */
export function journalBytes(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

function readIfThere(file: string): Buffer {
  return journalBytes(file) === 0 ? Buffer.alloc(0) : stateBytes(file);
}

function parseLine(line: string): JournalEntry | null {
  try {
    const entry = JSON.parse(line) as JournalEntry;
    return typeof entry.path === 'string' && (entry.after === null || typeof entry.after === 'string') ? entry : null;
  } catch {
    return null;
  }
}
