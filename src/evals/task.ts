import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { quoted, XiheError } from '../errors.js';
import { parseYaml } from '../yaml.js';
import '../zod-zh.js';

/**
 * A task: one request on one repository, with what decides whether it was done well. One YAML file each, so that a team can write
 * its own beside ours.
 */

/** The four kinds of work. */
export const TASK_CLASSES = ['生成', '修改', '排查', '总结'] as const;
export type TaskClass = (typeof TASK_CLASSES)[number];

const id = z.string().regex(/^[a-z0-9][a-z0-9-]*$/, '只能用小写字母、数字和 -');
/** A path in the fixture, relative, with `/`. */
const path = z
  .string()
  .min(1)
  .refine((p) => !p.startsWith('/') && !p.split('/').includes('..') && !p.includes('\\'), '写相对于项目根目录的路径');

const pattern = z.string().refine((text) => {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}, '不是合法的正则表达式');

/** What a change does to one file: exact search and replace, a new text, or away with it. */
const changeSchema = z
  .strictObject({
    path,
    edits: z
      .array(z.strictObject({ search: z.string().min(1), replace: z.string() }))
      .min(1)
      .optional(),
    write: z.string().optional(),
    delete: z.literal(true).optional(),
  })
  .refine(
    (change) => [change.edits, change.write, change.delete].filter((part) => part !== undefined).length === 1,
    'edits、write、delete 要且只要写一个',
  );

/** What must be put before the model for the task to be done as the team wants it. */
const decidingSchema = z
  .strictObject({
    terms: z.array(z.string()).default([]),
    /** Ids of documents, or the part of the id before `#`. */
    knowledge: z.array(z.string()).default([]),
    warnings: z.array(z.string()).default([]),
    /** `playbook id#words of the step`. */
    steps: z.array(z.string().regex(/^[^#]+#.+$/, '写成「流程模板的 id#那一步里的几个字」')).default([]),
    files: z.array(path).default([]),
  })
  .refine((d) => Object.values(d).some((list) => list.length > 0), '至少写一条决定成败的东西');

const factsSchema = z.strictObject({ must: z.array(pattern).default([]), never: z.array(pattern).default([]) });

export const taskSchema = z
  .strictObject({
    id,
    class: z.enum(TASK_CLASSES),
    /** Name of a fixture, or a folder beside the task's file, e.g. `fixtures/shop`. */
    fixture: z.string().min(1),
    title: z.string().min(1),
    request: z.string().min(1),
    /** Why this task tells a good run from a bad one. */
    why: z.string().min(1),
    deciding: decidingSchema,
    /** Globs of what a good change touches; anything else that is changed counts as unneeded. */
    touch: z.array(z.string()).default([]),
    /** Of the answer, or of the lines that a change adds. */
    facts: factsSchema.prefault({}),
    /** Files that the agent never sees, and the command that runs them in the fixture's root. */
    hidden: z
      .strictObject({
        command: z.array(z.string()).min(1),
        files: z.record(path, z.string()),
        /** Programs that must be there, e.g. javac. */
        needs: z.array(z.string()).default([]),
      })
      .optional(),
    /** One change, or one answer, that is right. */
    solution: z.union([z.array(changeSchema).min(1), z.string().min(1)]),
    /** Changes, or answers, that look right and are not. */
    wrong: z
      .array(
        z.strictObject({
          why: z.string().min(1),
          does: z.union([z.array(changeSchema).min(1), z.string().min(1)]),
          /** What tells: the hidden tests, a fact, or a warning of the team's (`severity: block`) on the lines that it adds. */
          caught_by: z.enum(['hidden', 'fact', 'warning']),
        }),
      )
      .min(1),
  })
  .superRefine((task, ctx) => {
    const answers = typeof task.solution === 'string';
    if (!answers && task.hidden === undefined)
      ctx.addIssue({ code: 'custom', path: ['hidden'], message: '要改代码的任务必须有隐藏测试' });
    if (answers && task.facts.must.length === 0)
      ctx.addIssue({ code: 'custom', path: ['facts'], message: '要回答的任务必须写明答案里要有什么' });
    for (const [i, wrong] of task.wrong.entries())
      if ((typeof wrong.does === 'string') !== answers)
        ctx.addIssue({ code: 'custom', path: ['wrong', i, 'does'], message: '要和 solution 一样，都是改动或都是回答' });
  });

export type Change = z.infer<typeof changeSchema>;
export type Deciding = z.infer<typeof decidingSchema>;
export type Task = z.infer<typeof taskSchema> & {
  /** The file that it was read from, absolute. */
  file: string;
};

/** Largest task file, in bytes: hidden tests and two changes fit many times. */
const TASK_BYTES_MAX = 512 * 1024;

/**
 * Reads every `*.yaml` below a folder, but not in its `fixtures/`.
 *
 * @param dir absolute
 * @returns sorted by id
 * @throws XiheError EVAL_TASK_INVALID with file, line and reason at the first task that can't be read, or when there is none:
 *   a figure over only the tasks that happened to load would be no figure
 */
export function loadTasks(dir: string): Task[] {
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new XiheError('EVAL_TASK_INVALID', `没有任务目录：${quoted(dir)}`, {
      hint: '在羲和的仓库里运行，或用 --tasks 指定放着任务（*.yaml）的目录。',
    });
  }
  const files = taskFiles(dir).sort();
  const tasks = files.map((file) => readTask(file, dir));
  if (tasks.length === 0) throw invalid(dir, 1, '里面没有任务（*.yaml）');
  const seen = new Map<string, string>();
  for (const { id: name, file } of tasks) {
    const before = seen.get(name);
    if (before !== undefined) throw invalid(relative(dir, file), 1, `id ${name} 和 ${relative(dir, before)} 重复`);
    seen.set(name, file);
  }
  return tasks.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Folders that hold repositories, which have YAML of their own. */
const NO_TASKS = /^(?:fixtures|node_modules|\..*)$/;

function taskFiles(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return NO_TASKS.test(entry.name) ? [] : taskFiles(path);
    return entry.isFile() && /\.ya?ml$/.test(entry.name) ? [path] : [];
  });
}

function readTask(file: string, dir: string): Task {
  const name = relative(dir, file);
  if (statSync(file).size > TASK_BYTES_MAX) throw invalid(name, 1, `超过 ${TASK_BYTES_MAX / 1024} KB`);
  const yaml = parseYaml(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''), 'core');
  if (!yaml.ok) throw invalid(name, yaml.line, yaml.reason);
  const parsed = taskSchema.safeParse(yaml.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(name, yaml.lineOf(issue!.path), `${issue!.path.join('.')} ${issue!.message}`.trim());
  }
  if (parsed.data.id !== basename(file).replace(/\.ya?ml$/, ''))
    throw invalid(name, yaml.lineOf(['id']), `id 要和文件名一样（${basename(dirname(file))}/${parsed.data.id}.yaml）`);
  return { ...parsed.data, file };
}

function invalid(file: string, line: number, reason: string): XiheError {
  return new XiheError('EVAL_TASK_INVALID', `任务读不进来：${file}:${line} ${reason}`, {
    hint: '改好这个文件再运行；写法见 docs/eval.md。',
    details: { file, line, reason },
  });
}
