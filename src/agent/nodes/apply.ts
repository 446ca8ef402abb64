import { XiheError } from '../../errors.js';
import type { Changeset } from '../../sandbox/index.js';
import { changesetHash } from '../changeset-hash.js';
import type { NodeBody } from '../node.js';

/**
 * Writes the changeset to the working tree, whole or not at all. Safe to run again: an applied changeset gives back its
 * receipt, a half-applied one (a crash between two renames) is carried to its end.
 */
export const applyNode: NodeBody = async (state, env) => {
  const changeset = env.project.changeset(state.changesetId!);
  try {
    assertAsShown(changeset, state.changesetHash);
    const receipt = await changeset.apply();
    const files = receipt.files.map((f) => f.path);
    env.emit({ type: 'changes.applied', receipt: receipt.id, files });
    return { receipt: { id: receipt.id, files } };
  } catch (e) {
    if (!XiheError.is(e)) throw e;
    return { error: { code: e.code, message: e.message, hint: e.hint } };
  }
};

/** @throws XiheError CHANGESET_CONFLICT when what is staged is not what was shown (state files were touched meanwhile) */
function assertAsShown(changeset: Changeset, shown: string | null): void {
  if (changesetHash(changeset) === shown) return;
  throw new XiheError('CHANGESET_CONFLICT', '暂存的改动和给你看过的不一样，没有写入', {
    hint: '.xihe/state 里的文件可能被动过；请重新发起这个请求。',
  });
}
