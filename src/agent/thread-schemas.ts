import * as z from 'zod';

/** What the user said while a run was under way, and before which turn of the model it was heard. */
export const saidSchema = z.object({
  n: z.number(),
  text: z.string(),
  at: z.string(),
  run: z.number(),
  turn: z.number(),
});

/** How far a changeset was after a node, in bytes of its journal. */
export const stagedSchema = z.object({ id: z.string(), bytes: z.number() });
/** Where a branch began: the step of the other thread, and the turns that were behind it. */
export const originSchema = z.object({
  thread: z.string(),
  step: z.number(),
  run: z.number(),
  intent: z.number(),
  turn: z.number(),
});

/** A run of the thread that is over, for the next one. */
export const turnSchema = z.object({
  text: z.string(),
  kind: z.enum(['edit', 'qa', 'tool', 'chat']),
  tool: z.string().optional(),
  outcome: z.string(),
});
