import { MODEL_DIMENSION, type ModelFiles } from './modelFiles.js';
import { loadNetwork, type RuntimeKind } from './runtime.js';
import { Tokenizer } from './tokenizer.js';
import { WordTable } from './wordTable.js';

/** The embedding model in one thread. Use it through `openEmbedded`, which keeps it out of the main thread. */
export interface Model {
  runtime: RuntimeKind;
  /** @param text with its prefix; see `PREFIX` */
  embed(text: string): Promise<Float32Array>;
}

/**
 * Loads tokenizer, word table and network (1–3 s on WASM).
 *
 * @throws Error when a file is missing or broken, or no runtime loads
 */
export async function loadModel(files: ModelFiles, prefer: RuntimeKind | 'auto'): Promise<Model> {
  const tokenizer = new Tokenizer(files.tokenizer);
  const words = new WordTable(files.words, MODEL_DIMENSION);
  if (words.rows !== tokenizer.size)
    throw new Error(`word.q4 has ${words.rows} rows, tokenizer.json ${tokenizer.size} pieces`);
  const network = await loadNetwork(files.network, prefer);
  return {
    runtime: network.kind,
    async embed(text) {
      const ids = tokenizer.encode(text);
      const input = new Float32Array(ids.length * MODEL_DIMENSION);
      ids.forEach((id, i) => {
        words.decode(id, input, i * MODEL_DIMENSION);
      });
      const vector = await network.run(input, ids.length, MODEL_DIMENSION);
      if (!(Math.abs(vector[0]!) <= 1)) throw new Error('the network gave no unit vector');
      return vector;
    },
  };
}
