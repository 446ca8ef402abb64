import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packageVersion } from '../assets.js';
import { XiheError } from '../errors.js';
import { stateBytes, writeAtomic } from '../stateFile.js';
import type { EvalArm } from './arms.js';
import { type EvalRun, evalRunSchema } from './result.js';
import { runTask } from './run-task.js';
import { shuffled } from './stats.js';
import type { Task } from './task.js';
import { fixtureDir } from './workspace.js';

/** What is run. */
export interface EvalOptions {
  tasks: readonly Task[];
  arms: readonly EvalArm[];
  /** How often each pair of task and arm; without a model once, since nothing differs. */
  repeats: number;
  /** Whether the configured model does the work; without it the brief is looked at. */
  model: boolean;
  /** Name of the model, for the record. */
  modelName: string | null;
  /** Decides the order, and the intervals of the report. */
  seed: number;
  /** Runs at once. */
  parallel: number;
  /** Where runs are kept, so that an interrupted evaluation goes on. */
  outDir: string;
  /** No run starts once this much was used. Tokens; money by the prices of the settings. */
  maxTokens?: number;
  maxCost?: number;
  env: NodeJS.ProcessEnv;
}

/** One run that is to be made. */
interface Planned {
  task: Task;
  arm: EvalArm;
  repeat: number;
  key: string;
  name: string;
}

export interface EvalProgress {
  done: number;
  all: number;
  /** Of them kept from before. */
  kept: number;
  /** Milliseconds until the end, by what the runs of this process took; null before the first. */
  leftMs: number | null;
  last: EvalRun;
}

export interface EvalRuns {
  runs: EvalRun[];
  /** Why not all were made, in Chinese. */
  stopped: string | null;
}

/**
 * One evaluation: the same tasks in several arms, paired. It holds nothing but its options; what it made lies in `outDir`.
 */
export class Evaluation {
  constructor(readonly options: EvalOptions) {}

  /** The same with other options. */
  extend(overrides: Partial<EvalOptions>): Evaluation {
    return new Evaluation({ ...this.options, ...overrides });
  }

  /** Runs in the order in which they are made: arms are mixed, so that a slow hour of an endpoint hits all alike. */
  planned(): Planned[] {
    const { tasks, arms, repeats, seed } = this.options;
    const fixtures = new Map<string, string>();
    const all = tasks.flatMap((task) => {
      const dir = fixtureDir(task);
      const fixture = fixtures.get(dir) ?? hashOfFolder(dir);
      fixtures.set(dir, fixture);
      const text = readFileSync(task.file, 'utf8');
      return arms.flatMap((arm) =>
        Array.from({ length: repeats }, (_, i) => {
          const parts = [packageVersion(), fixture, text, JSON.stringify(arm), this.options.modelName, String(seed)];
          const key = createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);
          return { task, arm, repeat: i + 1, key, name: `${task.id}--${arm.name}--${i + 1}` };
        }),
      );
    });
    return shuffled(all, seed);
  }

  /** Runs that are there already, by name. */
  kept(): Map<string, EvalRun> {
    const wanted = new Map(this.planned().map(({ name, key }) => [name, key]));
    const found = new Map<string, EvalRun>();
    for (const [name, key] of wanted) {
      const run = this.readRun(name);
      if (run?.key === key) found.set(name, run);
    }
    return found;
  }

  /**
   * Makes all runs that are not there yet.
   *
   * @param onProgress called after each
   * @param signal stops; what was made is kept
   * @throws XiheError CANCELLED, STATE_UNWRITABLE, EVAL_TASK_INVALID
   */
  async run(onProgress: (progress: EvalProgress) => void = () => {}, signal?: AbortSignal): Promise<EvalRuns> {
    const planned = this.planned();
    const kept = this.kept();
    const runs = [...kept.values()];
    const todo = planned.filter(({ name }) => !kept.has(name));
    const began = performance.now();
    let stopped: string | null = null;
    let made = 0;
    const worker = async () => {
      for (let next = todo.shift(); next && stopped === null; next = todo.shift()) {
        stopped = this.overBudget(runs);
        if (stopped !== null) return;
        const run = await this.make(next, signal);
        runs.push(run);
        made++;
        const left = planned.length - runs.length;
        const leftMs = ((performance.now() - began) / made) * left;
        onProgress({ done: runs.length, all: planned.length, kept: kept.size, leftMs, last: run });
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, this.options.parallel) }, worker));
    return { runs: inOrder(runs), stopped };
  }

  private async make({ task, arm, repeat, key, name }: Planned, signal?: AbortSignal): Promise<EvalRun> {
    if (signal?.aborted) throw cancelled();
    const { model, env } = this.options;
    const { run, trace } = await runTask(task, { arm, repeat, key, name, model, env, ...(signal ? { signal } : {}) });
    this.write(`${name}.trace.json`, trace);
    this.write(`${name}.json`, run);
    return run;
  }

  private write(name: string, value: unknown): void {
    const file = join(this.options.outDir, 'runs', name);
    mkdirSync(join(this.options.outDir, 'runs'), { recursive: true });
    if (writeAtomic(file, [`${JSON.stringify(value, null, 1)}\n`])) return;
    throw new XiheError('STATE_UNWRITABLE', `结果写不进去：${file}`, { hint: '检查磁盘空间，或用 --out 换一个目录。' });
  }

  private readRun(name: string): EvalRun | undefined {
    try {
      const text = stateBytes(join(this.options.outDir, 'runs', `${name}.json`)).toString('utf8');
      return evalRunSchema.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  }

  private overBudget(runs: readonly EvalRun[]): string | null {
    const { maxTokens, maxCost } = this.options;
    const tokens = runs.reduce((n, { usage }) => n + usage.input + usage.output, 0);
    if (maxTokens !== undefined && tokens >= maxTokens) return `已用 ${tokens} token，到了上限 ${maxTokens}`;
    const cost = runs.reduce((n, { usage }) => n + (usage.cost ?? 0), 0);
    if (maxCost !== undefined && cost >= maxCost) return `已花 ${cost.toFixed(2)}，到了上限 ${maxCost}`;
    return null;
  }
}

/** By task, arm and repeat, whatever the order in which they were made. */
function inOrder(runs: readonly EvalRun[]): EvalRun[] {
  return [...runs].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function cancelled(): XiheError {
  return new XiheError('CANCELLED', '已停下', { hint: '同样的命令再运行一次会接着做。' });
}

/** Folders of a fixture that no run sees. */
const NOT_HASHED = /(^|\/)(node_modules|\.git|state|target|out)(\/|$)/;

function hashOfFolder(dir: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !NOT_HASHED.test(relative(dir, file)) && statSync(file).isFile())
    .sort();
  for (const file of files)
    hash
      .update(`${relative(dir, file)}\0`)
      .update(readFileSync(file))
      .update('\0');
  return hash.digest('hex');
}
