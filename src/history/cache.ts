import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { packageVersion } from '../assets.js';
import { stateBytes, writeAtomic } from '../stateFile.js';
import { soundVocabulary, Vocabulary } from '../text/index.js';
import { CommitTable, type Lists, type TableColumns, TEXTS_OF_COMMIT } from './table.js';

/** Raised when the format of the file, or how words are cut, changes; an older file is then read as if it were not there. */
const CACHE_VERSION = 2;
const CACHE_FILE = 'history.bin';
const MAGIC = 0x58484849;
/** Magic, checksum of everything behind it, bytes of the JSON head: 32 bits each. */
const FIRST_BYTES = 12;
const CHECKED_FROM = 8;
/** Every array begins at a multiple of this, so that it is read where it lies. */
const ALIGN = 8;

/** What may be handed to git as a commit. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The arrays of a table in the order of the file. */
const KINDS = {
  times: Float64Array,
  textStarts: Uint32Array,
  fileStarts: Uint32Array,
  files: Uint32Array,
  moves: Uint32Array,
  lengths: Uint32Array,
  vocabularyStarts: Uint32Array,
  vocabularySlots: Uint32Array,
  wordStarts: Uint32Array,
  words: Uint32Array,
  counts: Uint16Array,
  vocabularyUnits: Uint16Array,
  texts: Uint8Array,
} as const;
type Columns = Pick<TableColumns, 'times' | 'textStarts' | 'texts' | 'moves' | 'lengths'> &
  Record<'fileStarts' | 'files' | 'wordStarts' | 'words' | 'vocabularyStarts' | 'vocabularySlots', Uint32Array> &
  Record<'counts' | 'vocabularyUnits', Uint16Array>;

/** Commits as they were read at `head`, and what the reading depended on. */
export interface HistoryCache {
  /** Everything but HEAD that changes what is read: prefix, cap, how shallow. */
  key: string;
  head: string;
  table: CommitTable;
}

interface Head {
  stamp: string;
  key: string;
  head: string;
  paths: string[];
  /** Elements of each array. */
  sizes: number[];
}

/** Words are cut by code, so that another version of Xihe may cut them otherwise. */
function stamp(): string {
  return `${CACHE_VERSION}:${packageVersion()}`;
}

/** @returns undefined when there is no usable cache (missing, broken, of another version, for other settings) */
export function readCache(stateDir: string, key: string): HistoryCache | undefined {
  try {
    return decode(stateBytes(join(stateDir, CACHE_FILE)), key);
  } catch {
    return undefined;
  }
}

/** Writes in one step, so that a second process never reads half a file. A state folder that can't be written costs only time. */
export function writeCache(stateDir: string, cache: HistoryCache): void {
  writeAtomic(join(stateDir, CACHE_FILE), encode(cache));
}

function encode({ key, head, table: { columns } }: HistoryCache): Uint8Array[] {
  const { times, textStarts, texts, files, moves, lengths, words, vocabulary, paths } = columns;
  const { units, starts, slots } = vocabulary.arrays();
  const byName: Columns = {
    ...{ times, textStarts, texts, moves, lengths },
    ...{ fileStarts: files.starts, files: files.items },
    ...{ wordStarts: words.starts, words: words.items, counts: words.values },
    ...{ vocabularyStarts: starts, vocabularySlots: slots, vocabularyUnits: units },
  };
  const arrays = Object.keys(KINDS).map((name) => byName[name as keyof Columns]);
  const json: Head = { stamp: stamp(), key, head, paths: [...paths], sizes: arrays.map(({ length }) => length) };
  const text = Buffer.from(JSON.stringify(json));
  const first = Buffer.alloc(FIRST_BYTES);
  first.writeUInt32LE(MAGIC, 0);
  first.writeUInt32LE(text.length, CHECKED_FROM);
  const pieces: Uint8Array[] = [first, text, padding(FIRST_BYTES + text.length)];
  for (const { buffer, byteOffset, byteLength } of arrays)
    pieces.push(new Uint8Array(buffer, byteOffset, byteLength), padding(byteLength));
  let sum = crc32(first.subarray(CHECKED_FROM));
  // Of no bytes zlib may give 0, whatever was before.
  for (const piece of pieces.slice(1)) if (piece.length > 0) sum = crc32(piece, sum);
  first.writeUInt32LE(sum, 4);
  return pieces;
}

/** @throws whatever a broken file makes throw */
function decode(file: Buffer, key: string): HistoryCache | undefined {
  // Small files lie anywhere in Node's pool.
  const buffer = file.byteOffset % ALIGN === 0 ? file : Buffer.from(new Uint8Array(file).buffer);
  if (buffer.readUInt32LE(0) !== MAGIC || crc32(buffer.subarray(CHECKED_FROM)) !== buffer.readUInt32LE(4))
    return undefined;
  let at = FIRST_BYTES + buffer.readUInt32LE(CHECKED_FROM);
  const json = JSON.parse(buffer.toString('utf8', FIRST_BYTES, at)) as Head;
  if (json.stamp !== stamp() || json.key !== key || !COMMIT.test(json.head)) return undefined;
  at += padding(at).length;
  const entries = Object.entries(KINDS).map(([name, Kind], i): [string, Column] => {
    const array = new Kind(buffer.buffer as ArrayBuffer, buffer.byteOffset + at, json.sizes[i]!);
    at += array.byteLength + padding(array.byteLength).length;
    return [name, array];
  });
  const columns = columnsOf(Object.fromEntries(entries) as unknown as Columns, json.paths);
  return columns && { key, head: json.head, table: new CommitTable(columns) };
}

/** @returns undefined where a number leads out of its array: a checksum says that bytes are whole, not who wrote them */
function columnsOf(arrays: Columns, paths: string[]): TableColumns | undefined {
  const { times, textStarts, texts, moves, lengths } = arrays;
  const size = times.length;
  const vocabulary = {
    units: arrays.vocabularyUnits,
    starts: arrays.vocabularyStarts,
    slots: arrays.vocabularySlots,
  };
  const files = { starts: arrays.fileStarts, items: arrays.files };
  const words = { starts: arrays.wordStarts, items: arrays.words, values: arrays.counts };
  const sound =
    soundVocabulary(vocabulary) &&
    areLists(files, size, paths.length) &&
    areLists(words, vocabulary.starts.length - 1, size) &&
    areLists({ starts: textStarts, items: new Uint32Array(0) }, TEXTS_OF_COMMIT * size, 0, texts.length) &&
    lengths.length === 3 * size &&
    moves.length % 3 === 0 &&
    moves.every((number, i) => number < (i % 3 === 0 ? size : paths.length)) &&
    paths.every((path) => typeof path === 'string') &&
    words.values.length === words.items.length;
  if (!sound) return undefined;
  return { times, textStarts, texts, files, moves, lengths, words, paths, vocabulary: new Vocabulary(vocabulary) };
}

/** @param count how many lists @param limit above all items @param total where the last list ends */
function areLists({ starts, items }: Lists, count: number, limit: number, total = items.length): boolean {
  if (starts.length !== count + 1 || starts[0] !== 0 || starts[count] !== total) return false;
  for (let i = 0; i < count; i++) if (starts[i]! > starts[i + 1]!) return false;
  for (let i = 0; i < items.length; i++) if (items[i]! >= limit) return false;
  return true;
}

function padding(length: number): Uint8Array {
  return new Uint8Array((ALIGN - (length % ALIGN)) % ALIGN);
}
