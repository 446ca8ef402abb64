import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { XiheError } from '../errors.js';
import { stateBytes } from '../stateFile.js';
import type { Changeset } from './changeset.js';
import { folderName } from './changesetName.js';
import { hashOf, inState, replaceFile } from './durable.js';
import { journalBytes, readJournal } from './journal.js';

/** How much is staged in a changeset: bytes of its journal, which only grows. 0 where nothing is, or it is gone. */
export function stagedBytes(stateDir: string, id: string): number {
  return journalBytes(journalOf(stateDir, id));
}

function journalOf(stateDir: string, id: string): string {
  return join(stateDir, 'changesets', folderName(id), 'journal.jsonl');
}

/**
 * Makes a changeset of its own out of what another one held at an earlier moment. The other one is only read, and nothing is shared.
 *
 * @param bytes what {@link stagedBytes} said at that moment
 * @throws XiheError CHANGESET_NOT_FOUND where the other one is gone, STATE_UNWRITABLE
 */
export function copyChangeset(stateDir: string, from: string, to: string, bytes: number): void {
  const source = join(stateDir, 'changesets', folderName(from));
  const target = join(stateDir, 'changesets', folderName(to));
  const meta = join(source, 'meta.json');
  if (!existsSync(meta) || stagedBytes(stateDir, from) < bytes)
    throw new XiheError('CHANGESET_NOT_FOUND', '那一步暂存的修改已经清理掉了', {
      hint: '换一个新些的会话，或重新发起请求。',
    });
  const { root } = JSON.parse(stateBytes(meta).toString('utf8')) as { root: string };
  inState(target, () => mkdirSync(join(target, 'blobs'), { recursive: true }));
  const journal = bytes === 0 ? Buffer.alloc(0) : stateBytes(journalOf(stateDir, from)).subarray(0, bytes);
  if (bytes > 0) replaceFile(join(target, 'journal.jsonl'), journal);
  for (const { after, base } of readJournal(join(target, 'journal.jsonl')).entries)
    for (const hash of [after, base?.hash])
      if (hash) replaceFile(join(target, 'blobs', hash), stateBytes(join(source, 'blobs', hash)));
  // Last: without it there is no changeset.
  replaceFile(join(target, 'meta.json'), JSON.stringify({ version: 1, id: to, root, at: new Date().toISOString() }));
}

/** Staged files that in the tree are not what they were when they were first touched: writing them would be refused. */
export function movedFiles(changeset: Changeset): string[] {
  return changeset.list().flatMap(({ path, before }) => {
    const file = join(changeset.root, path);
    const now = statSync(file, { throwIfNoEntry: false })?.isFile() ? hashOf(readFileSync(file)) : null;
    return now === before ? [] : [path];
  });
}
