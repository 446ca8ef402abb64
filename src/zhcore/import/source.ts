import { lstatSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, extname, join, relative, resolve, sep } from 'node:path';
import { errnoOf, QUOTED_PATH_CHARS, quoted, XiheError } from '../../errors.js';
import { holdsPrivateKey, holdsSecretValues, isKeyFileName, readFileText, secretsIn } from '../../text/index.js';
import type { Notes } from './types.js';
import { MAX_ARCHIVE_BYTES } from './zip.js';

/** Folders are walked so deep, and so many files are looked at: more is a repository, not a pile of documents. */
const DEPTH_MAX = 8;
const FILES_MAX = 2_000;

/** Never documents of the team. */
const SKIPPED_FOLDERS = new Set([
  'node_modules',
  '.git',
  '.svn',
  '.hg',
  'dist',
  'target',
  '__pycache__',
  '.venv',
  'venv',
]);
/** Hidden folders that agents keep skills and rules in. */
const HIDDEN_ALLOWED = new Set([
  '.claude',
  '.agents',
  '.codex',
  '.cursor',
  '.github',
  '.opencode',
  '.gemini',
  '.windsurf',
]);
/** Hidden files that hold rules for agents. */
const HIDDEN_FILES = /^\.(?:cursor|windsurf|cline|continue|goose|roo)rules(?:\.md)?$/i;

/** One file to import. */
export interface Source {
  abs: string;
  /** As people know it: relative to the project, or to what was given. */
  name: string;
  /** The name without folder and ending. */
  stem: string;
  /** Lower case, with the dot. */
  ext: string;
  bytes(): Buffer;
  /** Decoded, without BOM. */
  text(): string;
}

/** What was given on the command line. */
export interface Given {
  abs: string;
  isFolder: boolean;
  /** The name of the file (without ending) or folder. */
  stem: string;
  /** All its files, sorted by name; of a file itself alone. */
  files: Source[];
}

/**
 * Finds what is to be imported. The source may lie outside the project; links inside a folder that lead out of it are not followed.
 *
 * @param source a path, relative to the current folder or to the project
 * @throws XiheError PATH_NOT_FOUND, PATH_INVALID
 */
export function openSource(source: string, root: string, notes: Notes): Given {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(source)) {
    throw new XiheError('PATH_INVALID', `只导入本机上的文件：${quoted(source, QUOTED_PATH_CHARS)}`, {
      hint: '先把它下载下来，再导入下载的文件。',
    });
  }
  const abs = [resolve(source), resolve(root, source)].find((path) => statOf(path) !== undefined);
  if (source.trim() === '' || abs === undefined) {
    throw new XiheError('PATH_NOT_FOUND', `找不到要导入的文件或目录：${quoted(source, QUOTED_PATH_CHARS)}`, {
      hint: '检查路径；术语表、SKILL.md 所在的目录、AGENTS.md 和文档目录都可以导入。',
    });
  }
  const real = realpathSync(abs);
  const stat = statSync(real);
  if (!stat.isFile() && !stat.isDirectory()) {
    throw new XiheError('PATH_INVALID', `不是文件也不是目录：${quoted(source, QUOTED_PATH_CHARS)}`, {
      hint: '给出一个文件或目录的路径。',
    });
  }
  const isFolder = stat.isDirectory();
  const base = isFolder ? real : resolve(real, '..');
  const named = (path: string) => nameOf(path, root, base, isFolder);
  const paths = isFolder ? listFiles(real, named, notes) : [real];
  const files = paths.map((path) => sourceOf(path, named(path), notes));
  return { abs: real, isFolder, stem: isFolder ? basename(real) : stemOf(real), files };
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (e) {
    if (errnoOf(e) === 'EACCES') {
      throw new XiheError('PATH_INVALID', `没有读权限：${path}`, { hint: '给这个文件读权限再导入。', cause: e });
    }
    return undefined;
  }
}

function nameOf(path: string, root: string, base: string, isFolder: boolean): string {
  const inProject = relative(root, path);
  const shown =
    inProject !== '' && !inProject.startsWith('..') && resolve(root, inProject) === path
      ? inProject
      : isFolder
        ? join(basename(base), relative(base, path))
        : basename(path);
  return shown.split(sep).join('/');
}

function stemOf(path: string): string {
  const name = basename(path).replace(/^\.+/, '');
  const ext = extname(name);
  return ext === '' ? name : name.slice(0, -ext.length);
}

function sourceOf(abs: string, name: string, notes: Notes): Source {
  return {
    abs,
    name,
    stem: stemOf(abs),
    ext: extname(abs).toLowerCase(),
    bytes() {
      const { size } = statSync(abs);
      if (size > MAX_ARCHIVE_BYTES) {
        throw new XiheError('FILE_TOO_LARGE', `${name} 有 ${Math.ceil(size / 1024 / 1024)} MB，太大`, {
          hint: '只留下术语那几张表，另存一份再导入。',
        });
      }
      return readFileSync(abs);
    },
    text() {
      const file = readFileText(abs);
      if (file.undecodable !== undefined)
        notes.drop(name, `有 ${file.undecodable} 处按 ${file.encoding} 读不出来，显示成 �`);
      return file.text;
    },
  };
}

/** Files below a folder, in order. What is not looked at is said. */
function listFiles(top: string, named: (path: string) => string, notes: Notes): string[] {
  const found: string[] = [];
  const entered = new Set<string>();
  const inside = (path: string) => path === top || path.startsWith(top + sep);
  const walk = (dir: string, depth: number): void => {
    const real = realpathSync(dir);
    if (entered.has(real)) return;
    entered.add(real);
    for (const name of readdirSync(dir).sort()) {
      const path = join(dir, name);
      if (found.length >= FILES_MAX) return;
      const target = targetOf(path);
      if (target === undefined) notes.drop(named(path), '读不了（断开的链接或没有权限）');
      else if (!inside(target.real)) notes.drop(named(path), '符号链接指到了目录外面，没有读');
      else if (target.isFolder) {
        if (SKIPPED_FOLDERS.has(name) || (name.startsWith('.') && !HIDDEN_ALLOWED.has(name))) continue;
        if (depth >= DEPTH_MAX) notes.drop(named(path), `目录超过 ${DEPTH_MAX} 层，没有往下找`);
        else walk(path, depth + 1);
      } else if (isWanted(name)) found.push(path);
    }
  };
  walk(top, 1);
  if (found.length >= FILES_MAX) notes.drop(named(top), `超过 ${FILES_MAX} 个文件，后面的没有看`);
  return found;
}

function targetOf(path: string): { real: string; isFolder: boolean } | undefined {
  try {
    const real = lstatSync(path).isSymbolicLink() ? realpathSync(path) : path;
    const stat = statSync(real);
    return stat.isFile() || stat.isDirectory() ? { real, isFolder: stat.isDirectory() } : undefined;
  } catch {
    return undefined;
  }
}

function isWanted(name: string): boolean {
  if (isKeyFileName(name) || holdsSecretValues(name)) return false;
  return !name.startsWith('.') || HIDDEN_FILES.test(name);
}

/**
 * Reads one of several files: what is wrong with it is said, and the others go on. A file that was given alone is the user's
 * question, and its fault the answer.
 */
export async function readEach<T>(
  source: Source,
  sources: readonly Source[],
  notes: Notes,
  read: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (e) {
    if (!XiheError.is(e) || sources.length <= 1) throw e;
    notes.drop(source.name, e.message);
    return undefined;
  }
}

/** A file that is a private key, or holds one, must never reach a model; the note says so. */
export function holdsKey(text: string, where: string, notes: Notes): boolean {
  if (!holdsPrivateKey(text)) return false;
  notes.drop(where, '里面有私钥，没有导入');
  return true;
}

/**
 * A document, section or row with a password or key must not go into a repository, nor to a model; the note says where it stands.
 *
 * @param firstLine 1-based line of its first line in the file; without it `where` says all that is known
 * @param title of what is left out
 */
export function holdsSecret(text: string, where: string, notes: Notes, title = '', firstLine?: number): boolean {
  const [found] = secretsIn(text).sort((a, b) => a.start - b.start);
  if (found === undefined) return false;
  const line = text.slice(0, found.start).split('\n').length;
  const shown = text.split('\n')[line - 1] ?? '';
  const place = firstLine === undefined ? where : `${where}:${firstLine + line - 1}`;
  const what = title === '' ? '' : `「${title}」`;
  notes.drop(place, `${what}里面有密钥或口令（${found.what}），没有导入：换成占位符再导入；还在用的要作废重发`, shown);
  return true;
}
