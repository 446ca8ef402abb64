import { forkChangeset } from '../../sandbox/index.js';
import type { NodeBody } from '../node.js';
import { splitOf } from '../parallel/split.js';
import { changesetIdFor } from './execute.js';

/** Gives each part of the work a changeset of its own, on top of what the run has staged. A rerun finds those that it made. */
export const divideNode: NodeBody = (state, env) => {
  const changesetId = state.changesetId ?? changesetIdFor(state);
  const split = state.split ?? splitOf(state, changesetId, state.planned?.parts ?? [], { by: 'plan', call: null });
  const { stateDir, root } = env.project.layout;
  env.project.changeset(changesetId);
  for (const part of split.working) forkChangeset(stateDir, root, changesetId, part.changesetId);
  env.emit({ type: 'work.split', parts: split.parts.map(({ name, title, files }) => ({ agent: name, title, files })) });
  return { changesetId, split };
};
