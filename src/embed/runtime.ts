import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { assetPath } from '../assets.js';

/** What of ONNX Runtime's interface (the same in its web and its Node package) is used here. */
interface Ort {
  env: { wasm: { numThreads?: number; wasmBinary?: Uint8Array }; logLevel?: string };
  Tensor: new (type: 'float32', data: Float32Array, dims: number[]) => { data: Float32Array };
  InferenceSession: { create(model: Uint8Array | string, options: Record<string, unknown>): Promise<OrtSession> };
}

interface OrtSession {
  run(feeds: Record<string, unknown>): Promise<Record<string, { data: Float32Array }>>;
  release?(): Promise<void>;
}

/** Which build of ONNX Runtime computes: `wasm` ships with Xihe, `native` is `onnxruntime-node` where a user installed it. */
export type RuntimeKind = 'wasm' | 'native';

/** A loaded network: word embeddings in, one vector out. */
export interface Network {
  kind: RuntimeKind;
  /** @param words tokens × dimension values, row after row */
  run(words: Float32Array, tokens: number, dimension: number): Promise<Float32Array>;
}

/**
 * Loads the network, on `onnxruntime-node` when it is there (three times as fast), on WASM otherwise.
 *
 * @param modelFile path of the ONNX file; passed to the runtime as bytes, since the WASM build can't read files
 * @param prefer `wasm` never looks for the native package
 * @throws Error when the model or the WASM runtime can't be read
 */
export async function loadNetwork(modelFile: string, prefer: RuntimeKind | 'auto' = 'auto'): Promise<Network> {
  if (prefer !== 'wasm') {
    const native = await tryNative(modelFile);
    if (native !== undefined) return native;
    if (prefer === 'native') throw new Error('onnxruntime-node is not installed or does not load');
  }
  const dir = wasmFolder();
  const ort = (await import(pathToFileURL(join(dir, 'ort.wasm.bundle.min.mjs')).href)) as Ort;
  // More threads would be workers of its own, which it starts by `fetch` and fails in Node; our pool has one instance a worker.
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmBinary = readFileSync(join(dir, 'ort-wasm-simd-threaded.wasm'));
  const session = await compiledQuickly(() =>
    ort.InferenceSession.create(readFileSync(modelFile), {
      executionProviders: ['wasm'],
      graphOptimizationLevel: 'all',
      logSeverityLevel: 3,
    }),
  );
  return networkOf('wasm', ort, session);
}

/**
 * How much a WASM function works, roughly in bytes, before V8 compiles it again to run fast: what it says itself, and here. The network is
 * loaded once by functions that never run again, and V8 would compile hundreds of them anew: 1.1 to 1.8 s of CPU, .55 with this figure
 * (Node 20, 22, 24). What multiplies matrices gets there within the first question; the speed of later ones is the same.
 */
const TIERING_BUDGET = { usual: 1_800_000, loading: 1_000_000_000 } as const;

/** Nodes whose V8 knows the setting; one that does not would complain on the error output. */
const KNOWS_TIERING = { from: 20, to: 24 } as const;

/** Runs what compiles WASM so that it starts soon. The setting is the process's, so it is put back for whatever else compiles. */
async function compiledQuickly<T>(load: () => Promise<T>): Promise<T> {
  const node = Number.parseInt(process.versions.node, 10);
  if (node < KNOWS_TIERING.from || node > KNOWS_TIERING.to) return load();
  const set = (budget: number) => setFlagsFromString(`--wasm-tiering-budget=${budget}`);
  set(TIERING_BUDGET.loading);
  try {
    return await load();
  } finally {
    set(TIERING_BUDGET.usual);
  }
}

async function tryNative(modelFile: string): Promise<Network | undefined> {
  // A name that bundlers and the room check can't follow: the package is the user's choice, never a dependency of ours.
  const name: string = 'onnxruntime-node';
  try {
    const loaded = (await import(name)) as Ort & { default?: Ort };
    const ort = loaded.InferenceSession === undefined ? loaded.default! : loaded;
    const session = await ort.InferenceSession.create(readFileSync(modelFile), {
      executionProviders: ['cpu'],
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    });
    return networkOf('native', ort, session);
  } catch {
    // Not installed, or built for another Node or platform: WASM does the same work.
    return undefined;
  }
}

function networkOf(kind: RuntimeKind, ort: Ort, session: OrtSession): Network {
  return {
    kind,
    async run(words, tokens, dimension) {
      const out = await session.run({
        x: new ort.Tensor('float32', words, [1, tokens, dimension]),
        mask: new ort.Tensor('float32', new Float32Array(tokens).fill(1), [1, tokens]),
      });
      // The output may be a view into the runtime's memory, which the next run overwrites.
      return Float32Array.from(out.emb!.data);
    },
  };
}

/** Folder with the two files of onnxruntime-web: the copy that the build made, or the development package in a checkout. */
function wasmFolder(): string {
  const shipped = assetPath('dist', 'vendor', 'onnxruntime-web');
  if (existsSync(join(shipped, 'ort-wasm-simd-threaded.wasm'))) return shipped;
  return dirname(createRequire(assetPath('package.json')).resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'));
}
