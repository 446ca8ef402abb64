import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stateBytes } from '../stateFile.js';
import { hashOf, inState, replaceFile } from './durable.js';
import type { Receipt } from './types.js';

/** A receipt as it lies on disk, with all that is needed to finish it or to take it back. */
export interface StoredReceipt extends Receipt {
  root: string;
  /** Grows with each receipt of a state folder; the order of acts, also within one millisecond. */
  seq: number;
  files: { path: string; before: string | null; after: string | null; mode: number | null }[];
  /** Folders that did not exist before, parents first; taken back when they are empty. */
  createdDirs: string[];
}

/** States in which a crash has left the tree between two versions. */
export function isPending(receipt: Receipt): boolean {
  return receipt.state === 'applying' || receipt.state === 'undoing';
}

export function receiptDir(stateDir: string, id: string): string {
  return join(stateDir, 'receipts', id);
}

/** All receipts, newest first. Folders without a whole receipt (a crash before the first write to the tree) are left out. */
export function readReceipts(stateDir: string): StoredReceipt[] {
  const dir = join(stateDir, 'receipts');
  if (!existsSync(dir)) return [];
  const found: StoredReceipt[] = [];
  for (const name of inState(dir, () => readdirSync(dir))) {
    const receipt = name.startsWith('.') ? null : readReceipt(stateDir, name);
    if (receipt !== null) found.push(receipt);
  }
  return found.sort((a, b) => b.seq - a.seq);
}

/** One receipt, null when there is none (or none that can be read). */
export function readReceipt(stateDir: string, id: string): StoredReceipt | null {
  try {
    const receipt = JSON.parse(
      stateBytes(join(receiptDir(stateDir, id), 'receipt.json')).toString('utf8'),
    ) as StoredReceipt;
    return receipt.id === id && Array.isArray(receipt.files) ? receipt : null;
  } catch {
    return null;
  }
}

/** Writes a receipt in one step, durably. */
export function writeReceipt(stateDir: string, receipt: StoredReceipt): void {
  replaceFile(join(receiptDir(stateDir, receipt.id), 'receipt.json'), `${JSON.stringify(receipt, null, 1)}\n`);
}

/** Keeps a content with the receipt, so that it can be finished or undone without its changeset. */
export function keepBlob(stateDir: string, id: string, bytes: Uint8Array): void {
  const file = join(receiptDir(stateDir, id), 'blobs', hashOf(bytes));
  if (!existsSync(file)) replaceFile(file, bytes);
}

export function readBlob(stateDir: string, id: string, hash: string): Buffer {
  return stateBytes(join(receiptDir(stateDir, id), 'blobs', hash));
}

/** What callers see of a receipt. */
export function publicReceipt(receipt: StoredReceipt): Receipt {
  const files = receipt.files.map(({ path, before, after }) => ({ path, before, after }));
  return { id: receipt.id, changesetId: receipt.changesetId, at: receipt.at, state: receipt.state, files };
}

/**
 * What was written to the tree, newest first.
 *
 * @param root only of this project; without it of all that share the state folder
 */
export function listReceipts(stateDir: string, root?: string): Receipt[] {
  return readReceipts(stateDir)
    .filter((r) => root === undefined || r.root === root)
    .map(publicReceipt);
}
