import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { abortError, unavailable } from './errors.js';
import { MODEL_DIMENSION, MODEL_NAME, MODEL_REVISION, missingModelFile, modelFiles, PREFIX } from './modelFiles.js';
import { PRIORITY, WorkerPool } from './pool.js';
import type { RuntimeKind } from './runtime.js';
import type { Embedder, EmbedOptions } from './types.js';
import { launchWorker } from './workerLaunch.js';

/** Two workers fill two cores; more would take memory (150 MB each) that a laptop needs for its work. */
const DEFAULT_WORKERS = 2;

export interface EmbeddedOptions {
  /** Worker threads at most; by default min(2, cores − 1), at least 1. */
  workers?: number;
  /** `auto` takes `onnxruntime-node` where the user installed it. */
  runtime?: RuntimeKind | 'auto';
  /** Longest time for one text, in milliseconds. */
  jobTimeoutMs?: number;
  /** Folder of the model files; for tests. */
  modelDir?: string;
}

/** The embedder that works with npm alone. */
export interface EmbeddedEmbedder extends Embedder {
  /** Loads the model ahead of the first text and says what computes. */
  warm(signal?: AbortSignal): Promise<RuntimeKind>;
}

/** The id of the embedded model's vectors, known without opening it. */
export const EMBEDDED_ID = `${MODEL_NAME}-r${MODEL_REVISION}-${MODEL_DIMENSION}`;

/**
 * Opens the model that ships. Nothing is loaded before the first text.
 *
 * @throws XiheError EMBED_UNAVAILABLE when its files are missing
 */
export function openEmbedded(options: EmbeddedOptions = {}): EmbeddedEmbedder {
  const files = modelFiles(options.modelDir);
  const missing = missingModelFile(files);
  if (missing !== undefined) throw unavailable(`缺少 ${missing}`);
  const pool = new WorkerPool({
    launch: () => launchWorker({ files, runtime: options.runtime ?? 'auto' }),
    size: Math.max(1, options.workers ?? Math.min(DEFAULT_WORKERS, availableParallelism() - 1)),
    jobTimeoutMs: options.jobTimeoutMs,
  });
  return {
    id: EMBEDDED_ID,
    dimension: MODEL_DIMENSION,
    embed: (texts, embedOptions) => embedAll(pool, texts, embedOptions),
    async warm(signal) {
      await pool.run(PREFIX.query, PRIORITY.query, signal);
      return pool.runtime!;
    },
    close: () => pool.close(),
  };
}

async function embedAll(pool: WorkerPool, texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
  const { kind, signal, onProgress, onVector } = options;
  if (signal?.aborted) throw abortError(signal);
  // The first failure takes the others along: nobody reads them any more.
  const rest = new AbortController();
  const both = signal === undefined ? rest.signal : AbortSignal.any([signal, rest.signal]);
  // One listener a text is meant, not a leak.
  setMaxListeners(0, both);
  let done = 0;
  try {
    return await Promise.all(
      texts.map(async (text, i) => {
        const vector = await pool.run(PREFIX[kind] + text, PRIORITY[kind], both);
        onVector?.(i, vector);
        onProgress?.(++done, texts.length);
        return vector;
      }),
    );
  } finally {
    rest.abort();
  }
}
