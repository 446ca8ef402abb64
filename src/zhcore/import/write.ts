import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { errnoOf, messageOf, XiheError } from '../../errors.js';
import type { ImportPlan, PlannedFile } from './types.js';

/**
 * Writes the new files of a plan, each whole or not at all, and none over a file that is there.
 *
 * A file that came into being since the plan was made is kept, and its state becomes `kept`.
 *
 * @param root the project, symlinks resolved
 * @param cancelled asked before each file
 * @returns how many files were written
 * @throws XiheError PATH_OUTSIDE_PROJECT when a link leads out of the project (nothing is written then), STATE_UNWRITABLE
 */
export function writeImport(plan: ImportPlan, root: string, cancelled: () => boolean = () => false): number {
  const fresh = plan.files.filter((file) => file.state === 'new');
  for (const file of fresh) assertInside(join(root, file.path), root);
  let written = 0;
  for (const file of fresh) {
    if (cancelled()) {
      throw new XiheError('CANCELLED', `已停止：写好了 ${written} 个文件，还有 ${fresh.length - written} 个没写`, {
        hint: '再运行一次同样的命令，会接着写完其余的。',
      });
    }
    if (writeNew(join(root, file.path), file)) written += 1;
    else file.state = 'kept';
  }
  return written;
}

/** The deepest folder above a path that exists must lie in the project, all links followed. */
function assertInside(abs: string, root: string): void {
  let dir = dirname(abs);
  while (!existsSync(dir) && dirname(dir) !== dir) dir = dirname(dir);
  const real = realpathSync(dir);
  if (real === root || real.startsWith(root + sep)) return;
  throw new XiheError('PATH_OUTSIDE_PROJECT', `${dir} 是指到项目外面的链接，没有写`, {
    hint: '把 .xihe 下的链接换成项目里的目录，再导入。',
  });
}

/** @returns false when something is there by now */
function writeNew(abs: string, file: PlannedFile): boolean {
  const temporary = `${abs}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    mkdirSync(dirname(abs), { recursive: true });
    writeFileSync(temporary, file.content, { flag: 'wx' });
    try {
      // A link fails where a name is taken; a rename would put the new file in place of the other.
      linkSync(temporary, abs);
    } catch (e) {
      if (errnoOf(e) === 'EEXIST') return false;
      if (existsSync(abs)) return false;
      renameSync(temporary, abs);
    }
    return true;
  } catch (cause) {
    const full = ['ENOSPC', 'EDQUOT'].includes(errnoOf(cause) ?? '');
    throw new XiheError(
      'STATE_UNWRITABLE',
      `写不进 ${file.path}（${full ? '磁盘满了' : (errnoOf(cause) ?? messageOf(cause))}）`,
      {
        hint: full ? '腾出磁盘空间再运行一次，已经写好的会跳过。' : '给 .xihe/ 写权限再试。',
        cause,
      },
    );
  } finally {
    rmSync(temporary, { force: true });
  }
}
