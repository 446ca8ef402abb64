import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { packageRoot } from '../assets.js';
import { XiheError } from '../errors.js';
import { Changeset, type FileDiff, runProcess, type StagedEdit } from '../sandbox/index.js';
import type { Change, Task } from './task.js';

/** A hidden test that takes longer hangs; Java is compiled in two seconds. Milliseconds. */
const COMMAND_TIMEOUT_MS = 120_000;
/** Of a command's output, the end is kept. Characters. */
const OUTPUT_CHARS = 4_000;
/** What a copy of a fixture leaves out: made by tools, or bound to where it lay. */
const NOT_COPIED = new Set(['node_modules', '.git', 'state', 'target', 'out']);

/** The fixtures that ship: name → folder in the repository. */
const FIXTURES: Record<string, string> = {
  mall: 'examples/mall',
  'member-service': 'evals/fixtures/member-service',
  'admin-web': 'evals/fixtures/admin-web',
};

/**
 * The folder of a task's repository.
 *
 * @throws XiheError EVAL_TASK_INVALID when there is no such fixture
 */
export function fixtureDir(task: Pick<Task, 'fixture' | 'file'>): string {
  const known = FIXTURES[task.fixture];
  const dir = known === undefined ? resolve(dirname(task.file), task.fixture) : join(packageRoot(), known);
  if (existsSync(dir)) return dir;
  throw new XiheError('EVAL_TASK_INVALID', `没有样例项目 ${task.fixture}`, {
    hint: `写 ${Object.keys(FIXTURES).join('、')} 之一（在羲和的仓库里才有），或写任务文件旁边的目录。`,
    details: { file: task.file },
  });
}

/** A copy of a fixture in a folder of its own. */
export interface Workspace {
  /** The project root. */
  root: string;
  /** The folder around it, which holds what is no part of the project. */
  base: string;
  /** Deletes all of it. */
  remove(): void;
}

/**
 * Copies the repository of a task, without what tools made. Packages that the repository around it installed stay reachable.
 *
 * @throws XiheError EVAL_TASK_INVALID
 */
export function copyFixture(task: Pick<Task, 'fixture' | 'file'>): Workspace {
  const from = fixtureDir(task);
  const base = mkdtempSync(join(tmpdir(), 'xihe-eval-'));
  const root = join(base, task.fixture.split('/').pop()!);
  cpSync(from, root, {
    recursive: true,
    filter: (source) => source === from || !NOT_COPIED.has(source.slice(source.lastIndexOf('/') + 1)),
  });
  const packages = [join(from, 'node_modules'), join(packageRoot(), 'node_modules')].find((dir) => existsSync(dir));
  // Beside the copy: it is found from within, and is no part of the tree that the agent sees.
  if (packages !== undefined) symlinkSync(packages, join(base, 'node_modules'), 'junction');
  return { root, base, remove: () => rmSync(base, { recursive: true, force: true }) };
}

/**
 * Makes a task's change in a copy, in each file's own encoding.
 *
 * @returns what it changes, file by file
 * @throws XiheError EVAL_TASK_INVALID where a search text is not found exactly once
 */
export function makeChange({ root, base }: Workspace, changes: readonly Change[], where: string): FileDiff[] {
  const changeset = Changeset.create(join(base, 'state'), root);
  for (const change of changes) {
    if (change.delete) changeset.stage({ kind: 'delete', path: change.path });
    else if (change.write !== undefined) changeset.stage({ kind: 'write', path: change.path, text: change.write });
    for (const edit of change.edits ?? []) changeset.stage(exactEdit(changeset, change.path, edit, where));
  }
  const diffs = changeset.diff();
  changeset.apply();
  return diffs;
}

function exactEdit(
  changeset: Changeset,
  path: string,
  { search, replace }: { search: string; replace: string },
  where: string,
): StagedEdit {
  const { text } = changeset.read(path);
  const places = placesOf(text, search);
  if (places.length !== 1)
    throw wrongEdit(
      where,
      `${path} 里这段文字出现 ${places.length} 次，应当正好一次：${JSON.stringify(search.slice(0, 60))}`,
    );
  const { start, end, indent } = places[0]!;
  return {
    kind: 'edit',
    path,
    edits: [{ start, end, text: indent === undefined ? replace : indented(replace, indent) }],
  };
}

interface Place {
  start: number;
  end: number;
  /** What every line has before it in the file and not in the task; undefined where the text stands there as it is. */
  indent?: string;
}

/**
 * Where a search text stands: as it is, or else as whole lines that are further in. A YAML block loses the indentation that its first
 * line has, so a task's text may start at the margin.
 */
function placesOf(text: string, search: string): Place[] {
  const plain: Place[] = [];
  for (let at = text.indexOf(search); at >= 0; at = text.indexOf(search, at + search.length))
    plain.push({ start: at, end: at + search.length });
  if (plain.length > 0) return plain;
  const wanted = search.split('\n');
  const lines = text.split('\n');
  const starts: number[] = [0];
  for (const line of lines) starts.push(starts.at(-1)! + line.length + 1);
  return lines.flatMap((line, i) => {
    const indent = /^[ \t]*/.exec(line)![0];
    const isHere = wanted.every(
      (one, k) =>
        (lines[i + k] ?? '').replace(/\r$/, '') === (one === '' ? '' : indent + one) || isOpenEnd(one, k, wanted),
    );
    if (indent === '' || !isHere) return [];
    const whole = wanted.at(-1) === '' ? wanted.length - 1 : wanted.length;
    const end = starts[i + whole]! - (whole === wanted.length ? 1 : 0);
    return [{ start: starts[i]!, end, indent }];
  });
}

/** The empty text behind a block's last line break: whatever follows in the file is not looked at. */
function isOpenEnd(line: string, k: number, wanted: readonly string[]): boolean {
  return line === '' && k === wanted.length - 1;
}

function indented(text: string, indent: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : indent + line))
    .join('\n');
}

function wrongEdit(where: string, reason: string): XiheError {
  return new XiheError('EVAL_TASK_INVALID', `${where}：${reason}`, { hint: '对照样例项目里的原文改好任务。' });
}

/** How a command of a task ended. */
export interface Ran {
  ok: boolean;
  /** The end of what it printed. */
  output: string;
}

/** Puts a task's hidden files into a copy and runs its command there. */
export async function runHidden(root: string, hidden: NonNullable<Task['hidden']>, signal?: AbortSignal): Promise<Ran> {
  for (const [path, text] of Object.entries(hidden.files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return runCommand(root, hidden.command, signal);
}

/**
 * Runs a program to its end, and ends all that it started: a test runner that is killed leaves a hanging test behind, which would hold
 * its output open for ever. A time-out or a cancel is a failure. Not confined: packages lie outside the copy.
 */
export async function runCommand(root: string, command: readonly string[], signal?: AbortSignal): Promise<Ran> {
  const ran = await runProcess({
    argv: [...command],
    cwd: root,
    timeoutMs: COMMAND_TIMEOUT_MS,
    confinement: 'process-group',
    ...(signal ? { signal } : {}),
  });
  const isEndedByUs = ran.outcome === 'timeout' || ran.outcome === 'cancelled';
  const output = [ran.stdout, ran.stderr, ran.note ?? ''].map((part) => part.trim()).filter((part) => part !== '');
  return { ok: ran.exitCode === 0 && !isEndedByUs, output: output.join('\n').slice(-OUTPUT_CHARS) };
}

/** Programs of a task that are not on this machine. */
export function missingPrograms(task: Pick<Task, 'hidden'>): string[] {
  return (task.hidden?.needs ?? []).filter((program) => spawnSync(program, ['-version'], { stdio: 'ignore' }).error);
}
