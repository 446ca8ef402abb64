import picomatch from 'picomatch';
import { closeProject, newThreadName, runJsonOf, Session, type ThreadView, traceOf } from '../agent/index.js';
import { XiheError } from '../errors.js';
import type { FileDiff } from '../sandbox/index.js';
import type { EvalArm } from './arms.js';
import { checkFacts, factsHold } from './facts.js';
import { addedText, brokenWarnings } from './lint.js';
import type { EvalRun } from './result.js';
import { supportOf } from './support.js';
import type { Task } from './task.js';
import { copyFixture, runHidden, type Workspace } from './workspace.js';

/** What a run of a task needs beside the task. */
export interface RunTaskOptions {
  arm: EvalArm;
  /** From 1. */
  repeat: number;
  key: string;
  name: string;
  model: boolean;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

/** Questions that one run may ask: more is a loop. */
const ANSWERS_MAX = 6;
/** What the user of a task says when asked for what nobody has. */
const NO_MORE = '没有更多资料，按现有代码做';

/**
 * Runs one task in one arm, on a copy of its own that is deleted afterwards.
 *
 * @returns what came of it, and the trace that leads to every step
 * @throws XiheError CANCELLED, EVAL_TASK_INVALID; a run that fails is a result, not an error
 */
export async function runTask(task: Task, options: RunTaskOptions): Promise<{ run: EvalRun; trace: unknown }> {
  const copy = copyFixture(task);
  const session = await Session.open(copy.root, { ...options.env, ...options.arm.env });
  const began = performance.now();
  try {
    const view = await toItsEnd(session, task, options);
    const json = runJsonOf(view, session.project);
    const diffs = view.state.changesetId ? session.project.changeset(view.state.changesetId).diff() : [];
    const outcome = options.model ? await outcomeOf(task, { view, diffs, copy, session, options }) : null;
    const { state } = view;
    const run: EvalRun = {
      task: task.id,
      class: task.class,
      arm: options.arm.name,
      repeat: options.repeat,
      key: options.key,
      name: options.name,
      support: supportOf(task.deciding, { run: json, injected: state.ledger }),
      status: json.status,
      outcome,
      usage: { ...state.usage, estimated: state.usage.estimated },
      injected: injectedOf(view),
      opened: new Set(state.fed.filter((fed) => fed.form === 'read').map((fed) => fed.path)).size,
      turns: state.turn,
      ms: Math.round(performance.now() - began),
      error: json.error,
    };
    return {
      run,
      trace: { ...traceOf(view, session.project), answer: json.answer, diff: diffs.map((d) => d.patch).join('') },
    };
  } finally {
    session.close();
    await closeProject(session.project);
    copy.remove();
  }
}

/** The whole run: every question is answered as a user would who has nothing to add, and a change is confirmed. */
async function toItsEnd(session: Session, task: Task, options: RunTaskOptions): Promise<ThreadView> {
  const { arm, model, signal } = options;
  const thread = newThreadName();
  const asked = { noModel: !model, autoApprove: 'none' as const, without: arm.without, context: arm.context };
  let view = await session.run(task.request, asked, thread, () => {}, signal);
  // Without a model the brief is what is looked at, and it is there when the first question is asked.
  for (let n = 0; model && view.status === 'waiting' && view.pending && n < ANSWERS_MAX; n++) {
    const answer = answerTo(view.pending.kind);
    view = await session.resume(thread, answer, () => {}, signal);
  }
  return view;
}

function answerTo(kind: NonNullable<ThreadView['pending']>['kind']): unknown {
  if (kind === 'confirm') return { decisions: [{ type: 'approve' }] };
  if (kind === 'ask') return { decisions: [{ type: 'respond', message: NO_MORE }] };
  // A task is about code: nothing outside it is acted on.
  return { decisions: [{ type: 'reject' }] };
}

interface Done {
  view: ThreadView;
  diffs: FileDiff[];
  copy: Workspace;
  session: Session;
  options: RunTaskOptions;
}

async function outcomeOf(task: Task, done: Done): Promise<NonNullable<EvalRun['outcome']>> {
  const { view, diffs, copy, session, options } = done;
  const isAnswer = typeof task.solution === 'string';
  const facts = checkFacts(task.facts, isAnswer ? (view.state.answered ?? '') : addedText(diffs));
  // What was not written is not there for the tests either.
  const hidden = task.hidden ? await runHidden(copy.root, task.hidden, options.signal) : null;
  if (options.signal?.aborted) throw new XiheError('CANCELLED', '已停下', { hint: '同样的命令再运行一次会接着做。' });
  const changed = diffs.map(({ path }) => path);
  const touched = task.touch.map((glob) => picomatch(glob, { dot: true }));
  // The team's warnings as they are, whatever the arm leaves out.
  const broken = brokenWarnings(session.project.core, diffs);
  return {
    success: factsHold(facts) && (hidden === null || hidden.ok),
    hidden: hidden?.ok ?? null,
    ...facts,
    violated: broken.filter((id) => task.deciding.warnings.includes(id)),
    unneeded: changed.filter((path) => !touched.some((matches) => matches(path))),
    changed,
    output: hidden && !hidden.ok ? hidden.output : '',
  };
}

function injectedOf({ state }: ThreadView): Record<string, number> {
  const by: Record<string, number> = {};
  for (const { type, tokens } of state.ledger) by[type] = (by[type] ?? 0) + tokens;
  return by;
}
