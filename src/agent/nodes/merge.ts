import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { type ForkConflict, mergeForks, takeSolutions } from '../../sandbox/index.js';
import { asData } from '../data-mark.js';
import type { NodeBody, NodeEnv } from '../node.js';
import { solversOf } from '../parallel/conflicts.js';
import type { Outcome, Split } from '../parallel/schema.js';
import { conflictLine, partLines } from '../parallel/told.js';
import { prompt } from '../prompts.js';
import type { RunState, RunUpdate } from '../state.js';
import { taskMessage } from '../task-message.js';

/**
 * Brings what the sub-agents staged together in the run's changeset. What does not go together goes back to one of those who differ, twice
 * at most, and then waits for the user; nobody's version wins because it came last. A rerun stages nothing twice.
 */
export const mergeNode: NodeBody = async (state, env) => {
  const started = Date.now();
  const split = state.split!;
  const legs = state.agents.filter(({ round }) => round === split.round);
  const { conflicts, files, leftOut } =
    split.round === 0 ? merged(state, split, legs, env) : solved(state, split, legs, env);
  env.emit({ type: 'work.merged', files, conflicts: conflicts.map(({ path }) => path) });
  const working = solversOf(state, env, conflicts);
  const notes = leftOut.map((path) => `${path}：解决冲突时的改动和别的改动合不到一起，没有采用`);
  const next: Split = {
    ...split,
    conflicts,
    working,
    round: split.round + 1,
    notes: [...split.notes, ...notes],
  };
  // Side by side, the time of the clock is that of the slowest.
  const elapsedMs = Math.max(0, ...legs.map(({ ms }) => ms)) + (Date.now() - started);
  if (working.length > 0) return { split: next, elapsedMs };
  return { split: next, ...(await handedOver({ ...state, split: next }, env)), elapsedMs };
};

interface Round {
  conflicts: ForkConflict[];
  files: string[];
  leftOut: string[];
}

/** Who failed has left half a change, as a run that fails does: it is not used. */
function merged(state: RunState, split: Split, legs: readonly Outcome[], env: NodeEnv): Round {
  const forks = split.working
    .filter(({ name }) => legs.some((leg) => leg.name === name && leg.state !== 'failed'))
    .map(({ name, changesetId }) => ({ name, id: changesetId }));
  const { files, conflicts } = mergeForks(env.project.layout.stateDir, state.changesetId!, forks, '0');
  return { files, conflicts, leftOut: [] };
}

function solved(state: RunState, split: Split, legs: readonly Outcome[], env: NodeEnv): Round {
  const { stateDir } = env.project.layout;
  const conflicts: ForkConflict[] = split.conflicts.filter(
    (one) => !split.working.some((part) => part.conflicts.some(({ path }) => path === one.path)),
  );
  const leftOut: string[] = [];
  for (const part of split.working) {
    const failed = legs.find(({ name }) => name === part.name)?.state === 'failed';
    const fork = { name: part.name, id: part.changesetId };
    const taken = failed
      ? { open: part.conflicts, leftOut: [] }
      : takeSolutions(stateDir, state.changesetId!, fork, part.conflicts, String(split.round));
    conflicts.push(...taken.open);
    leftOut.push(...taken.leftOut);
  }
  const open = new Set(conflicts.map(({ path }) => path));
  return { conflicts, leftOut, files: split.conflicts.flatMap(({ path }) => (open.has(path) ? [] : [path])) };
}

/** What the run goes on with: the answer to the model's call, or a conversation that begins with what was done. */
async function handedOver(state: RunState, env: NodeEnv): Promise<RunUpdate> {
  const split = state.split!;
  const failed = state.agents.filter(({ round, state: how }) => round === 0 && how === 'failed');
  const [first] = failed;
  // Without a part that was done there is nothing to look at, and the reason is to be told.
  if (split.by === 'plan' && first?.error && failed.length === split.parts.length) return { error: first.error };
  const said = prompt('merged', {
    parts: asData(state, env, '子任务', partLines(state)),
    conflicts: conflictsTold(split, state),
  }).trim();
  if (split.call !== null) {
    const answer = { id: `result-${split.call}`, tool_call_id: split.call, name: 'split_work', content: said };
    return { messages: [new ToolMessage({ ...answer, status: 'success' })] };
  }
  const task = await taskMessage(state, env);
  const note = new HumanMessage({ id: `merged-${state.run}-${state.routed?.index ?? 0}`, content: said });
  const stopped = state.agents.find(({ state: how }) => how === 'stopped');
  return {
    messages: [task.message, note],
    ledger: task.ledger,
    fed: task.fed,
    ...(stopped ? { stopReason: stopped.why } : {}),
  };
}

function conflictsTold(split: Split, state: RunState): string {
  if (split.conflicts.length === 0) return '没有留下冲突。';
  const lines = split.conflicts.map((conflict) => `- ${conflictLine(conflict, state)}`);
  return `这些冲突没有解决，留给用户决定，不要改这些文件：\n${lines.join('\n')}`;
}
