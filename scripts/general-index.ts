// `npm run general:index`: cuts the knowledge that ships, so that a cold process needs no jieba to search it. Run it after
// a change of `knowledge/` or of how texts are cut; a test says so when it was forgotten.
import { assetPath } from '../src/assets.js';
import { writeAtomic } from '../src/knowledge/atomicFile.js';
import { loadKnowledge } from '../src/knowledge/index.js';
import { READY_FILE, readyTokens } from '../src/knowledge/tokenCache.js';
import { contentWords } from '../src/text/index.js';
import { openZhCore } from '../src/zhcore/index.js';

// Teaches the cutter the terms of the general layer, and of no project.
openZhCore().lookup('术语');
const { chunks } = loadKnowledge(assetPath('knowledge'), 'general');
const bytes = readyTokens(chunks, contentWords);
if (!writeAtomic(READY_FILE(), [bytes])) throw new Error(`${READY_FILE()} 写不进去`);
process.stdout.write(`${chunks.length} 段，${(bytes.length / 1024).toFixed(0)} KB：${READY_FILE()}\n`);
