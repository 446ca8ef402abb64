/** Run by the build: what ships, parsed and cut, as JSON beside the bundle, so that no start of Xihe has to do it again. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { assetPath, packageRoot } from '../assets.js';
import { type LoadedFiles, loadKnowledge } from '../knowledge/index.js';
import { type Prepared, preparedFile } from '../knowledge/shipped.js';
import { loadLayer } from './load.js';

/** Files with something wrong are read anew by every process, which then says what is wrong. */
function sound(files: LoadedFiles<unknown>): Prepared['files'][string] {
  return [...files.values()]
    .filter(({ problems }) => problems.length === 0)
    .map(({ path, hash, entries }) => ({ path, hash, entries, problems: [] }));
}

function prepare(): Prepared {
  const knowledge = loadKnowledge(assetPath('knowledge'), 'general');
  const { terms, warnings, playbooks } = loadLayer({ dir: packageRoot(), layer: 'general' });
  const chunks: Prepared['chunks'] = {};
  for (const chunk of knowledge.chunks) {
    chunks[chunk.documentId] ??= [];
    chunks[chunk.documentId]?.push(chunk);
  }
  return {
    files: {
      knowledge: sound(knowledge.files),
      'knowledge/terms': sound(terms),
      'knowledge/warnings': sound(warnings),
      playbooks: sound(playbooks),
    },
    chunks,
  };
}

/** @param dist absolute folder of the build */
export function prepareShipped(dist: string): void {
  const { files, ...others } = prepare();
  for (const [part, value] of Object.entries({ ...files, ...others })) {
    const file = preparedFile(dist, part);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(value));
  }
}
