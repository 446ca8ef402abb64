import * as z from 'zod';
import type { Note, Told } from './message.js';

/** A message on its way: whose process, since when, and whether a request was made. */
export interface Flight {
  id: string;
  alerts: Told[];
  notes: Note[];
  pid: number;
  host: string;
  /** When it was taken or last requested, milliseconds since 1970. */
  at: number;
  requested: boolean;
}

/** The queue file. No address, no key: where to is a matter of the settings. */
export interface QueueState {
  waiting: Told[];
  flights: Flight[];
  notes: Note[];
  /** Times of the requests of the last minute, oldest first. */
  requests: number[];
  /** Acts whose alert is over, with when it was; 0 for a repetition, which is counted with another one. */
  done: { id: string; trace: string; at: number }[];
  pausedUntil: number;
  /** What waits had to wait for the limit: it goes out as one. */
  held: boolean;
}

/** The file may come with a repository: nothing longer than what we write is taken from it. */
const short = z.string().max(2_000);

const told = z.object({
  id: short,
  trace: short,
  task: short,
  reason: short,
  kind: z.enum(['failure', 'notice']),
  log: z.array(short).max(20),
  durationMs: z.number().optional(),
  at: z.number(),
  repeats: z.number(),
});

const note = z.object({ task: short, trace: short, why: z.enum(['unknown', 'refused', 'dropped']) });

const flight = z.object({
  id: short,
  alerts: z.array(told).max(1_000),
  notes: z.array(note).max(1_000),
  pid: z.number().int().positive(),
  host: short,
  at: z.number(),
  requested: z.boolean(),
});

const queue = z.object({
  waiting: z.array(told).max(1_000).default([]),
  flights: z.array(flight).max(100).default([]),
  notes: z.array(note).max(1_000).default([]),
  requests: z.array(z.number()).max(1_000).default([]),
  done: z
    .array(z.object({ id: short, trace: short, at: z.number() }))
    .max(1_000)
    .default([]),
  pausedUntil: z.number().default(0),
  held: z.boolean().default(false),
});

/**
 * Reads a queue file.
 *
 * @param text undefined for an empty queue
 * @returns undefined when it is none
 */
export function parseQueue(text: string | undefined): QueueState | undefined {
  try {
    const read = queue.safeParse(JSON.parse(text ?? '{}'));
    return read.success ? (read.data as QueueState) : undefined;
  } catch {
    return undefined;
  }
}
