import { setTimeout as sleep } from 'node:timers/promises';
import {
  cwdOf,
  environOf,
  fileBehind,
  HAS_PROC,
  listProcesses,
  locksLimitOf,
  type ProcessInfo,
  readProcess,
  signalProcess,
} from './processTable.js';

/** How often the table is read again while processes die. Milliseconds. */
const DEATH_POLL_MS = 10;
/** Freeze-and-kill rounds; a process that forks in a loop is stopped in the first round and dead in the second. */
const KILL_ROUNDS = 40;

/** What tells that a process belongs to a run. */
export interface RunMarks {
  /** The process that was spawned; it leads its own session. */
  rootPid: number;
  /** `NAME=value` that was put into its environment and that children inherit. */
  marker: string;
  /** The value of RLIMIT_LOCKS that was set for it and that no child can shed, or '' when it could not be set. */
  locksLimit: string;
  /** Devices and inodes of the pipes that carry its output (`dev:inode`). */
  pipes: ReadonlySet<string>;
  /** A private scratch folder: an orphan that works there can only be ours. */
  privateDir?: string;
}

/**
 * The processes of one run, also those that tried to leave it.
 *
 * Membership is by any of: a known parent, a session or group that a member began, a resource limit that was set for the
 * run (inherited for good, also by `env -i setsid`), the marker in the environment, our output pipe as its stdout or
 * stderr, an orphan inside the private scratch folder. Outside Linux only parents and groups are known.
 */
export class ProcessTree {
  /** Members ever seen: pid → start time. */
  private readonly members = new Map<number, number>();
  /** Pids that were looked at and are not ours; their parents and sessions can't become ours later. */
  private readonly foreign = new Set<number>();
  private readonly groups = new Set<number>();
  private readonly startedAfter: number;

  /** The process that was spawned. */
  readonly rootPid: number;

  constructor(private readonly marks: RunMarks) {
    this.rootPid = marks.rootPid;
    // Even when it is dead by now: Node has not reaped it yet, as no event was handled since the spawn.
    this.startedAfter = HAS_PROC ? (readProcess(marks.rootPid, true)?.start ?? 0) : 0;
    this.members.set(marks.rootPid, this.startedAfter);
    this.groups.add(marks.rootPid);
  }

  /**
   * The members alive now.
   *
   * @param full look at every process again, not only at new ones (pids may have been used again)
   */
  alive(full = false): ProcessInfo[] {
    if (full) this.foreign.clear();
    const table = listProcesses(this.foreign);
    const ours = new Map<number, ProcessInfo>();
    const rest: ProcessInfo[] = [];
    for (const p of table) {
      if (this.members.has(p.pid) && this.members.get(p.pid) === p.start) ours.set(p.pid, p);
      else if (p.pid !== process.pid) rest.push(p);
    }
    // A child may be listed before its parent is known, so look again until nothing new is found.
    for (let before = -1; before !== ours.size; ) {
      before = ours.size;
      for (const p of rest) if (!ours.has(p.pid) && this.belongs(p, ours)) this.take(p, ours);
    }
    for (const p of rest) if (!ours.has(p.pid)) this.foreign.add(p.pid);
    return [...ours.values()];
  }

  private take(p: ProcessInfo, ours: Map<number, ProcessInfo>): void {
    ours.set(p.pid, p);
    this.members.set(p.pid, p.start);
    // A group or session named after a member was begun by it; all others are ours by another mark only.
    if (p.pgid === p.pid) this.groups.add(p.pgid);
    if (p.sid === p.pid) this.groups.add(p.sid);
  }

  private belongs(p: ProcessInfo, ours: ReadonlyMap<number, ProcessInfo>): boolean {
    if (p.start < this.startedAfter) return false;
    if (ours.has(p.ppid)) return true;
    if (this.groups.has(p.pgid) || this.groups.has(p.sid)) return true;
    if (!HAS_PROC) return false;
    if (this.marks.locksLimit !== '' && locksLimitOf(p.pid) === this.marks.locksLimit) return true;
    if (environOf(p.pid).split('\0').includes(this.marks.marker)) return true;
    if ([1, 2].some((fd) => this.marks.pipes.has(fileBehind(p.pid, fd)))) return true;
    return this.isOrphanInPrivateDir(p);
  }

  private isOrphanInPrivateDir(p: ProcessInfo): boolean {
    const dir = this.marks.privateDir;
    if (dir === undefined || p.ppid === process.pid) return false;
    const cwd = cwdOf(p.pid).replace(/ \(deleted\)$/, '');
    return cwd === dir || cwd.startsWith(`${dir}/`);
  }

  /** The spawned process, its first child, that one's first child, and so on: at most `depth` pids. */
  eldestLine(depth: number): Set<number> {
    const all = this.alive(true);
    const line = new Set<number>();
    let next = all.find((p) => p.pid === this.rootPid);
    while (next !== undefined && line.size < depth) {
      const { pid } = next;
      line.add(pid);
      next = all.filter((p) => p.ppid === pid).sort((a, b) => a.start - b.start || a.pid - b.pid)[0];
    }
    return line;
  }

  /** Waits until `done()` or until the time (milliseconds) is over. */
  static async waitUntil(done: () => boolean, ms: number): Promise<boolean> {
    const end = performance.now() + ms;
    for (;;) {
      if (done()) return true;
      if (performance.now() >= end) return false;
      await sleep(DEATH_POLL_MS);
    }
  }

  /**
   * Asks the members to end and, after the grace, makes them.
   *
   * @param graceMs time between SIGTERM and SIGKILL in milliseconds; 0 kills at once
   * @param spare pids that get no SIGTERM (helpers whose death would kill the others without grace)
   * @returns how many members had to be signalled
   */
  async end(graceMs: number, spare: ReadonlySet<number> = new Set()): Promise<number> {
    const signalled = new Set<number>();
    if (graceMs > 0) {
      for (const p of this.alive(true)) {
        if (spare.has(p.pid)) continue;
        signalled.add(p.pid);
        signalProcess(p.pid, 'SIGTERM');
      }
      await ProcessTree.waitUntil(() => this.alive().every((p) => spare.has(p.pid)), graceMs);
    }
    for (let round = 0; round < KILL_ROUNDS; round++) {
      const victims = this.freeze();
      if (victims.length === 0) break;
      for (const p of victims) {
        if (!spare.has(p.pid)) signalled.add(p.pid);
        signalProcess(p.pid, 'SIGKILL');
      }
      await sleep(DEATH_POLL_MS);
    }
    return signalled.size;
  }

  /** Stops every member, so that none can fork while the others are found; returns them all. */
  private freeze(): ProcessInfo[] {
    const stopped = new Set<number>();
    for (;;) {
      const found = this.alive(true);
      const fresh = found.filter((p) => !stopped.has(p.pid));
      if (fresh.length === 0) return found;
      for (const p of fresh) {
        stopped.add(p.pid);
        signalProcess(p.pid, 'SIGSTOP');
      }
    }
  }
}

/**
 * Kills what runs of a dead Xihe left behind (it was killed with SIGKILL, and there was no bwrap to end its commands).
 *
 * @param isDeadRun tells from a marker's value whether its Xihe is dead
 * @returns how many processes were killed
 */
export function killOrphansOf(markerName: string, isDeadRun: (value: string) => boolean): number {
  if (!HAS_PROC) return 0;
  let killed = 0;
  for (const p of listProcesses()) {
    const mark = environOf(p.pid)
      .split('\0')
      .find((line) => line.startsWith(`${markerName}=`));
    if (mark === undefined || p.pid === process.pid || !isDeadRun(mark.slice(markerName.length + 1))) continue;
    killed++;
    signalProcess(p.pid, 'SIGKILL');
  }
  return killed;
}
