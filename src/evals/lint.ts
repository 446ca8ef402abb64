import { existsSync } from 'node:fs';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { XiheError } from '../errors.js';
import type { FileDiff } from '../sandbox/index.js';
import { type CoreEntry, type EntryType, openZhCore, type ZhCore } from '../zhcore/index.js';
import { checkFacts, factsHold } from './facts.js';
import type { Change, Deciding, Task } from './task.js';
import { copyFixture, fixtureDir, makeChange, missingPrograms, runHidden } from './workspace.js';

/** What is wrong with a task. */
export interface TaskProblem {
  task: string;
  /** In Chinese. */
  text: string;
}

/** The proof of one task. */
export interface TaskProof {
  task: string;
  problems: TaskProblem[];
  /** In Chinese: why it could not be proved on this machine. */
  skipped?: string;
}

/**
 * Proves that a task can tell right from wrong: its hidden tests fail before and pass with its solution, each wrong way is caught as it
 * says, and everything that decides it exists in the fixture.
 *
 * @throws XiheError EVAL_TASK_INVALID where an edit does not fit the fixture; CANCELLED
 */
export async function proveTask(task: Task, signal?: AbortSignal): Promise<TaskProof> {
  const missing = missingPrograms(task);
  if (missing.length > 0) return { task: task.id, problems: [], skipped: `这台机器没有 ${missing.join('、')}` };
  const root = fixtureDir(task);
  const core = openZhCore({ projectDir: join(root, '.xihe') });
  try {
    const problems = missingDeciding(task.deciding, core.entries(), root);
    if (typeof task.solution === 'string') problems.push(...answerProblems(task, task.solution));
    else problems.push(...(await changeProblems(task, task.solution, core, signal)));
    if (signal?.aborted) throw new XiheError('CANCELLED', '已停下', { hint: '重新运行 xihe eval lint。' });
    return { task: task.id, problems: problems.map((text) => ({ task: task.id, text })) };
  } finally {
    await core.close();
  }
}

/** Entries and files that the task names and the fixture does not have. */
function missingDeciding(deciding: Deciding, entries: readonly CoreEntry[], root: string): string[] {
  const has = (type: EntryType, id: string) => entries.some((e) => e.type === type && e.entry.id === id);
  const absent = (['term', 'knowledge', 'warning'] as const).flatMap((type) => {
    const wanted = { term: deciding.terms, knowledge: deciding.knowledge, warning: deciding.warnings }[type];
    return wanted.filter((id) => !has(type, id)).map((id) => `样例项目里没有条目 ${id}`);
  });
  const steps = deciding.steps.filter((step) => {
    const [playbook, words] = splitStep(step);
    const found = entries.find((e) => e.type === 'playbook' && e.entry.id === playbook);
    return found?.type !== 'playbook' || !found.entry.steps.some((text) => text.includes(words));
  });
  const files = deciding.files.filter((path) => !existsSync(join(root, path)));
  return [
    ...absent,
    ...steps.map((step) => `流程模板里没有这一步：${step}`),
    ...files.map((path) => `样例项目里没有文件 ${path}`),
  ];
}

/** `id#words` in its two parts; the first `#` parts them. */
export function splitStep(step: string): [playbook: string, words: string] {
  const at = step.indexOf('#');
  return [step.slice(0, at), step.slice(at + 1)];
}

function answerProblems(task: Task, solution: string): string[] {
  const right = checkFacts(task.facts, solution);
  const problems = factsHold(right) ? [] : [`参考答案自己没通过：${faultsOf(right)}`];
  if (factsHold(checkFacts(task.facts, ''))) problems.push('空答案也能通过');
  if (factsHold(checkFacts(task.facts, task.request))) problems.push('把请求原样说一遍也能通过');
  for (const { why, does } of task.wrong)
    if (factsHold(checkFacts(task.facts, does as string))) problems.push(`错误答案没有被抓住：${why}`);
  return problems;
}

function faultsOf({ missing, wrong }: ReturnType<typeof checkFacts>): string {
  return [...missing.map((p) => `缺 /${p}/`), ...wrong.map((p) => `不该有 /${p}/`)].join('，');
}

async function changeProblems(
  task: Task,
  solution: readonly Change[],
  core: ZhCore,
  signal?: AbortSignal,
): Promise<string[]> {
  const problems: string[] = [];
  const before = await tryChange(task, [], '原样', core, signal);
  if (before.hidden) problems.push('隐藏测试在改之前就通过了');
  const after = await tryChange(task, solution, '参考改法', core, signal);
  if (!after.hidden) problems.push(`参考改法没通过隐藏测试：${lastLines(after.output)}`);
  const right = checkFacts(task.facts, addedText(after.diffs));
  if (!factsHold(right)) problems.push(`参考改法没通过事实检查：${faultsOf(right)}`);
  if (after.warned.length > 0) problems.push(`参考改法触发了团队的警示：${after.warned.join('、')}`);
  const outside = after.diffs.map((d) => d.path).filter((path) => !task.touch.some((glob) => matches(path, glob)));
  if (outside.length > 0) problems.push(`参考改法改了 touch 之外的文件：${outside.join('、')}`);
  for (const { why, does, caught_by } of task.wrong) {
    const tried = await tryChange(task, does as Change[], `错误改法「${why}」`, core, signal);
    const caught = {
      hidden: !tried.hidden,
      fact: !factsHold(checkFacts(task.facts, addedText(tried.diffs))),
      warning: tried.warned.some((id) => task.deciding.warnings.includes(id)),
    };
    if (!caught[caught_by]) problems.push(`错误改法没有被 ${caught_by} 抓住：${why}`);
  }
  return problems;
}

interface Tried {
  hidden: boolean;
  output: string;
  diffs: FileDiff[];
  /** Ids of the team's warnings that it breaks. */
  warned: string[];
}

async function tryChange(
  task: Task,
  change: readonly Change[],
  name: string,
  core: ZhCore,
  signal?: AbortSignal,
): Promise<Tried> {
  const copy = copyFixture(task);
  try {
    const diffs = makeChange(copy, change, `${task.id} 的${name}`);
    const ran = await runHidden(copy.root, task.hidden!, signal);
    return { hidden: ran.ok, output: ran.output, diffs, warned: brokenWarnings(core, diffs) };
  } finally {
    copy.remove();
  }
}

/** The team's warnings that a change breaks. One that only reminds (`severity: warn`) fires on right changes too. */
export function brokenWarnings(core: ZhCore, diffs: readonly FileDiff[]): string[] {
  const fired = core.warningsForDiff(diffs).filter(({ warning }) => warning.severity === 'block');
  return [...new Set(fired.map(({ warning }) => warning.id))];
}

/** The lines that a change adds, as one text. */
export function addedText(diffs: readonly FileDiff[]): string {
  return diffs.flatMap((diff) => diff.addedLines.map(({ text }) => text)).join('\n');
}

function matches(path: string, glob: string): boolean {
  return picomatch(glob, { dot: true })(path);
}

function lastLines(output: string): string {
  return output.split('\n').slice(-12).join('\n');
}
