import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../src/assets.js';
import { type CliResult, cleanEnv } from './mall.js';

type Main = (argv: string[]) => Promise<void>;

let main: Main | undefined;
/** Environment, folder, streams and exit code belong to the process: one command at a time has them. */
let busy = false;

/**
 * Runs the command line as {@link xihe} does, but in this process: the same built `main` with arguments, environment, folder, state on
 * disk, output and exit code, without what a start of Node costs (a second of CPU). For tests of what a command does. Where the process
 * itself is what is tested (kills, several at once, a terminal, input, what outlives a process), take {@link xihe}.
 *
 * @throws Error when a command still runs
 */
export async function xiheHere(
  args: string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<CliResult> {
  if (busy) throw new Error('xiheHere runs one command at a time: take xihe for several');
  busy = true;
  const output = { stdout: '', stderr: '' };
  const giveBack = borrowProcess(output, cleanEnv(options.env), options.cwd ?? tmpdir());
  let code: number;
  try {
    main ??= ((await import(pathToFileURL(join(packageRoot(), 'dist', 'cli', 'main.js')).href)) as { main: Main }).main;
    await main(['node', 'xihe', ...args]);
  } finally {
    code = giveBack();
    busy = false;
  }
  const json = args.includes('--json') && output.stdout.trim() !== '' ? JSON.parse(output.stdout) : undefined;
  return { code, signal: null, ...output, json };
}

/** Lends the process to a command. @returns gives everything back, and says the exit code */
function borrowProcess(output: { stdout: string; stderr: string }, env: NodeJS.ProcessEnv, cwd: string): () => number {
  const before = { env: { ...process.env }, cwd: process.cwd(), exitCode: process.exitCode };
  const listening = process.stdout.listeners('error');
  const streams = (['stdout', 'stderr'] as const).map((name) => {
    const own = process[name].write;
    process[name].write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
      for (const done of rest) if (typeof done === 'function') done();
      return true;
    }) as typeof own;
    return () => {
      process[name].write = own;
    };
  });
  setEnv(env);
  process.chdir(cwd);
  process.exitCode = undefined;
  return () => {
    const code = Number(process.exitCode ?? 0);
    process.exitCode = before.exitCode;
    process.chdir(before.cwd);
    setEnv(before.env);
    for (const restore of streams) restore();
    for (const listener of process.stdout.listeners('error'))
      if (!listening.includes(listener)) process.stdout.off('error', listener as () => void);
    return code;
  };
}

/** Makes the environment exactly this one. */
function setEnv(env: NodeJS.ProcessEnv): void {
  for (const key of Object.keys(process.env)) if (!(key in env)) delete process.env[key];
  Object.assign(process.env, env);
}
