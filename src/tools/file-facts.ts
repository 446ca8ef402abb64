import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { plainLine } from '../text/index.js';

/** Entries of a folder that are counted; more is said as "at least". A question must not wait for a walk through a whole disk. */
const ENTRIES_MAX = 5_000;
/** Paths of one command that are looked at. */
const PATHS_MAX = 8;
/** Largest program whose content is fingerprinted, in bytes. */
const PROGRAM_MAX = 4 * 1024 * 1024;

/** Bytes as people read them. */
export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} 字节`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1024;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** A moment on this machine's clock, to the minute. */
export function clockOf(time: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** What a content is known by: its first characters are enough to tell two versions apart. */
export function fingerprintOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}

/** Size and age of what a path names: `3.2 KB，2026-11-05 12:03 改过`; undefined when nothing is there. Never throws. */
export function factsOf(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const age = `${clockOf(found.mtime)} 改过`;
    if (found.isSymbolicLink()) return `链接，指向 ${plainLine(readlinkSync(path))}`;
    if (!found.isDirectory()) return `${sizeOf(found.size)}，${age}`;
    const { files, bytes, whole } = folderOf(path);
    return `目录，${whole ? '' : '至少 '}${files} 个文件，共 ${sizeOf(bytes)}，${age}`;
  } catch {
    return '看不了：没有权限';
  }
}

function folderOf(dir: string): { files: number; bytes: number; whole: boolean } {
  const open = [dir];
  let [files, bytes, seen] = [0, 0, 0];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const name of namesIn(at)) {
      seen += 1;
      if (seen > ENTRIES_MAX) return { files, bytes, whole: false };
      const found = statOf(join(at, name));
      if (found === undefined) continue;
      if (found.isDirectory()) open.push(join(at, name));
      else [files, bytes] = [files + 1, bytes + found.size];
    }
  }
  return { files, bytes, whole: true };
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A line for each argument of a command that names something that is there. */
export function argumentFacts(root: string, args: readonly string[]): string[] {
  const words = args.map((arg) => /^-[-\w]*=(.+)$/s.exec(arg)?.[1] ?? arg);
  const paths = [...new Set(words)].filter((word) => word !== '' && !word.startsWith('-') && !word.includes('\0'));
  const found = paths.flatMap((path) => {
    const facts = factsOf(isAbsolute(path) ? path : join(root, path));
    return facts === undefined ? [] : [`${plainLine(path)}：${facts}`];
  });
  return found.slice(0, PATHS_MAX);
}

/** What a program that is a file of the project is: another content behind the same name is another program. */
export function programOf(root: string, program: string): string | undefined {
  if (isAbsolute(program) || !/[/\\]/.test(program)) return undefined;
  const path = join(root, program);
  const found = statOf(path);
  if (found === undefined || !found.isFile() || found.size > PROGRAM_MAX) return undefined;
  try {
    return `${plainLine(program)}：${sizeOf(found.size)}，指纹 ${fingerprintOf(readFileSync(path))}`;
  } catch {
    return undefined;
  }
}

/** A command as one line in which it shows where each argument begins and ends. */
export function shownCommand(argv: readonly string[]): string {
  return argv
    .map((word) => (/^[^\s'"$`\\|&;<>()*?!#~]+$/.test(word) ? plainLine(word) : JSON.stringify(word)))
    .join(' ');
}
