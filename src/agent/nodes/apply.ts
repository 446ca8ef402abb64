import { XiheError } from '../../errors.js';
import type { Changeset, Receipt } from '../../sandbox/index.js';
import { changesetHash } from '../changeset-hash.js';
import type { NodeBody } from '../node.js';
import { record } from '../tool-context.js';

/**
 * Writes the changeset to the working tree, whole or not at all. Safe to run again: an applied changeset gives back its
 * receipt, a half-applied one (a crash between two renames) is carried to its end.
 */
export const applyNode: NodeBody = async (state, env) => {
  const changeset = env.project.changeset(state.changesetId!);
  const started = Date.now();
  let receipt: Receipt;
  try {
    assertAsShown(changeset, state.changesetHash);
    // A yes to nothing but open conflicts writes nothing.
    if (changeset.list().length === 0) return {};
    receipt = await changeset.apply();
  } catch (e) {
    if (!XiheError.is(e)) throw e;
    return { error: { code: e.code, message: e.message, hint: e.hint } };
  }
  const files = receipt.files.map((f) => f.path);
  env.emit({ type: 'changes.applied', receipt: receipt.id, files });
  // What can't be recorded is no failed write: the node fails, and its rerun finds the receipt.
  const args = { receipt: receipt.id, files, approved_by: state.decision?.by ?? 'user' };
  record(state, env, { what: 'changeset.apply', args, result: 'ok', durationMs: Date.now() - started });
  return { receipt: { id: receipt.id, files } };
};

/** @throws XiheError CHANGESET_CONFLICT when what is staged is not what was shown (state files were touched meanwhile) */
function assertAsShown(changeset: Changeset, shown: string | null): void {
  if (changesetHash(changeset) === shown) return;
  throw new XiheError('CHANGESET_CONFLICT', '暂存的改动和给你看过的不一样，没有写入', {
    hint: '.xihe/state 里的文件可能被动过；请重新发起这个请求。',
  });
}
