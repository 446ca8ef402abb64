import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { assetPath } from '../assets.js';

/** The model that ships. */
export const MODEL_NAME = 'e5-small-zh';
export const MODEL_DIMENSION = 384;
/**
 * Part of what vectors are keyed by. Raise it when the same text would give another vector: new model files, another
 * quantisation, other tokens. Shipped and cached vectors are then made anew.
 */
export const MODEL_REVISION = 1;
/** What E5 was trained with (models/e5-small-zh/README.md). */
export const PREFIX = { query: 'query: ', passage: 'passage: ' } as const;

export interface ModelFiles {
  network: string;
  words: string;
  tokenizer: string;
}

/** Paths of the model's files; `dir` is for tests. */
export function modelFiles(dir: string = assetPath('models', MODEL_NAME)): ModelFiles {
  return {
    network: join(dir, 'model.int8.onnx'),
    words: join(dir, 'word.q4'),
    tokenizer: join(dir, 'tokenizer.json'),
  };
}

/** The first file of the model that is missing, or undefined. */
export function missingModelFile(files: ModelFiles): string | undefined {
  return [files.network, files.words, files.tokenizer].find((file) => !existsSync(file));
}
