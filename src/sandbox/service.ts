import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { XiheError } from '../errors.js';
import { commandEnv, isFolder, markedByLimit, programCommand } from './command.js';
import { signalProcess } from './processTable.js';
import { ProcessTree } from './processTree.js';
import { MARKER, markerValue, sweepOnce } from './runMarker.js';

/** A program that stays while we talk to it over its input and output. */
export interface Service {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves once it has ended, by itself or by us; in Chinese how. */
  readonly ended: Promise<string>;
  /**
   * Closes its input, gives it time to end by itself, then ends it and all that it started.
   *
   * @param graceMs how long it may take by itself, in ms
   */
  end(graceMs?: number): Promise<void>;
}

export interface ServiceRequest {
  /** A program and its arguments; no shell. */
  argv: readonly string[];
  cwd: string;
  /** Added to our environment without its secrets. */
  env: Readonly<Record<string, string>>;
}

/** How long a service may take to end once its input is closed: enough to flush, short enough not to be felt. Milliseconds. */
const END_GRACE_MS = 1_000;

/** Services that run. When this process exits in whatever way that still runs code, none of them may stay. */
const running = new Set<number>();
let guarded = false;

/**
 * Starts a program that stays until `end()`, or until this process ends. It is not confined: the user has agreed to run it. Its
 * process tree ends with it, and with us; after a SIGKILL of ours it is found by its marker at the next start.
 *
 * @throws XiheError COMMAND_FAILED when it can't be started, PATH_NOT_FOUND when `cwd` is no folder
 */
export async function startService(req: ServiceRequest): Promise<Service> {
  if (!isFolder(req.cwd))
    throw new XiheError('PATH_NOT_FOUND', `工作目录不存在：${req.cwd}`, { hint: '换一个存在的目录。' });
  sweepOnce();
  const marker = markerValue();
  const env = commandEnv({ ...req.env, [MARKER]: marker });
  const program = programCommand(req.argv, req.cwd, env);
  if (program === null) throw notStarted(`找不到命令 ${req.argv[0] ?? ''}`);
  const locksLimit = randomInt(2 ** 46, 2 ** 47);
  const { file, args } = markedByLimit(program, locksLimit, env) ?? program;
  const child = spawn(file, args, {
    cwd: req.cwd,
    env,
    // A group of its own, so that it can be ended in one step; a Ctrl-C in the terminal is for us to handle.
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: program.verbatim ?? false,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const failed = new Promise<Error>((resolve) => child.once('error', resolve));
  if (child.pid === undefined) throw notStarted((await failed).message);
  return serviceOf(
    child,
    new ProcessTree({ rootPid: child.pid, marker: `${MARKER}=${marker}`, locksLimit: String(locksLimit) }),
  );
}

function serviceOf(child: ChildProcessByStdio<Writable, Readable, Readable>, tree: ProcessTree): Service {
  const pid = tree.rootPid;
  guard(pid);
  // It may close its input whenever it likes: that is seen when it ends.
  child.stdin.on('error', () => {});
  const ended = new Promise<string>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal === null ? `退出码 ${code}` : `被信号 ${signal} 结束`)),
  );
  let ending: Promise<void> | undefined;
  const end = async (graceMs: number) => {
    child.stdin.end();
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([ended, new Promise((resolve) => (timer = setTimeout(resolve, graceMs)))]);
    clearTimeout(timer);
    await tree.end(0);
    running.delete(pid);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  };
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    end: (graceMs = END_GRACE_MS) => (ending ??= end(graceMs)),
  };
}

/** The last line of defence: on exit nothing can be waited for, so the group is killed in one step. */
function guard(pid: number): void {
  running.add(pid);
  if (guarded) return;
  guarded = true;
  process.once('exit', () => {
    for (const group of running) signalProcess(process.platform === 'win32' ? group : -group, 'SIGKILL');
  });
}

function notStarted(why: string): XiheError {
  return new XiheError('COMMAND_FAILED', `没能启动：${why}`, { hint: '检查命令有没有装、写对没有。' });
}
