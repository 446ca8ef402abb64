import type { BaseMessage } from '@langchain/core/messages';
import * as z from 'zod';
import type { ForkConflict } from '../../sandbox/index.js';
import { usageSchema } from '../usage.js';

/** Something with a type of its own that schemas for clients need not describe. */
const opaque = <T>() => z.unknown() as unknown as z.ZodType<T>;

const conflictSchema = opaque<ForkConflict>();

/** A part of a plan that can be done beside the others. */
export const planPartSchema = z.object({
  title: z.string(),
  /** What is to be done, as the user or the model said it. */
  instruction: z.string(),
  /** Files that it starts from; they may not be there yet. */
  files: z.array(z.string()),
});

/** What one sub-agent is to do. */
export const partSchema = planPartSchema.extend({
  /** `part-1`, `part-1-fix`: in marks of conflicts, events and keys. */
  name: z.string(),
  /** Its own changeset, on top of that of the run. */
  changesetId: z.string(),
  /** What the others do, in their words. */
  others: z.array(z.object({ name: z.string(), title: z.string(), changesetId: z.string() })),
  /** How much the run had used before these parts began: its limits are shared. */
  before: z.object({ usage: usageSchema, turns: z.number(), elapsedMs: z.number() }),
  /** Turns of the conversation that it goes on with; 0 for a new one. */
  startTurn: z.number(),
  /** The merge that follows. */
  round: z.number(),
  /** Conflicts that it is to solve; empty for work of its own. */
  conflicts: z.array(conflictSchema),
});

/** How the work of a run was split; null where it was not. */
export const splitSchema = z.object({
  /** Who split it: the plan, or the model by a call that waits for its answer. */
  by: z.enum(['plan', 'model']),
  call: z.string().nullable(),
  /** The parts as they were split, by which conflicts are told. */
  parts: z.array(partSchema),
  /** Who works now. */
  working: z.array(partSchema),
  /** How often was merged. */
  round: z.number(),
  /** What is not solved yet. */
  conflicts: z.array(conflictSchema),
  /** In Chinese: what else is to be told of the merging. */
  notes: z.array(z.string()),
});

/** How a sub-agent ended. */
export const outcomeSchema = z.object({
  name: z.string(),
  title: z.string(),
  /** The merge that follows. */
  round: z.number(),
  state: z.enum(['done', 'stopped', 'failed']),
  /** In Chinese: why it is not done. */
  why: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string() }).nullable(),
  /** Its last words. */
  said: z.string(),
  /** Files that it changed. */
  files: z.array(z.string()),
  turns: z.number(),
  /** Milliseconds. */
  ms: z.number(),
  /** Its conversation, for tracing, and to go on with where it has to solve a conflict. */
  messages: z.array(opaque<BaseMessage>()),
});

export type PlanPart = z.infer<typeof planPartSchema>;
export type Part = z.infer<typeof partSchema>;
export type Split = z.infer<typeof splitSchema>;
export type Outcome = z.infer<typeof outcomeSchema>;
