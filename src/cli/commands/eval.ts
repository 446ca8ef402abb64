import { resolve } from 'node:path';
import pc from 'picocolors';
import { packageRoot } from '../../assets.js';
import { loadConfig } from '../../config.js';
import { quoted, XiheError } from '../../errors.js';
import {
  armsNamed,
  changesSince,
  type EvalOptions,
  type EvalProgress,
  type EvalReport,
  Evaluation,
  loadTasks,
  proveTask,
  readBaseline,
  summarise,
  type Task,
  toMarkdown,
  writeReport,
} from '../../evals/index.js';
import { openLayoutToRead } from '../../layout.js';
import { EXIT } from '../exit-codes.js';
import { log, print, printJson, progressLog, visible } from '../output.js';
import type { CommonOptions } from './options.js';

interface EvalFlags extends CommonOptions {
  /** Commander sets it to false for `--no-model`. */
  model: boolean;
  tasks?: string;
  only?: string[];
  arms: string;
  repeats: number;
  parallel: number;
  seed: number;
  out: string;
  maxTokens?: number;
  maxCost?: number;
  baseline?: string;
  maxRegression?: number;
  ci?: boolean;
}

/** `xihe eval`: the same tasks with the core on and off; `xihe eval lint` proves that the tasks can tell. */
export async function evaluate(act: string | undefined, flags: EvalFlags): Promise<number> {
  if (act !== undefined && act !== 'lint')
    throw new XiheError('USAGE', `没有这个动作：${quoted(act)}`, { hint: '写 lint，或什么都不写。' });
  const tasks = wanted(loadTasks(flags.tasks ? resolve(flags.tasks) : `${packageRoot()}/evals/tasks`), flags.only);
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once('SIGINT', onInterrupt);
  try {
    return act === 'lint' ? await prove(tasks, flags, stop.signal) : await compare(tasks, flags, stop.signal);
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

/** Tasks whose id starts so, or of that class. @throws XiheError USAGE when none is left */
function wanted(tasks: Task[], only: readonly string[] | undefined): Task[] {
  if (only === undefined) return tasks;
  const left = tasks.filter((task) => only.some((name) => task.id.startsWith(name) || task.class === name));
  if (left.length > 0) return left;
  throw new XiheError('USAGE', `没有任务叫 ${only.join('、')}`, {
    hint: '写任务 id 的开头，或类：生成、修改、排查、总结。',
  });
}

async function prove(tasks: readonly Task[], flags: EvalFlags, signal: AbortSignal): Promise<number> {
  const say = progressLog();
  const proofs = [];
  for (const [i, task] of tasks.entries()) {
    say(`正在验证 ${i + 1}/${tasks.length}：${task.id}`);
    proofs.push(await proveTask(task, signal));
  }
  const problems = proofs.flatMap((proof) => proof.problems);
  if (flags.json)
    printJson({
      tasks: tasks.length,
      skipped: proofs.flatMap(({ task, skipped }) => (skipped ? [{ task, why: skipped }] : [])),
      problems,
    });
  else {
    for (const { task, skipped } of proofs) if (skipped) print(`${pc.yellow('跳过')} ${task}：${skipped}`);
    for (const { task, text } of problems) print(`${pc.red('错误')} ${task}：${visible(text)}`);
    print(`验证了 ${proofs.filter((proof) => !proof.skipped).length} 个任务，${problems.length} 处错误。`);
  }
  return problems.length > 0 ? EXIT.failed : EXIT.done;
}

async function compare(tasks: readonly Task[], flags: EvalFlags, signal: AbortSignal): Promise<number> {
  const baseline = flags.baseline === undefined ? undefined : readBaseline(resolve(flags.baseline));
  if (flags.ci && baseline === undefined)
    throw new XiheError('USAGE', '--ci 要和一份以前的报告比', { hint: '加 --baseline report.json。' });
  const arms = armsNamed(flags.arms.split(',').map((name) => name.trim()));
  const { model } = loadConfig(openLayoutToRead(flags.repo).layerDir);
  const modelName = flags.model ? (model.name ?? null) : null;
  if (flags.model && (model.baseUrl === undefined || modelName === null))
    throw new XiheError('MODEL_NOT_CONFIGURED', '没有设置模型', {
      hint: '设好 model.baseUrl 和 model.name，或加 --no-model 只看摆出了什么。',
    });
  const options: EvalOptions = {
    tasks,
    arms,
    // Without a model the same input gives the same brief.
    repeats: flags.model ? flags.repeats : 1,
    model: flags.model,
    modelName,
    seed: flags.seed,
    parallel: flags.parallel,
    outDir: resolve(flags.repo, flags.out),
    ...(flags.maxTokens === undefined ? {} : { maxTokens: flags.maxTokens }),
    ...(flags.maxCost === undefined ? {} : { maxCost: flags.maxCost }),
    env: process.env,
  };
  const evaluation = new Evaluation(options);
  if (flags.model) log(pc.dim(estimate(evaluation, flags)));
  const say = progressLog();
  const { runs, stopped } = await evaluation.run((progress) => say(progressText(progress)), signal);
  const summary = summarise(runs, arms, { model: modelName, seed: flags.seed });
  const report: EvalReport = { ...summary, stopped, runs };
  writeReport(report, options.outDir);
  if (flags.json) printJson(report);
  else print(`${visible(toMarkdown(summary, { stopped }))}\n\n报告：${options.outDir}/report.html`);
  return baseline && regressed(baseline, report, flags) ? EXIT.failed : EXIT.done;
}

/** What the run will take, by what runs of this kind took before. */
function estimate(evaluation: Evaluation, { maxTokens, maxCost }: EvalFlags): string {
  const all = evaluation.planned().length;
  const kept = [...evaluation.kept().values()];
  const left = all - kept.length;
  const bounds = [
    ...(maxTokens === undefined ? [] : [`上限 ${maxTokens} token`]),
    ...(maxCost === undefined ? [] : [`上限 ${maxCost}`]),
  ].join('，');
  const mean =
    kept.length === 0 ? null : kept.reduce((n, { usage }) => n + usage.input + usage.output, 0) / kept.length;
  const guess =
    mean === null ? '还没有跑过，估不出用量' : `按已有的 ${kept.length} 次，大约还要 ${Math.round(mean * left)} token`;
  return `要跑 ${left} 次（共 ${all} 次）；${guess}${bounds ? `；${bounds}` : '；没有设上限'}`;
}

function progressText({ done, all, leftMs }: EvalProgress): string {
  return `评测 ${done}/${all}${leftMs === null ? '' : `，还要约 ${Math.ceil(leftMs / 60_000)} 分钟`}`;
}

/** Whether the first arm fell by more than allowed; says how every arm moved. */
function regressed(baseline: ReturnType<typeof readBaseline>, report: EvalReport, flags: EvalFlags): boolean {
  const changes = changesSince(baseline, report);
  const allowed = (flags.maxRegression ?? 0) / 100;
  for (const { arm, measure, before, now } of changes)
    log(
      `${arm} ${measure === 'success' ? '成功' : '摆出的'}：${(before * 100).toFixed(1)}% → ${(now * 100).toFixed(1)}%`,
    );
  const [first] = Object.keys(report.arms);
  const own = changes.find(({ arm }) => arm === first);
  if (own === undefined)
    throw new XiheError('USAGE', '两份报告没有可比的对照组', { hint: '用同样的 --arms 和 --no-model 再比。' });
  const isWorse = own.before - own.now > allowed + Number.EPSILON;
  if (isWorse) log(pc.red(`退步超过 ${flags.maxRegression ?? 0}%`));
  return flags.ci === true && isWorse;
}
