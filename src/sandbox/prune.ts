import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { folderName } from './changesetName.js';
import { inState } from './durable.js';
import { lockPath, withFileLock } from './lock.js';
import { isPending, readReceipts } from './receipts.js';

/** Folders on their way out; swept again when a crash has left them. */
export const TRASH = '.trash-';

/**
 * Removes old changesets and receipts.
 *
 * @param options.keep how many of each stay, newest first; receipts that a crash left pending always stay
 * @param options.protect ids of changesets that stay however old they are (of threads that wait for an answer)
 * @returns what was removed
 */
export function pruneSandboxState(
  stateDir: string,
  options: { keep: number; protect?: readonly string[] },
): { changesets: number; receipts: number } {
  return withFileLock(lockPath(stateDir, 'apply'), () => {
    const receipts = readReceipts(stateDir);
    const oldReceipts = receipts.slice(options.keep).filter((r) => !isPending(r));
    const kept = new Set((options.protect ?? []).map(folderName));
    for (const r of receipts.filter(isPending)) kept.add(folderName(r.changesetId));
    const changesets = newestFirst(join(stateDir, 'changesets')).slice(options.keep);
    const oldChangesets = changesets.filter((name) => !kept.has(name));
    removeAll(
      join(stateDir, 'receipts'),
      oldReceipts.map((r) => r.id),
    );
    removeAll(join(stateDir, 'changesets'), oldChangesets);
    return { changesets: oldChangesets.length, receipts: oldReceipts.length };
  });
}

function namesIn(dir: string): string[] {
  return existsSync(dir) ? inState(dir, () => readdirSync(dir)).filter((name) => !name.startsWith('.')) : [];
}

function newestFirst(dir: string): string[] {
  const age = (name: string) => {
    const journal = statSync(join(dir, name, 'journal.jsonl'), { throwIfNoEntry: false });
    return journal?.mtimeMs ?? statSync(join(dir, name)).mtimeMs;
  };
  return namesIn(dir)
    .map((name) => ({ name, at: age(name) }))
    .sort((a, b) => b.at - a.at)
    .map(({ name }) => name);
}

function removeAll(dir: string, names: readonly string[]): void {
  if (!existsSync(dir)) return;
  // Renamed first: a folder that lost half of its files in a crash must not be taken for a changeset.
  for (const name of names) renameSync(join(dir, name), join(dir, TRASH + name));
  for (const name of inState(dir, () => readdirSync(dir)))
    if (name.startsWith(TRASH)) rmSync(join(dir, name), { recursive: true, force: true });
}
