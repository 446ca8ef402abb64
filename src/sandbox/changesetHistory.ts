import { join } from 'node:path';
import { stateBytes } from '../stateFile.js';
import { decodeText } from '../text/index.js';
import { folderName } from './changesetName.js';
import { readJournal } from './journal.js';

/** A file after one staged edit. */
export interface FileVersion {
  /** What the edit was staged under (a tool call's id); null for the file as it was, and for an edit without a name. */
  key: string | null;
  /** Its text; null where it is not there, or no text. */
  text: string | null;
}

/**
 * How a changeset made a file what it is: the file before, then after each staged edit.
 *
 * @param stateDir absolute
 * @param path POSIX, relative to the root, as the changeset lists it
 * @returns empty when the changeset does not touch it, or is gone
 */
export function fileHistory(stateDir: string, id: string, path: string): FileVersion[] {
  const folder = join(stateDir, 'changesets', folderName(id));
  const entries = readJournal(join(folder, 'journal.jsonl')).entries.filter((entry) => entry.path === path);
  const base = entries[0]?.base;
  if (base === undefined) return [];
  const text = (hash: string | null): string | null => {
    if (hash === null) return null;
    try {
      return decodeText(stateBytes(join(folder, 'blobs', hash)), base.encoding ?? undefined).text;
    } catch {
      // Binary, or pruned.
      return null;
    }
  };
  return [{ key: null, text: text(base.hash) }, ...entries.map(({ key, after }) => ({ key, text: text(after) }))];
}
