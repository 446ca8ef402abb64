/** A worker thread with one model: takes a text, gives its vector. Started by `workerLaunch.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../errors.js';
import { loadModel, type Model } from './model.js';
import type { ModelFiles } from './modelFiles.js';
import type { RuntimeKind } from './runtime.js';

export interface WorkerInput {
  files: ModelFiles;
  runtime: RuntimeKind | 'auto';
}

export type ToWorker = { job: number; text: string };

export type FromWorker =
  | { type: 'ready'; runtime: RuntimeKind }
  | { type: 'unavailable'; why: string }
  | { type: 'vector'; job: number; vector: Float32Array }
  | { type: 'failed'; job: number; why: string };

async function serve(): Promise<void> {
  const port = parentPort!;
  const say = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
  const input = workerData as WorkerInput;
  let model: Model;
  try {
    model = await loadModel(input.files, input.runtime);
  } catch (e) {
    say({ type: 'unavailable', why: messageOf(e) });
    return;
  }
  port.on('message', async ({ job, text }: ToWorker) => {
    try {
      const vector = await model.embed(text);
      say({ type: 'vector', job, vector }, [vector.buffer as ArrayBuffer]);
    } catch (e) {
      say({ type: 'failed', job, why: messageOf(e) });
    }
  });
  say({ type: 'ready', runtime: model.runtime });
}

await serve();
