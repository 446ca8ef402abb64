import { Changeset, listReceipts } from '../sandbox/index.js';
import type { Project } from './project.js';
import type { ThreadView } from './session.js';

/** What a run that was stopped has left. */
export interface Kept {
  /** Paths of files that are changed in the staging area and not in the tree. */
  staged: string[];
  /** What was written to the tree; a run may be stopped between the write and its checkpoint. */
  receipt: { id: string; files: string[] } | null;
}

/** What is kept of a thread's newest run. Reads only. */
export function keptOf({ state }: ThreadView, { layout }: Project): Kept {
  const id = state.changesetId ?? null;
  if (id === null) return { staged: [], receipt: null };
  const written = listReceipts(layout.stateDir, layout.root).find(
    (one) => one.changesetId === id && one.state === 'applied',
  );
  if (written) return { staged: [], receipt: { id: written.id, files: written.files.map(({ path }) => path) } };
  return {
    staged: Changeset.create(layout.stateDir, layout.root, id)
      .list()
      .map(({ path }) => path),
    receipt: null,
  };
}
