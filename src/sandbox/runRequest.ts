import { XiheError } from '../errors.js';
import { isFolder } from './command.js';
import type { RunRequest } from './types.js';

/** @throws XiheError USAGE for a request that makes no sense, PATH_NOT_FOUND when `cwd` is no folder */
export function checkRequest(req: RunRequest): void {
  const wrong = (what: string): never => {
    throw new XiheError('USAGE', `运行命令的请求有误：${what}`, { hint: '检查工具的参数。' });
  };
  if ((req.argv === undefined) === (req.shell === undefined)) wrong('argv 和 shell 必须给且只给一个');
  if (req.argv?.length === 0 || req.shell?.trim() === '') wrong('命令是空的');
  if ([...(req.argv ?? []), req.shell ?? '', req.cwd].some((s) => s.includes('\0'))) wrong('命令里有空字符');
  if (!(req.timeoutMs > 0)) wrong('timeoutMs 必须是正数（毫秒）');
  if (!isFolder(req.cwd)) {
    throw new XiheError('PATH_NOT_FOUND', `工作目录不存在：${req.cwd}`, { hint: '换一个存在的目录再运行。' });
  }
}
