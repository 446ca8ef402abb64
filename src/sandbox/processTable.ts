import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** One living process, as the system shows it. */
export interface ProcessInfo {
  pid: number;
  ppid: number;
  /** Process group. */
  pgid: number;
  /** Session; 0 where the system does not tell. */
  sid: number;
  /** Clock ticks since boot; with the pid it names a process for good (pids are used again). 0 where unknown. */
  start: number;
  rssBytes: number;
}

/** Memory pages are 4 KiB on every x86-64 and nearly every arm64 kernel; the memory watch needs no exact number. */
const PAGE_BYTES = 4096;

/** True where `/proc` shows processes (Linux, WSL). */
export const HAS_PROC = process.platform === 'linux';

/**
 * Every living process (zombies are dead).
 *
 * @param skip pids that need not be looked at again
 * @returns [] where the system has neither `/proc` nor `ps`
 */
export function listProcesses(skip?: ReadonlySet<number>): ProcessInfo[] {
  if (!HAS_PROC) return process.platform === 'win32' ? [] : listByPs();
  const found: ProcessInfo[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || skip?.has(pid)) continue;
    const info = readProcess(pid);
    if (info) found.push(info);
  }
  return found;
}

/**
 * One process, or null when it is gone. Linux only.
 *
 * @param deadToo also a zombie (dead, but its parent has not asked yet)
 */
export function readProcess(pid: number, deadToo = false): ProcessInfo | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // proc(5): `pid (comm) state ppid pgrp session …`; comm may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  if (!deadToo && (state === 'Z' || state === 'X')) return null;
  return {
    pid,
    ppid: Number(fields[1]),
    pgid: Number(fields[2]),
    sid: Number(fields[3]),
    start: Number(fields[19]),
    rssBytes: Number(fields[21]) * PAGE_BYTES,
  };
}

function listByPs(): ProcessInfo[] {
  let out: string;
  try {
    out = execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,rss=,stat='], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return [];
  }
  const found: ProcessInfo[] = [];
  for (const line of out.split('\n')) {
    const [pid, ppid, pgid, rss, stat] = line.trim().split(/\s+/);
    if (!pid || !stat || stat.startsWith('Z')) continue;
    found.push({
      pid: Number(pid),
      ppid: Number(ppid),
      pgid: Number(pgid),
      sid: 0,
      start: 0,
      rssBytes: Number(rss) * 1024,
    });
  }
  return found;
}

/** The environment a process was started with, or '' when it can't be read (another user's, gone, no `/proc`). */
export function environOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

/** The hard limit of file locks (RLIMIT_LOCKS) of a process as /proc shows it, or '' when it can't be read. */
export function locksLimitOf(pid: number): string {
  try {
    return /^Max file locks\s+\S+\s+(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** Children of a process as the kernel lists them in one step, the dead that nobody has asked for too; null when it can't be read. */
export function childrenOf(pid: number): number[] | null {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
    return list === '' ? [] : list.split(' ').map(Number);
  } catch {
    return null;
  }
}

/** The current folder of a process, or '' when it can't be read. */
export function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/** Sends a signal to a process, or to a group (negative number); what is gone meanwhile is no error. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone, or not ours to signal: the next look at the table tells.
  }
}
