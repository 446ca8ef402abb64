import * as z from 'zod';
import { XiheError } from '../../errors.js';
import { confinementStatus, dangerOf, makeScratch, type RunResult, runProcess } from '../../sandbox/index.js';
import { plainLine } from '../../text/index.js';
import { builtIn } from '../contract.js';
import { commandLimits, DEFAULT_TOOL_SECONDS, toolCeilingMs } from '../limits.js';
import { withNote } from '../locate.js';
import { correctPaths } from '../shell-paths.js';
import type { ToolContext } from '../types.js';

/** Bytes of output kept from one command (head and tail): about 4,000 tokens before the tool result limit cuts it. */
const OUTPUT_BYTES = 16_000;

/** Files left out of a copy that a failed command's result names. */
const LEFT_OUT_SHOWN = 5;

const runInput = z.object({
  command: z.string().min(1).describe('一行 shell 命令，在项目的副本里运行，碰不到真实文件'),
  seconds: z
    .number()
    .min(1)
    .default(DEFAULT_TOOL_SECONDS)
    .describe(`最多等多少秒，默认 ${DEFAULT_TOOL_SECONDS}；编译这样慢的命令写大些`),
});

export interface CommandResult {
  command: string;
  result: RunResult;
  /** In Chinese, when paths of the line were put right. */
  note?: string;
}

/** Runs a command in a scratch copy that has the staged changes. */
export const runCommand = builtIn<z.infer<typeof runInput>, CommandResult>({
  name: 'run_command',
  description: '在项目副本里运行一条命令，看输出和退出码',
  input: runInput,
  examples: [{ command: 'npx tsc --noEmit' }],
  danger: 'low',
  dangerOf: ({ command }) => dangerOf(command),
  readOnly: false,
  idempotent: false,
  aclRole: 'developer',
  timeoutMs: toolCeilingMs(),
  timeoutOf: (ctx) => toolCeilingMs(ctx.modelSeconds),
  effect: 'scratch',
  preview: ({ command }) => ({ lines: [`命令：${plainLine(command)}`, '在哪里：项目的副本，碰不到真实文件'] }),
  async run({ command: asked, seconds }, ctx) {
    const { command, notes } = correctPaths(ctx, asked);
    const check = dangerOf(command);
    // The copy protects files, not the network or other machines, so what is dangerous there is refused here too.
    if (check.danger === 'high') {
      throw new XiheError('COMMAND_DENIED', `不运行高危命令：${command}（${check.why}）`, {
        hint: '换一条只读或只影响副本的命令；真要执行，请用户自己来。',
      });
    }
    if (check.danger !== 'low') await refuseUnconfined(command, check.why);
    const result = await runInScratch(ctx, command, seconds);
    if (result.outcome === 'timeout' && seconds < ctx.commandSeconds)
      notes.push(`时限是 ${seconds} 秒；确实要这么久的命令，把 seconds 写大（最多 ${ctx.commandSeconds}）`);
    return { command, result, ...(notes.length > 0 ? { note: notes.join('\n') } : {}) };
  },
  render: ({ command, result, note }) => withNote(note, renderRun(command, result)),
});

/**
 * Without bwrap nothing keeps a command inside the copy, so only what looks or tests is run there.
 *
 * @throws XiheError COMMAND_DENIED
 */
async function refuseUnconfined(command: string, why: string): Promise<void> {
  if ((await confinementStatus()).kind === 'bwrap') return;
  throw new XiheError(
    'COMMAND_DENIED',
    `这台机器没有 bwrap 隔离，只运行只读和测试类命令，不运行：${command}（${why}）`,
    {
      hint: '换一条只读或测试命令；要运行它，请用户自己来，或在 Linux 上装好 bubblewrap（Debian/Ubuntu：apt install bubblewrap）。',
    },
  );
}

/**
 * Runs a shell line in a fresh scratch copy with the staged changes on it. Paths of the copy are left out of what it printed: they
 * lead nowhere once it is gone, and the rest of them is what every other tool takes.
 *
 * @param seconds its time limit; never more than the settings give, nor than half of the model's
 * @param options.bytes of output that are kept
 * @param options.base the project as it is, without the staged changes
 */
export async function runInScratch(
  ctx: ToolContext,
  command: string,
  seconds = ctx.commandSeconds,
  options: { bytes?: number; base?: boolean } = {},
): Promise<RunResult> {
  const scratch = await makeScratch(ctx.root, options.base ? undefined : ctx.changeset, {
    signal: ctx.signal,
    onProgress: ctx.progress,
  });
  try {
    const result = await runProcess({
      shell: command,
      cwd: scratch.dir,
      timeoutMs: commandLimits(Math.min(seconds, ctx.commandSeconds), ctx.modelSeconds).command,
      maxOutputBytes: options.bytes ?? OUTPUT_BYTES,
      ...(ctx.signal ? { signal: ctx.signal } : {}),
    });
    return withLeftOut(withoutCopy(result, scratch.dir), scratch.leftOut);
  } finally {
    await scratch.dispose();
  }
}

/** A result with the paths of the copy made relative to the project. */
export function withoutCopy(result: RunResult, dir: string): RunResult {
  const strip = (text: string) => text.replaceAll(`file://${dir}/`, '').replaceAll(`${dir}/`, '');
  return { ...result, stdout: strip(result.stdout), stderr: strip(result.stderr) };
}

/** Says, where a command failed, which files it could not find: otherwise it looks like a fault of the project. */
function withLeftOut(result: RunResult, leftOut: readonly string[]): RunResult {
  if (result.outcome === 'ok' || leftOut.length === 0) return result;
  const names = leftOut.slice(0, LEFT_OUT_SHOWN).join('、');
  const more = leftOut.length > LEFT_OUT_SHOWN ? ` 等 ${leftOut.length} 个` : '';
  return { ...result, stderr: `${result.stderr.trimEnd()}\n（副本里没有放存密钥的文件：${names}${more}）` };
}

/** A command's outcome in words; only exit code 0 is called success. */
export function renderRun(command: string, r: RunResult): string {
  const seconds = (r.durationMs / 1000).toFixed(1);
  const head = {
    ok: `成功（退出码 0，${seconds} 秒）`,
    failed: `失败（退出码 ${r.exitCode}，${seconds} 秒）`,
    timeout: `超时，${seconds} 秒后已连同子进程结束`,
    cancelled: '已取消',
    'not-found': '没有这个命令',
    signal: `被信号 ${r.signal} 结束`,
  }[r.outcome];
  const out = [r.stdout.trim(), r.stderr.trim()].filter(Boolean).join('\n');
  return `$ ${command}\n${head}${out ? `\n${out}` : ''}`;
}

/** Whether a tool's output is a command that ran and did not succeed: the call worked, what it was for did not. */
export function commandFailed(output: unknown): boolean {
  const result = (output as { result?: { outcome?: unknown } } | undefined)?.result;
  return result?.outcome !== undefined && result.outcome !== 'ok';
}
