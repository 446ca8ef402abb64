import { spawn } from 'node:child_process';
import { XiheError } from '../errors.js';

/** Longest time of one git call, in milliseconds: 50,000 commits with name-status take about 10 s on a slow disk. */
export const GIT_TIMEOUT_MS = 30_000;
/** Most bytes kept of one call's output; 2,000 commits are about 1 MB, a listing of 100,000 files about 10 MB. */
export const GIT_MAX_BYTES = 128 * 1024 * 1024;

export interface GitOptions {
  /** Absolute path of the folder to run in. */
  cwd: string;
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
}

/** How a git call ended. Only `ok` means that `stdout` is whole. */
export type GitResult =
  | { outcome: 'ok'; stdout: Buffer /** What it warns of. */; stderr: string }
  | { outcome: 'failed'; stderr: string }
  | { outcome: 'no-git' }
  | { outcome: 'timeout' }
  | { outcome: 'too-much' };

/**
 * Settings of ours that win over the repository's: paths unescaped and messages in UTF-8 so that Chinese survives; no
 * fsmonitor, hooks or signature checks, because a repository's own config may name programs to run.
 */
const SAFE_CONFIG = [
  'core.quotepath=false',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'log.showSignature=false',
  'i18n.logOutputEncoding=UTF-8',
  'color.ui=false',
].flatMap((setting) => ['-c', setting]);

/**
 * Variables of git that are the user's own setup. All others are left out: they would point git at another repository when
 * Xihe itself runs inside a hook, name programs to run (GIT_EXTERNAL_DIFF), or put other text into the output (GIT_TRACE).
 */
const OWN_SETUP =
  /^GIT_(EXEC_PATH|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|TEST_\w+)$/;

function gitEnv(): NodeJS.ProcessEnv {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_') || OWN_SETUP.test(name)),
  );
  // Reading must never take a lock, ask for a password, or fetch what a partial clone left out.
  return {
    ...env,
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_PAGER: 'cat',
  };
}

/** What a diff needs beside {@link SAFE_CONFIG}: no program of the repository's config, and sides that are always `a/` and `b/`. */
export const SAFE_DIFF: readonly string[] = [
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=dirty',
  '--submodule=short',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

/**
 * Settings that turn off the content filters of a repository (`filter.<name>.clean` and `process` are programs that a diff
 * of the work tree runs). To be put before the subcommand.
 *
 * @throws XiheError COMMAND_FAILED when one can't be turned off, CANCELLED
 */
export async function withoutFilters(options: GitOptions): Promise<string[]> {
  const args = ['config', '-z', '--name-only', '--get-regexp', '^filter\\..*\\.(clean|smudge|process|required)$'];
  const found = await runGit(args, options);
  if (found.outcome !== 'ok') return []; // none is set
  const names = new Set(found.stdout.toString('utf8').split('\0').filter(Boolean));
  // `-c` takes the name up to the first `=`, so such a filter can't be turned off: better no answer than its program run.
  if ([...names].some((name) => name.includes('='))) {
    throw new XiheError('COMMAND_FAILED', '仓库配置里有名字带等号的 filter，关不掉，所以不运行 git diff', {
      hint: '在 .git/config 里给这个 filter 改个名字。',
    });
  }
  return [...names].flatMap((name) => ['-c', `${name}=${name.endsWith('.required') ? 'false' : ''}`]);
}

/**
 * Runs git without a shell and waits for its end. Faults of git are a result, not a throw: a project without git is an
 * ordinary project.
 *
 * @param args arguments after `git`
 * @throws XiheError CANCELLED when `options.signal` is aborted
 */
export async function runGit(args: string[], options: GitOptions): Promise<GitResult> {
  throwIfCancelled(options.signal);
  const result = await spawnGit(args, options);
  throwIfCancelled(options.signal);
  return result;
}

function spawnGit(args: string[], options: GitOptions): Promise<GitResult> {
  const { cwd, timeoutMs = GIT_TIMEOUT_MS, maxBytes = GIT_MAX_BYTES, signal } = options;
  return new Promise((resolve) => {
    const child = spawn('git', [...SAFE_CONFIG, ...args], {
      cwd,
      env: gitEnv(),
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    const errors: Buffer[] = [];
    let bytes = 0;
    let stopped: GitResult | undefined;
    const stop = (why: GitResult) => {
      stopped ??= why;
      child.kill('SIGKILL');
    };
    const timer = setTimeout(() => stop({ outcome: 'timeout' }), timeoutMs);
    const onAbort = () => stop({ outcome: 'failed', stderr: 'cancelled' });
    signal?.addEventListener('abort', onAbort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) stop({ outcome: 'too-much' });
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (errors.length < 16) errors.push(chunk);
    });
    const finish = (result: GitResult) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(stopped ?? result);
    };
    child.on('error', (e: NodeJS.ErrnoException) =>
      finish(e.code === 'ENOENT' ? { outcome: 'no-git' } : { outcome: 'failed', stderr: e.message }),
    );
    child.on('close', (code) => {
      const stderr = Buffer.concat(errors).toString('utf8').trim();
      if (code === 0) finish({ outcome: 'ok', stdout: Buffer.concat(chunks), stderr });
      else finish({ outcome: 'failed', stderr });
    });
  });
}

/** @throws XiheError CANCELLED when `signal` is aborted */
export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new XiheError('CANCELLED', '已取消', { hint: '重新运行同一条命令会从缓存接着来。' });
}
