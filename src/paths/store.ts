import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageVersion } from '../assets.js';
import type { FileDetail, IndexedFile, TermCounts } from './types.js';
import { Vocabulary } from './vocabulary.js';

/** Raised when the format, or what an outline means, changes; older caches are then ignored. */
const STORE_VERSION = 1;
const STORE_FILE = 'paths-index.bin';
const MAGIC = 0x58484958;
/** Magic, JSON bytes, words, i18n words, detail bytes: five numbers of 32 bits. */
const HEADER_BYTES = 20;

/** Everything about a file but its words and detail, in the order that the JSON keeps it. */
type Row = [
  path: string,
  mtimeMs: number,
  ctimeMs: number,
  size: number,
  checkedAt: number,
  hash: string,
  language: IndexedFile['language'],
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
    return decode(readFileSync(join(stateDir, STORE_FILE)));
  } catch {
    return undefined;
  }
}

function decode(buffer: Buffer): StoredIndex | undefined {
  const [magic, jsonBytes, words, i18n, detailBytes] = [0, 4, 8, 12, 16].map((at) => buffer.readUInt32LE(at)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const sections = sectionsOf(jsonBytes, words, i18n);
  if (magic !== MAGIC || buffer.length !== sections.details + detailBytes) return undefined;
  const head = JSON.parse(buffer.toString('utf8', HEADER_BYTES, HEADER_BYTES + jsonBytes)) as Head;
  if (head.version !== versionStamp()) return undefined;
  // Typed arrays need an aligned start, which a pooled Buffer does not promise.
  const aligned = buffer.byteOffset % 4 === 0 ? buffer : Buffer.from(new Uint8Array(buffer));
  const tokens = new Uint32Array(aligned.buffer, aligned.byteOffset + sections.tokens, words + i18n);
  const counts = new Uint16Array(aligned.buffer, aligned.byteOffset + sections.counts, words + i18n);
  const cursor = { words: 0, i18n: words, detail: sections.details };
  const take = (key: 'words' | 'i18n', n: number): TermCounts => {
    const from = cursor[key];
    cursor[key] += n;
    return { tokens: tokens.subarray(from, from + n), counts: counts.subarray(from, from + n) };
  };
  const files = head.rows.map((row) => {
    const from = cursor.detail;
    cursor.detail += row[13];
    return fileOf(
      row,
      take('words', row[11]),
      take('i18n', row[12]),
      () => JSON.parse(aligned.toString('utf8', from, from + row[13])) as FileDetail,
    );
  });
  return {
    files,
    vocabulary: new Vocabulary(head.vocabulary === '' ? [] : head.vocabulary.split('\n')),
    localeStamp: head.localeStamp,
    commonKeys: head.commonKeys,
  };
}

function fileOf(row: Row, words: TermCounts, i18n: TermCounts, detail: () => FileDetail): IndexedFile {
  const [path, mtimeMs, ctimeMs, size, checkedAt, hash, language, lines, summary, imports, knownKeys] = row;
  return {
    path,
    mtimeMs,
    ctimeMs,
    size,
    checkedAt,
    hash,
    language,
    lines,
    summary,
    imports,
    words,
    i18n,
    detail,
    ...(knownKeys ? { knownKeys } : {}),
  };
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
  const file = join(stateDir, STORE_FILE);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(stateDir, { recursive: true });
    writeFileSync(temporary, encode(index));
    renameSync(temporary, file);
    return true;
  } catch {
    removeQuietly(temporary);
    return false;
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Not writable: nothing of ours is there.
  }
}

function encode(index: StoredIndex): Buffer {
  const details = index.files.map((file) => Buffer.from(JSON.stringify(file.detail())));
  const { vocabulary, renumber } = compacted(index);
  const rows = index.files.map((file, i): Row => {
    const { path, mtimeMs, ctimeMs, size, checkedAt, hash, language, lines, summary, imports, knownKeys, words, i18n } =
      file;
    return [
      path,
      mtimeMs,
      ctimeMs,
      size,
      checkedAt,
      hash,
      language,
      lines,
      summary,
      imports,
      knownKeys ?? null,
      words.tokens.length,
      i18n.tokens.length,
      details[i]!.length,
    ];
  });
  const head: Head = {
    version: versionStamp(),
    localeStamp: index.localeStamp,
    commonKeys: index.commonKeys,
    vocabulary: vocabulary.join('\n'),
    rows,
  };
  const json = Buffer.from(JSON.stringify(head));
  const words = rows.reduce((sum, row) => sum + row[11], 0);
  const i18n = rows.reduce((sum, row) => sum + row[12], 0);
  const detailBytes = details.reduce((sum, detail) => sum + detail.length, 0);
  const sections = sectionsOf(json.length, words, i18n);
  const buffer = Buffer.from(new ArrayBuffer(sections.details + detailBytes));
  for (const [i, value] of [MAGIC, json.length, words, i18n, detailBytes].entries()) buffer.writeUInt32LE(value, 4 * i);
  json.copy(buffer, HEADER_BYTES);
  const tokens = new Uint32Array(buffer.buffer, sections.tokens, words + i18n);
  const counts = new Uint16Array(buffer.buffer, sections.counts, words + i18n);
  let at = 0;
  for (const part of ['words', 'i18n'] as const) {
    for (const file of index.files) {
      counts.set(file[part].counts, at);
      for (const token of file[part].tokens) tokens[at++] = renumber[token]!;
    }
  }
  let to = sections.details;
  for (const detail of details) to += detail.copy(buffer, to);
  return buffer;
}

/** Leaves out the tokens that no file has any more and numbers the others anew. */
function compacted({ files, vocabulary }: StoredIndex): { vocabulary: string[]; renumber: Uint32Array } {
  const renumber = new Uint32Array(vocabulary.size);
  const kept: string[] = [];
  for (const file of files) {
    for (const part of [file.words, file.i18n]) {
      // 0 means "not seen yet"; numbers are kept one higher until the end.
      for (const token of part.tokens) if (renumber[token] === 0) renumber[token] = kept.push(vocabulary.token(token));
    }
  }
  return { vocabulary: kept, renumber: renumber.map((number) => number - 1) };
}
