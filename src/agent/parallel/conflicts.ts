import {
  type ConflictSide,
  conflictFiles,
  type ForkConflict,
  forkChangeset,
  stagedVersion,
  type Version,
} from '../../sandbox/index.js';
import { overBudget } from '../budget.js';
import { asData } from '../data-mark.js';
import type { NodeEnv } from '../node.js';
import { prompt } from '../prompts.js';
import type { RunState } from '../state.js';
import type { Part } from './schema.js';
import { spentSoFar } from './spending.js';
import { withOthers } from './split.js';
import { conflictLine, conflictVersions } from './told.js';

/** How often conflicts go to sub-agents before people decide. */
const MAX_SOLVING_ROUNDS = 2;

/**
 * Who solves which conflicts next: each goes to the one of its sub-agents that changed most lines of the file, the first of them where several
 * did. They begin on top of what is merged, with the conflicts in their files, marked.
 *
 * @returns [] where people have to decide: two rounds were not enough, nothing more may be used, no model, no text
 */
export function solversOf(state: RunState, env: NodeEnv, conflicts: readonly ForkConflict[]): Part[] {
  const split = state.split!;
  const { turns, ...spent } = spentSoFar(state, env);
  if (split.round >= MAX_SOLVING_ROUNDS || !env.model || overBudget({ ...state, ...spent }, env, turns)) return [];
  const { stateDir, root } = env.project.layout;
  const owned = new Map<string, ForkConflict[]>();
  for (const conflict of conflicts) {
    if (conflictFiles(stateDir, conflict) === undefined) continue;
    const owner = ownerOf(conflict).name;
    owned.set(owner, [...(owned.get(owner) ?? []), conflict]);
  }
  const parts = [...owned].map(([owner, own]): Omit<Part, 'others'> => {
    const base = split.parts.find(({ name }) => name === owner)!;
    const name = `${owner}-fix`;
    const changesetId = `${state.changesetId}-${name}`;
    const files = new Map<string, Version>(own.flatMap((one) => [...conflictFiles(stateDir, one)!]));
    forkChangeset(stateDir, root, state.changesetId!, changesetId, files);
    return {
      ...base,
      name,
      changesetId,
      before: { usage: state.usage, turns, elapsedMs: state.elapsedMs },
      startTurn: turnsOf(state, owner),
      round: split.round + 1,
      conflicts: own,
    };
  });
  return withOthers(parts);
}

function ownerOf({ sides }: ForkConflict): ConflictSide {
  return sides.reduce((most, side) => (side.lines > most.lines ? side : most));
}

/** Model turns in the conversation of a sub-agent so far. */
function turnsOf(state: RunState, owner: string): number {
  const legs = state.agents.filter(({ name }) => name === owner || name === `${owner}-fix`);
  return legs.reduce((sum, { turns }) => sum + turns, 0);
}

/** What who solves conflicts is asked. */
export function conflictTask(state: RunState, env: NodeEnv): string {
  const blocks = state.part!.conflicts.map((conflict) => {
    const versions = conflictVersions(conflict, state, env)
      .map(({ title, diff }) => `「${title}」的改动：\n${asData(state, env, conflict.path, diff)}`)
      .join('\n');
    return `## ${conflictLine(conflict, state)}\n${HOW[conflict.kind]}\n${versions}`;
  });
  return prompt('conflict', { conflicts: blocks.join('\n\n') });
}

const IN_MARKS = '文件里有冲突的地方已经标出：<<<<<<< xihe 到 >>>>>>> xihe 之间依次是各方的内容和原来的内容。';
const ON_TOP = '文件第一行加了一行标记。要留着就去掉这一行，内容按两边的意思改好；';
const HOW: Record<ForkConflict['kind'], string> = {
  text: IN_MARKS,
  added: IN_MARKS,
  deleted: `${ON_TOP}该删就用 delete_file 删掉。`,
  moved: `${ON_TOP}该移就去掉标记后用 move_file 移过去，该删就用 delete_file 删掉。`,
  place: '',
  binary: '',
};

/** Conflicts that are still open: their file lies as it did before anybody changed it. */
export function openConflicts(
  state: Pick<RunState, 'split' | 'changesetId'>,
  { project }: Pick<NodeEnv, 'project'>,
): ForkConflict[] {
  const { split, changesetId } = state;
  if (!split || changesetId === null) return [];
  return split.conflicts.filter(({ path, before }) => {
    const staged = stagedVersion(project.layout.stateDir, changesetId, path);
    return staged === undefined || staged.after === before;
  });
}
