import * as z from 'zod';
import { TASK_CLASSES } from './task.js';

/** What one run brought, as it is kept on disk and given out. Fields may be added; none is renamed or given another meaning. */
export const evalRunSchema = z.object({
  task: z.string(),
  class: z.enum(TASK_CLASSES),
  arm: z.string(),
  /** From 1. */
  repeat: z.number(),
  /** Hash of everything that the run depends on: task, arm, model, version. A kept run with another one is made anew. */
  key: z.string(),
  /** Name of the run's files, below `runs/`. */
  name: z.string(),
  support: z.object({
    items: z.array(
      z.object({
        kind: z.enum(['term', 'knowledge', 'warning', 'step', 'file']),
        id: z.string(),
        rank: z.number().nullable(),
      }),
    ),
    support: z.number(),
    whole: z.boolean(),
    tokens: z.number(),
    by: z.record(z.string(), z.number()),
  }),
  /** How the run ended, as `xihe run --json` says. */
  status: z.string(),
  /** Only of runs with a model. */
  outcome: z
    .object({
      /** Hidden tests passed, every fact is there and no wrong one. */
      success: z.boolean(),
      /** null where the task has no hidden tests. */
      hidden: z.boolean().nullable(),
      missing: z.array(z.string()),
      wrong: z.array(z.string()),
      /** Warnings that the task is about and that the change breaks. */
      violated: z.array(z.string()),
      /** Files that were changed without need. */
      unneeded: z.array(z.string()),
      changed: z.array(z.string()),
      /** The end of what the hidden tests printed, where they failed. */
      output: z.string(),
    })
    .nullable(),
  usage: z.object({
    input: z.number(),
    output: z.number(),
    calls: z.number(),
    cost: z.number().optional(),
    estimated: z.boolean(),
  }),
  /** Tokens of entries put before the model, by type. */
  injected: z.record(z.string(), z.number()),
  /** Files whose text was read. */
  opened: z.number(),
  turns: z.number(),
  ms: z.number(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string() }).nullable(),
});
export type EvalRun = z.infer<typeof evalRunSchema>;
