import type { EvalArm } from './arms.js';
import type { EvalRun } from './result.js';
import { type Difference, type Discordance, mcNemar, mean, pairedDifference } from './stats.js';
import { TASK_CLASSES, type TaskClass } from './task.js';

/** What one arm brought. */
export interface ArmSummary {
  title: string;
  runs: number;
  /** Mean share of deciding items that were put before whoever does the work, 0–1. */
  support: number;
  /** Share of runs in which all of them were. */
  whole: number;
  /** Share by kind of item; a kind that no task has is absent. */
  by_kind: Record<string, number>;
  by_class: Partial<Record<TaskClass, number>>;
  /** Mean reciprocal rank of the items, 0 for those that were not there. */
  mrr: number;
  /** Mean tokens of the brief. */
  tokens: number;
  /** Only with a model. */
  model?: {
    success: number;
    wrong_facts: number;
    /** Share of runs whose change ran into a warning that the task is about. */
    violated: number;
    unneeded: number;
    input: number;
    output: number;
    opened: number;
    turns: number;
    seconds: number;
    success_by_class: Partial<Record<TaskClass, number>>;
  };
  /** Mean tokens of injected entries, by type. */
  injected: Record<string, number>;
}

/** One arm against the first. */
export interface Comparison {
  arm: string;
  against: string;
  support: Difference;
  tokens: Difference;
  success?: { difference: Difference; mcnemar: Discordance };
}

export interface EvalSummary {
  tasks: number;
  repeats: number;
  model: string | null;
  arms: Record<string, ArmSummary>;
  comparisons: Comparison[];
}

/**
 * What the runs say, arm by arm, and each arm against the first.
 *
 * Pairs are made of task means over repeats: repeats of one task are no evidence about other tasks.
 */
export function summarise(
  runs: readonly EvalRun[],
  arms: readonly Pick<EvalArm, 'name' | 'title'>[],
  { model, seed }: { model: string | null; seed: number },
): EvalSummary {
  const of = (name: string) => runs.filter((run) => run.arm === name);
  const [first, ...others] = arms;
  return {
    tasks: new Set(runs.map((run) => run.task)).size,
    repeats: Math.max(0, ...runs.map((run) => run.repeat)),
    model,
    arms: Object.fromEntries(arms.map((arm) => [arm.name, armSummary(of(arm.name), arm.title)])),
    comparisons: others.map((arm) => compare(of(first!.name), of(arm.name), [first!.name, arm.name], seed)),
  };
}

function armSummary(runs: readonly EvalRun[], title: string): ArmSummary {
  const items = runs.flatMap((run) => run.support.items);
  const kinds = [...new Set(items.map((item) => item.kind))];
  const shareOf = (kind: string) => mean(items.filter((i) => i.kind === kind).map((i) => (i.rank === null ? 0 : 1)));
  const withModel = runs.filter((run) => run.outcome !== null);
  return {
    title,
    runs: runs.length,
    support: mean(runs.map((run) => run.support.support)),
    whole: mean(runs.map((run) => Number(run.support.whole))),
    by_kind: Object.fromEntries(kinds.map((kind) => [kind, shareOf(kind)])),
    by_class: byClass(runs, (run) => run.support.support),
    mrr: mean(items.map((item) => (item.rank === null ? 0 : 1 / item.rank))),
    tokens: mean(runs.map((run) => run.support.tokens)),
    ...(withModel.length > 0 ? { model: modelSummary(withModel) } : {}),
    injected: meansOf(runs.map((run) => run.injected)),
  };
}

function modelSummary(runs: readonly EvalRun[]): NonNullable<ArmSummary['model']> {
  const share = (yes: (outcome: NonNullable<EvalRun['outcome']>) => boolean) =>
    mean(runs.map((run) => Number(yes(run.outcome!))));
  return {
    success: share((o) => o.success),
    wrong_facts: share((o) => o.wrong.length > 0),
    violated: share((o) => o.violated.length > 0),
    unneeded: share((o) => o.unneeded.length > 0),
    input: mean(runs.map((run) => run.usage.input)),
    output: mean(runs.map((run) => run.usage.output)),
    opened: mean(runs.map((run) => run.opened)),
    turns: mean(runs.map((run) => run.turns)),
    seconds: mean(runs.map((run) => run.ms / 1000)),
    success_by_class: byClass(runs, (run) => Number(run.outcome!.success)),
  };
}

function byClass(runs: readonly EvalRun[], value: (run: EvalRun) => number): Partial<Record<TaskClass, number>> {
  const there = TASK_CLASSES.filter((name) => runs.some((run) => run.class === name));
  return Object.fromEntries(there.map((name) => [name, mean(runs.filter((run) => run.class === name).map(value))]));
}

function meansOf(records: readonly Record<string, number>[]): Record<string, number> {
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))].sort();
  return Object.fromEntries(keys.map((key) => [key, mean(records.map((record) => record[key] ?? 0))]));
}

function compare(
  a: readonly EvalRun[],
  b: readonly EvalRun[],
  [against, arm]: [string, string],
  seed: number,
): Comparison {
  const tasks = [...new Set(a.map((run) => run.task))].filter((task) => b.some((run) => run.task === task)).sort();
  const taskMean = (runs: readonly EvalRun[], task: string, value: (run: EvalRun) => number) =>
    mean(runs.filter((run) => run.task === task).map(value));
  const pairs = (value: (run: EvalRun) => number) =>
    tasks.map((task) => [taskMean(a, task, value), taskMean(b, task, value)] as const);
  const withModel = [...a, ...b].every((run) => run.outcome !== null) && a.length + b.length > 0;
  const succeeded = (run: EvalRun) => Number(run.outcome?.success ?? false);
  return {
    arm,
    against,
    support: pairedDifference(
      pairs((run) => run.support.support),
      seed,
    ),
    tokens: pairedDifference(
      pairs((run) => (withModel ? run.usage.input + run.usage.output : run.support.tokens)),
      seed,
    ),
    ...(withModel
      ? {
          success: {
            difference: pairedDifference(pairs(succeeded), seed),
            // A task counts as done where more than half of its repeats did it.
            mcnemar: mcNemar(pairs(succeeded).map(([x, y]) => [x > 0.5, y > 0.5] as const)),
          },
        }
      : {}),
  };
}
