import { statSync } from 'node:fs';
import { join } from 'node:path';
import { XiheError } from '../errors.js';
import { plainLine, readFileText, stableHash } from '../text/index.js';
import { listFiles, why } from './fileList.js';
import type { LastGood } from './lastGood.js';
import { loadedBefore, rememberLoaded } from './shipped.js';
import type { LoadProblem } from './types.js';

/** Files beyond this size are no knowledge but dumps; reading them would stall every start. */
export const MAX_FILE_BYTES = 5_000_000;

/** An entry of a file, or the reason why it is none. `key` is its id, if that much could be read. */
export type ParsedEntry<T> = { key: string; value: T } | { key?: string; failed: true };

/** What a parser makes of one file. */
export interface ParsedFile<T> {
  entries: ParsedEntry<T>[];
  /** `harmless` ones only warn; of the others some entry, or with `broken` the whole file, is not in force. */
  problems: { line: number; reason: string; code: LoadProblem['code']; harmless?: boolean; key?: string }[];
  /** The file as a whole can't be read. */
  broken?: boolean;
}

/** One file as it is in force. */
export interface LoadedFile<T> {
  /** Relative to the folder, POSIX. */
  path: string;
  /** Content hash of the text that was read last, good or not. */
  hash: string;
  /** Tells a file that did not change without reading it; undefined while it may still change unseen. */
  stamp?: string | undefined;
  entries: { key: string; value: T }[];
  problems: LoadProblem[];
}

/** All files of one kind below one folder. */
export type LoadedFiles<T> = ReadonlyMap<string, LoadedFile<T>>;

/** How to load one kind of file. */
export interface FileKind<T> {
  /** Absolute folder; it need not exist. */
  dir: string;
  /** What people read before a file's path, e.g. `.xihe/knowledge/`. */
  shownAs: string;
  /** With the dot: `.yaml`. */
  extensions: readonly string[];
  /** Names of files that are for people only. */
  ignore?: (path: string) => boolean;
  recursive: boolean;
  /** Must not throw. */
  parse(text: string, path: string): ParsedFile<T>;
  /** Remembers the last good version of each file between processes; without it only the running one does. */
  lastGood?: LastGood | undefined;
  /** The folder ships with Xihe: what an earlier project or the build made of its files serves as `previous`. */
  ships?: boolean;
}

/**
 * A file that changed less than this before it was read may change again without a new time stamp (coarse clocks of file systems),
 * in milliseconds; 2 s is FAT's, the coarsest.
 */
const RACY_MS = 2000;

/**
 * Reads every file of a kind. Never throws: what can't be read is a problem, and everything else stays in force.
 *
 * @param previous the outcome of the last call; a file that did not change is not parsed again, and of a file or entry that
 *   is broken now the last good version stays in force
 */
export function loadFiles<T>(
  kind: FileKind<T>,
  previous: LoadedFiles<T> | undefined = kind.ships ? loadedBefore<T>(kind.dir) : undefined,
): LoadedFiles<T> {
  const files = new Map<string, LoadedFile<T>>();
  const listed = listFiles(kind.dir, kind.extensions, kind.recursive);
  for (const { path, reason } of listed.unreadable) {
    if (kind.ignore?.(path)) continue;
    for (const kept of keptBelow(path, previous)) files.set(kept.path, kept);
    const broken = { entries: [], problems: [{ line: 1, reason, code: 'READ' as const }], broken: true };
    files.set(path, settle(kind, path, '', broken, previous?.get(path)));
  }
  for (const path of listed.files) {
    if (!kind.ignore?.(path)) files.set(path, loadFile(kind, path, previous?.get(path)));
  }
  // What lies in a folder that can't be read now was not deleted.
  const closed = listed.unreadable.some(({ path }) => path === '' || path.endsWith('/'));
  if (!closed) kind.lastGood?.forgetOthers(files.keys());
  if (kind.ships) rememberLoaded(kind.dir, files);
  return listed.unreadable.length === 0 ? files : new Map([...files].sort(([a], [b]) => byFolder(a, b)));
}

/** The order in which folders are walked: what can't be read must not change what comes first. */
function byFolder(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  const at = left.findIndex((name, i) => name !== right[i]);
  return (left[at] ?? '') < (right[at] ?? '') ? -1 : 1;
}

/** What was loaded from a folder (`path` ends in `/`, or is empty for all of them) that can't be read now: it stays in force. */
function keptBelow<T>(path: string, previous: LoadedFiles<T> | undefined): LoadedFile<T>[] {
  if (path !== '' && !path.endsWith('/')) return [];
  return [...(previous?.values() ?? [])].filter((file) => file.path.startsWith(path) && file.path !== path);
}

/** All problems of some files, in order. */
export function problemsOf(files: LoadedFiles<unknown>): LoadProblem[] {
  return [...files.values()].flatMap((file) => file.problems);
}

function loadFile<T>(kind: FileKind<T>, path: string, previous: LoadedFile<T> | undefined): LoadedFile<T> {
  const abs = join(kind.dir, path);
  let text: string;
  let stamp: string | undefined;
  try {
    const { size, mtimeMs, ctimeMs, ino } = statSync(abs);
    stamp = Date.now() - Math.max(mtimeMs, ctimeMs) > RACY_MS ? `${size} ${mtimeMs} ${ctimeMs} ${ino}` : undefined;
    if (stamp !== undefined && previous?.stamp === stamp) return previous;
    if (size > MAX_FILE_BYTES) throw tooLarge(size);
    const file = readFileText(abs);
    text = file.bom ? `\uFEFF${file.text}` : file.text;
  } catch (e) {
    const broken = { entries: [], problems: [{ line: 1, reason: unreadable(e), code: 'READ' as const }], broken: true };
    return settle(kind, path, '', broken, previous ?? remembered(kind, path));
  }
  const hash = stableHash(text);
  if (previous?.hash === hash) return { ...previous, stamp };
  const parsed = parseText(kind, text, path);
  const sound = parsed.problems.every((problem) => problem.harmless === true);
  if (sound) kind.lastGood?.keep(path, text);
  return { ...settle(kind, path, hash, parsed, previous ?? (sound ? undefined : remembered(kind, path))), stamp };
}

function parseText<T>(kind: FileKind<T>, text: string, path: string): ParsedFile<T> {
  const bom = text.startsWith('\uFEFF');
  const parsed = kind.parse(bom ? text.slice(1) : text, path);
  if (bom) {
    const reason = '文件开头有字节顺序标记（BOM），已略过；请另存为不带 BOM 的 UTF-8';
    parsed.problems.push({ line: 1, reason, code: 'READ', harmless: true });
  }
  return parsed;
}

/** The last good version of a file that another process saw. */
function remembered<T>(kind: FileKind<T>, path: string): LoadedFile<T> | undefined {
  const text = kind.lastGood?.recall(path);
  if (text === undefined) return undefined;
  return settle(kind, path, stableHash(text), parseText(kind, text, path), undefined);
}

/** Merges what was parsed with what was in force before. */
function settle<T>(
  kind: FileKind<T>,
  path: string,
  hash: string,
  parsed: ParsedFile<T>,
  previous: LoadedFile<T> | undefined,
): LoadedFile<T> {
  const old = new Map(previous?.entries.map((entry) => [entry.key, entry]));
  const kept = new Set<string>();
  const entries: LoadedFile<T>['entries'] = [];
  for (const entry of parsed.entries) {
    if (!('failed' in entry)) entries.push(entry);
    else if (entry.key !== undefined && old.has(entry.key)) {
      kept.add(entry.key);
      entries.push(old.get(entry.key) as { key: string; value: T });
    }
  }
  const wholeFileKept = parsed.broken === true && old.size > 0;
  const problems = parsed.problems.map(({ line, reason, code, harmless, key }): LoadProblem => {
    const keptLastGood = wholeFileKept || (key !== undefined && kept.has(key));
    const note = keptLastGood && !harmless ? '（上一个可用的版本继续生效）' : '';
    return {
      file: plainLine(kind.shownAs + path),
      line,
      reason: reason + note,
      code,
      keptLastGood,
      level: harmless ? 'warning' : 'error',
    };
  });
  return { path, hash, entries: wholeFileKept ? [...old.values()] : entries, problems };
}

function tooLarge(size: number): XiheError {
  const megabytes = (size / 1e6).toFixed(1);
  return new XiheError('FILE_TOO_LARGE', `文件有 ${megabytes} MB，超过 ${MAX_FILE_BYTES / 1e6} MB`, {
    hint: '拆成几个小文件。',
  });
}

function unreadable(e: unknown): string {
  if (XiheError.is(e)) return `读不了：${e.message}`;
  return why(e);
}
