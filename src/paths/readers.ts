import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { assetPath } from '../assets.js';
import { registerParsers } from '../code/index.js';
import { throwIfCancelled } from '../history/index.js';
import { lookAt, type ToRead } from './reading.js';
import type { FromReader, ToReader } from './readWorker.js';
import { decodeIndex } from './store.js';
import type { IndexedFile } from './types.js';
import type { Vocabulary } from './vocabulary.js';

/** Files that are read here between two looks at the signal and two progress reports. */
const BATCH = 25;
/** Files that a thread reads between two messages. */
const THREAD_BATCH = 200;
/**
 * From here on threads read. Each compiles the parsers anew and sends what it read: at 3,000 to 5,000 files that is a fifth more CPU and
 * 120 MB, and by the clock nothing was gained on two cores that others use too (measured); at 20,000 an eighth of the time was.
 */
const FILES_FOR_THREADS = 10_000;
/** More threads wait for the disk and for the one that gathers. */
const MAX_THREADS = 4;

export interface Reading {
  signal?: AbortSignal | undefined;
  /** Files from which on threads read, for tests. */
  threadsFrom?: number;
  /** Called with the number of files that were looked at so far. */
  onProgress?: (done: number) => void;
}

/** What came of looking at some files. */
export interface ReadFiles {
  /** Files that are there, by path; of those that hold what they held only when they were looked at, in milliseconds. */
  found: Map<string, IndexedFile | number>;
  /** Files whose bytes were read. */
  read: number;
}

/**
 * Looks at files, in threads where there are many. What a thread can't do is done here.
 *
 * @param vocabulary gets the words of the files
 * @throws XiheError CANCELLED
 */
export async function readFiles(
  root: string,
  files: readonly ToRead[],
  vocabulary: Vocabulary,
  options: Reading = {},
): Promise<ReadFiles> {
  const all: ReadFiles = { found: new Map(), read: 0 };
  const isFew = files.length < (options.threadsFrom ?? FILES_FOR_THREADS);
  const rest = isFew ? files : await inThreads(root, files, vocabulary, options, all);
  for (let done = 0; done < rest.length; done += BATCH) {
    options.onProgress?.(files.length - rest.length + done);
    for (const wanted of rest.slice(done, done + BATCH)) {
      const seen = await lookAt(root, wanted, vocabulary);
      if (seen.read) all.read += 1;
      if (seen.is === 'same') all.found.set(seen.path, seen.checkedAt);
      if (seen.is === 'other') all.found.set(seen.path, seen.file);
    }
    await nextTick();
    throwIfCancelled(options.signal);
  }
  return all;
}

/** @returns files that no thread has looked at */
async function inThreads(
  root: string,
  files: readonly ToRead[],
  vocabulary: Vocabulary,
  { signal, onProgress }: Reading,
  into: ReadFiles,
): Promise<ToRead[]> {
  const waiting: ToRead[][] = [];
  for (let at = 0; at < files.length; at += THREAD_BATCH) waiting.push(files.slice(at, at + THREAD_BATCH));
  await registerParsers();
  const threads = Array.from({ length: Math.min(MAX_THREADS, availableParallelism()) }, () => launch(root));
  let done = 0;
  const work = async (thread: Worker) => {
    for (let batch = waiting.pop(); batch !== undefined && signal?.aborted !== true; batch = waiting.pop()) {
      const reply = await ask(thread, { files: batch });
      if (reply === undefined) {
        // The thread died; it is not tried again, and others or this one read the batch.
        waiting.push(batch);
        return;
      }
      take(reply, vocabulary, into);
      done += batch.length;
      onProgress?.(done);
    }
  };
  try {
    await Promise.all(threads.map(work));
  } finally {
    for (const thread of threads) void thread.terminate();
  }
  throwIfCancelled(signal);
  return waiting.flat();
}

/** @returns undefined when the thread ended instead of answering */
function ask(thread: Worker, question: ToReader): Promise<FromReader | undefined> {
  return new Promise((answer) => {
    const settle = (reply?: FromReader) => {
      thread.off('message', settle);
      thread.off('error', fail);
      thread.off('exit', fail);
      answer(reply);
    };
    const fail = () => settle();
    thread.on('message', settle);
    thread.on('error', fail);
    thread.on('exit', fail);
    thread.postMessage(question);
  });
}

/** Takes in what a thread read: its words get the numbers that they have here. */
function take({ others, same, read }: FromReader, vocabulary: Vocabulary, into: ReadFiles): void {
  const batch = decodeIndex(Buffer.from(others.buffer, others.byteOffset, others.byteLength));
  if (batch === undefined) return;
  const numbers = Uint32Array.from({ length: batch.vocabulary.size }, (_, id) =>
    vocabulary.intern(batch.vocabulary.token(id)),
  );
  for (const file of batch.files) {
    const { tokens } = file.words;
    for (let i = 0; i < tokens.length; i++) tokens[i] = numbers[tokens[i]!]!;
    into.found.set(file.path, file);
  }
  for (const [path, checkedAt] of same) into.found.set(path, checkedAt);
  into.read += read;
}

/** From the bundle in `dist/` or, in a checkout, from the TypeScript source. The parent's flags are not handed down. */
function launch(root: string): Worker {
  const workerData = { root };
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(assetPath('dist', 'paths', 'readWorker.js'), { workerData, execArgv: [] });
  // Node can't read TypeScript by itself before 22.18: tsx, which a checkout has, is registered first.
  const manifest = createRequire(import.meta.url).resolve('tsx/package.json');
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8'));
  const tsx = pathToFileURL(join(dirname(manifest), exports['./esm/api'].import.default)).href;
  const entry = pathToFileURL(assetPath('src', 'paths', 'readWorker.ts')).href;
  const boot = `import(${JSON.stringify(tsx)}).then((tsx) => { tsx.register(); return import(${JSON.stringify(entry)}); });`;
  return new Worker(boot, { eval: true, workerData, execArgv: [] });
}
