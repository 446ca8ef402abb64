import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { errnoOf, QUOTED_PATH_CHARS, quoted, XiheError } from '../errors.js';

/** A file of the project, with every symlink on the way resolved. */
export interface Location {
  /** POSIX, relative to the root. Two names of one file (through a link) have one `path`. */
  path: string;
  abs: string;
}

/** Folders of the project that no staged edit may touch: git's own files run code (hooks), the state is Xihe's own. */
const FORBIDDEN = [/^\.git(\/|$)/i, /^\.xihe\/state(\/|$)/];

/**
 * Finds where a path of the project really lies.
 *
 * @param root absolute, symlinks resolved
 * @param path POSIX, relative to the root; the file need not exist
 * @throws XiheError PATH_INVALID for what is no relative path inside the project, PATH_OUTSIDE_PROJECT when it leads out,
 *   also through a symlink
 */
export function locate(root: string, path: string): Location {
  const clean = path.replace(/^(\.\/)+/, '');
  if (clean === '' || clean === '.' || clean.includes('\0') || clean.includes('\\') || clean.endsWith('/')) {
    throw new XiheError('PATH_INVALID', `不是项目内的文件路径：${quoted(path, QUOTED_PATH_CHARS)}`, {
      hint: '用 / 分隔、相对项目根目录的路径。',
    });
  }
  const wanted = resolve(root, clean);
  if (!isInside(root, wanted) || /^([A-Za-z]:|\/)/.test(clean)) throw outside(path);
  const abs = realPathOf(root, wanted, path);
  if (!isInside(root, abs)) throw outside(path);
  const real = relative(root, abs).split(sep).join('/');
  if (FORBIDDEN.some((pattern) => pattern.test(real))) {
    throw new XiheError('PATH_INVALID', `不能修改 ${real}`, {
      hint: '.git 和 .xihe/state 里的文件由 git 和 Xihe 自己管理。',
    });
  }
  return { path: real, abs };
}

function outside(path: string): XiheError {
  return new XiheError('PATH_OUTSIDE_PROJECT', `路径在项目之外：${quoted(path, QUOTED_PATH_CHARS)}`, {
    hint: '只能读写项目目录里的文件；符号链接指到项目外的也不行。',
    details: { path },
  });
}

function isInside(root: string, abs: string): boolean {
  const prefix = root.endsWith(sep) ? root : root + sep;
  return abs.startsWith(prefix);
}

/** The real path: of the file where it exists, else of its nearest existing folder with the rest put behind. */
function realPathOf(root: string, abs: string, shown: string): string {
  try {
    return realpathSync(abs);
  } catch (e) {
    if (errnoOf(e) === 'ELOOP') throw outside(shown);
    if (errnoOf(e) === 'ENOTDIR') {
      throw new XiheError('PATH_INVALID', `${shown} 的上级是一个文件，不是目录`, { hint: '换一个路径。', cause: e });
    }
    if (errnoOf(e) === 'ENAMETOOLONG') {
      throw new XiheError('PATH_INVALID', `文件名太长：${shown.slice(0, 80)}…`, {
        hint: '换一个短一些的文件名。',
        cause: e,
      });
    }
  }
  if (lstatSync(abs, { throwIfNoEntry: false })?.isSymbolicLink()) {
    // A link to nothing: writing through it would make a file that nobody has looked at.
    throw outside(shown);
  }
  const parent = dirname(abs);
  if (abs === root || parent === abs) return abs;
  const realParent = realPathOf(root, parent, shown);
  return join(realParent, abs.slice(parent.length + 1));
}
