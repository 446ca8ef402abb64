import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import { type Command, commandEnv, markedByLimit, programCommand, shellCommand } from './command.js';
import { bwrapArgs, confinementStatus } from './confinement.js';
import { type Keeper, keeperOf, STATUS_WRAPPER } from './keeper.js';
import { HeadTail, StreamText } from './output.js';
import { type OutputPipes, openOutputPipes } from './pipes.js';
import { NAMESPACE_DEATH_MS, ProcessTree } from './processTree.js';
import { MARKER, markerValue, sweepOnce } from './runMarker.js';
import { untilEnded } from './running.js';
import { checkRequest } from './runRequest.js';
import { scratchOf } from './scratchRegistry.js';
import type { RunRequest, RunResult } from './types.js';
import { type Ended, type Exit, startFailure, verdictOf } from './verdict.js';
import { totalMemoryLimit, watchRun } from './watch.js';

/** Kept of each stream when the request does not say. Output is sent to the model again every turn, so it is dear. */
const DEFAULT_OUTPUT_BYTES = 32 * 1024;
/** A command that prints more than this runs away (logs of real test suites stay far below): it is ended. Per stream. */
export const MAX_PRINTED_BYTES = 64 * 1024 * 1024;
/** Between SIGTERM and SIGKILL at a timeout: enough to remove a temp file, short enough not to be felt. */
const KILL_GRACE_MS = 500;
/** How long helpers of a command that has ended (esbuild, workers) may take to end by themselves. */
const LEFTOVER_GRACE_MS = 300;
/** How long the last output may take to arrive once every process is dead (it is in the pipe already, and ends). */
const DRAIN_MS = 1_000;
/** Largest delay that timers take (2^31 − 1 ms). */
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Runs a command to its end and leaves no process behind.
 *
 * With bwrap (Linux) it sees the system read-only, no home folder, no network, and writes only to `cwd` and `writable`.
 * Without it, nothing is confined, but the whole tree is still found and killed. Success (`ok`) means: the program ended
 * by itself with status 0, within its limits, and left no process running.
 *
 * @param req times in milliseconds, sizes in bytes
 * @throws XiheError USAGE for a request that makes no sense, PATH_NOT_FOUND when `cwd` is no folder; never for what the
 *   command does
 */
export async function runProcess(req: RunRequest): Promise<RunResult> {
  checkRequest(req);
  const began = performance.now();
  const status = await confinementStatus();
  const confinement = req.confinement === 'process-group' ? 'process-group' : status.kind;
  const scratch = scratchOf(req.cwd);
  const own = confinement === 'process-group' ? scratch?.unconfinedEnv : undefined;
  const marker = markerValue();
  const env = commandEnv({ ...scratch?.env, ...own, ...req.env, [MARKER]: marker });
  const kept =
    confinement === 'bwrap' ? bwrapKeeper(status.bwrap!, req, env) : await keeperOf(req.keeper ?? 'pid-namespace');
  const how = { confinement, keeper: kept?.kind ?? ('process-table' as const) };
  const nothing = { exitCode: null, signal: null, stdout: '', stderr: '', truncated: false, ...how, leftovers: 0 };
  if (req.signal?.aborted) return { ...nothing, outcome: 'cancelled', durationMs: 0, note: '还没开始就取消了' };
  sweepOnce();
  const command = req.shell === undefined ? programCommand(req.argv ?? [], req.cwd, env) : shellCommand(req.shell, env);
  if (command === null) {
    const note = `找不到命令：${req.argv?.[0] ?? ''}`;
    return {
      ...nothing,
      outcome: 'not-found',
      exitCode: 127,
      stderr: note,
      durationMs: performance.now() - began,
      note,
    };
  }
  const run = new Run(req, `${MARKER}=${marker}`, env, kept);
  const result = await untilEnded(run.result(command, await openOutputPipes()), () => run.killNow());
  return { ...result, ...how, durationMs: performance.now() - began };
}

/** bwrap as a keeper: its monitor, its init (which orphans become children of) and our wrapper. */
function bwrapKeeper(bwrap: string, req: RunRequest, env: Record<string, string>): Keeper {
  const scratch = scratchOf(req.cwd);
  const flags = bwrapArgs({
    cwd: req.cwd,
    writable: [...(scratch ? [scratch.base] : []), ...(req.writable ?? [])],
    readable: [...(scratch?.readable ?? []), ...(req.readable ?? [])],
    hidden: scratch ? [scratch.root] : [],
    network: req.network ?? false,
    path: env.PATH ?? '',
  });
  return {
    kind: 'pid-namespace',
    helpers: 3,
    reaper: 1,
    endsOnWord: false,
    wrap: ({ file, args }) => ({
      file: bwrap,
      args: [...flags, '/bin/sh', '-c', STATUS_WRAPPER, 'xihe', file, ...args],
    }),
  };
}

/** One command, from its start to the last byte of its output. */
class Run {
  private readonly out: HeadTail;
  private readonly err: HeadTail;
  private ended: Ended | undefined;
  private tree: ProcessTree | undefined;
  private readonly locksLimit = randomInt(2 ** 46, 2 ** 47);
  private endNow: () => void = () => {};
  private readonly endAsked = new Promise<void>((resolve) => {
    this.endNow = resolve;
  });

  constructor(
    private readonly req: RunRequest,
    private readonly marker: string,
    private readonly env: Record<string, string>,
    private readonly keeper: Keeper | null,
  ) {
    const limit = req.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
    this.out = new HeadTail(limit);
    this.err = new HeadTail(limit);
  }

  async result(
    command: Command,
    pipes: OutputPipes | null,
  ): Promise<Omit<RunResult, 'confinement' | 'keeper' | 'durationMs'>> {
    let child: ChildProcess;
    try {
      child = this.spawn(command, pipes);
    } catch (e) {
      return this.couldNotStart(e, pipes);
    }
    const failed = new Promise<Error>((resolve) => child.once('error', resolve));
    const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
    if (child.pid === undefined) return this.couldNotStart(await failed, pipes);
    const streams = pipes?.readers ?? [child.stdout!, child.stderr!];
    const drained = Promise.all([this.collect(streams[0], this.out), this.collect(streams[1], this.err)]);
    this.feedStdin(child);
    const tree = this.treeOf(child.pid);
    this.tree = tree;
    pipes?.releaseChildEnds();
    const stopWatching = this.startWatching(tree);
    const exit = await Promise.race([exited, this.statusOverWrapper(child), this.endAsked.then(() => null)]);
    stopWatching();
    const leftovers = await this.clean(tree, exit, child);
    await settled(drained, DRAIN_MS);
    for (const stream of streams) stream.destroy();
    return this.summary(exit, leftovers);
  }

  /** For the moment when this process exits. A subreaper does it by itself then, and must live to do so. */
  killNow(): void {
    if (!this.keeper?.endsOnWord) this.tree?.killNow();
  }

  private spawn(command: Command, pipes: OutputPipes | null): ChildProcess {
    // A namespace needs no mark: nothing leaves it.
    const marked = this.isMarked ? (markedByLimit(command, this.locksLimit, this.env) ?? command) : command;
    const { file, args } = this.keeper?.wrap(marked) ?? marked;
    const [out, err] = pipes?.childFds ?? (['pipe', 'pipe'] as const);
    const options: SpawnOptions = {
      cwd: this.req.cwd,
      env: this.env,
      // Its own session and group: a terminal's Ctrl-C reaches us first, and -pid means the group.
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: command.verbatim ?? false,
      stdio: [this.req.stdin === undefined ? 'ignore' : 'pipe', out, err, ...(this.keeper ? (['pipe'] as const) : [])],
    };
    return spawn(file, args, options);
  }

  private get isMarked(): boolean {
    return this.keeper?.kind !== 'pid-namespace';
  }

  /** Resolves with the exit status that the wrapper tells; never, when it tells none (no keeper, or it was killed). */
  private statusOverWrapper(child: ChildProcess): Promise<Exit> {
    const told = child.stdio[3] as Duplex | null | undefined;
    return new Promise((resolve) => {
      let text = '';
      told?.on('error', () => {});
      told?.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        if (text.endsWith('\n')) resolve({ code: Number(text), signal: null });
      });
    });
  }

  private collect(stream: Readable, into: HeadTail): Promise<void> {
    const decoder = new StreamText();
    return new Promise((resolve) => {
      stream.on('data', (chunk: Buffer) => {
        into.push(chunk);
        if (this.req.onOutput) this.show(decoder.push(chunk));
        if (into.totalBytes > MAX_PRINTED_BYTES) {
          this.end({ kind: 'limit', why: `输出超过 ${MAX_PRINTED_BYTES / 1024 / 1024} MB，已终止` });
        }
      });
      stream.on('error', () => resolve());
      stream.on('close', () => {
        if (this.req.onOutput) this.show(decoder.end());
        resolve();
      });
    });
  }

  private show(text: string): void {
    if (text === '') return;
    try {
      this.req.onOutput?.(text);
    } catch {
      // A listener's fault must not end the command or leave its processes behind.
    }
  }

  private feedStdin(child: ChildProcess): void {
    // A command that does not read its input closes the pipe: that is its right.
    child.stdin?.on('error', () => {});
    child.stdin?.end(this.req.stdin);
  }

  private treeOf(rootPid: number): ProcessTree {
    const base = scratchOf(this.req.cwd)?.base;
    return new ProcessTree({
      rootPid,
      marker: this.marker,
      locksLimit: this.isMarked ? String(this.locksLimit) : '',
      ...(base === undefined ? {} : { privateDir: realpathSync(base) }),
    });
  }

  private startWatching(tree: ProcessTree): () => void {
    const timer = setTimeout(() => this.end({ kind: 'timeout' }), Math.min(this.req.timeoutMs, MAX_TIMER_MS));
    const abort = () => this.end({ kind: 'cancelled' });
    this.req.signal?.addEventListener('abort', abort, { once: true });
    const stopWatch = watchRun(tree, {
      confined: this.keeper !== null,
      maxMemoryBytes: this.req.maxMemoryBytes ?? totalMemoryLimit(),
      onBreach: (why) => this.end({ kind: 'limit', why }),
    });
    return () => {
      clearTimeout(timer);
      this.req.signal?.removeEventListener('abort', abort);
      stopWatch();
    };
  }

  private end(reason: Ended): void {
    this.ended ??= reason;
    this.endNow();
  }

  /** Ends everything that still runs; returns how many processes outlived the command itself. */
  private async clean(tree: ProcessTree, exit: Exit | null, child: ChildProcess): Promise<number> {
    const helpers = this.keeper ? tree.eldestLine(this.keeper.helpers) : new Set<number>();
    // A helper that the command has killed keeps nothing: then the marks must do.
    const reaper = this.keeper ? [...helpers][this.keeper.reaper] : undefined;
    const ours = { helpers, reaper, ...(this.keeper?.endsOnWord ? { endAll: () => endOnWord(child) } : {}) };
    if (exit === null) {
      await tree.end(this.ended?.kind === 'timeout' ? KILL_GRACE_MS : 0, ours);
      return 0;
    }
    tree.alive(true);
    const endedThemselves = await ProcessTree.waitUntil(() => tree.isEmpty(ours), LEFTOVER_GRACE_MS);
    const signalled = await tree.end(0, ours);
    return endedThemselves ? signalled : Math.max(1, signalled);
  }

  private summary(exit: Exit | null, leftovers: number): Omit<RunResult, 'confinement' | 'keeper' | 'durationMs'> {
    const out = this.out.finish();
    const err = this.err.finish();
    const verdict = verdictOf({ exit, ended: this.ended, leftovers, timeoutMs: this.req.timeoutMs });
    const { note } = verdict;
    const glue = err.text === '' || err.text.endsWith('\n') ? '' : '\n';
    return {
      ...verdict,
      stdout: out.text,
      stderr: note === undefined ? err.text : `${err.text}${glue}（${note}）\n`,
      truncated: out.truncated || err.truncated,
      leftovers,
    };
  }

  private couldNotStart(
    e: unknown,
    pipes: OutputPipes | null,
  ): Omit<RunResult, 'confinement' | 'keeper' | 'durationMs'> {
    pipes?.releaseChildEnds();
    for (const stream of pipes?.readers ?? []) stream.destroy();
    return startFailure(e);
  }
}

/** Tells a subreaper to end what it keeps; it ends last. */
async function endOnWord(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  (child.stdio[3] as Duplex).end('\n');
  await settled(gone, NAMESPACE_DEATH_MS);
}

/** Waits for a promise, or so long at most; a timer that stayed would keep the whole process from ending. */
async function settled(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
