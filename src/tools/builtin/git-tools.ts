import * as z from 'zod';
import { XiheError } from '../../errors.js';
import { runProcess } from '../../sandbox/index.js';
import { defineTool } from '../contract.js';
import { maskPatch } from '../secret-files.js';
import type { ToolContext } from '../types.js';

const shared = {
  danger: 'low',
  readOnly: true,
  idempotent: true,
  aclRole: 'reader',
  timeoutMs: 20_000,
  effect: 'none',
} as const;

const logInput = z.object({
  path: z.string().optional().describe('只看这个文件或目录的提交'),
  count: z.number().int().min(1).max(50).default(10).describe('看几条，默认 10'),
});

/** Recent commits, of one path or of all. */
export const gitLog = defineTool<z.infer<typeof logInput>, string>({
  ...shared,
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
  staged: z.boolean().default(true).describe('真：看本次暂存的修改；假：看工作区未提交的修改'),
});

/** The staged changes of this run, or what the user has not committed. */
export const gitDiff = defineTool<z.infer<typeof diffInput>, string>({
  ...shared,
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
    return maskPatch(await git(ctx, ['diff', 'HEAD', '--', '.']));
  },
  render: (text) => text || '没有修改。',
});

/** Runs a read-only git command in the project. */
async function git(ctx: ToolContext, args: string[]): Promise<string> {
  const result = await runProcess({
    // quotepath off: Chinese paths as they are, not octal; no pager, no colour, no hooks of the user's config.
    argv: ['git', '-c', 'core.quotepath=false', '-c', 'core.pager=cat', '-c', 'color.ui=never', ...args],
    cwd: ctx.root,
    timeoutMs: 15_000,
    ...(ctx.signal ? { signal: ctx.signal } : {}),
  });
  if (result.outcome === 'ok') return result.stdout;
  if (result.outcome === 'not-found')
    throw new XiheError('COMMAND_FAILED', '这台机器没有 git', { hint: '装上 git 再看提交记录。' });
  throw new XiheError(
    'COMMAND_FAILED',
    `git ${args[0]} 失败：${result.stderr.trim().split('\n')[0] ?? result.outcome}`,
    {
      hint: '这个目录可能不是 git 仓库，或还没有提交。',
    },
  );
}
