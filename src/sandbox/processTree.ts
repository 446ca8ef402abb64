import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  childrenOf,
  cwdOf,
  environOf,
  HAS_PROC,
  listProcesses,
  locksLimitOf,
  type ProcessInfo,
  readProcess,
  signalProcess,
} from './processTable.js';

/** How often the table is read again while processes die. Milliseconds. */
const DEATH_POLL_MS = 10;
/** Rounds of looking and killing: one is the rule, a process that forks in a loop takes a few. */
const KILL_ROUNDS = 100;
/** Looks at new pids right after each other within a round. */
const CHASES = 3;
/** Looks in a row that must find nothing. */
const LOOKS = 8;
/** How long a pid namespace, or what a subreaper keeps, may take to be empty. Milliseconds. */
export const NAMESPACE_DEATH_MS = 5_000;

/** What tells that a process belongs to a run. */
export interface RunMarks {
  /** The process that was spawned; it leads its own session. */
  rootPid: number;
  /** `NAME=value` that was put into its environment and that children inherit. */
  marker: string;
  /** The value of RLIMIT_LOCKS that was set for it and that no child can shed, or '' when it could not be set. */
  locksLimit: string;
  /** A private scratch folder: what works there can only be ours. */
  privateDir?: string;
}

/** The processes of a keeper, above the command's. */
export interface Helpers {
  helpers: ReadonlySet<number>;
  /** The one that orphans become children of. */
  reaper: number | undefined;
  /** Ends all that it keeps; without it the spawned process is killed. */
  endAll?: () => Promise<void>;
}

const NOBODY: ReadonlySet<number> = new Set();

/**
 * The processes of one run, also those that tried to leave it.
 *
 * Membership is by any of: a known parent, a session or group that a member began, a resource limit that was set for the
 * run (inherited for good, also by `env -i setsid`), the marker in the environment, a current folder inside the private
 * scratch folder. Outside Linux only parents and groups are known.
 */
export class ProcessTree {
  /** Members ever seen: pid → start time. */
  private readonly members = new Map<number, number>();
  /** Processes that were looked at and are not ours, and so can't become ours: pid → start time. */
  private readonly foreign = new Map<number, number>();
  /** Groups and sessions that members began and that have members. */
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
   * @param full look at every process again, not only at new pids (they may have been used again)
   */
  alive(full = false): ProcessInfo[] {
    const table = listProcesses(full ? undefined : new Set(this.foreign.keys()));
    const ours = new Map<number, ProcessInfo>();
    const rest: ProcessInfo[] = [];
    for (const p of table) {
      if (this.members.get(p.pid) === p.start) ours.set(p.pid, p);
      else if (p.pid !== process.pid && this.foreign.get(p.pid) !== p.start) rest.push(p);
    }
    this.takeFamily(rest, ours);
    // Marks cost a few reads of /proc, so they are looked at once for each process that the family does not explain.
    for (const p of rest) {
      if (ours.has(p.pid)) continue;
      if (p.start >= this.startedAfter && this.isMarked(p)) this.take(p, ours);
      else this.foreign.set(p.pid, p.start);
    }
    this.takeFamily(rest, ours);
    const alive = [...ours.values()];
    // The number of a group that has died out may be given to anyone.
    for (const g of this.groups) if (!alive.some((p) => p.pgid === g || p.sid === g)) this.groups.delete(g);
    return alive;
  }

  /** Children of members, and whoever is in a group or session that a member began. */
  private takeFamily(rest: readonly ProcessInfo[], ours: Map<number, ProcessInfo>): void {
    // A child may be listed before its parent is known, so look again until nothing new is found.
    for (let before = -1; before !== ours.size; ) {
      before = ours.size;
      for (const p of rest) {
        if (ours.has(p.pid) || p.start < this.startedAfter) continue;
        if (ours.has(p.ppid) || this.groups.has(p.pgid) || this.groups.has(p.sid)) this.take(p, ours);
      }
    }
  }

  private take(p: ProcessInfo, ours: Map<number, ProcessInfo>): void {
    ours.set(p.pid, p);
    this.members.set(p.pid, p.start);
    // A group or session named after a member was begun by it; all others are ours by another mark only.
    if (p.pgid === p.pid) this.groups.add(p.pgid);
    if (p.sid === p.pid) this.groups.add(p.sid);
  }

  private isMarked(p: ProcessInfo): boolean {
    if (!HAS_PROC) return false;
    const { locksLimit, marker } = this.marks;
    if (locksLimit !== '' && locksLimitOf(p.pid) === locksLimit) return true;
    if (environOf(p.pid).split('\0').includes(marker)) return true;
    return this.isInPrivateDir(p);
  }

  private isInPrivateDir(p: ProcessInfo): boolean {
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

  /**
   * Whether no member is alive but the helpers. One look can miss a process that was just born of one that just died, so
   * it takes several in a row to say yes; where orphans have a new parent, its children are looked at instead, which the
   * kernel lists in one step: new ones between two looks mean that somebody forks.
   */
  isEmpty({ helpers = NOBODY, reaper }: Partial<Helpers> = {}): boolean {
    const before = reaper === undefined ? null : childrenOf(reaper);
    for (let look = 0; look < LOOKS; look++) if (this.alive().some((p) => !helpers.has(p.pid))) return false;
    if (reaper === undefined || before === null) return true;
    return (childrenOf(reaper) ?? []).every((pid) => before.includes(pid));
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
   * @param ours the keeper's processes. They get no SIGTERM (the others would lose their grace) and do not count; when they
   *   are killed, the kernel kills everything in their pid namespace in one step, and a subreaper does it when it is told.
   * @returns how many members had to be signalled
   */
  async end(graceMs: number, ours: Partial<Helpers> = {}): Promise<number> {
    const helpers = ours.helpers ?? NOBODY;
    if (process.platform === 'win32') return endOnWindows(this.rootPid);
    const signalled = new Set<number>();
    const others = () => this.alive().filter((p) => !helpers.has(p.pid));
    this.alive(true);
    if (graceMs > 0) {
      for (const p of others()) this.signal(p, 'SIGTERM', signalled);
      await ProcessTree.waitUntil(() => this.isEmpty(ours), graceMs);
    }
    if (helpers.size > 0) {
      for (const p of others()) signalled.add(p.pid);
      if (ours.endAll) await ours.endAll();
      else signalProcess(this.rootPid, 'SIGKILL');
      await ProcessTree.waitUntil(() => this.isEmpty(), NAMESPACE_DEATH_MS);
    }
    for (let round = 0; round < KILL_ROUNDS; round++) {
      const victims = this.alive(true);
      if (victims.length === 0 && this.isEmpty()) break;
      this.killGroups(victims);
      for (const p of victims) this.signal(p, 'SIGKILL', helpers.has(p.pid) ? undefined : signalled);
      // A chain that forks faster than we look is caught by looking again without pause, at new pids only.
      for (let chase = 0; chase < CHASES; chase++) for (const p of this.alive()) this.signal(p, 'SIGKILL', signalled);
      await sleep(DEATH_POLL_MS);
    }
    return signalled.size;
  }

  /** Kills the members without waiting for their death: all that can be done while this process exits. */
  killNow(): void {
    if (process.platform === 'win32') endOnWindows(this.rootPid);
    else
      for (let round = 0; round < CHASES; round++) {
        const victims = this.alive(true);
        this.killGroups(victims);
        for (const p of victims) signalProcess(p.pid, 'SIGKILL');
      }
  }

  private signal(p: ProcessInfo, signal: 'SIGTERM' | 'SIGKILL', signalled: Set<number> | undefined): void {
    signalled?.add(p.pid);
    signalProcess(p.pid, signal);
  }

  /** The kernel signals a whole group in one step: no member can fork in between. */
  private killGroups(victims: readonly ProcessInfo[]): void {
    for (const group of new Set(victims.map((p) => p.pgid)))
      if (this.groups.has(group)) signalProcess(-group, 'SIGKILL');
  }
}

/** Windows keeps the tree by parent ids itself; there is no polite signal, and no way to find what has left the tree. */
function endOnWindows(pid: number): number {
  try {
    execFileSync('taskkill', ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
  } catch {
    // Gone already.
  }
  return 0;
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
