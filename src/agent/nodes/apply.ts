import { XiheError } from '../../errors.js';
import type { NodeBody } from '../node.js';

/**
 * Writes the changeset to the working tree, whole or not at all. Safe to run again: an applied changeset gives back its
 * receipt, a half-applied one (a crash between two renames) is carried to its end.
 */
export const applyNode: NodeBody = async (state, env) => {
  const changeset = env.project.changeset(state.changesetId!);
  try {
    const receipt = await changeset.apply();
    const files = receipt.files.map((f) => f.path);
    env.emit({ type: 'changes.applied', receipt: receipt.id, files });
    return { receipt: { id: receipt.id, files } };
  } catch (e) {
    if (!XiheError.is(e)) throw e;
    return { error: { code: e.code, message: e.message, hint: e.hint } };
  }
};
