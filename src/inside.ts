import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

/**
 * Whether a path leads out of a folder once all links are followed. A repository may bring links to anywhere on the user's machine; what
 * they lead to is not its content.
 *
 * @param root absolute
 * @param path absolute; one that is not there leads nowhere
 */
export function leadsOut(root: string, path: string): boolean {
  let to: string;
  try {
    to = relative(realpathSync(root), realpathSync(path));
  } catch {
    return false;
  }
  return to === '..' || to.startsWith(`..${sep}`) || isAbsolute(to);
}

/** Why a path that {@link leadsOut} is not read, in Chinese. */
export const LEADS_OUT = '链接指到了项目外面，没有读；要用就把文件放进项目里';
