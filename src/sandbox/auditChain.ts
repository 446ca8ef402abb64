import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { openStateFile, readStateFile } from '../stateFile.js';
import { hashOf } from './durable.js';
import type { AuditEntry } from './types.js';

/** A line of the chain: its number, the hash of the line before, and its own. */
export interface Link {
  /** Counted from 1 over all files. */
  seq: number;
  /** Hash of the line before; of the first line of a chain, of the raw line that stood there, or ''. */
  prev: string;
  hash: string;
  /** SHA-256 of the half line that a killed process left just before this one. */
  torn?: string;
  /** The note of the chain's end was gone when this line was written: what stood at the end may be missing. */
  headless?: boolean;
}

/** An entry as its line holds it. */
export type ChainedEntry = AuditEntry & Link;

/**
 * The note beside the log of how far it reaches. Without it, lines that somebody cuts off at the end would leave no trace.
 */
export interface Head {
  seq: number;
  hash: string;
  /** The first line that is kept, once old logs were removed. */
  begin?: { seq: number; prev: string };
}

/** Own hash, at the end of a line. */
const OWN_HASH = /,"hash":"([0-9a-f]{64})"\}$/;

/** An entry as a line of the chain, without its line feed. `hash` covers every byte before it. */
export function chainedLine(entry: object, link: Omit<Link, 'hash'>): { line: string; hash: string } {
  const body = JSON.stringify({ ...entry, ...link });
  const hash = hashOf(body);
  return { line: `${body.slice(0, -1)},"hash":"${hash}"}`, hash };
}

/** What a raw line is: a link whose hash is right or wrong, an entry from before there was a chain, or no entry at all. */
export type ReadLine =
  | { kind: 'link'; entry: ChainedEntry }
  | { kind: 'changed' }
  | { kind: 'plain'; entry: AuditEntry }
  | { kind: 'broken' };

/**
 * A raw line: each byte one character. Reading bytes as UTF-8 would make different lines alike, and a cut may go through a Chinese
 * character.
 */
export type Raw = string;

/** The raw lines of a file's bytes, and whether the last one has its line feed. */
export function rawLines(bytes: Buffer): { lines: Raw[]; ended: boolean } {
  const text = bytes.toString('latin1');
  const ended = text === '' || text.endsWith('\n');
  return { lines: text === '' ? [] : (ended ? text.slice(0, -1) : text).split('\n'), ended };
}

/** Hash of a raw line, as `prev` of a first link and `torn` name it. */
export function rawHash(raw: Raw): string {
  return hashOf(Buffer.from(raw, 'latin1'));
}

/** Reads one raw line. */
export function readLine(raw: Raw): ReadLine {
  let entry: unknown;
  try {
    entry = JSON.parse(Buffer.from(raw, 'latin1').toString('utf8'));
  } catch {
    return { kind: 'broken' };
  }
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return { kind: 'broken' };
  const { seq, prev, hash } = entry as Partial<Link>;
  if (seq === undefined && prev === undefined && hash === undefined)
    return { kind: 'plain', entry: entry as AuditEntry };
  const own = OWN_HASH.exec(raw);
  const isWhole = own !== null && rawHash(`${raw.slice(0, own.index)}}`) === own[1];
  if (!isWhole || !Number.isInteger(seq) || typeof prev !== 'string') return { kind: 'changed' };
  return { kind: 'link', entry: entry as ChainedEntry };
}

const HEAD = 'head.json';

/** Where the note of the chain's end lies. */
export function headFile(dir: string): string {
  return join(dir, HEAD);
}

/** The note of the chain's end; undefined when there is none, or none that can be read. */
export function readHead(dir: string): Head | undefined {
  try {
    const head = JSON.parse(readStateFile(headFile(dir))?.toString('utf8') ?? 'null') as Partial<Head> | null;
    return Number.isInteger(head?.seq) && typeof head?.hash === 'string' ? (head as Head) : undefined;
  } catch {
    return undefined;
  }
}

/** The end of a log file. */
export interface Tail {
  /** The last whole line of the chain in it. */
  link?: ChainedEntry;
  /** The last raw line, whatever it is; undefined in an empty file. */
  last?: Raw;
  /** Its last byte is a line feed, or it is empty. */
  ended: boolean;
}

/** Read first; a line has some hundred bytes, rarely some ten thousand. */
const TAIL_BYTES = 64 * 1024;

/** How a log file ends: from its last bytes, or from all of it when they hold no whole line of the chain. */
export function tailOf(file: string): Tail {
  const fd = openStateFile(file);
  if (fd === undefined) return { ended: true };
  try {
    const { size } = fstatSync(fd);
    const near = bytesFrom(fd, Math.max(0, size - TAIL_BYTES), size);
    const { lines, ended } = rawLines(near);
    const found = lastLink(size > TAIL_BYTES ? lines.slice(1) : lines);
    const link = found ?? (size > TAIL_BYTES ? lastLink(rawLines(bytesFrom(fd, 0, size)).lines) : undefined);
    const last = lines.at(-1);
    return { ended, ...(link ? { link } : {}), ...(last === undefined ? {} : { last }) };
  } finally {
    closeSync(fd);
  }
}

function lastLink(lines: readonly Raw[]): ChainedEntry | undefined {
  for (let i = lines.length - 1; i >= 0; i--) {
    const read = readLine(lines[i]!);
    if (read.kind === 'link') return read.entry;
  }
  return undefined;
}

function bytesFrom(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from);
  let read = 0;
  while (read < bytes.length) {
    const n = readSync(fd, bytes, read, bytes.length - read, from + read);
    if (n === 0) break;
    read += n;
  }
  return bytes.subarray(0, read);
}
