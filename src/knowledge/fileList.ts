import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { errnoOf } from '../errors.js';
import { LEADS_OUT, leadsOut } from '../inside.js';

/** What lies below a folder. Paths are relative and POSIX, sorted. */
export interface FileList {
  files: string[];
  /** Names that look like entries and can't be read, with the reason in Chinese. Folders end in `/`. */
  unreadable: { path: string; reason: string }[];
}

/** Names that are looked at. No team has so many files of knowledge; a link to a whole disk has more. */
const NAMES_MAX = 100_000;

const TOO_MANY = '文件超过 10 万个，其余没有看；检查有没有链接指到了别处';

/** A name with such a character can't be shown on one line, and a terminal may obey it. */
const UNSHOWABLE = /[\p{Cc}\u2028\u2029]/u;

/**
 * Lists the files below `dir` by extension; hidden ones are left out. Follows links, but enters no folder twice, so that
 * a loop of links ends, and below a project's `.xihe/` none that leads out of the project. A folder that is not there has no files. Never throws.
 *
 * @param extensions with the dot, lower case
 */
export function listFiles(dir: string, extensions: readonly string[], recursive: boolean): FileList {
  const list: FileList = { files: [], unreadable: [] };
  const root = projectAround(dir);
  const isOut = (path: string) => root !== undefined && isLink(path) && leadsOut(root, path);
  if (root !== undefined && leadsOut(root, dir)) return { files: [], unreadable: [{ path: '', reason: LEADS_OUT }] };
  const entered = new Set<string>();
  let looked = 0;
  const walk = (at: string, prefix: string): void => {
    let names: string[];
    try {
      const real = realpathSync(at);
      if (entered.has(real)) return;
      entered.add(real);
      names = readdirSync(at).sort();
    } catch (e) {
      if (errnoOf(e) !== 'ENOENT' && errnoOf(e) !== 'ENOTDIR') list.unreadable.push({ path: prefix, reason: why(e) });
      return;
    }
    for (const name of names) {
      if (name.startsWith('.')) continue;
      if (++looked > NAMES_MAX) {
        if (looked === NAMES_MAX + 1) list.unreadable.push({ path: prefix, reason: TOO_MANY });
        return;
      }
      const path = prefix + name;
      const wanted = extensions.includes(extname(name).toLowerCase());
      const found = look(join(at, name));
      if (found === undefined) continue;
      const isFolder = typeof found !== 'string' && found.isDirectory();
      if (isFolder ? !recursive : !wanted) continue;
      if (UNSHOWABLE.test(name)) list.unreadable.push({ path, reason: '名字里有换行或控制字符，改名后才会加载' });
      else if (isOut(join(at, name))) list.unreadable.push({ path: isFolder ? `${path}/` : path, reason: LEADS_OUT });
      else if (typeof found === 'string') list.unreadable.push({ path, reason: found });
      else if (isFolder) walk(join(at, name), `${path}/`);
      // A pipe or a device never ends.
      else if (!found.isFile()) list.unreadable.push({ path, reason: '读不了：不是普通文件' });
      else list.files.push(path);
    }
  };
  walk(dir, '');
  return list;
}

/** The project whose layer a folder lies in. */
function projectAround(dir: string): string | undefined {
  const parts = dir.split(sep);
  const at = parts.lastIndexOf('.xihe');
  return at < 1 ? undefined : parts.slice(0, at).join(sep) || sep;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** What a path is, or in Chinese why that can't be told; undefined when it went away since its folder was read. */
function look(path: string): Stats | string | undefined {
  try {
    return statSync(path);
  } catch (e) {
    if (errnoOf(e) !== 'ENOENT') return why(e);
    return lstatSync(path, { throwIfNoEntry: false }) && '读不了：链接指向的文件不存在';
  }
}

const REASONS: Record<string, string> = { EACCES: '没有读权限', EPERM: '没有读权限', ELOOP: '链接绕成了圈' };

/** Why something can't be read, in Chinese. */
export function why(e: unknown): string {
  const code = errnoOf(e) ?? '未知原因';
  return `读不了：${REASONS[code] ?? code}`;
}
