import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errnoOf, XiheError } from '../../errors.js';
import { readStateFile, writeAtomic } from '../../stateFile.js';
import type { Note, Told } from './message.js';
import { type Flight, parseQueue, type QueueState } from './queueFile.js';
import { TRACE_WINDOW_MS } from './types.js';

/** Requests a minute at most: WeCom's and DingTalk's limit, kept for all. */
export const PER_MINUTE = 20;
const MINUTE_MS = 60_000;
/** Two requests are so far apart at least: Feishu takes five a second. Milliseconds. */
const GAP_MS = 250;
/** What may take a message to the platform must be over so long after it began; then its process is dead or was asleep. Milliseconds. */
const LEASE_MARGIN_MS = 20_000;
/** How long an act's id is remembered: a run that is resumed the next day alerts once. Milliseconds. */
const REMEMBER_MS = 24 * 3_600_000;
/** Ids that are remembered, and alerts that wait, at most. */
const REMEMBER_MAX = 500;
const WAITING_MAX = 200;

/** Runs short work while no other process does: `withFileLock` of the sandbox, which this room may not know. */
export type Lock = <T>(work: () => T) => T;

/** A message that this process may send now. */
export interface Taken {
  flight: string;
  alerts: Told[];
  notes: Note[];
}

/** What {@link AlertQueue.take} found. */
export type Take = { state: 'taken'; taken: Taken } | { state: 'empty' } | { state: 'wait'; until: number };

/**
 * Alerts that wait, in one file that all processes of a project share; every step is one locked, atomic rewrite of it.
 *
 * A message goes waiting → taken → requested → done. A process that is killed while it is `taken` has sent nothing: the alert waits again.
 * One that is killed once it was `requested` may have been heard: its alert is never sent again, and the next message mentions it.
 */
export class AlertQueue {
  private readonly file: string;

  /**
   * @param stateDir of the project
   * @param timeoutMs longest time of one request
   */
  constructor(
    stateDir: string,
    private readonly lock: Lock,
    private readonly timeoutMs: number,
    private readonly now: () => number = Date.now,
  ) {
    this.file = join(stateDir, 'alerts.json');
  }

  /**
   * Puts an alert into the queue.
   *
   * @returns `known`: the same act was alerted before; `repeated`: its trace was alerted within the window, which is counted where it waits
   * @throws XiheError STATE_UNWRITABLE
   */
  add(alert: Told): 'added' | 'known' | 'repeated' {
    return this.change((q, now) => {
      const open = [...q.waiting, ...q.flights.flatMap((flight) => flight.alerts)];
      if (q.done.some(({ id }) => id === alert.id) || open.some(({ id }) => id === alert.id)) return 'known';
      const waiting = q.waiting.find(({ trace }) => trace === alert.trace);
      const recent = q.done.some(({ trace, at }) => trace === alert.trace && now - at < TRACE_WINDOW_MS);
      if (recent || open.some(({ trace }) => trace === alert.trace)) {
        if (waiting !== undefined) waiting.repeats += 1;
        // Without a time of its own: a repetition does not make the window longer.
        q.done.push({ id: alert.id, trace: alert.trace, at: 0 });
        return 'repeated';
      }
      q.waiting.push(alert);
      for (const { task, trace } of q.waiting.splice(0, Math.max(0, q.waiting.length - WAITING_MAX)))
        q.notes.push({ task, trace, why: 'dropped' });
      return 'added';
    });
  }

  /** Takes the next message: the oldest alert alone while there is room, the rest together in the last place of the minute. */
  take(): Take {
    return this.change((q, now): Take => {
      recover(q, now, this.leaseMs);
      if (q.waiting.length === 0) return { state: 'empty' };
      if (q.pausedUntil > now) return { state: 'wait', until: q.pausedUntil };
      const free = freeOf(q, now);
      if (free <= 0) {
        q.held = true;
        return { state: 'wait', until: (q.requests[0] ?? now) + MINUTE_MS };
      }
      const count = q.held || (free === 1 && q.waiting.length > 1) ? q.waiting.length : 1;
      const flight: Flight = {
        id: randomBytes(6).toString('hex'),
        alerts: q.waiting.splice(0, count),
        notes: q.notes.splice(0),
        pid: process.pid,
        host: hostname(),
        at: now,
        requested: false,
      };
      if (q.waiting.length === 0) q.held = false;
      q.flights.push(flight);
      return { state: 'taken', taken: { flight: flight.id, alerts: flight.alerts, notes: flight.notes } };
    });
  }

  /**
   * Says that a request for a taken message begins now; on disk before the first byte leaves.
   *
   * @returns `go`; or how long to wait first; or `lost`, when another process took the message over meanwhile
   */
  begin(id: string): 'go' | 'lost' | { waitMs: number } {
    return this.change((q, now) => {
      const flight = q.flights.find((one) => one.id === id);
      if (flight === undefined) return 'lost';
      const last = q.requests.at(-1) ?? 0;
      if (now - last < GAP_MS) return { waitMs: GAP_MS - (now - last) };
      const free = freeOf(q, now) + (flight.requested ? 0 : 1);
      if (free <= 0) return { waitMs: (q.requests[0] ?? now) + MINUTE_MS - now };
      flight.requested = true;
      flight.at = now;
      q.requests.push(now);
      return 'go';
    });
  }

  /** Says that the last request was surely not taken: should this process die before the next one, the message waits again. */
  rest(id: string): void {
    this.change((q) => {
      const flight = q.flights.find((one) => one.id === id);
      if (flight !== undefined) flight.requested = false;
    });
  }

  /**
   * Records what became of a taken message.
   *
   * @param outcome `unsent`: it waits again; `refused`: the platform does not take its content; `unknown`: nobody knows
   * @param pausedUntil no message is taken before, milliseconds since 1970
   */
  settle(id: string, outcome: 'sent' | 'unsent' | 'refused' | 'unknown', pausedUntil = 0): void {
    this.change((q, now) => {
      q.pausedUntil = Math.max(q.pausedUntil, pausedUntil);
      const flight = q.flights.find((one) => one.id === id);
      if (flight === undefined) return undefined;
      q.flights = q.flights.filter((one) => one !== flight);
      land(q, flight, outcome, now);
      return undefined;
    });
  }

  /** Takes an alert back that still waits. */
  withdraw(id: string): void {
    this.change((q) => {
      q.waiting = q.waiting.filter((alert) => alert.id !== id);
    });
  }

  /** What waits and what is unclear, for people; changes nothing. */
  status(): { waiting: number; unclear: number; pausedUntil: number } {
    const q = this.read();
    return { waiting: q.waiting.length, unclear: q.notes.length, pausedUntil: q.pausedUntil };
  }

  /** Whether an act's alert went out (or was counted as a repetition of one that did). */
  isDone(id: string): boolean {
    return this.read().done.some((one) => one.id === id);
  }

  private get leaseMs(): number {
    return this.timeoutMs + LEASE_MARGIN_MS;
  }

  private read(): QueueState {
    const bytes = readStateFile(this.file);
    return parseQueue(bytes?.toString('utf8')) ?? parseQueue(undefined)!;
  }

  private change<T>(work: (q: QueueState, now: number) => T): T {
    return this.lock(() => {
      const bytes = readStateFile(this.file);
      const known = parseQueue(bytes?.toString('utf8'));
      if (known === undefined) setAside(this.file);
      const q = known ?? parseQueue(undefined)!;
      const before = JSON.stringify(q);
      const now = this.now();
      // A clock that was set back must not close the queue for ever.
      q.requests = q.requests.filter((at) => at <= now && now - at < MINUTE_MS);
      if (q.pausedUntil - now > REMEMBER_MS) q.pausedUntil = 0;
      q.done = q.done.filter(({ at }) => at === 0 || now - at < REMEMBER_MS).slice(-REMEMBER_MAX);
      const result = work(q, now);
      const after = JSON.stringify(q);
      if (after !== before && !writeAtomic(this.file, [after])) throw unwritable(this.file);
      return result;
    });
  }
}

/** Places that are left in this minute; what is taken and not requested yet has one. */
function freeOf(q: QueueState, now: number): number {
  const asked = q.requests.filter((at) => now - at < MINUTE_MS).length;
  return PER_MINUTE - asked - q.flights.filter(({ requested }) => !requested).length;
}

/** Messages of processes that are gone: back to waiting where surely nothing was sent, else to the notes. */
function recover(q: QueueState, now: number, leaseMs: number): void {
  for (const flight of q.flights.filter((one) => isGone(one, now, leaseMs))) {
    q.flights = q.flights.filter((one) => one !== flight);
    land(q, flight, flight.requested ? 'unknown' : 'unsent', now);
  }
}

function land(q: QueueState, flight: Flight, outcome: 'sent' | 'unsent' | 'refused' | 'unknown', now: number): void {
  if (outcome === 'unsent') {
    q.waiting.unshift(...flight.alerts);
    q.notes.unshift(...flight.notes);
    if (flight.alerts.length > 1) q.held = true;
    return;
  }
  q.done.push(...flight.alerts.map(({ id, trace }) => ({ id, trace, at: now })));
  if (outcome === 'sent') return;
  q.notes.unshift(...flight.notes, ...flight.alerts.map(({ task, trace }) => ({ task, trace, why: outcome })));
}

/** A number may be used again by another process, so the lease counts as well. */
function isGone({ pid, host, at }: Flight, now: number, leaseMs: number): boolean {
  if (now - at > leaseMs || at - now > leaseMs) return true;
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (e) {
    return errnoOf(e) !== 'EPERM';
  }
}

/** What can't be read is kept beside, for whoever wants to look. */
function setAside(file: string): void {
  try {
    renameSync(file, `${file}.bad`);
  } catch {
    // The new one replaces it.
  }
}

function unwritable(file: string): XiheError {
  return new XiheError('STATE_UNWRITABLE', `告警队列写不进去：${file}`, {
    hint: '检查磁盘空间和写权限。',
    details: { file },
  });
}
