/** A worker thread that reads batches of files for the index. Started by `readers.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { parsersAreRegistered } from '../code/index.js';
import { lookAt, type ToRead } from './reading.js';
import { encodeIndex } from './store.js';
import type { IndexedFile } from './types.js';
import { Vocabulary } from './vocabulary.js';

export interface ToReader {
  files: ToRead[];
}

export interface FromReader {
  /** Files that are other than before, as a store of their own (see `store.ts`): cheap to hand over, and small. */
  others: Uint8Array;
  /** `[path, when it was looked at]` of files that hold the bytes that they held. */
  same: [string, number][];
  read: number;
}

async function answer(root: string, { files }: ToReader): Promise<FromReader> {
  const vocabulary = new Vocabulary();
  const others: IndexedFile[] = [];
  const same: [string, number][] = [];
  let read = 0;
  for (const wanted of files) {
    const seen = await lookAt(root, wanted, vocabulary);
    if (seen.read) read += 1;
    if (seen.is === 'same') same.push([seen.path, seen.checkedAt]);
    if (seen.is === 'other') others.push(seen.file);
  }
  return { others: encodeIndex({ files: others, vocabulary, localeStamp: '', commonKeys: [] }), same, read };
}

parsersAreRegistered();
const port = parentPort!;
const { root } = workerData as { root: string };
port.on('message', async (message: ToReader) => {
  const reply = await answer(root, message);
  port.postMessage(reply, [reply.others.buffer as ArrayBuffer]);
});
