import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { packageVersion } from '../assets.js';
import { stateBytes, writeAtomic } from '../stateFile.js';
import type { FileDetail, IndexedFile, TermCounts } from './types.js';
import { Vocabulary } from './vocabulary.js';

/** Raised when the format, or what an outline means, changes; older caches are then ignored. */
const STORE_VERSION = 5;
const STORE_FILE = 'paths-index.bin';
const MAGIC = 0x58484958;
/** Numbers of 32 bits at the front of the file. */
const HEADER = ['magic', 'checksum', 'JSON bytes', 'words', 'i18n words', 'detail bytes'] as const;
const HEADER_BYTES = 4 * HEADER.length;
/** The checksum covers everything behind itself. */
const CHECKED_FROM = 8;

/** Everything about a file but its words and detail, in the order that the JSON keeps it. */
type Row = [
  path: string,
  mtimeMs: number,
  ctimeMs: number,
  size: number,
  checkedAt: number,
  hash: string,
  language: IndexedFile['language'],
  role: IndexedFile['role'],
  lines: number,
  summary: string,
  imports: IndexedFile['imports'],
  knownKeys: string[] | null,
  words: number,
  i18n: number,
  detailBytes: number,
];

interface Head {
  version: string;
  localeStamp: string;
  commonKeys: string[];
  vocabulary: string;
  rows: Row[];
}

export interface StoredIndex {
  files: IndexedFile[];
  vocabulary: Vocabulary;
  localeStamp: string;
  /** Keys of interface texts that too many files use. */
  commonKeys: string[];
}

function versionStamp(): string {
  return `${STORE_VERSION}:${packageVersion()}`;
}

/**
 * Reads the index of an earlier run. Words come as views on the one buffer and details as text that is parsed when asked
 * for, so that 3,000 files load in some 50 ms.
 *
 * @returns undefined when there is none, or none that fits (broken, another version of Xihe)
 */
export function readStore(stateDir: string): StoredIndex | undefined {
  try {
    return decodeIndex(stateBytes(join(stateDir, STORE_FILE)));
  } catch {
    return undefined;
  }
}

/** What {@link encodeIndex} made; undefined for anything else. */
export function decodeIndex(file: Buffer): StoredIndex | undefined {
  // Typed arrays need an aligned start, which a pooled Buffer does not promise.
  const buffer = file.byteOffset % 4 === 0 ? file : Buffer.from(new Uint8Array(file));
  const header = HEADER.map((_, i) => buffer.readUInt32LE(4 * i));
  const [magic, checksum, jsonBytes, words, i18n, detailBytes] = header as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const sections = sectionsOf(jsonBytes, words, i18n);
  if (magic !== MAGIC || buffer.length !== sections.details + detailBytes) return undefined;
  if (crc32(buffer.subarray(CHECKED_FROM)) !== checksum) return undefined;
  const head = JSON.parse(buffer.toString('utf8', HEADER_BYTES, HEADER_BYTES + jsonBytes)) as Head;
  if (head.version !== versionStamp()) return undefined;
  return {
    files: filesOf(buffer, sections, head.rows, words),
    vocabulary: new Vocabulary(head.vocabulary === '' ? [] : head.vocabulary.split('\n')),
    localeStamp: head.localeStamp,
    commonKeys: head.commonKeys,
  };
}

/** Files whose words are views on the buffer and whose details stay text until they are asked for. */
function filesOf(buffer: Buffer, sections: Sections, rows: readonly Row[], firstI18n: number): IndexedFile[] {
  const total = (sections.counts - sections.tokens) / 4;
  const tokens = new Uint32Array(buffer.buffer, buffer.byteOffset + sections.tokens, total);
  const counts = new Uint16Array(buffer.buffer, buffer.byteOffset + sections.counts, total);
  const cursor = { words: 0, i18n: firstI18n, detail: sections.details };
  const take = (key: 'words' | 'i18n', n: number): TermCounts => {
    const from = cursor[key];
    cursor[key] += n;
    return { tokens: tokens.subarray(from, from + n), counts: counts.subarray(from, from + n) };
  };
  return rows.map((row) => {
    const [
      path,
      mtimeMs,
      ctimeMs,
      size,
      checkedAt,
      hash,
      language,
      role,
      lines,
      summary,
      imports,
      knownKeys,
      words,
      i18n,
      bytes,
    ] = row;
    const rawDetail = buffer.subarray(cursor.detail, cursor.detail + bytes);
    cursor.detail += bytes;
    const seen = { path, mtimeMs, ctimeMs, size, checkedAt, hash, language, role, lines, summary, imports };
    return {
      ...seen,
      ...(knownKeys ? { knownKeys } : {}),
      words: take('words', words),
      i18n: take('i18n', i18n),
      rawDetail,
      detail: parsedLater(rawDetail),
    };
  });
}

/** A detail that is parsed when it is asked for, and again once nobody holds it any more. */
export function parsedLater(raw: Buffer): () => FileDetail {
  let kept: WeakRef<FileDetail> | undefined;
  return () => {
    let detail = kept?.deref();
    if (detail === undefined) {
      detail = JSON.parse(raw.toString('utf8')) as FileDetail;
      kept = new WeakRef(detail);
    }
    return detail;
  };
}

/** Where each part of the file begins, in bytes. */
interface Sections {
  tokens: number;
  counts: number;
  details: number;
}

function sectionsOf(
  jsonBytes: number,
  words: number,
  i18n: number,
): { tokens: number; counts: number; details: number } {
  const tokens = Math.ceil((HEADER_BYTES + jsonBytes) / 4) * 4;
  const counts = tokens + 4 * (words + i18n);
  return { tokens, counts, details: counts + 2 * (words + i18n) };
}

/**
 * Writes the index in one step, so that another process never reads half of it. A state folder that can't be written only
 * costs the next start its time.
 *
 * @returns whether it was written
 */
export function writeStore(stateDir: string, index: StoredIndex): boolean {
  return writeAtomic(join(stateDir, STORE_FILE), [encodeIndex(index)]);
}

/** An index as bytes: words by number, the numbers anew without those that no file has. */
export function encodeIndex(index: StoredIndex): Buffer {
  const details = index.files.map((file) => file.rawDetail ?? Buffer.from(JSON.stringify(file.detail())));
  const { vocabulary, renumber } = compacted(index);
  const head: Head = {
    version: versionStamp(),
    localeStamp: index.localeStamp,
    commonKeys: index.commonKeys,
    vocabulary: vocabulary.join('\n'),
    rows: index.files.map((file, i) => rowOf(file, details[i]!.length)),
  };
  const json = Buffer.from(JSON.stringify(head));
  const words = sumOf(index.files.map((file) => file.words.tokens.length));
  const i18n = sumOf(index.files.map((file) => file.i18n.tokens.length));
  const detailBytes = sumOf(details.map((detail) => detail.length));
  const sections = sectionsOf(json.length, words, i18n);
  const buffer = Buffer.from(new ArrayBuffer(sections.details + detailBytes));
  for (const [i, value] of [MAGIC, 0, json.length, words, i18n, detailBytes].entries())
    buffer.writeUInt32LE(value, 4 * i);
  json.copy(buffer, HEADER_BYTES);
  putWords(buffer, sections, index.files, renumber);
  let to = sections.details;
  for (const detail of details) {
    buffer.set(detail, to);
    to += detail.length;
  }
  buffer.writeUInt32LE(crc32(buffer.subarray(CHECKED_FROM)), 4);
  return buffer;
}

function rowOf(file: IndexedFile, detailBytes: number): Row {
  const { path, mtimeMs, ctimeMs, size, checkedAt, hash, language, role, lines, summary, imports, words, i18n } = file;
  const numbers = [words.tokens.length, i18n.tokens.length, detailBytes] as const;
  const known = file.knownKeys ?? null;
  return [path, mtimeMs, ctimeMs, size, checkedAt, hash, language, role, lines, summary, imports, known, ...numbers];
}

function putWords(buffer: Buffer, sections: Sections, files: readonly IndexedFile[], renumber: Uint32Array): void {
  const total = (sections.counts - sections.tokens) / 4;
  const tokens = new Uint32Array(buffer.buffer, sections.tokens, total);
  const counts = new Uint16Array(buffer.buffer, sections.counts, total);
  let at = 0;
  for (const part of ['words', 'i18n'] as const) {
    for (const file of files) {
      counts.set(file[part].counts, at);
      for (const token of file[part].tokens) tokens[at++] = renumber[token]!;
    }
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, n) => sum + n, 0);
}

/** Leaves out the tokens that no file has any more, sorts the others and numbers them anew. */
function compacted({ files, vocabulary }: StoredIndex): { vocabulary: string[]; renumber: Uint32Array } {
  const used = new Uint8Array(vocabulary.size);
  for (const file of files) {
    for (const token of file.words.tokens) used[token] = 1;
    for (const token of file.i18n.tokens) used[token] = 1;
  }
  const kept: [token: string, was: number][] = [];
  for (const [was, flag] of used.entries()) if (flag === 1) kept.push([vocabulary.token(was), was]);
  kept.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const renumber = new Uint32Array(vocabulary.size);
  for (const [now, [, was]] of kept.entries()) renumber[was] = now;
  return { vocabulary: kept.map(([token]) => token), renumber };
}
