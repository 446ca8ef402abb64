import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errnoOf } from '../errors.js';
import { HAS_PROC, readProcess } from './processTable.js';

/** Names one process so that another can tell later whether it still lives. */
export interface Owner {
  pid: number;
  /** Start time in clock ticks; 0 where the system does not tell. */
  start: number;
  /** Machine, boot and pid namespace: a pid means nothing outside them. */
  host: string;
}

let cachedHost: string | undefined;

function hostKey(): string {
  if (cachedHost !== undefined) return cachedHost;
  const parts = [hostname()];
  if (HAS_PROC) {
    try {
      // After a reboot old pids are all dead, and two containers that share a folder have pids of their own.
      parts.push(readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(), readlinkSync('/proc/self/ns/pid'));
    } catch {
      // A kernel without these files: the host name alone must do.
    }
  }
  cachedHost = parts.join('/');
  return cachedHost;
}

/** This process. */
export function selfOwner(): Owner {
  return { pid: process.pid, start: HAS_PROC ? (readProcess(process.pid)?.start ?? 0) : 0, host: hostKey() };
}

/**
 * Whether the process named by `owner` still lives.
 *
 * @returns 'unknown' when it ran on another machine, in another container or before a reboot of another host
 */
export function ownerState(owner: Owner): 'alive' | 'dead' | 'unknown' {
  if (owner.host !== hostKey()) return sameMachineOtherBoot(owner.host) ? 'dead' : 'unknown';
  try {
    process.kill(owner.pid, 0);
  } catch (e) {
    return errnoOf(e) === 'EPERM' ? 'alive' : 'dead';
  }
  if (!HAS_PROC || owner.start === 0) return 'alive';
  const now = readProcess(owner.pid);
  return now !== null && now.start === owner.start ? 'alive' : 'dead';
}

/** The same host name and pid namespace with another boot id: the machine was restarted, so the owner is dead. */
function sameMachineOtherBoot(host: string): boolean {
  const [name, boot, ns] = host.split('/');
  const [myName, myBoot, myNs] = hostKey().split('/');
  return boot !== undefined && myBoot !== undefined && name === myName && ns === myNs && boot !== myBoot;
}

/** Parses what {@link selfOwner} wrote; null for anything else. */
export function parseOwner(text: string): Owner | null {
  try {
    const o = JSON.parse(text) as Partial<Owner>;
    return typeof o.pid === 'number' && typeof o.start === 'number' && typeof o.host === 'string' ? (o as Owner) : null;
  } catch {
    return null;
  }
}
