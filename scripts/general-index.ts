// `npm run general:index`: cuts the knowledge that ships, makes its vectors and its lexicon ready, so that a cold process needs no jieba to search it and
// no model to know it. Run it after a change of `knowledge/`, of how texts are cut, or of the model; a test says so when it was forgotten.
import { existsSync, readFileSync } from 'node:fs';
import { assetPath, packageRoot } from '../src/assets.js';
import { openEmbedded, VectorIndex } from '../src/embed/index.js';
import { type Chunk, loadKnowledge, loadLexicon, readyVectorsFile, textsOf } from '../src/knowledge/index.js';
import { lexiconStamp, readyLexicon, readyLexiconFile } from '../src/knowledge/readyLexicon.js';
import { READY_FILE, readyTokens } from '../src/knowledge/tokenCache.js';
import { writeAtomic } from '../src/stateFile.js';
import { indexTokens, stableHash } from '../src/text/index.js';
import { openZhCore } from '../src/zhcore/index.js';

function write(file: string, bytes: Uint8Array): void {
  if (!writeAtomic(file, [bytes])) throw new Error(`${file} 写不进去`);
  process.stdout.write(`${(bytes.length / 1024).toFixed(0)} KB：${file}\n`);
}

function madeBefore(embedderId: string): VectorIndex | undefined {
  const file = readyVectorsFile(packageRoot());
  return existsSync(file) ? VectorIndex.fromBytes(readFileSync(file), embedderId) : undefined;
}

/** The vectors of all texts, by WASM as for everybody who has npm alone. */
async function readyVectors(chunks: readonly Chunk[]): Promise<Uint8Array> {
  const all = [...new Set(chunks.map(textsOf).flatMap(({ whole, lead, topics }) => [whole, lead, ...topics]))];
  const embedder = openEmbedded({ runtime: 'wasm' });
  const index = new VectorIndex({ embedderId: embedder.id, dimension: embedder.dimension });
  const made = madeBefore(embedder.id);
  for (const text of all) {
    const vector = made?.get(stableHash(text));
    if (vector !== undefined) index.add(stableHash(text), vector);
  }
  const texts = all.filter((text) => !index.has(stableHash(text)));
  const onProgress = (done: number, total: number) => {
    if (done % 50 === 0 || done === total) process.stderr.write(`向量 ${done}/${total}\n`);
  };
  const vectors = await embedder.embed(texts, { kind: 'passage', onProgress });
  for (const [i, text] of texts.entries()) index.add(stableHash(text), vectors[i] as Float32Array);
  await embedder.close();
  return index.toBytes();
}

// Teaches the cutter the terms of the general layer, and of no project.
openZhCore().lookup('术语');
const { chunks } = loadKnowledge(assetPath('knowledge'), 'general');
const lexicon = loadLexicon(assetPath('knowledge'));
const ready = readyLexicon(lexicon.groups, lexiconStamp(assetPath('knowledge')));
write(readyLexiconFile(assetPath('knowledge')), Buffer.from(ready));
write(READY_FILE(), readyTokens(chunks, indexTokens));
write(readyVectorsFile(packageRoot()), await readyVectors(chunks));
