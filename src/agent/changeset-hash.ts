import type { Changeset } from '../sandbox/index.js';
import { stableHash } from '../text/index.js';

/** One hash for all that a changeset would write: paths and content hashes. */
export function changesetHash(changeset: Changeset): string {
  return stableHash(JSON.stringify(changeset.list().map((file) => [file.path, file.change, file.after])));
}
