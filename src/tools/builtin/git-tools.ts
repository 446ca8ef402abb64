import * as z from 'zod';
import { XiheError } from '../../errors.js';
import { runGit, SAFE_DIFF, withoutFilters } from '../../history/index.js';
import { decodeText } from '../../text/index.js';
import { builtIn } from '../contract.js';
import { maskPatch } from '../secret-files.js';
import type { ToolContext } from '../types.js';
import { LOOKS } from './presets.js';

/** Longest time of one git call, in milliseconds; the tool itself gives up after 20 s. */
const GIT_MS = 15_000;
/** Largest output, in bytes: what is more says that something is not ignored that should be. */
const OUTPUT_BYTES = 8 * 1024 * 1024;

const logInput = z.object({
  path: z.string().optional().describe('只看这个文件或目录的提交'),
  count: z.number().int().min(1).max(50).default(10).describe('看几条，默认 10'),
});

/** Recent commits, of one path or of all. */
export const gitLog = builtIn<z.infer<typeof logInput>, string>({
  ...LOOKS,
  name: 'git_log',
  description: '看最近的提交：日期、作者、说明',
  input: logInput,
  examples: [{ path: 'src/order', count: 5 }],
  async run({ path, count }, ctx) {
    const at = path ? ['--', ctx.paths.resolve(path).path] : ['--', '.'];
    return git(ctx, ['log', `-${count}`, '--date=short', '--pretty=format:%h %ad %an %s', ...at]);
  },
  render: (text) => text || '还没有提交。',
});

const diffInput = z.object({
  staged: z.boolean().default(true).describe('真（默认）：看本次暂存的修改；假：看工作区未提交的修改'),
});

/** The staged changes of this run, or what the user has not committed. */
export const gitDiff = builtIn<z.infer<typeof diffInput>, string>({
  ...LOOKS,
  name: 'git_diff',
  description: '看本次暂存的修改，或工作区未提交的修改',
  input: diffInput,
  examples: [{ staged: true }],
  async run({ staged }, ctx) {
    if (staged && ctx.changeset)
      return ctx.changeset
        .diff()
        .map((d) => maskPatch(d.patch))
        .join('\n');
    const filters = await withoutFilters({ cwd: ctx.root, timeoutMs: GIT_MS, ...signalOf(ctx) });
    return maskPatch(await git(ctx, [...filters, 'diff', ...SAFE_DIFF, '--relative', 'HEAD', '--', '.']));
  },
  render: (text) => text || '没有修改。',
});

const signalOf = (ctx: ToolContext) => (ctx.signal ? { signal: ctx.signal } : {});

/** Runs a read-only git command in the project: outside the sandbox, so with nothing of the repository's config that runs programs. */
async function git(ctx: ToolContext, args: string[]): Promise<string> {
  const result = await runGit(args, { cwd: ctx.root, timeoutMs: GIT_MS, maxBytes: OUTPUT_BYTES, ...signalOf(ctx) });
  switch (result.outcome) {
    case 'ok':
      return textOf(result.stdout);
    case 'no-git':
      throw failed('这台机器没有 git', '装上 git 再看提交记录。');
    case 'timeout':
      throw failed(`git 超过 ${GIT_MS / 1000} 秒没有结束`, '缩小范围再看，例如只看一个目录。');
    case 'too-much':
      throw failed(`git 的输出超过 ${OUTPUT_BYTES / 1024 / 1024} MB`, '多半是该忽略的文件没有写进 .gitignore。');
    case 'failed':
      throw failed(
        `git 失败：${result.stderr.split('\n')[0] || '没有说原因'}`,
        '这个目录可能不是 git 仓库，或还没有提交。',
      );
  }
}

function failed(message: string, hint: string): XiheError {
  return new XiheError('COMMAND_FAILED', message, { hint });
}

/** Git's output, each file of a diff in its own encoding. */
function textOf(output: Buffer): string {
  return output
    .toString('latin1')
    .split(/^(?=diff --git )/m)
    .map((part) => {
      const bytes = Buffer.from(part, 'latin1');
      try {
        return decodeText(bytes).text;
      } catch {
        return bytes.toString('utf8'); // several encodings in one file
      }
    })
    .join('');
}
